//! Validates custom resources: the metadata, the schema, the scale, the lists and the CEL rules.

use super::definition::{CustomKind, Scale};
use super::{embedded, rules, schema_values};
use crate::api::json::{List, Value};
use crate::api::status::{Cause, CauseReason};
use crate::tree::{field, text, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta};

/// Returns the validation errors of a new custom resource.
pub fn create(kind: &CustomKind, object: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::of_any_create(object, kind.namespaced, &mut errors);
    content(kind, object, None, &mut errors);
    errors.into_causes()
}

/// Returns the validation errors of an update of a custom resource or of its status.
///
/// Errors in unchanged fields that the old object already had do not reject the update.
pub fn update(kind: &CustomKind, object: &Value, old: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::before_update(object, old, &mut errors);
    content(kind, object, Some(old), &mut errors);
    errors.into_causes()
}

fn content(kind: &CustomKind, object: &Value, old: Option<&Value>, errors: &mut Errors) {
    schema_values::schema(&kind.schema, object, old, errors);
    if let Some(paths) = &kind.scale {
        scale(paths, object, errors);
    }
    let root = Path::root("");
    embedded::check(&root, &kind.schema, object, errors);
    lists(&root, &kind.schema, object, errors);
    if kind.has_rules() {
        if errors.iter().any(is_blocking) {
            let detail = "some validation rules were not checked because the object was invalid; \
                          correct the existing errors to complete validation";
            // Upstream passes no path here, which Go prints as `<nil>`.
            return errors.invalid(&Path::root("<nil>"), &Value::Null, detail);
        }
        rules::check(kind, object, old, errors);
    }
}

/// Returns the errors of a default in a schema. As upstream, does not look for repeated items.
pub(crate) fn default(schema: &Value, value: &Value) -> Errors {
    let mut errors = Errors::default();
    embedded::check(&Path::root(""), schema, value, &mut errors);
    schema_values::schema(schema, value, None, &mut errors);
    // CEL rules may only run on values that match the schema, because they were type-checked against it.
    if errors.is_empty() {
        rules::check_value(schema, value, &mut errors);
    }
    errors
}

/// Returns true for errors after which a value may not have the type that the rules were checked for.
fn is_blocking(cause: &Cause) -> bool {
    matches!(
        cause.reason,
        CauseReason::Required
            | CauseReason::TooLong
            | CauseReason::TooMany
            | CauseReason::TypeInvalid
            | CauseReason::NotSupported
    )
}

/// Requires the replica counts of a scalable kind to be non-negative 32-bit numbers.
fn scale(paths: &Scale, object: &Value, errors: &mut Errors) {
    for path in [&paths.spec_replicas, &paths.status_replicas] {
        // Upstream permits only simple paths here: dots and names, but no brackets.
        let names = path.trim_start_matches('.').split('.');
        let found = names.fold(object, |value, name| field(value, name));
        let wrong = match found.as_i64() {
            Some(..0) => "should be a non-negative integer".to_owned(),
            Some(n) if n > i64::from(i32::MAX) => {
                format!("should be less than or equal to {}", i32::MAX)
            }
            // An absent value is valid, and the schema reports any other type.
            _ => continue,
        };
        errors.invalid(&Path::root(path), found, &wrong);
    }
}

/// Rejects repeated items in lists of type `set` and `map`.
fn lists(path: &Path<'_>, schema: &Value, value: &Value, errors: &mut Errors) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                let own = field(field(schema, "properties"), name);
                if own.is_object() {
                    lists(&path.child(name), own, inner, errors);
                } else if field(schema, "additionalProperties").is_object() {
                    let schema = field(schema, "additionalProperties");
                    lists(&path.key(name), schema, inner, errors);
                }
            }
        }
        Value::Array(items) => {
            let mut seen = std::collections::BTreeSet::new();
            for (index, item) in items.iter().enumerate() {
                // Compare JSON texts, because floating-point numbers and objects cannot be ordered.
                if let Some(key) = identity(schema, item)
                    && !seen.insert(key.to_string())
                {
                    // Report the duplicates of a list before any errors within its items.
                    errors.duplicate(&path.index(index), &go::shown(&key));
                }
            }
            for (index, item) in items.iter().enumerate() {
                lists(&path.index(index), field(schema, "items"), item, errors);
            }
        }
        _ => {}
    }
}

/// Returns the identity of an item in a list of type `set` or `map`.
fn identity(schema: &Value, item: &Value) -> Option<Value> {
    match text(schema, "x-kubernetes-list-type") {
        "set" => Some(item.clone()),
        "map" => Some(map_key(schema, item)),
        _ => None,
    }
}

/// Returns the fields that identify an item in a list of type `map`.
pub(super) fn map_key(schema: &Value, item: &Value) -> Value {
    texts(schema, "x-kubernetes-list-map-keys")
        .filter_map(|key| Some((key.to_owned(), item.get(key)?.clone())))
        .collect::<crate::api::json::Map>()
        .into()
}

/// Returns the item of the old list with the same keys, in lists of type `map`.
pub(super) fn counterpart<'a>(schema: &Value, item: &Value, old: &'a Value) -> Option<&'a Value> {
    if text(schema, "x-kubernetes-list-type") != "map" {
        return None;
    }
    let key = map_key(schema, item);
    let old = json_list(old);
    old.iter().find(|other| map_key(schema, other) == key)
}

fn json_list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], List::as_slice)
}
