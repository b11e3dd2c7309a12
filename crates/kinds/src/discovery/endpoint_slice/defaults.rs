//! The defaults of an EndpointSlice.

use crate::api::json::Value;
use crate::tree::{items, set_default};

/// Sets the defaults of an EndpointSlice.
pub(crate) fn apply(object: &mut Value) {
    for port in items(object, "ports") {
        set_default(port, "name", "");
        set_default(port, "protocol", "TCP");
    }
}
