//! The rules of a ValidatingAdmissionPolicy.

use crate::admissionregistration::validate::{POLICIES, compiles, constraints, match_conditions};
use crate::api::json::Value;
use crate::tree::{field, len, list, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// A new ValidatingAdmissionPolicy.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    one_of(&path, spec, "failurePolicy", POLICIES, errors);
    match_conditions(&path, spec, errors);
    constraints(&path, spec, errors);
    let validations = path.child("validations");
    if len(spec, "validations") + len(spec, "auditAnnotations") == 0 {
        let detail = "validations or auditAnnotations must contain at least one item";
        errors.required(&validations, detail);
        errors.required(&path.child("auditAnnotations"), detail);
    }
    for (index, validation) in list(spec, "validations").iter().enumerate() {
        let path = validations.index(index);
        if text(validation, "expression").trim().is_empty() {
            errors.required(&path.child("expression"), "expression is not specified");
        } else {
            let more = ["params", "namespaceObject", "variables"];
            compiles(&path, validation, &more, errors);
        }
    }
}

/// An update of a ValidatingAdmissionPolicy.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}
