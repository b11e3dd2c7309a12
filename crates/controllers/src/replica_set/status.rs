//! The status of a set.

use crate::api::json::{Value, json};
use crate::crowd::{Crowd, Sort};
use crate::kinds::tree::{at, field, int, list, text};
use crate::runtime::{Object, Sync};
use crate::workload::{set_count, stamp};

/// The status that a set with these Pods has.
pub(super) fn of(set: &Object, own: &Crowd, sync: &Sync<'_>, old_sort: bool) -> Value {
    let spec = field(set, "spec");
    let labels = at(spec, &["template", "metadata", "labels"]);
    let min_ready = int(spec, "minReadySeconds");
    let count = |is: &dyn Fn(&Sort) -> bool| own.count(|sort| sort.life.active && is(sort));
    let mut status = json!({
        "replicas": count(&|_| true),
        "observedGeneration": set["metadata"]["generation"],
    });
    for (name, number) in [
        (
            "fullyLabeledReplicas",
            count(&|sort| sort.has_labels(labels)),
        ),
        ("readyReplicas", count(&|sort| sort.life.ready.is_some())),
        (
            "availableReplicas",
            count(&|sort| sort.life.is_available(min_ready, sync.now)),
        ),
    ] {
        set_count(&mut status, name, number);
    }
    if !old_sort {
        let terminating = own.count(|sort| sort.life.terminating);
        status["terminatingReplicas"] = json!(terminating);
    }
    let conditions = conditions(set, sync);
    if !conditions.is_empty() {
        status["conditions"] = json!(conditions);
    }
    status
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
