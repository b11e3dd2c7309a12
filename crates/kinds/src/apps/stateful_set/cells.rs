//! The table cells of a StatefulSet.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{age, containers};
use crate::columns::name;
use crate::columns::workload::template;
use crate::tree::{field, int};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let ready = int(field(object, "status"), "readyReplicas");
    let desired = int(field(object, "spec"), "replicas");
    let [names, images] = containers(template(object));
    vec![
        name(object),
        json!(format!("{ready}/{desired}")),
        json!(age(object, now)),
        names,
        images,
    ]
}
