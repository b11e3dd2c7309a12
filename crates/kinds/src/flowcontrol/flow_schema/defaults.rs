//! The defaults of a FlowSchema.

use crate::api::json::Value;
use crate::tree::{ensure, set_default};

/// A FlowSchema.
pub(crate) fn apply(object: &mut Value) {
    set_default(ensure(object, "spec"), "matchingPrecedence", 1000);
}
