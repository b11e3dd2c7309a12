//! The rules of a MutatingAdmissionPolicyBinding.

use crate::admissionregistration::validate::{binding, mutating_operations};
use crate::api::json::Value;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::meta;
use crate::validate::path::Path;

/// Validates a new MutatingAdmissionPolicyBinding.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    binding(object, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let matched = path.child("matchResources");
    mutating_operations(&matched, field(spec, "matchResources"), errors);
}

/// Validates an update of a MutatingAdmissionPolicyBinding.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}
