//! The table cells of a DaemonSet.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::apps::cells::selector;
use crate::columns::format::{age, containers, labels};
use crate::columns::name;
use crate::columns::workload::template;
use crate::tree::{field, int};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let [names, images] = containers(template(object));
    vec![
        name(object),
        json!(int(status, "desiredNumberScheduled")),
        json!(int(status, "currentNumberScheduled")),
        json!(int(status, "numberReady")),
        json!(int(status, "updatedNumberScheduled")),
        json!(int(status, "numberAvailable")),
        json!(labels(template(object), "nodeSelector")),
        json!(age(object, now)),
        names,
        images,
        selector(object),
    ]
}
