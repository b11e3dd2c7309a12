//! The rules of an IngressClass.

use crate::api::json::Value;
use crate::tree::{field, has, text};
use crate::validate::common::{one_of, optional_name, required_name, typed_reference};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new IngressClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    // Upstream's `maxLenIngressClassController`.
    if text(spec, "controller").len() > 250 {
        errors.too_long(&path.child("controller"), 250);
    }
    required_name(
        &path,
        spec,
        "controller",
        names::domain_prefixed_path,
        errors,
    );
    let parameters = field(spec, "parameters");
    if parameters.is_null() {
        return;
    }
    let path = path.child("parameters");
    typed_reference(&path, parameters, errors);
    one_of(
        &path,
        parameters,
        "scope",
        &["Cluster", "Namespace"],
        errors,
    );
    let namespace = path.child("namespace");
    // `one_of` reports unsupported scopes, so they match no arm here.
    match (text(parameters, "scope"), has(parameters, "namespace")) {
        ("Namespace", false) => {
            errors.required(&namespace, "`parameters.scope` is set to 'Namespace'");
        }
        ("Namespace", true) => {
            optional_name(&path, parameters, "namespace", names::dns1123_label, errors);
        }
        ("Cluster", true) => {
            errors.forbidden(&namespace, "`parameters.scope` is set to 'Cluster'");
        }
        _ => {}
    }
}

/// Validates an update of an IngressClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let controller = |object| field(field(object, "spec"), "controller");
    let path = Path::root("spec");
    meta::immutable(
        &path.child("controller"),
        controller(object),
        controller(old),
        errors,
    );
    // `ValidateIngressClassUpdate` reports the immutable field first, then checks all rules for a new class.
    create(object, errors);
}
