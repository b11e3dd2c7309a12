//! The warnings about a Node.

use crate::api::json::Value;
use crate::tree::{field, has, text};

/// Adds the warnings for fields that nothing uses anymore.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    let spec = field(object, "spec");
    // Both are still decoded for old clients.
    if has(spec, "configSource") {
        warnings.push("spec.configSource: the feature is removed".to_owned());
    }
    if !text(spec, "externalID").is_empty() {
        warnings.push(
            "spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned(),
        );
    }
}
