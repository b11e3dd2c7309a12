//! The defaults of a FlowSchema.

use crate::api::json::Value;
use crate::tree::{ensure, set_default};

/// Sets the defaults of a FlowSchema.
pub(crate) fn apply(object: &mut Value) {
    set_default(ensure(object, "spec"), "matchingPrecedence", 1000);
}
