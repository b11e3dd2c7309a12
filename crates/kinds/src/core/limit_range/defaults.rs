//! The defaults of a LimitRange.

use crate::api::json::Value;
use crate::core::defaults::fill;
use crate::tree::{ensure, items, text};

/// Sets the defaults of a LimitRange: for containers, limits come from the maximum and requests from limits or the
/// minimum.
pub(crate) fn apply(object: &mut Value) {
    for item in items(ensure(object, "spec"), "limits") {
        if text(item, "type") != "Container" {
            continue;
        }
        // The order matters: a request falls back to the limit, which the maximum may just have
        // set.
        fill(item, "default", "max");
        fill(item, "defaultRequest", "default");
        fill(item, "defaultRequest", "min");
    }
}
