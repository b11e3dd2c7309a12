//! The table cells of a RuntimeClass.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::text;

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let handler = text(object, "handler");
    vec![name(object), json!(handler), json!(age(object, now))]
}
