//! The table cells of a FlowSchema.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age, or};
use crate::columns::name;
use crate::tree::{field, int, list, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let conditions = list(field(object, "status"), "conditions");
    let dangling = conditions.iter().find(|c| text(c, "type") == "Dangling");
    vec![
        name(object),
        json!(text(field(spec, "priorityLevelConfiguration"), "name")),
        json!(int(spec, "matchingPrecedence")),
        or(text(field(spec, "distinguisherMethod"), "type"), NONE),
        json!(age(object, now)),
        json!(dangling.map_or("?", |c| text(c, "status"))),
    ]
}
