//! The controller trait: watches, and a pure plan for one key.
//!
//! A reconcile is level-triggered: it receives a key, never an event, compares the desired with the
//! current state in the cache, and returns the writes that make them equal. A deleted object is a
//! success with an empty [`Plan`].
//!
//! `examples/application.rs` is a complete controller in one page.

use std::fmt;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::backoff::{Backoff, Class};
use super::cache::{Cache, Change};
use super::index::Index;
use super::object::{Key, Object};
use super::plan::Plan;
use super::tally::Tally;
use crate::api::status::Status;
use crate::cluster::{Identity, Kind, PodMode, Settings, Shares};
use crate::sys::entropy::Seed;

/// A function that plans keys without changing the controller.
pub type Planner<'a> = Box<dyn Fn(&ReconcileContext<'_>) -> Plan + Send + std::marker::Sync + 'a>;

/// A reconciler of objects of one kind.
pub trait Controller: Send {
    /// Returns the name for `--only`, the configuration, the metrics and the history.
    fn name(&self) -> &'static str;

    /// Returns the source that its events name.
    fn component(&self) -> &'static str {
        self.name()
    }

    /// Returns the field manager of its writes. Kubernetes' controllers run in one process and share one name.
    fn field_manager(&self) -> &'static str {
        "kube-controller-manager"
    }

    /// Returns the watches: which changes enqueue which keys.
    fn watches(&self) -> Vec<Watch>;

    /// Returns the indexes that it needs besides names, owners and labels.
    fn indexes(&self) -> Vec<Index> {
        Vec::new()
    }

    /// Returns the tallies that it reads; controllers of one process share them.
    fn tallies(&self) -> Vec<Box<dyn Tally>> {
        Vec::new()
    }

    /// Receives the cluster's settings before the first reconcile.
    fn configure(&mut self, settings: &Settings) {
        let _ = settings;
    }

    /// Receives its shares, if the namespaces are divided between processes: other processes may lead the other shares
    /// at the same time. The shares change as hosts join and leave.
    fn set_shares(&mut self, shares: &Shares) {
        let _ = shares;
    }

    /// Returns false if two hosts that work on different namespaces could assign the same resource, such as room on a
    /// node. Then one of the hosts works on all namespaces.
    fn is_divided(&self) -> bool {
        true
    }

    /// Returns the back-off of writes that fail again until something else changes.
    fn refusal_backoff(&self) -> Backoff {
        Backoff::WORK_QUEUE
    }

    /// Returns the keys to reconcile once at the start, besides those of the existing objects.
    fn start(&self) -> Vec<Key> {
        Vec::new()
    }

    /// Observes every change of the cache, in order, to maintain sums.
    ///
    /// Its state must be reconstructible from the cache after a restart. The cache may be ahead of the change.
    fn observe(&mut self, change: &Change, cache: &Cache) {
        let _ = (change, cache);
    }

    /// Returns the kinds whose earlier writes by this controller are replayed from the history into
    /// [`Controller::on_written`] at the start.
    fn replay_kinds(&self, cache: &Cache) -> Vec<&'static Kind> {
        let _ = cache;
        Vec::new()
    }

    /// Receives each of its completed writes, and in a later process those of the kinds in
    /// [`Controller::replay_kinds`], so that state that Kubernetes' controllers keep only in memory survives a restart.
    fn on_written(&mut self, write: &CompletedWrite<'_>) {
        let _ = write;
    }

    /// Returns the plan for a key.
    ///
    /// Depends only on the arguments and on the state that [`Controller::observe`] and
    /// [`Controller::on_written`] gathered. All keys that are due at a time are planned on the same
    /// cache and committed together.
    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan;

    /// Returns a planner for many keys that two threads share, if a plan changes only state that
    /// can be prepared for all keys in advance. It returns equal plans.
    fn planner<'a>(&'a mut self, keys: &[&Key], cache: &Cache) -> Option<Planner<'a>> {
        let _ = (keys, cache);
        None
    }

    /// Returns the reason why an object is not in its desired state although nothing is left to do, if any. Called for
    /// every object of the kind of the first watch.
    fn stuck(&self, object: &Object, cache: &Cache) -> Option<String> {
        let _ = (object, cache);
        None
    }
}

/// A committed write of a controller.
///
/// ```
/// use ctl_runtime::{CompletedWrite, Controller, Plan, ReconcileContext, Watch};
///
/// /// Remembers how many of its writes were committed.
/// #[derive(Default)]
/// struct Counting(usize);
///
/// impl Controller for Counting {
///     fn name(&self) -> &'static str {
///         "counting"
///     }
///
///     fn watches(&self) -> Vec<Watch> {
///         Vec::new()
///     }
///
///     fn on_written(&mut self, write: &CompletedWrite<'_>) {
///         self.0 += usize::from(write.rule == "scale-up");
///     }
///
///     fn plan(&mut self, _: &ReconcileContext<'_>) -> Plan {
///         Plan::done()
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CompletedWrite<'a> {
    /// The time of the commit.
    pub at: Timestamp,
    /// The rule of the write.
    pub rule: &'a str,
    /// The object after the write, or its last state if it was deleted.
    pub object: &'a Object,
}

/// The input of a plan.
#[derive(Clone, Copy)]
pub struct ReconcileContext<'a> {
    /// The key to reconcile.
    pub key: &'a Key,
    /// The current state of the cluster.
    pub cache: &'a Cache,
    /// The time.
    pub now: Timestamp,
    /// The number of times in a row that this key has failed.
    pub failures: u32,
    /// The rejected writes of the plan just made for this key. If there are any, only the status
    /// that reports them is needed, computed on the cache after the successful changes.
    pub refused: &'a [Failure],
    /// The source of random choices.
    pub seed: Seed,
    /// The Pod mode of the cluster.
    pub pods: PodMode,
    /// The keys that sign for the cluster.
    pub identity: &'a Identity,
}

/// A rejected write.
///
/// ```
/// use ctl_runtime::{Failure, Plan, ReconcileContext};
///
/// /// Gives up as long as a quota rejects its writes.
/// fn plan(context: &ReconcileContext<'_>) -> Plan {
///     let is_quota = |failure: &Failure| failure.status.message.contains("exceeded quota");
///     if context.refused.iter().any(is_quota) {
///         return Plan { error: Some("waiting for quota".to_owned()), ..Plan::done() };
///     }
///     Plan::done()
/// }
/// ```
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
        Class::from_status(&self.status)
    }
}

/// The function that maps a change to keys.
pub(crate) type Keys = Arc<dyn Fn(&Change, &Cache) -> Vec<Key> + Send + std::marker::Sync>;

/// The changes that concern a controller.
#[derive(Clone)]
pub struct Watch {
    /// The kind; `None` means every kind.
    pub kind: Option<&'static Kind>,
    /// Maps a change to keys. It should be cheap, and return a superfluous key rather than miss one: an extra reconcile
    /// finds nothing to do, a missed one leaves the cluster wrong.
    pub keys: Keys,
    /// The delay before the keys are due, so that changes that belong together share a reconcile.
    pub delay: SignedDuration,
    /// True if a change also enqueues the keys of its namespace whose writes were refused.
    pub retries_refused: bool,
}

impl Watch {
    /// Returns true if it watches a kind.
    pub(super) fn is_about(&self, kind: &Kind) -> bool {
        // Versions are not compared: every version of a kind is the same object.
        // The names first, because most differ, and many groups are equal.
        let same = |own: &Kind| own.kind == kind.kind && own.group == kind.group;
        self.kind.is_none_or(same)
    }

    /// Changes of a kind, mapped to keys by a function.
    pub fn new(
        kind: &'static Kind,
        keys: impl Fn(&Change, &Cache) -> Vec<Key> + Send + std::marker::Sync + 'static,
    ) -> Self {
        Self {
            kind: Some(kind),
            keys: Arc::new(keys),
            delay: SignedDuration::ZERO,
            retries_refused: false,
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
            retries_refused: false,
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

    /// Keeps a kind in the cache without enqueueing anything.
    pub fn cached(kind: &'static Kind) -> Self {
        Self::new(kind, |_, _| Vec::new())
    }

    /// Changes of objects that objects of `owner` control: enqueues the owners before and after.
    pub fn controlled(kind: &'static Kind, owner: &'static Kind) -> Self {
        Self::new(kind, move |change, _| owners(change, owner))
    }

    /// Maps a kind like `controlled`; objects without a controller also map to the owners that
    /// would adopt them.
    pub fn adoptable(kind: &'static Kind, owner: &'static Kind, wants: Wants) -> Self {
        Self::new(kind, move |change, cache| {
            let mut keys = owners(change, owner);
            // An orphan has no controller, so only a scan over the possible owners finds the one that adopts it.
            if let Some(orphan) = change.after.as_ref().filter(|o| o.controller().is_none()) {
                let would = cache
                    .list(owner, orphan.namespace())
                    .filter(|o| wants(o, orphan));
                keys.extend(would.map(|o| o.key().clone()));
            }
            keys
        })
    }

    /// Changes of a kind that affects the admission of others: rejected writes may be admitted now.
    pub(super) fn gate(kind: &'static Kind) -> Self {
        Self {
            retries_refused: true,
            ..Self::cached(kind)
        }
    }

    /// Delays the keys.
    #[must_use]
    pub fn after(mut self, delay: SignedDuration) -> Self {
        self.delay = delay;
        self
    }
}

/// True if an owner's selector matches an object.
pub(crate) type Wants = fn(owner: &Object, object: &Object) -> bool;

/// Returns the owners of a kind that control an object before and after a change. A change of the controller enqueues
/// both owners: the old one must replace the object.
pub(crate) fn owners(change: &Change, owner: &'static Kind) -> Vec<Key> {
    let mut keys = Vec::new();
    for object in change.versions() {
        let reference = object.controller().filter(|o| {
            let group = || {
                // The version is ignored, because an owner may be named by any served version.
                let version = o["apiVersion"].as_str().unwrap_or_default();
                version.split_once('/').map_or("", |(group, _)| group)
            };
            o["kind"] == owner.kind && group() == owner.group
        });
        let Some(name) = reference.and_then(|o| o["name"].as_str()) else {
            continue;
        };
        // A namespaced owner lives in the namespace of its dependent; references cannot cross namespaces.
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
