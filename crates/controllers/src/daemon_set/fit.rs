//! The nodes on which a DaemonSet's Pod may start or stay.

use crate::api::json::Value;
use crate::kinds::pod::node_rules::{NodeRules, Taint};
use crate::kinds::tree::{entries, field, text};
use crate::runtime::Object;
use crate::views;

/// The part of a Pod's spec that picks nodes.
pub(super) struct Fit {
    node: String,
    rules: NodeRules,
}

impl Fit {
    /// Reads a Pod's spec.
    pub(super) fn from_spec(spec: &Value) -> Self {
        Self {
            node: text(spec, "nodeName").to_owned(),
            rules: NodeRules::read(spec),
        }
    }

    /// Returns true if the Pod may start on a node, and true if it may stay if it is there.
    pub(super) fn on(&self, node: &Object) -> (bool, bool) {
        let labels = entries(field(node, "metadata"), "labels")
            .map(|(k, v)| (k.to_owned(), v.as_str().unwrap_or_default().to_owned()))
            .collect();
        // The two results of the DaemonSet controller: NoSchedule keeps new Pods away, and only NoExecute ends running
        // ones.
        let other = !self.node.is_empty() && self.node != node.name();
        if other || !self.rules.accepts(node.name(), &labels) {
            return (false, false);
        }
        let taints = views::node(node).taints().iter().map(Taint::read);
        let repelling: Vec<Taint> = taints.filter(|t| !self.rules.tolerates(t)).collect();
        let has = |effect: &str| repelling.iter().any(|t| t.effect == effect);
        (!has("NoSchedule") && !has("NoExecute"), !has("NoExecute"))
    }
}
