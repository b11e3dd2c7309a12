//! The warnings about a StorageClass.

use crate::api::json::Value;
use crate::pod::warnings::old_label;
use crate::tree::{list, text};
use crate::validate::Path;

/// Adds the warnings for deprecated node labels.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    let path = Path::root("allowedTopologies");
    for (index, topology) in list(object, "allowedTopologies").iter().enumerate() {
        let path = path.index(index);
        let path = path.child("matchLabelExpressions");
        for (index, expression) in list(topology, "matchLabelExpressions").iter().enumerate() {
            if let Some(advice) = old_label(text(expression, "key")) {
                let path = path.index(index);
                warnings.push(format!("{}: {advice}", path.child("key")));
            }
        }
    }
}
