//! The rules of a MutatingAdmissionPolicyBinding.

use crate::admissionregistration::validate::mutating_binding;
use crate::api::json::Value;
use crate::validate::errors::Errors;
use crate::validate::meta;

/// Validates an update of a MutatingAdmissionPolicyBinding.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    mutating_binding(object, errors);
}
