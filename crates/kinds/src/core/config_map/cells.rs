//! The table cells of a ConfigMap.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::len;

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let count = len(object, "data") + len(object, "binaryData");
    vec![name(object), json!(count), json!(age(object, now))]
}
