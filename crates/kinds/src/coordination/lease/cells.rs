//! The table cells of a Lease.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{field, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let holder = text(field(object, "spec"), "holderIdentity");
    vec![name(object), json!(holder), json!(age(object, now))]
}
