//! The table cells of a ResourceClaim.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{field, has, len};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let mut states = Vec::new();
    if has(field(object, "metadata"), "deletionTimestamp") {
        states.push("deleted");
    }
    if has(status, "allocation") {
        states.push("allocated");
    // A claim that is being deleted is no longer pending.
    } else if states.is_empty() {
        states.push("pending");
    }
    if len(status, "reservedFor") > 0 {
        states.push("reserved");
    }
    vec![
        name(object),
        json!(states.join(",")),
        json!(age(object, now)),
    ]
}
