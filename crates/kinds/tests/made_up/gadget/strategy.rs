//! Preparation of a Gadget before it is stored: every gadget is assembled.

use crate::api::json::{Value, json};
use crate::strategy::WriteContext;
use crate::tree::set;

/// Marks a new gadget as assembled.
pub(super) fn prepare_create(object: &mut Value, _: &WriteContext<'_>) {
    set(object, "status", json!({"phase": "Assembled"}));
}
