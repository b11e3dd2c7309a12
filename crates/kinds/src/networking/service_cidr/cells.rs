//! The table cells of a ServiceCIDR.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{field, texts};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let ranges: Vec<_> = texts(field(object, "spec"), "cidrs").collect();
    vec![
        name(object),
        json!(ranges.join(",")),
        json!(age(object, now)),
    ]
}
