//! Reading objects: get, list, watch.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

use super::request::{ApiError, Place};
use super::{Cluster, Revision, objects};
use crate::kinds::Kind;
use crate::kinds::convert::{convert, stored_as};
use crate::store::{Range, Store as _};

/// The objects of a place at one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// The revision that the list shows.
    pub revision: Revision,
    /// The objects in the order of namespace and name.
    pub items: Vec<Value>,
}

/// What happened to a watched object.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent {
    /// It was made, or came into what is watched.
    Added(Value),
    /// It changed.
    Modified(Value),
    /// It was removed, or left what is watched; the object as it was then.
    Deleted(Value),
}

/// A change of an object of one of several kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The kind.
    pub kind: &'static Kind,
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The revision of the change.
    pub revision: Revision,
    /// The object after it; `None` where it was removed.
    pub object: Option<Value>,
}

/// Which objects of a place are wanted.
pub type Wanted<'a> = &'a dyn Fn(&Value) -> bool;

impl Cluster {
    /// One object.
    ///
    /// # Errors
    /// Kubernetes' answer where it is not there.
    pub fn get(&self, place: &Place, name: &str) -> Result<Value, ApiError> {
        let key = objects::key(place, name)?;
        let stored = self.store.get(&key)?;
        let stored = stored.ok_or_else(|| objects::not_found(place.kind, name))?;
        Ok(objects::shown_as(place.kind, &stored)?)
    }

    /// The objects of a place that are wanted, now or at an earlier revision.
    ///
    /// # Errors
    /// Where the directory cannot be read, or the revision is no longer known.
    pub fn list(
        &self,
        place: &Place,
        wanted: Wanted<'_>,
        at: Option<Revision>,
    ) -> Result<List, ApiError> {
        let listing = self.raw_list(&objects::range(place), at)?;
        let mut items = Vec::with_capacity(listing.items.len());
        for stored in &listing.items {
            let object = objects::shown_as(place.kind, stored)?;
            if wanted(&object) {
                items.push(object);
            }
        }
        Ok(List {
            revision: listing.revision,
            items,
        })
    }

    /// The changes after a revision to objects that are wanted, and the revision up to which they
    /// are complete. An object that begins or stops to be wanted is added or deleted.
    ///
    /// # Errors
    /// Where they are no longer kept.
    pub fn changes(
        &self,
        place: &Place,
        wanted: Wanted<'_>,
        after: Revision,
    ) -> Result<(Vec<WatchEvent>, Revision), ApiError> {
        let (events, revision) = self.store.events(&objects::range(place), after)?;
        let mut out = Vec::new();
        for event in events {
            let shown = |json: &[u8]| -> Result<Value, ApiError> {
                let mut object = objects::with_revision(json, event.revision, &event.key)?;
                convert(&mut object, place.kind);
                Ok(object)
            };
            let before = event
                .before
                .as_ref()
                .map(|(_, json)| shown(json))
                .transpose()?;
            let after = event.after.as_deref().map(shown).transpose()?;
            let (was, is) = (before.filter(|o| wanted(o)), after.filter(|o| wanted(o)));
            out.extend(match (was, is) {
                (None, Some(object)) => Some(WatchEvent::Added(object)),
                (Some(_), Some(object)) => Some(WatchEvent::Modified(object)),
                (Some(object), None) => Some(WatchEvent::Deleted(object)),
                (None, None) => None,
            });
        }
        Ok((out, revision))
    }

    /// The changes after a revision to objects of some kinds, in order, and the revision up to which
    /// they are complete.
    ///
    /// # Errors
    /// Where they are no longer kept.
    pub fn changes_of(
        &self,
        kinds: &[&'static Kind],
        after: Revision,
    ) -> Result<(Vec<Changed>, Revision), ApiError> {
        let resources: HashMap<String, &'static Kind> = kinds
            .iter()
            .map(|kind| (stored_as(kind).qualified_resource(), *kind))
            .collect();
        let (events, revision) = self.store.events(&Range::all(), after)?;
        let mut changes = Vec::new();
        for event in events {
            let Some(kind) = resources.get(event.key.resource()) else {
                continue;
            };
            let shown = |json: &[u8]| -> Result<Value, ApiError> {
                let mut object = objects::with_revision(json, event.revision, &event.key)?;
                convert(&mut object, kind);
                Ok(object)
            };
            changes.push(Changed {
                kind,
                namespace: event.key.namespace().unwrap_or_default().to_owned(),
                name: event.key.name().to_owned(),
                revision: event.revision,
                object: event.after.as_deref().map(shown).transpose()?,
            });
        }
        Ok((changes, revision))
    }

    /// The kinds that can be listed and watched now, each at the version that clients prefer.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn watchable(&self) -> Result<Vec<&'static Kind>, ApiError> {
        let kinds = self.kinds()?;
        let own = |k: &&'static Kind| k.served && k.verbs.contains(&"watch") && !is_view(k);
        Ok(kinds.preferred().filter(own).collect())
    }

    /// Waits until the cluster is past a revision, or `timeout` is over.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision, ApiError> {
        Ok(self.store.wait(after, timeout)?)
    }
}

/// Whether the objects of a kind are another kind's, seen another way.
fn is_view(kind: &'static Kind) -> bool {
    let stored = stored_as(kind);
    (stored.group, stored.kind) != (kind.group, kind.kind)
}
