//! Rules that ReplicaSets and ReplicationControllers share.

use crate::api::json::Value;
use crate::validate::errors::Errors;
use crate::validate::meta::update;
use crate::validate::workload::counters;

/// Validates an update of the status of a ReplicaSet or ReplicationController.
pub(crate) fn replica_set_status(object: &Value, old: &Value, errors: &mut Errors) {
    const NAMES: &[&str] = &[
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
    ];
    const LIMITS: &[(&str, &str, &str)] = &[
        ("fullyLabeledReplicas", "replicas", "status.replicas"),
        ("readyReplicas", "replicas", "status.replicas"),
        ("availableReplicas", "replicas", "status.replicas"),
        ("availableReplicas", "readyReplicas", "readyReplicas"),
    ];
    update(object, old, errors);
    counters(object, NAMES, LIMITS, errors);
}
