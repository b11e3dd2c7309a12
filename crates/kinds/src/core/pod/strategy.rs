//! Prepares a Pod for storage: QoS class, scheduling gates, and selectors with the Pod's own labels.

use crate::api::json::{Value, json};
use crate::pod::{apparmor, qos};
use crate::strategy::WriteContext;
use crate::tree::{
    at, child, ensure, field, has, items, len, list, push, set, set_or_remove, take, text, texts,
};

const GATED: &str = "SchedulingGated";

/// Sets the QoS class and the phase of a new Pod.
pub(super) fn prepare_create(pod: &mut Value, write_context: &WriteContext<'_>) {
    let mut status = json!({"phase": "Pending", "qosClass": qos::class(pod)});
    if len(field(pod, "spec"), "schedulingGates") > 0 {
        status["conditions"] = json!([{
            "type": "PodScheduled", "status": "False", "reason": GATED,
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastTransitionTime": write_context.now, "lastProbeTime": null,
        }]);
    }
    // Replace any status that a client sent: only the kubelet and the scheduler report on a Pod.
    set(pod, "status", status);
    // Written into the selectors once, on creation: the scheduler needs only plain selectors, and later changes of
    // labels do not move the Pod between groups.
    merge_label_keys(pod);
    apparmor::to_fields(pod);
}

/// Removes the `PodScheduled` condition of a Pod whose last scheduling gate is removed.
pub(super) fn prepare_update(pod: &mut Value, old: &Value) {
    let gated = |pod: &Value| len(field(pod, "spec"), "schedulingGates") > 0;
    if gated(old) && !gated(pod) {
        let status = ensure(pod, "status");
        if let Some(Value::Array(conditions)) = status.get_mut("conditions") {
            conditions.retain(|c| text(c, "reason") != GATED);
        }
    }
}

/// Keeps the fields that only the API server sets.
pub(super) fn prepare_status(pod: &mut Value, old: &Value) {
    let metadata = ensure(pod, "metadata");
    match old.get("metadata").and_then(|m| m.get("deletionTimestamp")) {
        Some(stamp) => set(metadata, "deletionTimestamp", stamp.clone()),
        None => drop(take(metadata, "deletionTimestamp")),
    }
    let owners = at(old, &["metadata", "ownerReferences"]).clone();
    set_or_remove(
        metadata,
        "ownerReferences",
        Some(owners).filter(|o| !o.is_null()),
    );
    let class = at(old, &["status", "qosClass"]).clone();
    let status = ensure(pod, "status");
    // The class never changes, so a status without it must not remove it.
    if !has(status, "qosClass") && !class.is_null() {
        set(status, "qosClass", class);
    }
}

/// Converts the keys in `matchLabelKeys` and `mismatchLabelKeys` to expressions of the selectors.
fn merge_label_keys(pod: &mut Value) {
    let labels = at(pod, &["metadata", "labels"]).clone();
    let spec = ensure(pod, "spec");
    for constraint in items(spec, "topologySpreadConstraints") {
        merge(constraint, &labels, "matchLabelKeys", "In");
    }
    let Some(affinity) = child(spec, "affinity") else {
        return;
    };
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(rules) = child(affinity, kind) else {
            continue;
        };
        for term in items(rules, "requiredDuringSchedulingIgnoredDuringExecution") {
            merge(term, &labels, "matchLabelKeys", "In");
            merge(term, &labels, "mismatchLabelKeys", "NotIn");
        }
        for weighted in items(rules, "preferredDuringSchedulingIgnoredDuringExecution") {
            let term = ensure(weighted, "podAffinityTerm");
            merge(term, &labels, "matchLabelKeys", "In");
            merge(term, &labels, "mismatchLabelKeys", "NotIn");
        }
    }
}

fn merge(term: &mut Value, labels: &Value, keys: &str, operator: &str) {
    if !has(term, "labelSelector") || list(term, keys).is_empty() {
        return;
    }
    let found: Vec<Value> = texts(term, keys)
        // The API documentation says that keys which the Pod does not have are ignored.
        .filter(|key| has(labels, key))
        .map(|key| json!({"key": key, "operator": operator, "values": [labels[key]]}))
        .collect();
    let selector = ensure(term, "labelSelector");
    found
        .into_iter()
        .for_each(|expression| push(selector, "matchExpressions", expression));
}
