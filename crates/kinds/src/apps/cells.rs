//! The table cells that the kinds of this group share.

use crate::api::json::{Value, json};
use crate::columns::format::label_selector;
use crate::tree::at;

pub(crate) fn selector(object: &Value) -> Value {
    json!(label_selector(at(object, &["spec", "selector"])))
}
