//! Selects the parts of a Service's slices that must be recomputed: most slices are current, and a
//! plan need not compare them with their Pods.
//!
//! Guarantees: a slice that is not open agreed with its Pods when it was last compared, and neither it nor
//! any of them has changed since.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::slice_service;
use crate::api::json::{Text, Value};
use crate::backends::Backends;
use crate::kinds::tree::{field, list};
use crate::runtime::{Cache, Change, Key, Object};

/// The uid of a Pod.
type Uid = Text;

/// The parts of one Service to recompute, if not all.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) slices: BTreeSet<Key>,
    /// Pods that were added or changed, and Pods that lost their slice.
    pub(super) pods: BTreeSet<Uid>,
}

/// The parts to recompute.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// By service; one without an entry is recomputed as a whole.
    parts: HashMap<Key, Part>,
    /// The slices that name each Pod, with their service.
    naming: HashMap<Uid, Vec<Naming>>,
}

/// A service and one of its slices, shared by all Pods in the slice.
type Naming = Arc<(Key, Key)>;

/// Returns the uids of the Pods that a slice names.
pub(super) fn named(slice: &Object) -> impl Iterator<Item = &Uid> {
    let endpoints = list(slice, "endpoints").iter();
    endpoints.filter_map(|e| match field(field(e, "targetRef"), "uid") {
        Value::String(uid) => Some(uid),
        _ => None,
    })
}

impl Open {
    /// Returns true if a slice of a service must be compared with its Pods.
    pub(super) fn has(&self, service: &Key, slice: &Object) -> bool {
        let part = self.parts.get(service);
        part.is_none_or(|part| part.slices.contains(slice.key()))
    }

    /// Returns the Pods to recompute besides those that open slices name; `None` for all.
    pub(super) fn pods(&self, service: &Key) -> Option<impl Iterator<Item = &Uid>> {
        let part = self.parts.get(service)?;
        Some(part.pods.iter().filter(|uid| !self.is_named(service, uid)))
    }

    fn is_named(&self, service: &Key, uid: &str) -> bool {
        let naming = self.naming.get(uid).into_iter().flatten();
        naming.into_iter().any(|naming| naming.0 == *service)
    }

    /// Records the parts of a service that a reconcile still has to recompute.
    pub(super) fn leave(&mut self, service: &Key, part: Part) {
        self.parts.insert(service.clone(), part);
    }

    /// Marks a service for a complete recomputation.
    pub(super) fn reopen(&mut self, service: &Key) {
        self.parts.remove(service);
    }

    /// Marks all services for a complete recomputation.
    pub(super) fn reopen_all(&mut self) {
        self.parts.clear();
    }

    /// Opens the slices that name a changed Pod, and the Pod itself for the services of which it is or was an endpoint.
    // A new Pod has no address for its first changes, and nothing needs to be compared then.
    pub(super) fn pod(&mut self, change: &Change, cache: &Cache) {
        let Some(pod) = change.object() else { return };
        for naming in self.naming.get(pod.uid()).into_iter().flatten() {
            let (service, slice) = &**naming;
            // A service without an entry is recomputed as a whole anyway.
            if let Some(part) = self.parts.get_mut(service) {
                part.slices.insert(slice.clone());
            }
        }
        for service in cache.tally::<Backends>().serving(change) {
            if let Some(part) = self.parts.get_mut(&service) {
                part.pods.extend(pod.uid_text().cloned());
            }
        }
    }

    /// Updates the index of names for a changed slice and opens it.
    pub(super) fn slice(&mut self, change: &Change) {
        if let Some(before) = &change.before {
            self.forget(before);
        }
        let after = change
            .after
            .as_ref()
            // A terminating slice still exists but serves no traffic, so its Pods count as unnamed.
            .filter(|slice| !slice.is_terminating());
        if let Some(after) = after {
            self.learn(after);
        }
    }

    fn forget(&mut self, slice: &Object) {
        let Some(service) = slice_service(slice) else {
            return;
        };
        let mut part = self.parts.get_mut(&service);
        for uid in named(slice) {
            let Some(naming) = self.naming.get_mut(uid) else {
                continue;
            };
            naming.retain(|naming| naming.1 != *slice.key());
            if naming.is_empty() {
                self.naming.remove(uid);
            }
            if let Some(part) = &mut part {
                // The Pods of a deleted slice need a place in another one.
                part.pods.insert(uid.clone());
            }
        }
        if let Some(part) = part {
            part.slices.remove(slice.key());
        }
    }

    fn learn(&mut self, slice: &Object) {
        let Some(service) = slice_service(slice) else {
            return;
        };
        let mut part = self.parts.get_mut(&service);
        let own = Arc::new((service.clone(), slice.key().clone()));
        for uid in named(slice) {
            let naming = self.naming.entry(uid.clone()).or_default();
            // If two slices name a Pod, one of them must drop it.
            for (of, other) in naming.iter().map(|naming| &**naming) {
                if let Some(part) = part.as_mut().filter(|_| *of == service) {
                    part.slices.insert(other.clone());
                }
            }
            // Shared, because a slice names up to 100 Pods.
            naming.push(Arc::clone(&own));
        }
        if let Some(part) = part {
            part.slices.insert(slice.key().clone());
        }
    }
}
