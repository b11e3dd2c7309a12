//! The cells of workloads.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{age, containers};
use crate::columns::name;
use crate::tree::{at, field, int};

pub(crate) fn template(object: &Value) -> &Value {
    at(object, &["spec", "template", "spec"])
}

pub(crate) fn replicas(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let [names, images] = containers(template(object));
    vec![
        name(object),
        json!(int(field(object, "spec"), "replicas")),
        json!(int(status, "replicas")),
        json!(int(status, "readyReplicas")),
        json!(age(object, now)),
        names,
        images,
    ]
}
