//! Objects embedded in custom resources (`x-kubernetes-embedded-resource`).

use crate::api::json::{Value, json};
use crate::api::names;
use crate::tree::{ensure, field, flag, has, set, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta};

/// Validates every embedded object by the rules that all objects share.
pub(super) fn check(path: &Path<'_>, schema: &Value, value: &Value, errors: &mut Errors) {
    match value {
        Value::Object(map) => {
            if flag(schema, "x-kubernetes-embedded-resource") {
                resource(path, value, errors);
            }
            for (name, inner) in map {
                let own = field(field(schema, "properties"), name);
                if own.is_object() {
                    check(&path.child(name), own, inner, errors);
                } else if field(schema, "additionalProperties").is_object() {
                    let schema = field(schema, "additionalProperties");
                    check(&path.key(name), schema, inner, errors);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check(&path.index(index), field(schema, "items"), item, errors);
            }
        }
        _ => {}
    }
}

fn resource(path: &Path<'_>, object: &Value, errors: &mut Errors) {
    for name in ["apiVersion", "kind"] {
        if text(object, name).is_empty() {
            errors.required(&path.child(name), "must not be empty");
        }
    }
    let version = text(object, "apiVersion");
    // Any other string can be parsed as a group and a version.
    if version.matches('/').count() > 1 {
        let detail = format!("unexpected GroupVersion string: {version}");
        errors.invalid_shown(&path.child("apiVersion"), &go::quoted(version), &detail);
    }
    let kind = text(object, "kind");
    for wrong in names::dns1035_label(&kind.to_lowercase()) {
        if !kind.is_empty() {
            let detail = format!("may have mixed case, but should otherwise match: {wrong}");
            errors.invalid_shown(&path.child("kind"), &go::quoted(kind), &detail);
        }
    }
    if has(object, "metadata") {
        // The name is optional, but must be valid if it is set.
        let mut named = json!({"metadata": field(object, "metadata")});
        let metadata = ensure(&mut named, "metadata");
        if text(metadata, "name").is_empty() {
            set(metadata, "name", "fakename");
        }
        meta::of_embedded(&path.child("metadata"), metadata, errors);
    }
}
