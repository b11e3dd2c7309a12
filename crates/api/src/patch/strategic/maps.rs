//! Merges maps and executes their directives.

use std::collections::HashSet;

use super::error::StrategicError;
use super::list::{self, Merging};
use super::order::{ItemKind, item_kind};
use crate::json::{Edits, List, Map, Text, Value};
use crate::patch::go;
use crate::patch::shape::{self, Shape};

pub(in crate::patch) const DIRECTIVE: &str = "$patch";
pub(in crate::patch) const DELETE: &str = "delete";
pub(super) const REPLACE: &str = "replace";
pub(super) const MERGE: &str = "merge";
pub(in crate::patch) const RETAIN_KEYS: &str = "$retainKeys";
pub(in crate::patch) const ELEMENT_ORDER: &str = "$setElementOrder";
pub(in crate::patch) const DELETION_LIST: &str = "$deleteFromPrimitiveList";

/// The side that merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::patch) enum Mode {
    /// The server merges a patch into an object and executes its directives.
    Server,
    /// The client merges a patch into another patch and keeps directives and nulls.
    Client,
}

/// Applies `patch` to `object`.
///
/// # Errors
///
/// [`StrategicError`], with the server's text.
pub fn apply<S: Shape>(object: Value, patch: &Value, shape: &S) -> Result<Value, StrategicError> {
    let object = into_map(object)?;
    let Value::Object(patch) = patch else {
        return Err(StrategicError::NotAnObject(go::json_kind(patch)));
    };
    merge_map(object, patch, Some(shape), Mode::Server).map(Value::Object)
}

fn into_map(value: Value) -> Result<Map, StrategicError> {
    match value {
        Value::Object(fields) => Ok(fields),
        other => Err(StrategicError::NotAnObject(go::json_kind(&other))),
    }
}

/// Merges `patch` into `live`.
pub(in crate::patch) fn merge_map<S: Shape>(
    mut live: Map,
    patch: &Map,
    shape: Option<&S>,
    mode: Mode,
) -> Result<Map, StrategicError> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return obey(directive, patch);
    }
    if let Some(keys) = patch.get(RETAIN_KEYS) {
        retain_keys(&mut live, patch, keys, mode)?;
    }
    let mut done = HashSet::new();
    for (name, order) in patch {
        if let Some(field) = directive_field(name, ELEMENT_ORDER) {
            let field = field.ok_or(StrategicError::BadElementOrder)?;
            let order = ElementOrder {
                directive: name,
                field,
                order,
            };
            set_element_order(&mut live, patch, &order, shape, mode)?;
            done.insert(field);
        }
    }
    let mut edits = Edits::default();
    for (name, value) in patch {
        let is_order = name.starts_with(ELEMENT_ORDER);
        if is_order || name == RETAIN_KEYS || done.contains(name.as_str()) {
            continue;
        }
        match directive_field(name, DELETION_LIST) {
            Some(_) if mode == Mode::Client => edits.set(name, value.clone()),
            Some(None) => return Err(StrategicError::BadDeletionList),
            Some(Some(field)) => delete_from_list(&mut live, field, value, shape)?,
            None => merge_field(&mut live, &mut edits, name, value, shape, mode)?,
        }
    }
    edits.make(&mut live);
    Ok(live)
}

/// Returns the field that a directive's key names: `x` in `$setElementOrder/x`.
fn directive_field<'a>(name: &'a str, prefix: &str) -> Option<Option<&'a str>> {
    let rest = name.strip_prefix(prefix)?;
    Some(rest.strip_prefix('/'))
}

fn obey(directive: &Value, patch: &Map) -> Result<Map, StrategicError> {
    match directive.as_str() {
        Some(REPLACE) => {
            let mut fields = patch.clone();
            fields.remove(DIRECTIVE);
            Ok(fields)
        }
        Some(DELETE) => Ok(Map::new()),
        _ => Err(StrategicError::unknown_directive(directive, patch)),
    }
}

/// Removes the fields that `$retainKeys` does not list.
fn retain_keys(
    live: &mut Map,
    patch: &Map,
    keys: &Value,
    mode: Mode,
) -> Result<(), StrategicError> {
    if mode == Mode::Client {
        live.insert(RETAIN_KEYS, keys.clone());
        return Ok(());
    }
    let keys = keys.as_array().ok_or(StrategicError::BadRetainKeys)?;
    let keys: HashSet<&str> = keys.iter().filter_map(Value::as_str).collect();
    let kept = |name: &str| keys.contains(name);
    let directive = |name: &str| {
        name == RETAIN_KEYS || name.starts_with(DELETION_LIST) || name.starts_with(ELEMENT_ORDER)
    };
    for (name, value) in patch {
        if !value.is_null() && !directive(name) && !kept(name) {
            return Err(StrategicError::OutsideRetainKeys);
        }
    }
    live.retain(|name, _| kept(name));
    Ok(())
}

/// A `$setElementOrder/field` directive of a patch.
struct ElementOrder<'a> {
    /// The complete key, `$setElementOrder/field`.
    directive: &'a str,
    /// The list to order.
    field: &'a str,
    /// The directive's value: the items in the desired order.
    order: &'a Value,
}

/// Merges the list `field` and sorts it by `$setElementOrder/field`.
fn set_element_order<S: Shape>(
    live: &mut Map,
    patch: &Map,
    directive: &ElementOrder<'_>,
    shape: Option<&S>,
    mode: Mode,
) -> Result<(), StrategicError> {
    let (field, order) = (directive.field, directive.order);
    if mode == Mode::Client {
        let kept = live
            .entry(directive.directive)
            .or_insert_with(|| order.clone());
        if *kept != *order {
            return Err(StrategicError::BadElementOrder);
        }
    }
    let Value::Array(order) = order else {
        return Err(StrategicError::not_a_list(order));
    };
    let changes = patch.get(field).map(as_list).transpose()?;
    let child = shape::child(shape, field);
    let strategy = child.as_ref().map(Shape::strategy).unwrap_or_default();
    let key = strategy.merge_key;
    list::check_order(changes.unwrap_or_default(), order, key)?;
    let stood = match live.remove(field) {
        None => None,
        Some(Value::Array(items)) => Some(items),
        Some(other) => return Err(StrategicError::not_a_list(&other)),
    };
    let positions = list::positions(stood.as_deref().unwrap_or_default(), key);
    let merged = match (stood, changes) {
        (None, None) => return Ok(()),
        (Some(items), None) => items,
        (None, Some(changes)) if mode == Mode::Client => changes.into(),
        (None, Some(changes)) => match drop_directives(Value::Array(changes.into())) {
            Value::Array(items) => items,
            _ => List::new(),
        },
        (Some(items), Some(changes)) if strategy.merge => {
            let item = child.as_ref().and_then(Shape::element);
            Merging { key, item, mode }.merge(items, changes)?
        }
        (Some(_), Some(changes)) => changes.into(),
    };
    let merged = list::set_order(merged, order, &positions, key)?;
    live.insert(field, Value::Array(merged));
    Ok(())
}

fn as_list(value: &Value) -> Result<&[Value], StrategicError> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(StrategicError::not_a_list(other)),
    }
}

/// Executes `$deleteFromPrimitiveList/field`.
fn delete_from_list<S: Shape>(
    live: &mut Map,
    field: &str,
    gone: &Value,
    shape: Option<&S>,
) -> Result<(), StrategicError> {
    let Some(slot) = live.get_mut(field) else {
        return Ok(());
    };
    if gone.is_null() {
        live.remove(field);
        return Ok(());
    }
    let (Value::Array(items), Value::Array(gone)) = (&mut *slot, gone) else {
        return Ok(());
    };
    let child = shape::child(shape, field);
    if !child.is_some_and(|c| c.strategy().merge) {
        gone.clone_into(items);
        return Ok(());
    }
    match item_kind([items, gone])? {
        ItemKind::Map => return Err(StrategicError::BadDeletionList),
        ItemKind::None => {}
        ItemKind::Scalar => *items = list::delete_scalars(std::mem::take(items), gone),
    }
    Ok(())
}

/// Merges a field that is not a directive.
fn merge_field<S: Shape>(
    live: &mut Map,
    edits: &mut Edits,
    name: &Text,
    value: &Value,
    shape: Option<&S>,
    mode: Mode,
) -> Result<(), StrategicError> {
    if value.is_null() {
        match mode {
            Mode::Server => edits.remove(name),
            Mode::Client => edits.set(name, Value::Null),
        }
        return Ok(());
    }
    let Some(slot) = live.get_mut(name) else {
        edits.set(name, taken(value, mode));
        return Ok(());
    };
    *slot = match (slot.take(), value) {
        (Value::Object(fields), Value::Object(patch)) => {
            let child = shape::child(shape, name);
            if child.as_ref().is_some_and(|c| c.strategy().replace) {
                Value::Object(patch.clone())
            } else {
                Value::Object(merge_map(fields, patch, child.as_ref(), mode)?)
            }
        }
        (Value::Array(items), Value::Array(patch)) => {
            let child = shape::child(shape, name);
            let strategy = child.as_ref().map(Shape::strategy).unwrap_or_default();
            if strategy.merge {
                let item = child.as_ref().and_then(Shape::element);
                let key = strategy.merge_key;
                Value::Array(Merging { key, item, mode }.merge(items, patch)?)
            } else {
                Value::Array(patch.clone())
            }
        }
        (_, value) => taken(value, mode),
    };
    Ok(())
}

/// Returns a patch's value for a field that has no live value.
fn taken(value: &Value, mode: Mode) -> Value {
    match mode {
        Mode::Server => drop_directives(value.clone()),
        Mode::Client => value.clone(),
    }
}

/// Removes directives and nulls from a patch's value that is merged into nothing.
pub(super) fn drop_directives(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let directive = |name: &str| {
                name == DIRECTIVE
                    || name == RETAIN_KEYS
                    || name.starts_with(ELEMENT_ORDER)
                    || name.starts_with(DELETION_LIST)
            };
            let fields = fields
                .into_iter()
                .filter(|(name, value)| !value.is_null() && !directive(name))
                .map(|(name, value)| (name, drop_directives(value)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => {
            let special = |item: &Value| {
                let directive = item.get(DIRECTIVE).and_then(Value::as_str);
                matches!(directive, Some(DELETE | REPLACE))
            };
            let items = items.into_iter().filter(|item| !special(item));
            Value::Array(items.map(drop_directives).collect())
        }
        scalar => scalar,
    }
}
