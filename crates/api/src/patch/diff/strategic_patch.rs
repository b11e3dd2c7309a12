//! Computes strategic merge patches.

use thiserror::Error;

use super::lists;
use crate::json::{List, Map, Value};
use crate::patch::go;
use crate::patch::shape::{self, Shape};
use crate::patch::strategic::{
    self, DELETION_LIST, DIRECTIVE, ELEMENT_ORDER, RETAIN_KEYS, StrategicError,
};

/// The error for a patch that would change the object's identity.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::diff::{IdentityChanged, keeps_identity};
///
/// assert_eq!(keeps_identity(&json!({"metadata": {"labels": {"a": "b"}}})), Ok(()));
/// assert_eq!(keeps_identity(&json!({"metadata": {"name": "other"}})), Err(IdentityChanged));
/// ```
#[derive(Debug, Clone, Copy, Error, PartialEq, Eq)]
#[error("at least one of apiVersion, kind and name was changed")]
pub struct IdentityChanged;

/// Checks that a patch contains neither apiVersion, kind nor name.
///
/// # Errors
///
/// [`IdentityChanged`], with kubectl's text.
pub fn keeps_identity(patch: &Value) -> Result<(), IdentityChanged> {
    let name = patch.get("metadata").and_then(|m| m.get("name"));
    let changed = [patch.get("apiVersion"), patch.get("kind"), name];
    // A patch contains only changed fields, so a field that is present has changed.
    if changed.iter().any(Option::is_some) {
        return Err(IdentityChanged);
    }
    Ok(())
}

/// Returns the strategic merge patch that turns `original` into `modified`.
///
/// # Errors
///
/// [`StrategicError`] if the items of a merging list lack their merge keys.
pub fn strategic_two_way<S: Shape>(
    original: &Value,
    modified: &Value,
    shape: &S,
) -> Result<Value, StrategicError> {
    let what = PatchParts {
        changes: true,
        deletions: true,
        retain_keys: false,
    };
    diff_maps(map(original)?, map(modified)?, Some(shape), what).map(Value::Object)
}

/// Returns the strategic merge patch that `kubectl apply` sends, computed from the last applied configuration, the new
/// configuration and the live object.
///
/// # Errors
///
/// [`StrategicError`] if the items of a merging list lack their merge keys.
pub fn strategic_three_way<S: Shape>(
    last_applied: &Value,
    modified: &Value,
    live: &Value,
    shape: &S,
) -> Result<Value, StrategicError> {
    let (last_applied, modified, live) = (map(last_applied)?, map(modified)?, map(live)?);
    let changes = PatchParts {
        changes: true,
        deletions: false,
        retain_keys: false,
    };
    let deletions = PatchParts {
        changes: false,
        deletions: true,
        retain_keys: false,
    };
    // Changes are relative to the live object, deletions to the last applied configuration.
    let changes = diff_maps(live, modified, Some(shape), changes)?;
    let deletions = diff_maps(last_applied, modified, Some(shape), deletions)?;
    // The client keeps the directives for the server to execute.
    let mode = strategic::Mode::Client;
    strategic::merge_map(deletions, &changes, Some(shape), mode).map(Value::Object)
}

fn map(value: &Value) -> Result<&Map, StrategicError> {
    value
        .as_object()
        .ok_or_else(|| StrategicError::NotAnObject(go::json_kind(value)))
}

/// Selects the differences to include in a patch.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchParts {
    pub(super) changes: bool,
    pub(super) deletions: bool,
    /// True if the compared maps use the `retainKeys` strategy.
    retain_keys: bool,
}

pub(super) fn diff_maps<S: Shape>(
    original: &Map,
    modified: &Map,
    shape: Option<&S>,
    what: PatchParts,
) -> Result<Map, StrategicError> {
    let mut patch = Map::new();
    for (name, new) in modified {
        match original.get(name) {
            None => what.set(&mut patch, name, new),
            Some(old) if name == DIRECTIVE => {
                // `$patch` in a compared document is a directive, so its value must be a string.
                if !old.is_string() || !new.is_string() {
                    return Err(StrategicError::BadMarker);
                }
                if old != new {
                    patch.insert(name.clone(), new.clone());
                }
            }
            Some(Value::Object(old)) if new.is_object() => {
                let child = shape::child(shape, name);
                diff_field(&mut patch, name, old, map(new)?, child.as_ref(), what)?;
            }
            Some(Value::Array(old)) => match new {
                Value::Array(items) => {
                    let child = shape::child(shape, name);
                    diff_list(&mut patch, name, old, items, child.as_ref(), what)?;
                }
                // A list cannot be merged with a value of another type.
                new => what.set(&mut patch, name, new),
            },
            Some(old) if old != new => what.set(&mut patch, name, new),
            Some(_) => {}
        }
    }
    // Nulls delete fields. Two-way and three-way patches determine the deleted fields differently.
    if what.deletions {
        let gone = original.keys().filter(|name| !modified.contains_key(*name));
        patch.extend(gone.map(|name| (name, Value::Null)));
    }
    if what.retain_keys {
        retain_keys(&mut patch, original, modified);
    }
    Ok(patch)
}

impl PatchParts {
    fn set(self, patch: &mut Map, name: &str, value: &Value) {
        if self.changes {
            patch.insert(name, value.clone());
        }
    }
}

/// Lists the fields to keep, if there are changes.
fn retain_keys(patch: &mut Map, original: &Map, modified: &Map) {
    let set = modified.iter().filter(|(_, value)| !value.is_null());
    let keys: Vec<Value> = set.map(|(name, _)| name.as_str().into()).collect();
    let mut left = original.iter().filter(|(_, value)| !value.is_null());
    let others = left.any(|(name, _)| !modified.contains_key(name));
    // The directive alone would be a patch that changes nothing.
    if !keys.is_empty() && (!patch.is_empty() || others) {
        patch.insert(RETAIN_KEYS, Value::Array(keys.into()));
    }
}

fn diff_field<S: Shape>(
    patch: &mut Map,
    name: &str,
    old: &Map,
    new: &Map,
    shape: Option<&S>,
    what: PatchParts,
) -> Result<(), StrategicError> {
    let strategy = shape.map(Shape::strategy).unwrap_or_default();
    if strategy.replace {
        // As in kubectl, the patch contains the map even if nothing differs.
        what.set(patch, name, &Value::Object(new.clone()));
        return Ok(());
    }
    let retain_keys = strategy.retain_keys;
    let what = PatchParts {
        retain_keys,
        ..what
    };
    let inner = diff_maps(old, new, shape, what)?;
    if !inner.is_empty() {
        patch.insert(name, Value::Object(inner));
    }
    Ok(())
}

fn diff_list<S: Shape>(
    patch: &mut Map,
    name: &str,
    old: &List,
    items: &List,
    shape: Option<&S>,
    what: PatchParts,
) -> Result<(), StrategicError> {
    let strategy = shape.map(Shape::strategy).unwrap_or_default();
    // Lists without a merge strategy are atomic: the patch contains the whole new list or nothing.
    if !strategy.merge {
        if what.changes && old != items {
            patch.insert(name, Value::Array(items.clone()));
        }
        return Ok(());
    }
    let what = PatchParts {
        retain_keys: strategy.retain_keys,
        ..what
    };
    let item = shape.and_then(Shape::element);
    let found = lists::diff(old, items, item.as_ref(), strategy.merge_key, what)?;
    let lists = [
        (name.to_owned(), found.items),
        (format!("{DELETION_LIST}/{name}"), found.deletions),
        (format!("{ELEMENT_ORDER}/{name}"), found.order),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        patch.insert(name, Value::Array(list.into()));
    }
    Ok(())
}
