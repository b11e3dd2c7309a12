//! The rules that the kinds of this group share.

use std::collections::BTreeSet;

use crate::api::json::Value;
use crate::tree::{field, list, text, texts};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

/// Validates the conditions of a status: each has a type, and no type appears twice.
pub(crate) fn conditions(object: &Value, errors: &mut Errors) {
    let path = Path::root("status");
    let path = path.child("conditions");
    let mut seen = BTreeSet::new();
    for (index, condition) in list(field(object, "status"), "conditions")
        .iter()
        .enumerate()
    {
        let path = path.index(index);
        let kind = text(condition, "type");
        // Upstream reports both errors: two empty types are also duplicates.
        if !seen.insert(kind) {
            errors.duplicate(&path.child("type"), &go::quoted(kind));
        }
        if kind.is_empty() {
            errors.required(&path.child("type"), "must not be empty");
        }
    }
}

/// Rejects a list that contains the wildcard next to other values; returns true if it contains the wildcard.
pub(crate) fn lone_wildcard(
    path: &Path<'_>,
    holder: &Value,
    name: &str,
    others: &str,
    errors: &mut Errors,
) -> bool {
    let wildcard = texts(holder, name).any(|value| value == "*");
    if wildcard && list(holder, name).len() > 1 {
        let detail = format!("if '*' is present, must not specify other {others}");
        errors.invalid(&path.child(name), field(holder, name), &detail);
    }
    wildcard
}
