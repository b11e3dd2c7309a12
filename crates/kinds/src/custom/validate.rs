//! The rules that a custom resource breaks: of its metadata, its schema, its scale, its lists and in CEL.

use super::definition::{CustomKind, Scale};
use super::{against, embedded, rules};
use crate::api::json::{List, Value};
use crate::api::status::{Cause, CauseReason};
use crate::tree::{field, text, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta};

/// Returns the rules that a new custom resource breaks.
pub fn create(kind: &CustomKind, object: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::of_any_create(object, kind.namespaced, &mut errors);
    content(kind, object, None, &mut errors);
    errors.into_causes()
}

/// Returns the rules that an update of a custom resource, or of its status, breaks.
///
/// Errors that the old object had in unchanged fields do not reject an update.
pub fn update(kind: &CustomKind, object: &Value, old: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::before_update(object, old, &mut errors);
    content(kind, object, Some(old), &mut errors);
    errors.into_causes()
}

fn content(kind: &CustomKind, object: &Value, old: Option<&Value>, errors: &mut Errors) {
    against::schema(&kind.schema, object, old, errors);
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
            // Upstream passes no path, which Go prints so.
            return errors.invalid(&Path::root("<nil>"), &Value::Null, detail);
        }
        rules::check(kind, object, old, errors);
    }
}

/// Returns the errors of a default in a schema.
pub(crate) fn default(schema: &Value, value: &Value) -> Errors {
    let (mut errors, root) = (Errors::default(), Path::root(""));
    embedded::check(&root, schema, value, &mut errors);
    against::schema(schema, value, None, &mut errors);
    lists(&root, schema, value, &mut errors);
    // A rule may only run on values that match the schema: its types were checked against the schema.
    if errors.is_empty() {
        rules::check_value(schema, value, &mut errors);
    }
    errors
}

/// Returns true for errors after which values may not have the types that the rules were checked for.
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

/// The replicas of a kind that can be scaled are numbers of Pods.
fn scale(paths: &Scale, object: &Value, errors: &mut Errors) {
    for path in [&paths.spec_replicas, &paths.status_replicas] {
        // Upstream only permits simple paths here: dots and names, no brackets.
        let names = path.trim_start_matches('.').split('.');
        let found = names.fold(object, |value, name| field(value, name));
        let wrong = match found.as_i64() {
            Some(..0) => "should be a non-negative integer".to_owned(),
            Some(n) if n > i64::from(i32::MAX) => {
                format!("should be less than or equal to {}", i32::MAX)
            }
            // Absent is valid, and another type is reported by the schema.
            _ => continue,
        };
        errors.invalid(&Path::root(path), found, &wrong);
    }
}

/// Rejects repeated items of sets and of lists with keys.
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
                // The key of the set is the JSON text, because numbers and objects have no order.
                if let Some(key) = identity(schema, item)
                    && !seen.insert(key.to_string())
                {
                    // Duplicates of a list are reported before anything within its items.
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

/// Returns the identity of an item in a set or in a list with keys.
fn identity(schema: &Value, item: &Value) -> Option<Value> {
    match text(schema, "x-kubernetes-list-type") {
        "set" => Some(item.clone()),
        "map" => Some(map_key(schema, item)),
        _ => None,
    }
}

/// Returns the fields that identify an item of a list with keys.
pub(super) fn map_key(schema: &Value, item: &Value) -> Value {
    texts(schema, "x-kubernetes-list-map-keys")
        .filter_map(|key| Some((key.to_owned(), item.get(key)?.clone())))
        .collect::<crate::api::json::Map>()
        .into()
}

/// Returns the item of the old list that corresponds to a new item, in lists with keys.
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
