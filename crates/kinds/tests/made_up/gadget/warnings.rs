//! The warnings about a Gadget.

use crate::api::json::Value;
use crate::tree::{field, int};

/// Adds the warning for a heavy gadget.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    if int(field(object, "spec"), "size") > 5 {
        warnings.push("spec.size: more than 5 is hard to lift".to_owned());
    }
}
