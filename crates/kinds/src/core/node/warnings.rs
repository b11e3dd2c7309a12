//! The warnings about a Node.

use crate::api::json::Value;
use crate::tree::{field, text};

/// Adds the warnings for fields that nothing uses anymore.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    let spec = field(object, "spec");
    // The field is still decoded for old clients. Another one, `configSource`, is dropped before anybody is warned.
    if !text(spec, "externalID").is_empty() {
        warnings.push(
            "spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned(),
        );
    }
}
