//! The rules of a Role.

use crate::api::json::Value;
use crate::rbac::validate::rules;
use crate::validate::errors::Errors;
use crate::validate::{meta, names};

/// Validates a new Role.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::path_segment, errors);
    rules(object, true, errors);
}

/// Validates an update of a Role.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    create(object, errors);
    meta::update(object, old, errors);
}
