//! Merges one list into another: objects by their merge key, scalars as a set.

use std::collections::HashSet;

use super::error::StrategicError;
use super::maps::{DELETE, DIRECTIVE, MERGE, Mode, REPLACE, drop_directives, merge_map};
use super::order::{self, ItemKind, Positions, arrange, is_deletion, item_kind};
use crate::json::{List, Map, Value};
use crate::patch::shape::Shape;

/// The list being merged: the merge key and the shape of its items.
pub(super) struct Merging<'a, S> {
    pub(super) key: Option<&'a str>,
    pub(super) item: Option<S>,
    pub(super) mode: Mode,
}

impl<S: Shape> Merging<'_, S> {
    /// Merges `patch` into `live` and orders the items.
    pub(super) fn merge(&self, live: List, patch: &[Value]) -> Result<List, StrategicError> {
        match item_kind([&live, patch])? {
            ItemKind::None => Ok(live),
            ItemKind::Scalar => {
                // If there is a merge key, the items must be objects.
                if let (Some(_), Some(item)) = (self.key, live.first().or(patch.first())) {
                    return Err(StrategicError::not_a_map(item));
                }
                Ok(merge_scalars(live, patch))
            }
            ItemKind::Map => self.merge_maps(live, patch),
        }
    }

    fn merge_maps(&self, live: List, patch: &[Value]) -> Result<List, StrategicError> {
        let key = self.key.ok_or(StrategicError::ListWithoutKey)?;
        let (mut merged, patch) = obey_directives(live, patch, key)?;
        // Items that the patch does not order are placed by their positions before the merge.
        let stood = Positions::new(&merged, self.key);
        let mut wanted = Positions::new(&[], self.key);
        let mut places = Positions::new(&merged, self.key);
        for item in patch {
            let name = named(item, key)?;
            wanted.push(name.clone());
            match places.of(name) {
                Some(at) => {
                    // Moved out during the merge, so that the map is owned and need not be copied.
                    let Value::Object(fields) = merged[at].take() else {
                        continue;
                    };
                    let fields = merge_map(fields, item, self.item.as_ref(), self.mode)?;
                    merged[at] = Value::Object(fields);
                }
                None => {
                    places.push(name.clone());
                    merged.push(self.added(item));
                }
            }
        }
        // Checked after the merge, because a live item without its merge key also fails the patch.
        for item in &merged {
            named(as_map(item)?, key)?;
        }
        Ok(arrange(merged, self.key, &wanted, &stood))
    }

    /// Returns the new item for an item of the patch.
    fn added(&self, item: &Map) -> Value {
        let item = Value::Object(item.clone());
        match self.mode {
            // The server executes directives and must not store them.
            Mode::Server => drop_directives(item),
            Mode::Client => item,
        }
    }
}

/// The items of a patch, without directives.
type Items<'p> = Vec<&'p Map>;

/// Executes `$patch` items: deletes items from the live list; for `replace`, empties it.
///
/// Returns what remains of the live list, and the items to merge.
fn obey_directives<'p>(
    mut live: List,
    patch: &'p [Value],
    key: &str,
) -> Result<(List, Items<'p>), StrategicError> {
    let mut items = Vec::with_capacity(patch.len());
    let (mut replace, mut gone) = (false, HashSet::new());
    for item in patch {
        let item = as_map(item)?;
        match item.get(DIRECTIVE) {
            None => items.push(item),
            Some(Value::String(d)) if d == DELETE => {
                gone.insert(named(item, key)?);
            }
            Some(Value::String(d)) if d == REPLACE => replace = true,
            Some(Value::String(d)) if d == MERGE => return Err(StrategicError::MergeDirective),
            Some(other) => return Err(StrategicError::unknown_directive(other, item)),
        }
    }
    // `replace` drops the whole live list, so deletions have no effect.
    if replace {
        let items = items.into_iter().cloned().map(Value::Object);
        return Ok((items.map(drop_directives).collect(), Vec::new()));
    }
    if !gone.is_empty() {
        live.retain(|item| item.get(key).is_none_or(|name| !gone.contains(name)));
    }
    Ok((live, items))
}

fn merge_scalars(live: List, patch: &[Value]) -> List {
    let stood = Positions::new(&live, None);
    let wanted = Positions::new(patch, None);
    let mut seen = HashSet::new();
    let mut merged = live;
    merged.extend(patch.iter().cloned());
    // A set keeps the first of equal values.
    merged.retain(|item| seen.insert(item.clone()));
    arrange(merged, None, &wanted, &stood)
}

/// Removes the items of `gone` from a list of scalars.
pub(super) fn delete_scalars(live: List, gone: &[Value]) -> List {
    let gone: HashSet<_> = gone.iter().collect();
    live.into_iter()
        .filter(|item| !gone.contains(item))
        .collect()
}

/// Sorts a merged list by `$setElementOrder`.
pub(super) fn set_order(
    merged: List,
    order: &[Value],
    stood: &Positions,
    key: Option<&str>,
) -> Result<List, StrategicError> {
    if let Some(key) = key {
        for item in merged.iter().chain(order) {
            named(as_map(item)?, key)?;
        }
    }
    let wanted = Positions::new(order, key);
    Ok(arrange(merged, key, &wanted, stood))
}

/// Checks that `$setElementOrder` contains all items of a patch, in the same order.
pub(super) fn check_order(
    patch: &[Value],
    order: &[Value],
    key: Option<&str>,
) -> Result<(), StrategicError> {
    if order.is_empty() || patch.is_empty() {
        return Ok(());
    }
    let mut order_left = order.iter();
    // The order does not include deletions and directives.
    let skip = |item: &&Value| key.is_some() && is_deletion(item) || item.get(DIRECTIVE).is_some();
    for item in patch.iter().filter(|item| !skip(item)) {
        let name = match key {
            None => item,
            Some(key) => named(as_map(item)?, key)?,
        };
        loop {
            // The order lacks this item of the patch or has it earlier.
            let Some(next) = order_left.next() else {
                return Err(order_mismatch(patch, order));
            };
            let next_name = match key {
                None => next,
                Some(key) => named(as_map(next)?, key)?,
            };
            if next_name == name {
                break;
            }
        }
    }
    Ok(())
}

fn order_mismatch(patch: &[Value], order: &[Value]) -> StrategicError {
    let text = |list: &[Value]| {
        let list = Value::Array(list.into());
        crate::patch::go::GoValue(&list).to_string()
    };
    StrategicError::OrderMismatch {
        patch: text(patch),
        order: text(order),
    }
}

fn as_map(item: &Value) -> Result<&Map, StrategicError> {
    item.as_object()
        .ok_or_else(|| StrategicError::not_a_map(item))
}

fn named<'a>(item: &'a Map, key: &str) -> Result<&'a Value, StrategicError> {
    item.get(key)
        .ok_or_else(|| StrategicError::no_merge_key(item, key))
}

/// Returns the positions of the items by identity, to find them after the list has changed.
pub(super) fn positions(items: &[Value], key: Option<&str>) -> Positions {
    order::Positions::new(items, key)
}
