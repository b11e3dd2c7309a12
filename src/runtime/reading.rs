//! How changes come into the cache, and from there to the keys that they concern.

use std::collections::BTreeMap;

use super::cache::Change;
use super::controller::Watch;
use super::manager::Manager;
use super::object::{Key, Object};
use super::queue::Lane;
use super::runner::Runner;
use super::tell;
use crate::cluster::{ApiError, Cluster, Kind, Place, StoreError};

impl Manager<'_> {
    /// Reads everything that the controllers look at, and lets them look at all of it.
    ///
    /// # Errors
    /// Where the cluster cannot be read.
    pub fn load(&mut self) -> Result<(), ApiError> {
        self.kinds = watched_kinds(self.cluster, &self.runners)?;
        let revision = self.cluster.raw_revision()?;
        let mut changes = Vec::new();
        for kind in self.kinds.clone() {
            let list = self.cluster.list(&Place::new(kind, ""), &|_| true, None)?;
            let mut gone = self.cache.keys(kind);
            for value in list.items {
                let object = Object::new(kind, value);
                if let Ok(at) = gone.binary_search(object.key()) {
                    gone.remove(at);
                }
                changes.extend(self.cache.put(object));
            }
            let removed = gone
                .iter()
                .filter_map(|key| self.cache.remove(kind, key, list.revision + 1));
            changes.extend(removed);
        }
        self.cache.set_revision(revision);
        self.now = self.cluster.now()?;
        for change in &changes {
            self.route(change);
        }
        for runner in &mut self.runners {
            for key in runner.controller.start() {
                runner.queue.add(&key, None, self.now);
            }
        }
        Ok(())
    }

    /// Reads what others have changed; answers whether there was anything.
    ///
    /// # Errors
    /// Where the cluster cannot be read.
    pub fn refresh(&mut self) -> Result<bool, ApiError> {
        self.now = self.cluster.now()?;
        if self.cluster.raw_revision()? <= self.cache.revision() {
            return Ok(false);
        }
        if watched_kinds(self.cluster, &self.runners)?.len() != self.kinds.len() {
            // A definition came or went.
            self.load()?;
            return Ok(true);
        }
        let after = self.cache.revision();
        let (changed, revision) = match self.cluster.changes_of(&self.kinds, after) {
            Ok(changes) => changes,
            Err(ApiError::Store(StoreError::Gone { .. })) => {
                self.load()?;
                return Ok(true);
            }
            Err(e) => return Err(e),
        };
        let mut news = Vec::new();
        for change in changed {
            let key = Key::new(&change.namespace, &change.name);
            news.extend(match change.object {
                Some(value) => self.cache.put(Object::new(change.kind, value)),
                None => self.cache.remove(change.kind, &key, change.revision),
            });
        }
        self.cache.set_revision(revision);
        for change in &news {
            self.route(change);
        }
        Ok(!news.is_empty())
    }

    /// Leads a change to the keys that it concerns.
    pub(super) fn route(&mut self, change: &Change) {
        let Some(object) = change.object() else {
            return;
        };
        let (kind, trigger) = (object.kind(), Some(object.revision()));
        for runner in &mut self.runners {
            runner.controller.observe(change);
        }
        let runners = &mut self.runners;
        let routes = self
            .routes
            .entry((kind.group, kind.kind))
            .or_insert_with(|| watches_of(runners, kind));
        for (runner, watch) in routes {
            let runner = &mut runners[*runner];
            let watch = &runner.watches[*watch];
            for key in (watch.keys)(change, &self.cache) {
                if !runner.minds(&key.namespace) {
                    continue;
                }
                if watch.delay.is_zero() {
                    runner.queue.add(&key, trigger, self.now);
                } else {
                    let queue = &mut runner.queue;
                    queue.add_after(&key, Lane::Wanted, watch.delay, self.now);
                }
            }
        }
    }
}

/// The watches of all controllers that are about a kind, in the order of the controllers.
fn watches_of(runners: &[Runner], kind: &Kind) -> Vec<(usize, usize)> {
    let about = |watch: &Watch| {
        let same = |k: &Kind| (k.group, k.kind) == (kind.group, kind.kind);
        watch.kind.is_none_or(same)
    };
    let of = |(at, runner): (usize, &Runner)| -> Vec<(usize, usize)> {
        let watches = runner.watches.iter().enumerate();
        watches
            .filter(|(_, w)| about(w))
            .map(|(i, _)| (at, i))
            .collect()
    };
    runners.iter().enumerate().flat_map(of).collect()
}

/// The kinds that anybody watches, in a fixed order.
fn watched_kinds(cluster: &Cluster, runners: &[Runner]) -> Result<Vec<&'static Kind>, ApiError> {
    let watches = || runners.iter().flat_map(|r| &r.watches);
    let mut kinds: BTreeMap<(&str, &str), &'static Kind> = BTreeMap::new();
    if watches().any(|w| w.kind.is_none()) {
        for kind in cluster.watchable()? {
            kinds.insert((kind.group, kind.kind), kind);
        }
    }
    let told = tell::index().map(|index| index.kind);
    for kind in watches().filter_map(|w| w.kind).chain(told) {
        kinds.insert((kind.group, kind.kind), kind);
    }
    Ok(kinds.into_values().collect())
}
