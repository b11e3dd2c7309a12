//! kustomize's strategic merge, which differs from the API server's: items of the patch come first, nulls of the
//! target stay, and lists without a schema are replaced.

use std::collections::HashSet;

use super::{KustomizeError, Result};
use crate::api::json::{Edits, List, Map, Value};
use crate::api::patch::shape::{Form, ListForm, Shape};
use crate::api::yaml;

const DIRECTIVE: &str = "$patch";

/// A directive in a patch that concerns a whole map or list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

/// Merges a patch into an object; returns `None` if the patch deletes it.
///
/// # Errors
/// Returns an error if values have different types or a directive is unknown.
pub(super) fn merge<S: Shape>(
    target: Value,
    patch: Value,
    shape: Option<&S>,
) -> Result<Option<Value>> {
    match (target, patch) {
        (_, Value::Null) => Ok(None),
        (Value::Null, patch) => cleaned(patch, shape),
        (Value::Object(target), Value::Object(patch)) => maps(target, patch, shape),
        (Value::Array(target), Value::Array(patch)) => lists(target, patch, shape),
        // A number may replace a string and vice versa, because both are YAML scalars to kustomize.
        (target, patch) if is_scalar(&target) && is_scalar(&patch) => Ok(Some(patch)),
        (target, patch) => Err(KustomizeError::new(format!(
            "wrong node kind: expected {} but got {}: node contents:\n{}",
            node_kind(&target),
            node_kind(&patch),
            yaml::to_string(&patch)
        ))),
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

fn node_kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "MappingNode",
        Value::Array(_) => "SequenceNode",
        _ => "ScalarNode",
    }
}

fn child<S: Shape>(shape: Option<&S>, name: &str) -> Option<S> {
    let shape = shape?;
    // A map such as `labels` has no named fields; the shape of its element applies to every value.
    shape.field(name).or_else(|| match shape.form() {
        Form::Map | Form::AtomicMap => shape.element(),
        _ => None,
    })
}

fn directive(map: &mut Map) -> Result<Directive> {
    // The directive is removed, because the result must not contain it.
    match map.remove(DIRECTIVE) {
        None => Ok(Directive::Merge),
        Some(Value::String(text)) => match text.as_str() {
            "merge" => Ok(Directive::Merge),
            "replace" => Ok(Directive::Replace),
            "delete" => Ok(Directive::Delete),
            _ => Err(KustomizeError::new(format!(
                "unknown patch strategy '{text}'"
            ))),
        },
        Some(other) => Err(KustomizeError::new(format!(
            "unknown patch strategy '{other}'"
        ))),
    }
}

fn maps<S: Shape>(mut target: Map, mut patch: Map, shape: Option<&S>) -> Result<Option<Value>> {
    match directive(&mut patch)? {
        Directive::Delete => return Ok(None),
        Directive::Replace => return cleaned(Value::Object(patch), shape),
        Directive::Merge => {}
    }
    // Keys are set and removed together after the loop, because each separate change would move the members behind it.
    let mut edits = Edits::default();
    for (name, change) in patch {
        let field = child(shape, &name);
        let old = target.get_mut(&name).map(Value::take);
        match (
            merge(old.unwrap_or_default(), change, field.as_ref())?,
            target.get_mut(&name),
        ) {
            (Some(new), Some(slot)) => *slot = new,
            (Some(new), None) => edits.set(name, new),
            (None, _) => edits.remove(name),
        }
    }
    edits.make(&mut target);
    Ok(Some(Value::Object(target)))
}

/// Returns the value that a patch adds if the target has none: without nulls and directives.
fn cleaned<S: Shape>(patch: Value, shape: Option<&S>) -> Result<Option<Value>> {
    match patch {
        Value::Object(mut map) => {
            if directive(&mut map)? == Directive::Delete {
                return Ok(None);
            }
            maps(Map::new(), map, shape)
        }
        // Only merging lists are cleaned. kustomize copies an atomic list as it is, including nulls and directives.
        Value::Array(items) if is_merged(shape) => lists(List::new(), items, shape),
        other => Ok(Some(other)),
    }
}

fn is_merged<S: Shape>(shape: Option<&S>) -> bool {
    shape.is_some_and(|shape| shape.strategy().merge)
}

fn lists<S: Shape>(target: List, mut patch: List, shape: Option<&S>) -> Result<Option<Value>> {
    let Some(shape) = shape.filter(|shape| shape.strategy().merge) else {
        return Ok(Some(Value::Array(patch)));
    };
    let target = match list_directive(&mut patch)? {
        Directive::Delete => return Ok(None),
        // `$patch: replace` empties the target; the other items of the patch are added afterwards.
        Directive::Replace => List::new(),
        Directive::Merge => target,
    };
    let keys = keys(shape);
    let item = shape.element();
    let merged = match keys.as_slice() {
        [] => scalars(target, patch),
        [key] => by_key(target, patch, key, item.as_ref())?,
        // The keys of `ports` are `containerPort` and `protocol`, but manifests rarely contain the protocol. If no
        // item has both keys, kustomize merges by the first one only.
        keys if target
            .iter()
            .chain(&patch)
            .all(|item| present(item, keys).len() < 2) =>
        {
            by_key(target, patch, &keys[0], item.as_ref())?
        }
        keys => by_keys(target, patch, keys, item.as_ref())?,
    };
    Ok(Some(Value::Array(merged)))
}

/// Removes the patch's item that is only a directive, and returns the directive.
fn list_directive(patch: &mut List) -> Result<Directive> {
    let is_directive = |item: &Value| {
        item.as_object()
            .is_some_and(|map| map.len() == 1 && map.contains_key(DIRECTIVE))
    };
    match patch
        .iter()
        .position(is_directive)
        .map(|at| patch.remove(at))
    {
        Some(Value::Object(mut map)) => directive(&mut map),
        _ => Ok(Directive::Merge),
    }
}

fn keys<S: Shape>(shape: &S) -> Vec<String> {
    // Server-side apply's keys are preferred, because they distinguish items that the old `patchMergeKey` cannot: a
    // port number used with two protocols.
    let listed = match shape.form() {
        Form::List(ListForm::Map) => shape.list_keys(),
        _ => Vec::new(),
    };
    if listed.is_empty() {
        return shape
            .strategy()
            .merge_key
            .map(str::to_owned)
            .into_iter()
            .collect();
    }
    listed.into_iter().map(str::to_owned).collect()
}

fn scalars(target: List, patch: List) -> List {
    // The patch's items come first and duplicates are removed, so that building twice returns the same list.
    let mut seen = HashSet::new();
    let items = patch.into_iter().chain(target);
    items
        .filter(|item| !item.is_null() && seen.insert(item.clone()))
        .collect()
}

/// Returns the text by which keys are compared. As in YAML nodes, `1` and `"1"` are equal.
fn key_text(item: &Value, key: &str) -> Option<String> {
    match &item[key] {
        Value::Null => None,
        Value::String(text) => Some(text.to_string()),
        other => Some(other.to_string()),
    }
}

/// Merges by one key: first the items of the patch in their order, then the rest of the target.
fn by_key<S: Shape>(mut target: List, patch: List, key: &str, shape: Option<&S>) -> Result<List> {
    let mut merged = List::new();
    for change in patch {
        let name = key_text(&change, key);
        let at = name.as_ref().and_then(|name| {
            target
                .iter()
                .position(|item| key_text(item, key).as_ref() == Some(name))
        });
        // kustomize ignores `$patch: replace` in a list item and keeps the target's item.
        let is_replacement = change[DIRECTIVE] == "replace";
        match at {
            Some(at) if is_replacement => merged.push(target.remove(at)),
            Some(at) => {
                let old = target.remove(at);
                merged.extend(merge(old, change, shape)?);
            }
            None => {
                let Some(new) = cleaned(change, shape)? else {
                    continue;
                };
                let same = |item: &&mut Value| name.is_some() && key_text(item, key) == name;
                match merged.iter_mut().find(same) {
                    Some(same) => *same = new,
                    None => merged.push(new),
                }
            }
        }
    }
    // Of several items with the same key, the last one wins.
    for item in target {
        let name = key_text(&item, key);
        match merged
            .iter_mut()
            .find(|other| name.is_some() && key_text(other, key) == name)
        {
            Some(same) => *same = item,
            None => merged.push(item),
        }
    }
    Ok(merged)
}

/// Returns the keys that an item has, with the texts of their values.
fn present(item: &Value, keys: &[String]) -> Vec<(String, String)> {
    keys.iter()
        .filter_map(|key| Some((key.clone(), key_text(item, key)?)))
        .collect()
}

/// Merges by several keys. Items merge only if they have the same keys. New items come first, and a target's item that
/// has only some of the keys, or more keys, hides one of the patch.
fn by_keys<S: Shape>(
    mut target: List,
    patch: List,
    keys: &[String],
    shape: Option<&S>,
) -> Result<List> {
    let mut new = Vec::new();
    for change in patch {
        let own = present(&change, keys);
        let at = target
            .iter()
            .position(|item| own.len() == keys.len() && present(item, keys) == own);
        match at {
            Some(at) => {
                let old = target.remove(at);
                if let Some(item) = merge(old, change, shape)? {
                    // Unlike with a single key, kustomize keeps the order of the target.
                    target.insert(at, item);
                }
            }
            None if target
                .iter()
                .any(|item| shadows(&present(item, keys), &own)) => {}
            None => new.extend(cleaned(change, shape)?),
        }
    }
    new.extend(target);
    Ok(new.into())
}

fn shadows(old: &[(String, String)], new: &[(String, String)]) -> bool {
    let (few, many) = if old.len() < new.len() {
        (old, new)
    } else {
        (new, old)
    };
    !few.is_empty() && few.iter().all(|pair| many.contains(pair))
}
