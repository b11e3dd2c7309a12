//! The table cells of a VolumeAttributesClass.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::text;

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let driver = text(object, "driverName");
    vec![name(object), json!(driver), json!(age(object, now))]
}
