//! The defaults of an APIService.

use crate::api::json::Value;
use crate::tree::{child, ensure, set_default};

/// Sets the defaults of an APIService.
pub(crate) fn apply(object: &mut Value) {
    if let Some(service) = child(ensure(object, "spec"), "service") {
        set_default(service, "port", 443);
    }
}
