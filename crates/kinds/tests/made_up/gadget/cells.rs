//! The table cells of a Gadget.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::{age, name};
use crate::tree::{field, int, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        name(object),
        json!(int(field(object, "spec"), "size")),
        json!(text(field(object, "status"), "phase")),
        json!(age(object, now)),
    ]
}
