//! The defaults of an Endpoints object.

use crate::api::json::Value;
use crate::tree::{items, set_default};

/// Sets the defaults of an Endpoints object.
pub(crate) fn apply(object: &mut Value) {
    for subset in items(object, "subsets") {
        items(subset, "ports").for_each(|port| set_default(port, "protocol", "TCP"));
    }
}
