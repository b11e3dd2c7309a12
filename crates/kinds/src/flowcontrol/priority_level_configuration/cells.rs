//! The table cells of a PriorityLevelConfiguration.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age};
use crate::columns::name;
use crate::tree::{at, field, has, opt_int, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let holder = match has(spec, "limited") {
        true => field(spec, "limited"),
        false => field(spec, "exempt"),
    };
    let queuing = at(holder, &["limitResponse", "queuing"]);
    let number = |holder: &Value, name: &str| match opt_int(holder, name) {
        Some(number) => json!(number),
        None => json!(NONE),
    };
    vec![
        name(object),
        json!(text(spec, "type")),
        number(holder, "nominalConcurrencyShares"),
        number(queuing, "queues"),
        number(queuing, "handSize"),
        number(queuing, "queueLengthLimit"),
        json!(age(object, now)),
    ]
}
