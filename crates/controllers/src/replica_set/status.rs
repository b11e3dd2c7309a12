//! The status of a set.

use crate::api::json::{Value, json};
use crate::pod_counts::{PodClass, PodCounts};
use crate::runtime::{Object, ReconcileContext};
use crate::views;
use crate::workload::{is_in_ending_namespace, set_count, stamp};

/// Returns the status that a set with these Pods has.
pub(super) fn of(
    set: &Object,
    own: &PodCounts,
    context: &ReconcileContext<'_>,
    is_replication_controller: bool,
) -> Value {
    let view = views::workload(set);
    let labels = view.template_labels();
    let min_ready = view.min_ready_seconds();
    let count = |is: &dyn Fn(&PodClass) -> bool| own.count(|class| class.life.active && is(class));
    let mut status = json!({
        "replicas": count(&|_| true),
        "observedGeneration": set["metadata"]["generation"],
    });
    for (name, number) in [
        (
            "fullyLabeledReplicas",
            count(&|class| class.has_labels(labels)),
        ),
        ("readyReplicas", count(&|class| class.life.ready.is_some())),
        (
            "availableReplicas",
            count(&|class| class.life.is_available(min_ready, context.now)),
        ),
    ] {
        set_count(&mut status, name, number);
    }
    if !is_replication_controller {
        // `terminatingReplicas` exists only in apps/v1.
        let terminating = own.count(|class| class.life.terminating);
        status["terminatingReplicas"] = json!(terminating);
    }
    let conditions = conditions(set, context);
    if !conditions.is_empty() {
        status["conditions"] = json!(conditions);
    }
    status
}

/// Returns the conditions: a refusal is reported once, and removed after the next success.
fn conditions(set: &Object, context: &ReconcileContext<'_>) -> Vec<Value> {
    const FAILURE: &str = "ReplicaFailure";
    let mut conditions: Vec<Value> = views::meta(set).conditions().to_vec();
    let mut refused = context.refused.iter();
    let refused = refused.find(|f| f.index.is_some() && !is_in_ending_namespace(f));
    let Some(refused) = refused else {
        // The condition has no False: success removes it.
        conditions.retain(|c| views::condition(c).kind() != FAILURE);
        return conditions;
    };
    // The first failure stays until it is resolved; a new timestamp on each retry would be a write per retry.
    let reason = if refused.rule.starts_with("scale-down") {
        "FailedDelete"
    } else {
        "FailedCreate"
    };
    if conditions
        .iter()
        .any(|c| views::condition(c).kind() == FAILURE)
    {
        return conditions;
    }
    conditions.push(json!({
        "type": FAILURE,
        "status": "True",
        "reason": reason,
        "message": refused.status.message,
        "lastTransitionTime": stamp(context.now),
    }));
    conditions
}
