//! The rules in CEL of a definition (`x-kubernetes-validations`), held against objects.

use serde_json::Value;

use super::definition::CustomKind;
use crate::kinds::validate::Errors;

/// Holds an object against the rules of its kind.
pub(super) fn check(
    _kind: &CustomKind,
    _object: &Value,
    _old: Option<&Value>,
    _errors: &mut Errors,
) {
}
