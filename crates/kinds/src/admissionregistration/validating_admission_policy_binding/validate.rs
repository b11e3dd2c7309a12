//! The rules of a ValidatingAdmissionPolicyBinding.

use crate::admissionregistration::validate::binding;
use crate::api::json::Value;
use crate::tree::{as_text, field, list};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta};

/// Validates a new ValidatingAdmissionPolicyBinding.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    const ACTIONS: &[&str] = &["Audit", "Deny", "Warn"];
    // Both kinds of bindings refer to a policy and its parameters in the same way; this kind also has actions.
    binding(object, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let path = path.child("validationActions");
    let actions = list(spec, "validationActions");
    for (index, action) in actions.iter().enumerate() {
        if !ACTIONS.contains(&as_text(action)) {
            errors.not_supported(&path.index(index), action, ACTIONS);
        }
        if actions[..index].contains(action) {
            errors.duplicate(&path.index(index), &go::shown(action));
        }
    }
    let has = |wanted: &str| actions.iter().any(|action| action == wanted);
    if has("Deny") && has("Warn") {
        errors.invalid(
            &path,
            field(spec, "validationActions"),
            "must not contain both Deny and Warn (repeating the same validation failure information in \
             the API response and headers serves no purpose)",
        );
    }
    if actions.is_empty() {
        errors.required(&path, "at least one validation action is required");
    }
}

/// Validates an update of a ValidatingAdmissionPolicyBinding.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}
