//! Whether a node is one for a Pod by name, affinity and taints alone: what is asked where each node is
//! to have its own Pod, and room does not matter.

use serde_json::Value;

use super::ask::{Needs, Taint};
use crate::kinds::tree::{entries, field, list, text};
use crate::runtime::Object;

/// The part of a Pod's spec that picks nodes.
pub(in crate::controllers) struct Fit {
    node: String,
    needs: Needs,
}

impl Fit {
    /// Reads a Pod's spec.
    pub(in crate::controllers) fn of(spec: &Value) -> Self {
        Self {
            node: text(spec, "nodeName").to_owned(),
            needs: Needs::read(spec, "", ""),
        }
    }

    /// Whether the Pod may come to a node, and whether it may stay if it is there.
    pub(in crate::controllers) fn on(&self, node: &Object) -> (bool, bool) {
        let labels = entries(field(node, "metadata"), "labels")
            .map(|(k, v)| (k.to_owned(), v.as_str().unwrap_or_default().to_owned()))
            .collect();
        let other = !self.node.is_empty() && self.node != node.name();
        if other || !self.needs.accepts(node.name(), &labels) {
            return (false, false);
        }
        let taints = list(field(node, "spec"), "taints").iter().map(Taint::read);
        let repelling: Vec<Taint> = taints.filter(|t| !self.needs.tolerates(t)).collect();
        let has = |effect: &str| repelling.iter().any(|t| t.effect == effect);
        (!has("NoSchedule") && !has("NoExecute"), !has("NoExecute"))
    }
}
