//! The table cells of a Secret.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{len, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        name(object),
        json!(text(object, "type")),
        json!(len(object, "data")),
        json!(age(object, now)),
    ]
}
