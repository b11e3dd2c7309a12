//! The defaults of a Gadget.

use crate::api::json::Value;
use crate::tree::{ensure, set_default};

/// Sets the defaults of a Gadget: it is round.
pub(crate) fn apply(object: &mut Value) {
    set_default(ensure(object, "spec"), "shape", "round");
}
