//! Computes JSON merge patches, for resources that do not support strategic merge patches.

use crate::json::{Map, Text, Value};
use crate::patch::merge;

/// Returns the JSON merge patch that turns `original` into `modified`.
///
/// Nulls in `modified` count as missing, because a merge patch cannot set them.
pub fn merge_two_way(original: &Value, modified: &Value) -> Value {
    match (original, modified) {
        (Value::Object(original), Value::Object(modified)) => {
            Value::Object(difference(original, modified))
        }
        _ => modified.clone(),
    }
}

fn difference(original: &Map, modified: &Map) -> Map {
    let mut patch = Map::new();
    for (name, old) in original {
        match (old, modified.get(name)) {
            (_, None) => {
                patch.insert(name.clone(), Value::Null);
            }
            (Value::Object(old), Some(Value::Object(new))) => {
                let inner = difference(old, new);
                if !inner.is_empty() {
                    patch.insert(name.clone(), Value::Object(inner));
                }
            }
            (old, Some(new)) if old != new => {
                patch.insert(name.clone(), new.clone());
            }
            _ => {}
        }
    }
    let added = modified
        .iter()
        .filter(|(name, _)| !original.contains_key(*name));
    patch.extend(added.map(|(name, new)| (name, new.clone())));
    patch
}

/// Returns the JSON merge patch that `kubectl apply` sends for custom resources, computed from the last applied
/// configuration, the new configuration and the live object.
pub fn merge_three_way(last_applied: &Value, modified: &Value, live: &Value) -> Value {
    let only = |value: Value, nulls: bool| match value {
        Value::Object(fields) => Value::Object(filter(fields, nulls)),
        other => other,
    };
    // As in `kubectl apply`, additions and changes are relative to the live object, deletions to the last applied
    // configuration.
    let changes = only(merge_two_way(live, modified), false);
    let mut patch = only(merge_two_way(last_applied, modified), true);
    merge::apply(&mut patch, &changes);
    patch
}

/// Keeps only the nulls of a patch, or everything else.
fn filter(fields: Map, nulls: bool) -> Map {
    let keep = |(name, value): (Text, Value)| match value {
        Value::Null => nulls.then_some((name, Value::Null)),
        // An empty map is a value rather than an empty patch.
        Value::Object(inner) if !inner.is_empty() => {
            let inner = filter(inner, nulls);
            (!inner.is_empty()).then_some((name, Value::Object(inner)))
        }
        value => (!nulls).then_some((name, value)),
    };
    fields.into_iter().filter_map(keep).collect()
}
