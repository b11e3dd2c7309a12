//! The warnings about a CSIStorageCapacity.

use crate::api::json::Value;
use crate::pod::warnings::{node_selector_term, old_label};
use crate::tree::{entries, field};
use crate::validate::Path;

/// Adds the warnings for deprecated node labels.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    let (path, topology) = (Path::root("nodeTopology"), field(object, "nodeTopology"));
    // The expressions of a label selector have the form of those in a node selector term.
    node_selector_term(&path, topology, false, warnings);
    let path = path.child("matchLabels");
    for (label, _) in entries(topology, "matchLabels") {
        if let Some(advice) = old_label(label) {
            warnings.push(format!("{}: {advice}", path.child(label)));
        }
    }
}
