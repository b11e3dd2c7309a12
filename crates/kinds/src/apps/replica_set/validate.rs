//! The rules of a ReplicaSet.

use crate::api::json::Value;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::workload::{
    check_labels, immutable_selector, lasting_template, required_selector,
};
use crate::validate::{meta, names};

/// Validates a new ReplicaSet.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    replica_set_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a ReplicaSet.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    replica_set_spec(&Path::root("spec"), field(object, "spec"), errors);
    immutable_selector(object, old, errors);
}

fn replica_set_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    nonnegative_field(path, spec, "replicas", errors);
    nonnegative_field(path, spec, "minReadySeconds", errors);
    // Upstream's message says "deployment" here, too.
    if required_selector(path, spec, "deployment", errors) {
        check_labels(path, spec, errors);
        let template = path.child("template");
        lasting_template(&template, field(spec, "template"), "ReplicaSet", errors);
    }
}
