//! The indexes of the cache: values by which objects are found besides their names.

use std::collections::BTreeSet;

use super::fast_map::FastMap;
use super::object::{Key, Object};
use crate::api::json::Value;
use crate::cluster::Kind;

/// The function that computes the values under which an object is found.
pub(crate) type Values = fn(&Value) -> Vec<String>;

/// An index that a controller needs: objects of a kind by computed values.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_runtime::{Cache, Change, Index, Object};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let pods = cluster.kind("pods")?;
/// let by_node = Index {
///     kind: pods,
///     name: "node",
///     reads: &["/spec/nodeName"],
///     values: |pod| pod["spec"]["nodeName"].as_str().map(str::to_owned).into_iter().collect(),
/// };
/// let mut cache = Cache::new([by_node]);
/// let pod = json!({"metadata": {"namespace": "default", "name": "web", "uid": "1", "resourceVersion": "7"},
///     "spec": {"nodeName": "node-1"}});
/// let change: Change = cache.put(Object::new(pods, pod)).unwrap();
/// assert!(change.before.is_none());
/// assert_eq!(cache.indexed(pods, "node", "node-1").count(), 1);
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Index {
    /// The kind.
    pub kind: &'static Kind,
    /// The name of the index; controllers that use an equal name for a kind share it.
    pub name: &'static str,
    /// The parts of an object that decide its values besides its namespace and name, such as `/spec/nodeName`: a change
    /// of others does not move it.
    pub reads: &'static [&'static str],
    /// The values of an object.
    pub values: Values,
}

/// Objects by value.
#[derive(Debug, Default)]
pub(crate) struct Postings(FastMap<Box<str>, Keys>);

impl Postings {
    pub(crate) fn add(&mut self, value: &str, key: &Key) {
        match self.0.get_mut(value) {
            Some(keys) => keys.add(key),
            None => drop(self.0.insert(value.into(), Keys::One(key.clone()))),
        }
    }

    pub(crate) fn remove(&mut self, value: &str, key: &Key) {
        if let Some(keys) = self.0.get_mut(value)
            && keys.remove(key)
        {
            self.0.remove(value);
        }
    }

    pub(crate) fn get(&self, value: &str) -> Option<&Keys> {
        self.0.get(value)
    }

    pub(crate) fn count(&self, value: &str) -> usize {
        self.0.get(value).map_or(0, Keys::len)
    }
}

/// Keys in order. Most values of most indexes have a single key.
#[derive(Debug)]
pub(crate) enum Keys {
    /// A single key.
    One(Key),
    /// Any number.
    Many(BTreeSet<Key>),
}

impl Keys {
    pub(crate) fn add(&mut self, key: &Key) {
        match self {
            Self::One(own) if own == key => {}
            Self::One(own) => *self = Self::Many(BTreeSet::from([own.clone(), key.clone()])),
            Self::Many(keys) => drop(keys.insert(key.clone())),
        }
    }

    /// Removes a key; returns true if none is left.
    pub(crate) fn remove(&mut self, key: &Key) -> bool {
        match self {
            // The single key stays in place, because the caller drops the whole entry.
            Self::One(own) => own == key,
            Self::Many(keys) => {
                keys.remove(key);
                keys.is_empty()
            }
        }
    }

    pub(crate) fn contains(&self, key: &Key) -> bool {
        match self {
            Self::One(own) => own == key,
            Self::Many(keys) => keys.contains(key),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Many(keys) => keys.len(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Key> {
        let (one, many) = match self {
            Self::One(key) => (Some(key), None),
            Self::Many(keys) => (None, Some(keys)),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }
}

/// Returns the index value of a label: namespace, name and value.
pub(crate) fn label_value(namespace: &str, name: &str, value: &str) -> String {
    // NUL separates, because no name or label may contain it.
    [namespace, name, value].join("\0")
}

/// Returns the values under which an object is found by its labels.
pub(crate) fn labels(object: &Object) -> Vec<String> {
    let labels = object["metadata"]["labels"].as_object();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    labels
        .into_iter()
        .flatten()
        .map(|(name, value)| label_value(object.namespace(), name, &text(value)))
        .collect()
}

/// Returns the uid of the controller, or for an orphan its namespace with a prefix that no uid has.
pub(crate) fn controller(object: &Object) -> Vec<String> {
    let uid = object.controller().and_then(|o| o["uid"].as_str());
    vec![uid.map_or_else(|| orphans_of(object.namespace()), str::to_owned)]
}

/// Returns the value for the orphans of a namespace.
pub(crate) fn orphans_of(namespace: &str) -> String {
    format!("\0{namespace}")
}
