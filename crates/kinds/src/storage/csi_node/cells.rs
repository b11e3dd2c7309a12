//! The table cells of a CSINode.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{field, len};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let drivers = len(field(object, "spec"), "drivers");
    vec![name(object), json!(drivers), json!(age(object, now))]
}
