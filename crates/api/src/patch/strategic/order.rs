//! Orders a merged list: by the patch's order first, by the live order for the rest.

use std::collections::HashMap;

use super::error::StrategicError;
use super::maps::{DELETE, DIRECTIVE};
use crate::json::{List, Value};
use crate::patch::go::{self, GoValue};

/// The maximum length for a linear search.
const SHORT: usize = 16;

/// The position of each item in a list, by merge key or, in lists of scalars, by the item itself.
pub(super) struct Positions {
    names: List,
    by_name: HashMap<Value, usize>,
}

impl Positions {
    pub(super) fn new(items: &[Value], key: Option<&str>) -> Self {
        let mut positions = Self {
            names: List::with_capacity(items.len()),
            by_name: HashMap::new(),
        };
        for item in items {
            positions.push(name(item, key).clone());
        }
        positions
    }

    /// Returns the first position of an item with this identity.
    pub(super) fn of(&self, name: &Value) -> Option<usize> {
        if self.by_name.is_empty() {
            self.names.iter().position(|n| n == name)
        } else {
            self.by_name.get(name).copied()
        }
    }

    /// Records an item that was appended.
    pub(super) fn push(&mut self, name: Value) {
        self.names.push(name);
        let first = match self.names.len() {
            0..=SHORT => return,
            _ if self.by_name.is_empty() => 0,
            length => length - 1,
        };
        for (at, name) in self.names.iter().enumerate().skip(first) {
            self.by_name.entry(name.clone()).or_insert(at);
        }
    }
}

/// Returns the identity of an item: the value of its merge key, or the item itself.
pub(super) fn name<'a>(item: &'a Value, key: Option<&str>) -> &'a Value {
    static NONE: Value = Value::Null;
    match key {
        None => item,
        Some(key) => item.get(key).unwrap_or(&NONE),
    }
}

/// Sorts the items that are in `wanted` by its order. Inserts the others in their `live` order, each before the first
/// wanted item that used to follow it.
pub(super) fn arrange(
    items: List,
    key: Option<&str>,
    wanted: &Positions,
    live: &Positions,
) -> List {
    let total = items.len();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for item in items {
        let name = name(&item, key);
        let stood = live.of(name);
        match wanted.of(name) {
            Some(at) => first.push(Placed::new(at, stood, item, key)),
            None => rest.push(Placed::new(stood.unwrap_or(usize::MAX), stood, item, key)),
        }
    }
    first.sort_by_key(|p| p.rank);
    rest.sort_by_key(|p| p.rank);
    let mut merged = Vec::with_capacity(total);
    let (mut first, mut rest) = (first.into_iter().peekable(), rest.into_iter().peekable());
    loop {
        let take_rest = match (rest.peek(), first.peek()) {
            (None, None) => return merged.into(),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(rest), Some(first)) => match (rest.stood, first.stood) {
                (Some(rest), Some(first)) => rest < first,
                _ => false,
            },
        };
        let next = if take_rest { rest.next() } else { first.next() };
        merged.extend(next.map(|p| p.item));
    }
}

struct Placed {
    /// Deletions come last; otherwise by position.
    rank: (bool, usize),
    stood: Option<usize>,
    item: Value,
}

impl Placed {
    fn new(at: usize, stood: Option<usize>, item: Value, key: Option<&str>) -> Self {
        let rank = (key.is_some() && is_deletion(&item), at);
        Self { rank, stood, item }
    }
}

/// Returns true if an item is a directive that deletes the item of this identity.
pub(super) fn is_deletion(item: &Value) -> bool {
    item.get(DIRECTIVE).is_some_and(|d| d == DELETE)
}

/// The kind of the items of a merging list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::patch) enum ItemKind {
    /// No items.
    None,
    /// Objects.
    Map,
    /// Scalars of one type.
    Scalar,
}

/// Returns the kind that all items share; lists of lists and mixed lists are errors.
pub(in crate::patch) fn item_kind(lists: [&[Value]; 2]) -> Result<ItemKind, StrategicError> {
    let mut kinds = lists.iter().flat_map(|l| l.iter());
    let Some(first) = kinds.next() else {
        return Ok(ItemKind::None);
    };
    if first.is_array() {
        return Err(StrategicError::ListOfLists);
    }
    let type_name = go::type_name(first);
    if kinds.any(|item| go::type_name(item) != type_name) {
        let [a, b] = lists.map(|l| GoValue(&Value::Array(l.into())).to_string());
        return Err(StrategicError::MixedList(format!("[{a} {b}]")));
    }
    if first.is_object() {
        Ok(ItemKind::Map)
    } else {
        Ok(ItemKind::Scalar)
    }
}
