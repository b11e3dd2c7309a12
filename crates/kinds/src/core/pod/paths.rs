//! The rules for writes to the subresources of a Pod.

use crate::api::json::Value;
use crate::api::status::Cause;
use crate::core::pod::subresource;
use crate::validate::errors::Errors;
use crate::validate::meta;

/// Returns the validation errors of a write to a Pod's `/ephemeralcontainers`.
pub fn ephemeral_containers(pod: &Value, old: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::before_update(pod, old, &mut errors);
    subresource::ephemeral_containers(pod, old, &mut errors);
    errors.into_causes()
}

/// Returns the validation errors of a write to a Pod's `/resize`.
pub fn resize(pod: &Value, old: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::before_update(pod, old, &mut errors);
    subresource::resize(pod, old, &mut errors);
    errors.into_causes()
}
