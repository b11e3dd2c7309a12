//! The rules of a ClusterRoleBinding.

use crate::api::json::Value;
use crate::rbac::validate::{binding, binding_update};
use crate::validate::errors::Errors;
use crate::validate::{meta, names};

/// Validates a new ClusterRoleBinding.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::path_segment, errors);
    binding(object, &["ClusterRole"], false, errors);
}

/// Validates an update of a ClusterRoleBinding.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    create(object, errors);
    binding_update(object, old, errors);
}
