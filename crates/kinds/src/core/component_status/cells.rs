//! The table cells of a ComponentStatus.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::name;
use crate::tree::{list, text};

pub(crate) fn row(object: &Value, _: Timestamp) -> Vec<Value> {
    let mut conditions = list(object, "conditions").iter();
    let healthy = conditions.find(|condition| text(condition, "type") == "Healthy");
    let status = match healthy.map(|condition| text(condition, "status")) {
        None => "Unknown",
        Some("True") => "Healthy",
        Some(_) => "Unhealthy",
    };
    let said = |field: &str| json!(healthy.map_or("", |condition| text(condition, field)));
    vec![name(object), json!(status), said("message"), said("error")]
}
