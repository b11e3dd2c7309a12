//! The warnings about a RuntimeClass.

use crate::api::json::Value;
use crate::pod::warnings::old_label;
use crate::tree::{entries, field};

/// Adds the warnings for deprecated node labels.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    for (label, _) in entries(field(object, "scheduling"), "nodeSelector") {
        if let Some(advice) = old_label(label) {
            // Upstream names the whole selector instead of the label.
            warnings.push(format!("scheduling.nodeSelector: {advice}"));
        }
    }
}
