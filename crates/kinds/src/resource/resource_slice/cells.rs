//! The table cells of a ResourceSlice.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{UNSET, age, or};
use crate::columns::name;
use crate::tree::{field, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    vec![
        name(object),
        or(text(spec, "nodeName"), UNSET),
        json!(text(spec, "driver")),
        json!(text(field(spec, "pool"), "name")),
        json!(age(object, now)),
    ]
}
