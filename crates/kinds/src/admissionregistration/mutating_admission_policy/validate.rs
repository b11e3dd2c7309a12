//! The rules of a MutatingAdmissionPolicy.

use crate::admissionregistration::validate::{
    POLICIES, constraints, match_conditions, param_kind, variables,
};
use crate::api::json::Value;
use crate::tree::{field, has, len, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// A new MutatingAdmissionPolicy.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    one_of(&path, spec, "failurePolicy", POLICIES, errors);
    param_kind(&path, spec, errors);
    match_conditions(&path, spec, has(spec, "paramKind"), errors);
    constraints(&path, spec, errors);
    variables(&path, spec, errors);
    if len(spec, "mutations") == 0 {
        let detail = "mutations must contain at least one item";
        errors.required(&path.child("mutations"), detail);
    }
    match text(spec, "reinvocationPolicy") {
        "" => errors.required(&path.child("reinvocationPolicy"), ""),
        _ => one_of(
            &path,
            spec,
            "reinvocationPolicy",
            &["IfNeeded", "Never"],
            errors,
        ),
    }
}

/// An update of a MutatingAdmissionPolicy.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}
