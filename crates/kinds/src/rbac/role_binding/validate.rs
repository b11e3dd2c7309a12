//! The rules of a RoleBinding.

use crate::api::json::Value;
use crate::rbac::validate::{binding, binding_update};
use crate::validate::errors::Errors;
use crate::validate::{meta, names};

/// Validates a new RoleBinding.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::path_segment, errors);
    binding(object, &["Role", "ClusterRole"], true, errors);
}

/// Validates an update of a RoleBinding.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    create(object, errors);
    binding_update(object, old, errors);
}
