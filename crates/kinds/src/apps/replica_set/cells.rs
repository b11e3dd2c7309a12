//! The table cells of a ReplicaSet.

use jiff::Timestamp;

use crate::api::json::Value;
use crate::apps::cells::selector;
use crate::columns::workload::replicas;

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = replicas(object, now);
    cells.push(selector(object));
    cells
}
