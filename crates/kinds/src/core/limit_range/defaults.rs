//! The defaults of a LimitRange.

use crate::api::json::Value;
use crate::core::defaults::fill;
use crate::tree::{ensure, items, text};

/// Sets the defaults of a LimitRange. For containers, default limits come from the maximum, and default requests from
/// the default limits or the minimum.
pub(crate) fn apply(object: &mut Value) {
    for item in items(ensure(object, "spec"), "limits") {
        if text(item, "type") != "Container" {
            continue;
        }
        // The order matters: a request falls back to the default limit, which may just have been set from the
        // maximum.
        fill(item, "default", "max");
        fill(item, "defaultRequest", "default");
        fill(item, "defaultRequest", "min");
    }
}
