//! The table cells of a PriorityClass.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{flag, int, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        name(object),
        json!(int(object, "value")),
        json!(flag(object, "globalDefault")),
        json!(age(object, now)),
        json!(text(object, "preemptionPolicy")),
    ]
}
