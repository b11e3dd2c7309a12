//! Merges a configuration into an object and records the changes.

use super::compare::{Node, Place, compare_lists, compare_values_at, field_element};
use super::walk::{ItemNames, Parts, parts};
use crate::json::{Edits, List, Map, Value};
use crate::patch::fieldset::PathElement;
use crate::patch::shape::{Shape, child};

/// Merges `config` into `live`: the fields of `config` win, all others stay. Records in `out` the differences that
/// [`super::compare::compare`] would find.
pub(super) fn merge<S: Shape>(
    live: &mut Value,
    config: &Value,
    shape: Option<&S>,
    place: Place,
    out: &mut Node,
) {
    let whole = match (parts(live, shape), parts(config, shape)) {
        (Parts::Map(_), Parts::Map(_)) | (Parts::Items(_), Parts::Items(_)) => false,
        // An apply with an empty list or map must not remove the items of another manager.
        (Parts::Map(_) | Parts::Items(_), Parts::Empty) => return,
        _ => true,
    };
    match (&mut *live, config) {
        (Value::Object(live), Value::Object(config)) if !whole => {
            merge_maps(live, config, shape, place, out);
        }
        (Value::Array(live), Value::Array(config)) if !whole => {
            *live = merge_lists(std::mem::take(live), config, shape, out);
        }
        // Scalars, atomic values and values that change their form: the configuration replaces them.
        _ => {
            compare_values_at(Some(live), Some(config), shape, place, out);
            live.clone_from(config);
        }
    }
}

fn merge_maps<S: Shape>(
    live: &mut Map,
    config: &Map,
    shape: Option<&S>,
    place: Place,
    out: &mut Node,
) {
    let mut edits = Edits::default();
    for (name, value) in config {
        let slot = live.get_mut(name);
        // An equal value needs no change, whatever its shape.
        if slot.as_deref() == Some(value) {
            continue;
        }
        // Another check rejects `managedFields` in a configuration; here they must not count as a change.
        if place.is_passed_over(name) {
            edits.set(name, value.clone());
            continue;
        }
        let mut node = Node::default();
        let child = child(shape, name);
        match slot {
            Some(slot) => merge(slot, value, child.as_ref(), place.at(name), &mut node),
            None => {
                let place = place.at(name);
                compare_values_at(None, Some(value), child.as_ref(), place, &mut node);
                edits.set(name, value.clone());
            }
        }
        if node.differs() {
            out.push(field_element(name, child.as_ref()), node);
        }
    }
    // Applied together: each separate insertion would move the rest of the map.
    edits.make(live);
}

/// Merges two lists item by item. Items of the configuration keep its order; the other live items keep their places
/// between them.
fn merge_lists<S: Shape>(live: List, config: &[Value], shape: Option<&S>, out: &mut Node) -> List {
    let names = ItemNames::new(shape);
    let mut lists = Interleaving::new(live, config, &names);
    // Items that occur only once are compared while merging. Otherwise, the old list is copied and compared
    // afterwards, which is slower.
    let before = lists.is_repetitive().then(|| lists.live());
    let mut notes = Vec::new();
    let mut merged = Vec::with_capacity(lists.live.len() + config.len());
    while lists.at_live < lists.live.len() || lists.at_config < lists.config.len() {
        let Some((live, at)) = lists.next() else {
            continue;
        };
        let mut node = Node::default();
        let config = at.map(|at| lists.config[at].1);
        let item = match (live, config) {
            (Some(live), Some(config)) if live == *config => live,
            (Some(mut live), Some(config)) => {
                merge(
                    &mut live,
                    config,
                    names.shape(),
                    Place::Elsewhere,
                    &mut node,
                );
                live
            }
            (Some(live), None) => live,
            (None, Some(config)) => {
                let place = Place::Elsewhere;
                compare_values_at(None, Some(config), names.shape(), place, &mut node);
                config.clone()
            }
            (None, None) => continue,
        };
        merged.push(item);
        if let Some(at) = at
            && node.differs()
        {
            notes.push((at, node));
        }
    }
    if let Some(before) = before {
        compare_lists(&before, &merged, shape, out);
        return merged.into();
    }
    // Sorted by element, because a set of fields is sorted by element and the notes follow the order of the list.
    notes.sort_by(|(a, _), (b, _)| lists.config[*a].0.cmp(&lists.config[*b].0));
    for (at, node) in notes {
        out.push(lists.config[at].0.clone(), node);
    }
    merged.into()
}

/// Merges two lists in the same order as structured-merge-diff.
struct Interleaving<'c> {
    live: Vec<(Option<PathElement>, Option<Value>)>,
    config: Vec<(PathElement, &'c Value)>,
    /// The index of each live item in the configuration.
    in_config: Vec<Option<usize>>,
    /// The number of live items for each item of the configuration, and the index of the last one.
    in_live: Vec<(usize, Option<usize>)>,
    /// The indexes in the configuration of the items that are in both lists, in reverse order: the next one is at the
    /// end.
    shared: Vec<usize>,
    /// For each item of the configuration, true if it has been merged.
    merged: Vec<bool>,
    /// True if the configuration contains an item twice.
    repeats: bool,
    at_live: usize,
    at_config: usize,
}

impl<'c> Interleaving<'c> {
    fn new<S: Shape>(live: List, config: &'c [Value], names: &ItemNames<S>) -> Self {
        let live: Vec<_> = live
            .into_iter()
            .map(|item| (names.element(&item).ok(), Some(item)))
            .collect();
        let named = |item: &'c Value| Some((names.element(item).ok()?, item));
        let config: Vec<_> = config.iter().filter_map(named).collect();
        // Sorted once, so that a binary search finds each live item.
        let mut sorted: Vec<usize> = (0..config.len()).collect();
        sorted.sort_by(|a, b| config[*a].0.cmp(&config[*b].0));
        let find = |element: &Option<PathElement>| {
            let element = element.as_ref()?;
            let at = sorted.binary_search_by(|i| config[*i].0.cmp(element));
            at.ok().map(|at| sorted[at])
        };
        let in_config: Vec<_> = live.iter().map(|(element, _)| find(element)).collect();
        let mut in_live = vec![(0, None); config.len()];
        for (at, place) in in_config.iter().enumerate() {
            if let Some(place) = place {
                in_live[*place] = (in_live[*place].0 + 1, Some(at));
            }
        }
        let shared = (0..config.len()).rev().filter(|i| in_live[*i].0 > 0);
        // Two equal neighbors in the sorted order are a duplicate item.
        let twice = |pair: &[usize]| config[pair[0]].0 == config[pair[1]].0;
        Self {
            shared: shared.collect(),
            repeats: sorted.windows(2).any(twice),
            merged: vec![false; config.len()],
            in_live,
            live,
            config,
            in_config,
            at_live: 0,
            at_config: 0,
        }
    }

    /// Returns true if either list contains a configured item more than once.
    fn is_repetitive(&self) -> bool {
        self.repeats || self.in_live.iter().any(|(count, _)| *count > 1)
    }

    /// Returns the live items. Must be called before the first item is taken.
    fn live(&self) -> List {
        self.live
            .iter()
            .filter_map(|(_, item)| item.clone())
            .collect()
    }

    /// Returns the next live item and the index of the configured item to merge into it, or `None` if the step only
    /// advanced an index.
    fn next(&mut self) -> Option<(Option<Value>, Option<usize>)> {
        let place = self.in_config.get(self.at_live).copied();
        if let Some(Some(place)) = place
            && self.at_config < self.config.len()
        {
            if place == self.at_config {
                let live = self.take_shared(place);
                self.at_live += 1;
                return Some((live, Some(place)));
            }
            if self.shared.last().is_some_and(|next| *next != place) {
                // In the order of the configuration, another common item comes first.
                self.at_live += 1;
                return None;
            }
        }
        match place {
            Some(None) => {
                let live = self.live[self.at_live].1.take();
                self.at_live += 1;
                return Some((live, None));
            }
            Some(Some(place)) if self.merged[place] => self.at_live += 1,
            _ => {}
        }
        let place = self.at_config;
        if place >= self.config.len() {
            return None;
        }
        let live = self.take_shared(place);
        Some((live, Some(place)))
    }

    /// Skips the next configured item and returns its live item.
    fn take_shared(&mut self, place: usize) -> Option<Value> {
        self.at_config += 1;
        self.merged[place] = true;
        if self.shared.last() == Some(&place) {
            self.shared.pop();
        }
        // If several live items share an identity, the target is ambiguous, so the item is merged into none of them.
        let at = match self.in_live[place] {
            (1, at) => at,
            _ => None,
        };
        self.live[at?].1.take()
    }
}
