//! What the cache can be asked for besides names: values that objects are found by.

use std::collections::{BTreeSet, HashMap};

use super::object::{Key, Object};
use crate::api::json::Value;
use crate::cluster::Kind;

/// The values that an object is found by.
pub type Values = fn(&Value) -> Vec<String>;

/// An index that a controller wants: objects of a kind by values that are computed of each.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    /// The kind.
    pub kind: &'static Kind,
    /// What it is called; two controllers that use the same name for a kind share it.
    pub name: &'static str,
    /// The values of an object.
    pub values: Values,
}

/// Objects by value.
#[derive(Debug, Default)]
pub(crate) struct Postings(HashMap<Box<str>, BTreeSet<Key>>);

impl Postings {
    pub(crate) fn add(&mut self, value: &str, key: &Key) {
        match self.0.get_mut(value) {
            Some(keys) => drop(keys.insert(key.clone())),
            None => drop(self.0.insert(value.into(), BTreeSet::from([key.clone()]))),
        }
    }

    pub(crate) fn remove(&mut self, value: &str, key: &Key) {
        if let Some(keys) = self.0.get_mut(value) {
            keys.remove(key);
            if keys.is_empty() {
                self.0.remove(value);
            }
        }
    }

    pub(crate) fn get(&self, value: &str) -> Option<&BTreeSet<Key>> {
        self.0.get(value)
    }

    pub(crate) fn count(&self, value: &str) -> usize {
        self.0.get(value).map_or(0, BTreeSet::len)
    }
}

/// How a label is found: in its namespace, by name and value.
pub(crate) fn label_value(namespace: &str, name: &str, value: &str) -> String {
    format!("{namespace}\0{name}\0{value}")
}

/// The values under which an object is found by its labels.
pub(crate) fn labels(object: &Object) -> Vec<String> {
    let labels = object["metadata"]["labels"].as_object();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    labels
        .into_iter()
        .flatten()
        .map(|(name, value)| label_value(object.namespace(), name, &text(value)))
        .collect()
}

/// The uid of the controller, or the namespace of an orphan behind a mark that no uid has.
pub(crate) fn controller(object: &Object) -> Vec<String> {
    let uid = object.controller().and_then(|o| o["uid"].as_str());
    vec![uid.map_or_else(|| orphans_of(object.namespace()), str::to_owned)]
}

/// The value under which the objects of a namespace are found that nobody controls.
pub(crate) fn orphans_of(namespace: &str) -> String {
    format!("\0{namespace}")
}
