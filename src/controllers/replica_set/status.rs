//! The status of a set.

use crate::api::json::{Value, json};
use crate::controllers::workload::{by_labels, is_available, is_ready, set_count, stamp};
use crate::kinds::tree::{at, field, int, list, text};
use crate::runtime::{Object, Sync};

/// The status that a set with these Pods has.
pub(super) fn of(
    set: &Object,
    own: &[&Object],
    active: &[&Object],
    sync: &Sync<'_>,
    old_sort: bool,
) -> Value {
    let spec = field(set, "spec");
    let labels = at(spec, &["template", "metadata", "labels"]);
    let min_ready = int(spec, "minReadySeconds");
    let count = |wanted: &dyn Fn(&Object) -> bool| active.iter().filter(|p| wanted(p)).count();
    let mut has_all = by_labels(|pod| has_labels(pod, labels));
    let labelled = active.iter().filter(|pod| has_all(pod)).count();
    let mut status = json!({
        "replicas": active.len(),
        "observedGeneration": set["metadata"]["generation"],
    });
    set_count(&mut status, "fullyLabeledReplicas", labelled);
    set_count(&mut status, "readyReplicas", count(&|pod| is_ready(pod)));
    set_count(
        &mut status,
        "availableReplicas",
        count(&|pod| is_available(pod, min_ready, sync.now)),
    );
    if !old_sort {
        let terminating = own.iter().filter(|p| p.is_terminating()).count();
        status["terminatingReplicas"] = json!(terminating);
    }
    let conditions = conditions(set, sync);
    if !conditions.is_empty() {
        status["conditions"] = json!(conditions);
    }
    status
}

fn has_labels(pod: &Object, wanted: &Value) -> bool {
    let wanted = wanted.as_object().into_iter().flatten();
    let labels = &pod["metadata"]["labels"];
    wanted.into_iter().all(|(key, value)| &labels[key] == value)
}

/// The conditions: a refusal is told once, and taken back when all went well.
fn conditions(set: &Object, sync: &Sync<'_>) -> Vec<Value> {
    const FAILURE: &str = "ReplicaFailure";
    let mut conditions: Vec<Value> = list(field(set, "status"), "conditions").to_vec();
    let refused = sync.refused.iter().find(|f| f.index.is_some());
    let Some(refused) = refused else {
        conditions.retain(|c| text(c, "type") != FAILURE);
        return conditions;
    };
    let reason = if refused.rule.starts_with("scale-down") {
        "FailedDelete"
    } else {
        "FailedCreate"
    };
    if conditions.iter().any(|c| text(c, "type") == FAILURE) {
        return conditions;
    }
    conditions.push(json!({
        "type": FAILURE,
        "status": "True",
        "reason": reason,
        "message": refused.status.message,
        "lastTransitionTime": stamp(sync.now),
    }));
    conditions
}
