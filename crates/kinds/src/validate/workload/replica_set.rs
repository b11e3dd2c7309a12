//! ReplicaSets, and ReplicationControllers before them.

use super::super::common::selects;
use super::super::errors::Errors;
use super::super::meta::{nonnegative_field, update as meta_update};
use super::super::path::Path;
use super::super::{meta, names};
use super::{
    MISMATCH, check_labels, counters, immutable_selector, lasting_template, required_selector,
};
use crate::api::json::{Value, json};
use crate::tree::{field, has, len};

/// A new ReplicaSet.
pub(in super::super) fn replica_set(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    replica_set_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// An update of a ReplicaSet.
pub(in super::super) fn replica_set_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta_update(object, old, errors);
    replica_set_spec(&Path::root("spec"), field(object, "spec"), errors);
    immutable_selector(object, old, errors);
}

fn replica_set_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    nonnegative_field(path, spec, "replicas", errors);
    nonnegative_field(path, spec, "minReadySeconds", errors);
    if required_selector(path, spec, "deployment", errors) {
        check_labels(path, spec, errors);
        let template = path.child("template");
        lasting_template(&template, field(spec, "template"), "ReplicaSet", errors);
    }
}

/// An update of the status of a ReplicaSet or ReplicationController.
pub(in super::super) fn replica_set_status(object: &Value, old: &Value, errors: &mut Errors) {
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
    meta_update(object, old, errors);
    counters(object, NAMES, LIMITS, errors);
}

/// A new ReplicationController.
pub(in super::super) fn replication_controller(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    controller_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// An update of a ReplicationController.
pub(in super::super) fn replication_controller_update(
    object: &Value,
    old: &Value,
    errors: &mut Errors,
) {
    meta_update(object, old, errors);
    controller_spec(&Path::root("spec"), field(object, "spec"), errors);
}

fn controller_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    nonnegative_field(path, spec, "minReadySeconds", errors);
    let selector = field(spec, "selector");
    if len(spec, "selector") == 0 {
        errors.required(&path.child("selector"), "");
    }
    nonnegative_field(path, spec, "replicas", errors);
    let template_path = path.child("template");
    if !has(spec, "template") {
        return errors.required(&template_path, "");
    }
    let labels = field(field(field(spec, "template"), "metadata"), "labels");
    if selects(&json!({"matchLabels": selector}), labels) == Some(false) {
        errors.invalid(
            &template_path.child("metadata").child("labels"),
            labels,
            MISMATCH,
        );
    }
    lasting_template(
        &template_path,
        field(spec, "template"),
        "ReplicationController",
        errors,
    );
}
