//! The table cells of a Deployment.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::apps::cells::selector;
use crate::columns::format::{age, containers};
use crate::columns::name;
use crate::columns::workload::template;
use crate::tree::{field, int};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let desired = int(field(object, "spec"), "replicas");
    let [names, images] = containers(template(object));
    vec![
        name(object),
        json!(format!("{}/{desired}", int(status, "readyReplicas"))),
        json!(int(status, "updatedReplicas")),
        json!(int(status, "availableReplicas")),
        json!(age(object, now)),
        names,
        images,
        selector(object),
    ]
}
