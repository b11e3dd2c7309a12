//! Defaults in a schema must be complete, without unknown fields, and valid for the schema that contains them.

use crate::api::json::Value;
use crate::custom::{check_default, has_unknown_fields};
use crate::tree::{entries, field, flag, has};
use crate::validate::errors::Errors;
use crate::validate::path::Path;

/// Returns the errors of the defaults in a structural schema.
pub(super) fn check(path: &Path<'_>, schema: &Value) -> Errors {
    let mut errors = Errors::default();
    walk(path, schema, true, false, &mut errors);
    errors
}

/// Validates the defaults in a schema. `own` is true for the schema of an object, whose metadata has special rules;
/// `inside` is true within this metadata.
fn walk(path: &Path<'_>, schema: &Value, own: bool, inside: bool, errors: &mut Errors) {
    let own = own || flag(schema, "x-kubernetes-embedded-resource");
    let inside = inside && !own;
    let default = field(schema, "default");
    if !default.is_null() {
        let at = path.child("default");
        // The schema of metadata need not list its fields, so pruning cannot detect unknown fields in it.
        if !inside && has_unknown_fields(schema, default) {
            errors.invalid(&at, default, "must not have unknown fields");
        }
        errors.extend_below(&at, check_default(schema, default));
    }
    if has(schema, "items") {
        walk(
            &path.child("items"),
            field(schema, "items"),
            false,
            inside,
            errors,
        );
    }
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        let inside = inside || own && matches!(name, "apiVersion" | "kind" | "metadata");
        walk(&properties.key(name), inner, false, inside, errors);
    }
}
