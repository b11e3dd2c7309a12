//! Computes the difference of two merging lists.

use std::collections::{HashMap, HashSet};

use super::strategic_patch::{PatchParts, diff_maps};
use crate::json::{Map, Value, json};
use crate::patch::go::GoValue;
use crate::patch::shape::Shape;
use crate::patch::strategic::{DELETE, DIRECTIVE, ItemKind, StrategicError, item_kind};

/// The directives of a patch for a list.
#[derive(Debug, Default)]
pub(super) struct ListDiff {
    /// Items to add or change, and in lists of objects also the deletions.
    pub(super) items: Vec<Value>,
    /// Scalars to delete.
    pub(super) deletions: Vec<Value>,
    /// The order of the result.
    pub(super) order: Vec<Value>,
}

pub(super) fn diff<S: Shape>(
    old: &[Value],
    new: &[Value],
    shape: Option<&S>,
    key: Option<&str>,
    what: PatchParts,
) -> Result<ListDiff, StrategicError> {
    // An empty old list leaves nothing to delete, and the result has the order of the new list.
    if old.is_empty() {
        let items = if what.changes {
            new.to_vec()
        } else {
            Vec::new()
        };
        return Ok(ListDiff {
            items,
            ..ListDiff::default()
        });
    }
    match item_kind([old, new])? {
        ItemKind::None => Ok(ListDiff::default()),
        ItemKind::Scalar => Ok(diff_scalars(old, new, what)),
        // Strategic merge pairs items by the merge key, so it must exist.
        ItemKind::Map => {
            let key = key.ok_or(StrategicError::ListWithoutKey)?;
            diff_objects(old, new, shape, key, what)
        }
    }
}

fn diff_objects<S: Shape>(
    old: &[Value],
    new: &[Value],
    shape: Option<&S>,
    key: &str,
    what: PatchParts,
) -> Result<ListDiff, StrategicError> {
    let (old, new) = (Keyed::list(old, key)?, Keyed::list(new, key)?);
    // As in kubectl, compares the values of the merge key as Go prints them.
    let same_order = old.len() == new.len() && old.iter().zip(&new).all(|(a, b)| a.name == b.name);
    let order = new.iter().map(|item| json!({ key: item.name })).collect();
    let (old, mut new) = (by_text(old), by_text(new));
    let mut items = Vec::new();
    // Both sides are sorted by key, so one pass finds the added, removed and common items.
    let mut deletions = Vec::new();
    let mut left = old.into_iter().peekable();
    for item in new.drain(..) {
        while let Some(gone) = left.next_if(|old| old.text < item.text) {
            deletions.push(gone);
        }
        match left.next_if(|old| old.text == item.text) {
            Some(old) => {
                let mut patch = diff_maps(old.fields, item.fields, shape, what)?;
                if !patch.is_empty() {
                    patch.insert(key, item.name.clone());
                    items.push((item.at, Value::Object(patch)));
                }
            }
            None if what.changes => items.push((item.at, Value::Object(item.fields.clone()))),
            None => {}
        }
    }
    deletions.extend(left);
    // Restores the order of the new list, which kubectl's patches follow.
    items.sort_by_key(|(at, _)| *at);
    let mut items: Vec<_> = items.into_iter().map(|(_, item)| item).collect();
    if what.deletions {
        let gone = |item: &Keyed<'_>| json!({ key: item.name, DIRECTIVE: DELETE });
        items.extend(deletions.iter().map(gone));
    }
    // kubectl writes the order only if the patch changes something.
    let changes = what.changes && (!items.is_empty() || !same_order);
    let ordered = changes || (what.deletions && !items.is_empty());
    Ok(ListDiff {
        items,
        deletions: Vec::new(),
        order: if ordered { order } else { Vec::new() },
    })
}

/// An item of a list, with its merge key's value as text.
struct Keyed<'a> {
    at: usize,
    name: &'a Value,
    text: String,
    fields: &'a Map,
}

impl<'a> Keyed<'a> {
    fn list(items: &'a [Value], key: &str) -> Result<Vec<Self>, StrategicError> {
        let keyed = |(at, item): (usize, &'a Value)| {
            let fields = item
                .as_object()
                .ok_or_else(|| StrategicError::not_a_map(item))?;
            let name = fields
                .get(key)
                .ok_or_else(|| StrategicError::no_merge_key(fields, key))?;
            let text = GoValue(name).to_string();
            Ok(Self {
                at,
                name,
                text,
                fields,
            })
        };
        items.iter().enumerate().map(keyed).collect()
    }
}

fn by_text(mut items: Vec<Keyed<'_>>) -> Vec<Keyed<'_>> {
    items.sort_by(|a, b| a.text.cmp(&b.text));
    items
}

fn diff_scalars(given: &[Value], new: &[Value], what: PatchParts) -> ListDiff {
    let sorted = |list: &[Value]| {
        let mut list: Vec<_> = list
            .iter()
            .map(|v| (GoValue(v).to_string(), v.clone()))
            .collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list
    };
    let (old, new_sorted) = (sorted(given), sorted(new));
    let mut found = ListDiff::default();
    let mut left = old.iter().peekable();
    for (text, value) in &new_sorted {
        while let Some((_, gone)) = left.next_if(|(old, _)| old < text) {
            found.deletions.push(gone.clone());
        }
        if left.next_if(|(old, _)| old == text).is_none() && what.changes {
            found.items.push(value.clone());
        }
    }
    found.deletions.extend(left.map(|(_, gone)| gone.clone()));
    if !what.deletions {
        found.deletions.clear();
    }
    // One deletion removes all occurrences of a value.
    let mut seen = HashSet::new();
    found.deletions.retain(|gone| seen.insert(gone.clone()));
    // Sorted by index in the new list, because the items are sorted by text here.
    let mut places = HashMap::new();
    for (at, item) in new.iter().enumerate() {
        places.entry(item).or_insert(at);
    }
    found.items.sort_by_key(|item| places.get(item).copied());
    // kubectl compares with the sorted list, so the patch for an unsorted list always states the order.
    let differs = given != new || old.iter().map(|(_, v)| v).ne(new);
    if (what.deletions && !found.deletions.is_empty()) || (what.changes && differs) {
        found.order = new.to_vec();
    }
    found
}
