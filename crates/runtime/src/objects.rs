//! The objects of a kind in the cache.

use std::collections::BTreeSet;

use super::fast_map::FastMap;
use super::object::{Key, Object};

/// Objects by key: a hash map for look-ups, an ordered set for lists.
#[derive(Debug, Default)]
pub(super) struct Objects {
    found: FastMap<Key, Object>,
    order: BTreeSet<Key>,
}

impl Objects {
    pub(super) fn get(&self, key: &Key) -> Option<&Object> {
        self.found.get(key)
    }

    pub(super) fn insert(&mut self, object: Object) {
        // Most writes replace a known object, and a search in the ordered set costs more than one in the map.
        if let Some(known) = self.found.get_mut(object.key()) {
            *known = object;
            return;
        }
        self.order.insert(object.key().clone());
        self.found.insert(object.key().clone(), object);
    }

    pub(super) fn remove(&mut self, key: &Key) -> Option<Object> {
        self.order.remove(key);
        self.found.remove(key)
    }

    /// Returns all objects from a key on.
    pub(super) fn from(&self, first: Key) -> impl Iterator<Item = &Object> {
        let keys = self.order.range(first..);
        keys.filter_map(|key| self.found.get(key))
    }

    /// Returns the keys in order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.order.iter()
    }

    /// Returns any one of the objects.
    pub(super) fn any(&self) -> Option<&Object> {
        self.found.values().next()
    }
}
