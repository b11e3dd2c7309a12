//! The table cells of a ReplicationController.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::labels;
use crate::columns::workload::replicas;
use crate::tree::field;

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = replicas(object, now);
    cells.push(json!(labels(field(object, "spec"), "selector")));
    cells
}
