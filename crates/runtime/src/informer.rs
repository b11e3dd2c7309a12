//! The informer: reads changes into the cache and enqueues the keys that they concern.

use std::collections::BTreeMap;
use std::convert::Infallible;

use jiff::SignedDuration;

use super::backoff::{Backoff, Class};
use super::cache::Change;
use super::controller::CompletedWrite;
use super::events;
use super::explore::scheduled::SharedObjects;
use super::manager::Manager;
use super::object::{Key, Object};
use super::queue::{Rank, Source, Trigger};
use super::runner::{ChangeSource, Runner};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::{
    ApiError, Change as HistoryEntry, ClockMode, Cluster, HistoryQuery, Kind, List, ListOptions,
    Place, Range, Revision, StoreError,
};
use crate::sys::signal;
use crate::sys::threads::each;

/// The number of changes from which two threads route them.
const WORTH_A_THREAD: usize = 48;

/// The number of objects of a list that are prepared together.
const READY_TOGETHER: usize = 1024;

/// The number of retries of a rejected list.
const PATIENT_LISTS: u32 = 8;

impl Manager<'_> {
    /// Lists all watched kinds and enqueues every object.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn load(&mut self) -> Result<(), ApiError> {
        self.load_with(None)
    }

    /// Lists all watched kinds; those that another manager has read are taken from there, as of that revision.
    pub(super) fn load_with(&mut self, read: Option<&SharedObjects>) -> Result<(), ApiError> {
        let known = std::mem::take(&mut self.kinds);
        self.kinds = watched_kinds(self.cluster, &self.runners)?;
        // Determined before the lists: changes during the lists are read again, which is harmless, and none is missed.
        let now = self.cluster.stored().revision()?;
        let revision = read.map_or(now, SharedObjects::revision).min(now);
        let mut changes = self.forget_kinds(&known, revision);
        for kind in self.kinds.clone() {
            if self.is_stopped() {
                return Ok(());
            }
            if let Some(objects) = read.and_then(|read| read.of(kind)) {
                let taken = objects.iter().cloned();
                changes.extend(taken.filter_map(|object| self.cache.take(object)));
                continue;
            }
            let list = self.listed(kind)?;
            let mut gone = self.cache.keys(kind);
            let mut items = list.items.into_iter();
            while !items.as_slice().is_empty() {
                let part: Vec<Value> = items.by_ref().take(READY_TOGETHER).collect();
                let part: Vec<_> = part.iter().map(|value| Some((kind, value))).collect();
                for object in self.cache.ready(&part).into_iter().flatten() {
                    if let Ok(at) = gone.binary_search(object.key()) {
                        gone.remove(at);
                    }
                    // A list may show an object that was deleted and created again under its name: two changes.
                    let is_other = |known: &Object| known.uid() != object.uid();
                    let known = self.cache.by_key(kind, object.key());
                    if known.is_some_and(is_other) {
                        let at = object.revision();
                        changes.extend(self.cache.remove(kind, object.key(), at));
                    }
                    changes.extend(self.cache.take(object));
                }
            }
            let removed = gone
                .iter()
                // A removal counts only for versions up to the list: an object that was created
                // again later stays.
                .filter_map(|key| self.cache.remove(kind, key, list.revision + 1));
            changes.extend(removed);
        }
        self.cache.set_revision(revision);
        self.now = self.cluster.now()?;
        self.route(&changes, ChangeSource::Start);
        self.replay_own_writes()?;
        self.enqueue_start(revision);
        Ok(())
    }

    /// Removes the objects of kinds that are no longer served. No watch reports their end, and a namespace
    /// or an owner that waits for it would wait forever.
    fn forget_kinds(&mut self, known: &[&'static Kind], revision: Revision) -> Vec<Change> {
        let served = |kind: &Kind| self.kinds.iter().any(|k| name_of(k) == name_of(kind));
        let gone: Vec<_> = known.iter().filter(|kind| !served(kind)).collect();
        let mut changes = Vec::new();
        for kind in gone {
            for key in self.cache.keys(kind) {
                changes.extend(self.cache.remove(kind, &key, revision + 1));
            }
        }
        changes
    }

    /// Replays the controllers' own earlier writes from the history, if they need them and the history contains them.
    fn replay_own_writes(&mut self) -> Result<(), ApiError> {
        for runner in &mut self.runners {
            if std::mem::replace(&mut runner.replayed, true) {
                // Once per process: a list after compaction would count the same writes again.
                continue;
            }
            for kind in runner.controller.replay_kinds(&self.cache) {
                let history = history_of(self.cluster, kind)?;
                let name = runner.controller.name();
                for change in history.iter().filter(|c| c.cause.writer == name) {
                    for event in &change.events {
                        let before = event.before.as_ref().map(|(_, json)| json);
                        // A deletion has no later state; the last one identifies the object.
                        let Some(json) = event.after.as_ref().or(before) else {
                            continue;
                        };
                        let value = serde_json::from_slice(json);
                        let value = value.map_err(|e| Status::internal(e.to_string()))?;
                        // A batch of several rules names one per event; a commit of one rule names it once.
                        let own = event.why.as_ref().map(|why| &*why.rule);
                        runner.controller.on_written(&CompletedWrite {
                            at: change.time,
                            rule: own.unwrap_or(&change.cause.rule),
                            object: &Object::new(kind, value),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// Lists a kind and checks that it may be watched; temporary rejections are retried.
    fn listed(&mut self, kind: &'static Kind) -> Result<List, ApiError> {
        let place = Place::new(kind, "");
        let mut failures = 0;
        loop {
            let list = self.cluster.feed().objects_of(&place).and_then(|list| {
                // The list alone does not show whether the watch that follows would be rejected.
                self.cluster.watch(&place, &ListOptions::default())?;
                Ok(list)
            });
            let error = match list {
                Ok(list) => return Ok(list),
                Err(error) => error,
            };
            failures += 1;
            let class = error.status().map(Class::from_status);
            let class = class.filter(|class| *class != Class::Refused);
            let wait = class.and_then(|class| Backoff::default().wait(class, failures));
            match wait.filter(|_| failures <= PATIENT_LISTS) {
                Some(wait) => self.pause(wait)?,
                None => return Err(error),
            }
        }
    }

    /// Waits, or moves a virtual clock instead.
    fn pause(&mut self, wait: SignedDuration) -> Result<(), ApiError> {
        if self.cluster.settings().clock == ClockMode::System {
            signal::sleep(wait.unsigned_abs());
        } else if let Ok(at) = self.cluster.now()?.checked_add(wait) {
            let rule = "clock: a rejected list is retried";
            self.cluster
                .election()
                .move_clock("clock", rule, self.epoch, at)?;
        }
        Ok(())
    }

    /// Reads the changes of other writers; returns true if there were any.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn refresh(&mut self) -> Result<bool, ApiError> {
        let (revision, now) = self.cluster.stored().moment()?;
        self.now = now;
        if revision <= self.cache.revision() {
            return Ok(false);
        }
        let kinds = watched_kinds(self.cluster, &self.runners)?;
        if !are_same(&kinds, &self.kinds) {
            // A definition was added, deleted or changed.
            self.load()?;
            return Ok(true);
        }
        let after = self.cache.revision();
        let (changed, revision) = match self.cluster.feed().changes_of(&self.kinds, after) {
            Ok(changes) => changes,
            // Compaction dropped the history in between: list again, as a client does after `410 Gone`.
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
        self.route(&news, ChangeSource::Others);
        Ok(!news.is_empty())
    }

    /// Enqueues the keys that all known objects concern, and those of the start: other shares belong to this process.
    pub(super) fn enqueue_known(&mut self) {
        let cache = &self.cache;
        let kinds = self.kinds.iter();
        let known = kinds.flat_map(|kind| cache.list(kind, ""));
        let change = |object: &Object| Change {
            before: None,
            after: Some(object.clone()),
        };
        let changes: Vec<Change> = known.map(change).collect();
        self.route(&changes, ChangeSource::Division);
        let revision = self.cache.revision();
        self.enqueue_start(revision);
    }

    /// Enqueues the keys that controllers reconcile once at the start.
    fn enqueue_start(&mut self, revision: Revision) {
        for runner in &mut self.runners {
            for key in runner.controller.start() {
                // Every write names a cause; here it is the loaded state.
                let rank = Rank::Related;
                let trigger = (revision > 0).then_some(Trigger {
                    rank,
                    source: Source::at(revision),
                });
                runner.queue.add(&key, trigger, self.now);
            }
        }
    }

    /// Enqueues the keys that changes concern, in their order. Controllers do not depend on each other here,
    /// so that two threads may share them.
    pub(super) fn route(&mut self, changes: &[Change], by: ChangeSource) {
        let (cache, now) = (&self.cache, self.now);
        let shown = changes.iter().filter_map(|change| {
            let object = change.object()?;
            Some((change, object, Source::from_object(object)))
        });
        let changes = &shown.collect::<Vec<_>>();
        if changes.len() < WORTH_A_THREAD {
            let runners = self.runners.iter_mut();
            return runners.for_each(|runner| runner.enqueue_changes(changes, by, cache, now));
        }
        let heard = each(self.runners.iter_mut(), |runner| {
            runner.enqueue_changes(changes, by, cache, now);
            Ok::<(), Infallible>(())
        });
        heard.unwrap_or_else(|never| match never {});
    }
}

/// Returns the stored history of a kind's objects.
fn history_of(cluster: &Cluster, kind: &Kind) -> Result<Vec<HistoryEntry>, ApiError> {
    let mut past = HistoryQuery {
        range: Range::resource(&kind.qualified_resource(), None),
        ..HistoryQuery::default()
    };
    let history = match cluster.stored().history(&past) {
        Err(StoreError::Gone { oldest, .. }) => {
            past.after = oldest;
            cluster.stored().history(&past)
        }
        history => history,
    };
    Ok(history?)
}

/// Returns a kind without its version.
fn name_of(kind: &Kind) -> (&str, &str) {
    (kind.group, kind.kind)
}

/// Returns true if two lists of kinds are identical: equal definitions share one value.
fn are_same(one: &[&'static Kind], other: &[&'static Kind]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| std::ptr::eq(*a, *b))
}

/// Returns the kinds that any controller watches, in a fixed order.
fn watched_kinds(cluster: &Cluster, runners: &[Runner]) -> Result<Vec<&'static Kind>, ApiError> {
    let watches = || runners.iter().flat_map(|r| &r.watches);
    let mut kinds: BTreeMap<(&str, &str), &'static Kind> = BTreeMap::new();
    if watches().any(|w| w.kind.is_none()) {
        for kind in cluster.feed().watchable()? {
            kinds.insert((kind.group, kind.kind), kind);
        }
    }
    // Repeated events are counted even if no controller watches events.
    let told = events::index().map(|index| index.kind);
    for kind in watches().filter_map(|w| w.kind).chain(told) {
        kinds.insert((kind.group, kind.kind), kind);
    }
    Ok(kinds.into_values().collect())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::api::json::json;
    use crate::cache::Cache;
    use crate::cluster::testing::{in_memory, place};
    use crate::cluster::{PatchType, WriteOptions};
    use crate::controller::{Controller, ReconcileContext, Watch};
    use crate::limits::Config;
    use crate::plan::Plan;

    /// Watches all kinds.
    struct Everything;

    impl Controller for Everything {
        fn name(&self) -> &'static str {
            "everything"
        }

        fn watches(&self) -> Vec<Watch> {
            vec![Watch::every(|_, _| Vec::new())]
        }

        fn plan(&mut self, _: &ReconcileContext<'_>) -> Plan {
            Plan::done()
        }
    }

    /// Records the uids before and after each change of a ConfigMap.
    struct Recorder(Arc<Mutex<Vec<[String; 2]>>>);

    impl Controller for Recorder {
        fn name(&self) -> &'static str {
            "recorder"
        }

        fn watches(&self) -> Vec<Watch> {
            vec![Watch::cached(place("configmaps").kind)]
        }

        fn observe(&mut self, change: &Change, _: &Cache) {
            if change.object().is_some_and(|object| object.name() == "a") {
                let uid = |o: &Option<Object>| o.as_ref().map_or("", Object::uid).to_owned();
                let uids = [uid(&change.before), uid(&change.after)];
                self.0.lock().unwrap().push(uids);
            }
        }

        fn plan(&mut self, _: &ReconcileContext<'_>) -> Plan {
            Plan::done()
        }
    }

    #[test]
    fn an_object_that_was_created_again_before_a_list_is_two_changes() {
        let (cluster, place) = (in_memory(), place("configmaps"));
        let (options, map) = (WriteOptions::default(), json!({"metadata": {"name": "a"}}));
        let create = || cluster.create(&place, &map, &options).unwrap();
        let uid = |object: &Value| object["metadata"]["uid"].as_str().unwrap().to_owned();
        let seen = Arc::<Mutex<Vec<[String; 2]>>>::default();
        let recorder = Box::new(Recorder(Arc::clone(&seen)));
        let mut manager = Manager::new(&cluster, vec![recorder], &|_| Config::default());
        let first = uid(&create().object);
        manager.load().unwrap();
        let options = Default::default();
        let _ = cluster.delete(&place, "a", &options).unwrap();
        let second = uid(&create().object);
        manager.load().unwrap();
        let none = String::new;
        let expected = [[none(), first.clone()], [first, none()], [none(), second]];
        assert_eq!(*seen.lock().unwrap(), expected);
    }

    #[test]
    fn a_kind_whose_conversion_webhook_is_down_does_not_stop_the_others() {
        let versions = |stored: &str| {
            let version = |name: &str| {
                let schema =
                    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
                json!({"name": name, "served": true, "storage": name == stored,
                    "schema": {"openAPIV3Schema": schema}})
            };
            json!([version("v1"), version("v2")])
        };
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "plums.example.com"},
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": {"kind": "Plum", "plural": "plums"}, "versions": versions("v1"),
                "conversion": {"strategy": "Webhook", "webhook": {
                    "conversionReviewVersions": ["v1"],
                    "clientConfig": {"url": "https://localhost:1/convert"},
                }},
            },
        });
        let cluster = in_memory();
        let options = WriteOptions::default();
        let definitions = place("customresourcedefinitions");
        let _ = cluster.create(&definitions, &definition, &options).unwrap();
        let kinds = cluster.kinds().unwrap();
        let plums = Place::new(kinds.find("example.com", "v1", "Plum").unwrap(), "default");
        let plum =
            json!({"apiVersion": "example.com/v1", "kind": "Plum", "metadata": {"name": "a"}});
        let _ = cluster.create(&plums, &plum, &options).unwrap();
        let patch = json!({"spec": {"versions": versions("v2")}});
        let how = (PatchType::Merge, &patch);
        let name = "plums.example.com";
        let _ = cluster
            .patch(&definitions, name, how, false, &options)
            .unwrap();
        let all = vec![Box::new(Everything) as Box<dyn Controller>];
        let mut manager = Manager::new(&cluster, all, &|_| Config::default());
        manager.load().unwrap();
        assert_eq!(manager.cache.list(plums.kind, "").count(), 1);
        assert!(manager.cache.list(place("namespaces").kind, "").count() > 1);
    }
}
