//! The table cells of a Namespace.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{field, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let phase = text(field(object, "status"), "phase");
    vec![name(object), json!(phase), json!(age(object, now))]
}
