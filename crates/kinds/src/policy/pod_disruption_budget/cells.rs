//! The table cells of a PodDisruptionBudget.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{field, int};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let bound = |name: &str| match field(spec, name) {
        Value::Null => json!("N/A"),
        Value::String(text) => json!(text),
        number => json!(number.to_string()),
    };
    vec![
        name(object),
        bound("minAvailable"),
        bound("maxUnavailable"),
        json!(int(field(object, "status"), "disruptionsAllowed")),
        json!(age(object, now)),
    ]
}
