//! The defaults of an IngressClass.

use crate::api::json::Value;
use crate::tree::{child, ensure, set_default};

/// Sets the defaults of an IngressClass.
pub(crate) fn apply(object: &mut Value) {
    if let Some(parameters) = child(ensure(object, "spec"), "parameters") {
        set_default(parameters, "scope", "Cluster");
    }
}
