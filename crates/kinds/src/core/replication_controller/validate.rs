//! The rules of a ReplicationController.

use crate::api::json::{Value, json};
use crate::tree::{field, has, len};
use crate::validate::common::selects;
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::workload::{MISMATCH, lasting_template};
use crate::validate::{meta, names};

/// Validates a new ReplicationController.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    controller_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a ReplicationController.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
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
    // The selector is a plain map here, but matches like a label selector.
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
