//! Merging a configuration into an object, and taking fields out of one.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::walk::{ItemNames, Parts, parts};
use crate::api::patch::fieldset::PathElement;
use crate::api::patch::shape::{Shape, child};

/// Merges `config` into `live`: what `config` names wins, the rest stays.
pub(super) fn merge<S: Shape>(live: Value, config: &Value, shape: Option<&S>) -> Value {
    match (parts(&live, shape), parts(config, shape)) {
        (Parts::Map(_), Parts::Map(fields)) => {
            let Value::Object(live) = live else {
                return live;
            };
            Value::Object(merge_maps(live, fields, shape))
        }
        (Parts::Items(_), Parts::Items(items)) => {
            let Value::Array(live) = live else {
                return live;
            };
            Value::Array(merge_lists(live, items, shape))
        }
        // A configuration that names no items leaves them alone.
        (Parts::Map(_) | Parts::Items(_), Parts::Empty) => live,
        _ => config.clone(),
    }
}

fn merge_maps<S: Shape>(
    mut live: Map<String, Value>,
    config: &Map<String, Value>,
    shape: Option<&S>,
) -> Map<String, Value> {
    for (name, value) in config {
        match live.get_mut(name) {
            // What is the same stays so, whatever it is.
            Some(slot) if slot == value => {}
            // A scalar replaces what was there, whatever that is.
            Some(slot) if !value.is_object() && !value.is_array() && !value.is_null() => {
                slot.clone_from(value);
            }
            Some(slot) => *slot = merge(slot.take(), value, child(shape, name).as_ref()),
            None => {
                live.insert(name.clone(), value.clone());
            }
        }
    }
    live
}

/// Merges item by item. Items of the configuration stand in its order; the others keep their places
/// between them.
fn merge_lists<S: Shape>(live: Vec<Value>, config: &[Value], shape: Option<&S>) -> Vec<Value> {
    let names = ItemNames::new(shape);
    let mut lists = Interleaving::new(live, config, &names);
    let mut out = Vec::with_capacity(lists.live.len() + config.len());
    while lists.at_live < lists.live.len() || lists.at_config < lists.config.len() {
        let item = lists.next();
        let Some((live, config)) = item else {
            continue;
        };
        out.push(match (live, config) {
            (Some(live), Some(config)) => merge(live, config, names.shape()),
            (Some(live), None) => live,
            (None, Some(config)) => config.clone(),
            (None, None) => continue,
        });
    }
    out
}

/// The two lists on their way into one, as structured-merge-diff orders them.
struct Interleaving<'c> {
    live: Vec<(Option<PathElement>, Option<Value>)>,
    config: Vec<(PathElement, &'c Value)>,
    /// For each live item, its place in the configuration.
    in_config: Vec<Option<usize>>,
    /// For each item of the configuration, its place among the live items, if it has just one.
    in_live: Vec<Option<usize>>,
    /// The places in the configuration of the items that both have, from the last to the next.
    shared: Vec<usize>,
    merged: HashSet<usize>,
    at_live: usize,
    at_config: usize,
}

impl<'c> Interleaving<'c> {
    fn new<S: Shape>(live: Vec<Value>, config: &'c [Value], names: &ItemNames<'_, S>) -> Self {
        let live: Vec<_> = live
            .into_iter()
            .map(|item| (names.element(&item).ok(), Some(item)))
            .collect();
        let named = |item: &'c Value| Some((names.element(item).ok()?, item));
        let config: Vec<_> = config.iter().filter_map(named).collect();
        let mut sorted: Vec<usize> = (0..config.len()).collect();
        sorted.sort_by(|a, b| config[*a].0.cmp(&config[*b].0));
        let find = |element: &Option<PathElement>| {
            let element = element.as_ref()?;
            let at = sorted.binary_search_by(|i| config[*i].0.cmp(element));
            at.ok().map(|at| sorted[at])
        };
        let in_config: Vec<_> = live.iter().map(|(element, _)| find(element)).collect();
        let mut places = vec![(0, None); config.len()];
        for (at, place) in in_config.iter().enumerate() {
            if let Some(place) = place {
                places[*place] = (places[*place].0 + 1, Some(at));
            }
        }
        let shared = (0..config.len()).rev().filter(|i| places[*i].0 > 0);
        Self {
            shared: shared.collect(),
            in_live: places
                .into_iter()
                .map(|(count, at)| at.filter(|_| count == 1))
                .collect(),
            live,
            config,
            in_config,
            merged: HashSet::new(),
            at_live: 0,
            at_config: 0,
        }
    }

    /// The next pair to merge; `None` if only a place was passed.
    fn next(&mut self) -> Option<(Option<Value>, Option<&'c Value>)> {
        let place = self.in_config.get(self.at_live).copied();
        if let Some(Some(place)) = place
            && self.at_config < self.config.len()
        {
            if place == self.at_config {
                let live = self.take_shared(place);
                self.at_live += 1;
                return Some((live, Some(self.config[place].1)));
            }
            if self.shared.last().is_some_and(|next| *next != place) {
                // Shared, but another item's turn: it comes with the configuration's order.
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
            Some(Some(place)) if self.merged.contains(&place) => self.at_live += 1,
            _ => {}
        }
        let place = self.at_config;
        let config = self.config.get(place)?.1;
        let live = self.take_shared(place);
        Some((live, Some(config)))
    }

    /// Passes the next item of the configuration and returns its live item.
    fn take_shared(&mut self, place: usize) -> Option<Value> {
        self.at_config += 1;
        self.merged.insert(place);
        if self.shared.last() == Some(&place) {
            self.shared.pop();
        }
        self.live[self.in_live[place]?].1.take()
    }
}
