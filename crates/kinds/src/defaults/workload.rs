//! The workloads that keep Pods running.

use super::{pod, storage};
use crate::api::json::{Value, json};
use crate::tree::{at, child, ensure, field, has, items, len, set, set_default, text};

/// A Deployment: a rolling update of a quarter at a time.
pub(super) fn deployment(object: &mut Value) {
    let spec = ensure(object, "spec");
    template(spec);
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
    set_default(spec, "progressDeadlineSeconds", 600);
    let strategy = ensure(spec, "strategy");
    set_default(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling = ensure(strategy, "rollingUpdate");
        set_default(rolling, "maxUnavailable", "25%");
        set_default(rolling, "maxSurge", "25%");
    }
}

/// A ReplicaSet.
pub(super) fn replica_set(object: &mut Value) {
    let spec = ensure(object, "spec");
    template(spec);
    set_default(spec, "replicas", 1);
}

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// A DaemonSet: one node at a time. Its template's generation is an annotation of the object.
pub(super) fn daemon_set(object: &mut Value) {
    let annotations = ensure(ensure(object, "metadata"), "annotations");
    set_default(annotations, TEMPLATE_GENERATION, "0");
    let spec = ensure(object, "spec");
    template(spec);
    set_default(spec, "revisionHistoryLimit", 10);
    let strategy = ensure(spec, "updateStrategy");
    set_default(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling = ensure(strategy, "rollingUpdate");
        set_default(rolling, "maxUnavailable", 1);
        set_default(rolling, "maxSurge", 0);
    }
}

/// A StatefulSet and the claims it makes.
pub(super) fn stateful_set(object: &mut Value) {
    let spec = ensure(object, "spec");
    template(spec);
    set_default(spec, "podManagementPolicy", "OrderedReady");
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
    let strategy = ensure(spec, "updateStrategy");
    set_default(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        set_default(ensure(strategy, "rollingUpdate"), "partition", 0);
    }
    let retention = ensure(spec, "persistentVolumeClaimRetentionPolicy");
    set_default(retention, "whenDeleted", "Retain");
    set_default(retention, "whenScaled", "Retain");
    for claim in items(spec, "volumeClaimTemplates") {
        storage::persistent_volume_claim(claim);
        set_default(claim, "apiVersion", "v1");
        set_default(claim, "kind", "PersistentVolumeClaim");
    }
}

/// A ReplicationController, which takes selector and labels from its template.
pub(super) fn replication_controller(object: &mut Value) {
    let labels = at(object, &["spec", "template", "metadata", "labels"]).clone();
    let spec = ensure(object, "spec");
    if has(spec, "template") {
        template(spec);
    }
    set_default(spec, "replicas", 1);
    if !labels.is_null() && len(spec, "selector") == 0 {
        set(spec, "selector", labels);
    }
    labels_from_template(object);
}

/// A PodTemplate.
pub(super) fn pod_template(object: &mut Value) {
    pod::pod_spec(ensure(ensure(object, "template"), "spec"));
}

/// The Pod template of a workload's spec.
pub(super) fn template(spec: &mut Value) {
    let template = ensure(spec, "template");
    pod::pod_spec(ensure(template, "spec"));
}

/// An object without labels takes those of its template.
pub(super) fn labels_from_template(object: &mut Value) {
    let labels = at(object, &["spec", "template", "metadata", "labels"]).clone();
    if !labels.is_null()
        && labels != json!({})
        && len(field(object, "metadata"), "labels") == 0
        && let Some(metadata) = child(object, "metadata")
    {
        set(metadata, "labels", labels);
    }
}
