//! The controller trait: watches, and a pure plan for one key.
//!
//! A reconcile is level-triggered: it is asked for a key, never for an event, sees the cluster as it is,
//! and returns what is to be done so that it becomes what is wanted. An object that is gone is a
//! success with nothing to do. See [`Plan`] for the response.
//!
//! `examples/application.rs` is a whole one in a page.

use std::fmt;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::backoff::Class;
use super::cache::{Cache, Change};
use super::index::Index;
use super::object::{Key, Object};
use super::plan::Plan;
use super::tally::Tally;
use crate::api::status::Status;
use crate::cluster::{Kind, PodMode, Settings};
use crate::sys::entropy::Seed;

/// A function that plans keys without changing the controller.
pub type Planner<'a> = Box<dyn Fn(&Sync<'_>) -> Plan + Send + std::marker::Sync + 'a>;

/// A reconciler of objects of one kind.
pub trait Controller: Send {
    /// Returns the name for `--only`, the configuration, the metrics and the history.
    fn name(&self) -> &'static str;

    /// Returns the source that its events name.
    fn component(&self) -> &'static str {
        self.name()
    }

    /// Returns the manager that comes to own the fields. Kubernetes' controllers run in one process
    /// and share one name.
    fn field_manager(&self) -> &'static str {
        "kube-controller-manager"
    }

    /// Which changes make it look at which keys.
    fn watches(&self) -> Vec<Watch>;

    /// The indexes that it looks objects up by, besides names, owners and labels.
    fn indexes(&self) -> Vec<Index> {
        Vec::new()
    }

    /// The tallies that it asks, kept for all controllers together.
    fn tallies(&self) -> Vec<Box<dyn Tally>> {
        Vec::new()
    }

    /// Is told what the cluster's settings are before it works.
    fn configure(&mut self, settings: &Settings) {
        let _ = settings;
    }

    /// Is told that its namespaces are one of so many parts, counted from 0, where its settings say so: other
    /// processes may have the others at the same time.
    fn mind(&mut self, part: (u32, u32)) {
        let _ = part;
    }

    /// Keys to look at once when the controllers start, besides those of what is there.
    fn start(&self) -> Vec<Key> {
        Vec::new()
    }

    /// Sees a change of anything in the cache, in order, for sums that it keeps.
    ///
    /// May keep only what a new start would gather from the cache again. The cache may be ahead of the
    /// change.
    fn observe(&mut self, change: &Change, cache: &Cache) {
        let _ = (change, cache);
    }

    /// The kinds of which it must know its own past writes, where it needs to know any: the history
    /// tells them to [`Controller::remember`] when it starts.
    fn past(&self, cache: &Cache) -> Vec<&'static Kind> {
        let _ = cache;
        Vec::new()
    }

    /// Is told of each of its writes when it is done, and again by a later process where
    /// [`Controller::past`] asks for it, so that what Kubernetes' controllers only keep in memory is
    /// the same after a restart.
    fn remember(&mut self, deed: &Deed<'_>) {
        let _ = deed;
    }

    /// Returns the plan for a key.
    ///
    /// Depends on the arguments and on what [`Controller::observe`] and [`Controller::remember`]
    /// gathered, on nothing else. All keys
    /// that are due at a time are planned on the same cache and committed together.
    fn plan(&mut self, sync: &Sync<'_>) -> Plan;

    /// Returns a planner for many keys that two threads share, if a plan changes only state that
    /// can be prepared for all keys in advance. It returns equal plans.
    fn planner<'a>(&'a mut self, keys: &[&Key], cache: &Cache) -> Option<Planner<'a>> {
        let _ = (keys, cache);
        None
    }

    /// Why an object is not as it should be although nothing is left to do, where that is so: asked of
    /// every object of the kind of the first watch.
    fn stuck(&self, object: &Object, cache: &Cache) -> Option<String> {
        let _ = (object, cache);
        None
    }
}

/// A write that a controller has made.
#[derive(Clone, Copy, Debug)]
pub struct Deed<'a> {
    /// When.
    pub at: Timestamp,
    /// By which rule.
    pub rule: &'a str,
    /// The object after it, or as it was last.
    pub object: &'a Object,
}

/// The input of a plan.
#[derive(Clone, Copy)]
pub struct Sync<'a> {
    /// The key to look at.
    pub key: &'a Key,
    /// The cluster as it is.
    pub cache: &'a Cache,
    /// The time.
    pub now: Timestamp,
    /// How often in a row this key was tried and failed.
    pub failures: u32,
    /// The rejected writes of the plan just made for this key. If there are any, only the status
    /// that reports them is needed, computed on the cache after the successful changes.
    pub refused: &'a [Failure],
    /// Where random choices come from.
    pub seed: Seed,
    /// The Pod mode of the cluster.
    pub pods: PodMode,
}

/// A write that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The rule of the write.
    pub rule: String,
    /// The place in the plan's changes; `None` for a write of the status.
    pub index: Option<usize>,
    /// The API's error.
    pub status: Status,
}

impl Failure {
    /// Returns its class.
    pub fn class(&self) -> Class {
        Class::of(&self.status)
    }
}

/// How a change is turned into keys.
pub type Keys = Arc<dyn Fn(&Change, &Cache) -> Vec<Key> + Send + std::marker::Sync>;

/// Changes that a controller looks at.
#[derive(Clone)]
pub struct Watch {
    /// The kind; every kind without.
    pub kind: Option<&'static Kind>,
    /// The keys that a change of an object leads to. A rule of thumb: cheap, and rather one key too
    /// many than one too few.
    pub keys: Keys,
    /// How long the keys wait, so that what belongs together is looked at together.
    pub delay: SignedDuration,
}

impl Watch {
    /// Returns true if it is about a kind.
    pub(super) fn is_about(&self, kind: &Kind) -> bool {
        let same = |own: &Kind| (own.group, own.kind) == (kind.group, kind.kind);
        self.kind.is_none_or(same)
    }

    /// Changes of a kind, led to keys by a function.
    pub fn new(
        kind: &'static Kind,
        keys: impl Fn(&Change, &Cache) -> Vec<Key> + Send + std::marker::Sync + 'static,
    ) -> Self {
        Self {
            kind: Some(kind),
            keys: Arc::new(keys),
            delay: SignedDuration::ZERO,
        }
    }

    /// Changes of every kind.
    pub fn every(
        keys: impl Fn(&Change, &Cache) -> Vec<Key> + Send + std::marker::Sync + 'static,
    ) -> Self {
        Self {
            kind: None,
            keys: Arc::new(keys),
            delay: SignedDuration::ZERO,
        }
    }

    /// Changes of the reconciled objects themselves.
    pub fn own(kind: &'static Kind) -> Self {
        Self::new(kind, |change, _| {
            change
                .object()
                .map(|o| o.key().clone())
                .into_iter()
                .collect()
        })
    }

    /// A kind that is kept in the cache, but whose changes lead to nothing.
    pub fn cached(kind: &'static Kind) -> Self {
        Self::new(kind, |_, _| Vec::new())
    }

    /// Changes of objects that objects of `owner` control: leads to the owners before and after.
    pub fn controlled(kind: &'static Kind, owner: &'static Kind) -> Self {
        Self::new(kind, move |change, _| owners(change, owner))
    }

    /// Maps a kind like `controlled`; objects without a controller also map to the owners that
    /// would adopt them.
    pub fn adoptable(kind: &'static Kind, owner: &'static Kind, wants: Wants) -> Self {
        Self::new(kind, move |change, cache| {
            let mut keys = owners(change, owner);
            if let Some(orphan) = change.after.as_ref().filter(|o| o.controller().is_none()) {
                let would = cache
                    .list(owner, orphan.namespace())
                    .filter(|o| wants(o, orphan));
                keys.extend(would.map(|o| o.key().clone()));
            }
            keys
        })
    }

    /// Keys wait for a time before they are looked at.
    #[must_use]
    pub fn after(mut self, delay: SignedDuration) -> Self {
        self.delay = delay;
        self
    }
}

/// True if an owner's selector matches an object.
pub type Wants = fn(owner: &Object, object: &Object) -> bool;

/// The owners of a kind that control an object before and after a change.
pub fn owners(change: &Change, owner: &'static Kind) -> Vec<Key> {
    let mut keys = Vec::new();
    for object in change.versions() {
        let reference = object.controller().filter(|o| {
            let group = || {
                let version = o["apiVersion"].as_str().unwrap_or_default();
                version.split_once('/').map_or("", |(group, _)| group)
            };
            o["kind"] == owner.kind && group() == owner.group
        });
        let Some(name) = reference.and_then(|o| o["name"].as_str()) else {
            continue;
        };
        let namespace = if owner.namespaced {
            object.namespace()
        } else {
            ""
        };
        let key = Key::new(namespace, name);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.map_or("every kind", |k| k.kind);
        write!(f, "Watch({kind})")
    }
}
