//! The work queue of a controller: due keys in order of arrival, each once, and delayed keys.

use std::cmp::Ordering;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;

use super::fast_map::FastMap;
use super::object::{Key, Object};
use crate::cluster::{CausingChange, Kind, Revision, stored_key};

/// The change that made a key due. If several did, the greatest is the cause that the history names.
#[derive(Clone, Debug)]
pub(crate) struct Trigger {
    /// The relation of the change to the key.
    pub rank: Rank,
    /// The change.
    // Shared, because twenty queues may hold it for each of 100,000 Pods: names in each of them took 35 of 1,060 MB.
    pub source: Arc<Source>,
}

/// A change that makes keys due.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its revision.
    pub revision: Revision,
    /// The changed object, if it is known; changes of one commit may share a revision.
    object: Option<(&'static Kind, Key)>,
}

impl Source {
    /// Returns the change that led to this version of an object.
    pub(crate) fn from_object(object: &Object) -> Arc<Self> {
        Arc::new(Self {
            revision: object.revision(),
            object: Some((object.kind(), object.key().clone())),
        })
    }

    /// Returns the changes up to a revision, of no particular object.
    pub(crate) fn at(revision: Revision) -> Arc<Self> {
        Arc::new(Self {
            revision,
            object: None,
        })
    }
}

/// The relation of a change to the key that it made due, the closest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A timer expired; the change is the one that led to the wait.
    Timer,
    /// The controller's own earlier write.
    Own,
    /// A change of another object, or an object read at the start, whose writer is unknown.
    Related,
    /// A change of the object by another writer.
    Subject,
}

impl PartialEq for Trigger {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Trigger {}

impl PartialOrd for Trigger {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Trigger {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of the objects of one commit, any may be named.
        (self.rank, self.source.revision).cmp(&(other.rank, other.source.revision))
    }
}

impl Trigger {
    /// Returns the trigger for a key that waits for a time.
    fn of_timer(self) -> Self {
        Self {
            rank: Rank::Timer,
            ..self
        }
    }
}

/// The reason of a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Lane {
    /// The cluster is not settled before this reconcile.
    Wanted,
    /// The key failed and is retried.
    Retry,
    /// The key was refused and is retried as time passes; nothing waits for it.
    Refused,
    /// Work that continues in a settled cluster.
    Idle,
    /// An event that may repeat. A virtual clock does not stop for it: whenever it moves, the repetitions are counted.
    Repeat,
}

/// A key that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// The key.
    pub key: Key,
    /// The change that triggered it, if any.
    pub trigger: Option<Trigger>,
    /// The time since which it is due.
    pub since: Timestamp,
}

impl Due {
    /// Returns the change that triggered it, for the history.
    pub(crate) fn cause(&self) -> Option<CausingChange> {
        let source = &self.trigger.as_ref()?.source;
        Some(match &source.object {
            Some((kind, key)) => change_of(kind, key, source.revision),
            None => source.revision.into(),
        })
    }

    /// Returns the revision of the change that triggered it.
    pub(crate) fn revision(&self) -> Option<Revision> {
        Some(self.trigger.as_ref()?.source.revision)
    }
}

/// Returns the name of a change in the history.
pub(crate) fn change_of(kind: &'static Kind, key: &Key, revision: Revision) -> CausingChange {
    CausingChange {
        revision,
        // An object that was read has a valid name.
        object: stored_key(kind, &key.namespace, &key.name).ok(),
    }
}

/// The number of times in a row that a key has failed.
#[derive(Clone, Copy, Debug, Default)]
struct Failures {
    all: u32,
    /// Those since a write of its plans last succeeded.
    fruitless: u32,
}

/// The capacity that an empty queue keeps; the rest of its memory is released.
const ROOM: usize = 1024;

/// The time until which a key waits, and the change that led to the wait.
#[derive(Clone, Debug)]
struct Delay {
    at: Timestamp,
    trigger: Option<Trigger>,
}

/// Keys that are due now or later.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// The due keys with the times since which they are due; `queued` has their triggers.
    ready: VecDeque<(Key, Timestamp)>,
    queued: FastMap<Key, Option<Trigger>>,
    later: BTreeSet<(Timestamp, Lane, Key)>,
    times: FastMap<(Key, Lane), Delay>,
    failures: FastMap<Key, Failures>,
    adds: u64,
}

impl Queue {
    /// Appends a key; one that waits already keeps its place.
    pub(crate) fn add(&mut self, key: &Key, trigger: Option<Trigger>, now: Timestamp) {
        if let Some(known) = self.queued.get_mut(key) {
            // One reconcile covers all earlier changes; the history names the closest, and of these the latest.
            if trigger > *known {
                *known = trigger;
            }
            return;
        }
        self.adds += 1;
        self.queued.insert(key.clone(), trigger);
        self.ready.push_back((key.clone(), now));
    }

    /// Delays a key in a lane until a time; the earlier of two times wins.
    pub(crate) fn add_at(
        &mut self,
        key: &Key,
        lane: Lane,
        at: Timestamp,
        trigger: Option<Trigger>,
    ) {
        let slot = (key.clone(), lane);
        if let Some(known) = self.times.get(&slot) {
            if known.at <= at {
                return;
            }
            // Both indexes change together: `later` finds the next time, `times` the time of a key.
            self.later.remove(&(known.at, lane, key.clone()));
        }
        self.later.insert((at, lane, key.clone()));
        let trigger = trigger.map(Trigger::of_timer);
        self.times.insert(slot, Delay { at, trigger });
    }

    /// Forgets the delays of a key: a new plan sets them again.
    pub(crate) fn forget_times(&mut self, key: &Key) {
        for lane in [
            Lane::Wanted,
            Lane::Retry,
            Lane::Refused,
            Lane::Idle,
            Lane::Repeat,
        ] {
            if let Some(delay) = self.times.remove(&(key.clone(), lane)) {
                self.later.remove(&(delay.at, lane, key.clone()));
            }
        }
    }

    /// Makes expired delayed keys due.
    pub(crate) fn promote(&mut self, now: Timestamp) {
        // A key that is due in several lanes becomes one reconcile, because `add` keeps each key once.
        while let Some((at, _, _)) = self.later.first() {
            if *at > now {
                break;
            }
            if let Some((at, lane, key)) = self.later.pop_first() {
                let delay = self.times.remove(&(key.clone(), lane));
                // With the time at which it was due, so that the waiting time in the metrics is right.
                self.add(&key, delay.and_then(|delay| delay.trigger), at);
            }
        }
    }

    /// Moves the first due keys to the end.
    pub(crate) fn rotate(&mut self, count: usize) {
        let count = count.min(self.ready.len());
        self.ready.rotate_left(count);
    }

    /// Takes up to `limit` keys that are due.
    pub(crate) fn take(&mut self, now: Timestamp, limit: usize) -> Vec<Due> {
        self.promote(now);
        let count = self.ready.len().min(limit);
        let due = |(key, since)| Due {
            trigger: self.queued.remove(&key).flatten(),
            key,
            since,
        };
        let due = self.ready.drain(..count).map(due).collect();
        if self.ready.is_empty() {
            // After 10,000 keys at start-up the capacity would stay for the life of the process.
            self.ready.shrink_to(ROOM);
            self.queued.shrink_to(ROOM);
        }
        due
    }

    /// Returns the earliest time of a key in one of the lanes.
    pub(crate) fn next(&self, lanes: &[Lane]) -> Option<Timestamp> {
        self.later_in(lanes).next().map(|(at, _)| at)
    }

    /// Returns the keys of some lanes with their times, the earliest first.
    pub(crate) fn later_in(&self, lanes: &[Lane]) -> impl Iterator<Item = (Timestamp, &Key)> {
        let wanted = self
            .later
            .iter()
            .filter(|(_, lane, _)| lanes.contains(lane));
        wanted.map(|(at, _, key)| (*at, key))
    }

    /// Returns true if a key is due now.
    pub(crate) fn has_ready(&self, now: Timestamp) -> bool {
        !self.ready.is_empty() || self.later.first().is_some_and(|(at, _, _)| *at <= now)
    }

    /// Returns the number of keys that are due.
    pub(crate) fn depth(&self) -> usize {
        self.ready.len()
    }

    /// Returns the number of keys that were ever added.
    pub(crate) fn adds(&self) -> u64 {
        self.adds
    }

    /// Counts a failure of a key, whose plan may have succeeded in part; returns the number of failures in a row.
    pub(crate) fn failed(&mut self, key: &Key, got_on: bool) -> u32 {
        let count = self.failures.entry(key.clone()).or_default();
        // The back-off counts every failure, also of a key that makes progress.
        count.all = count.all.saturating_add(1);
        count.fruitless = if got_on {
            0
        } else {
            count.fruitless.saturating_add(1)
        };
        count.all
    }

    /// Returns the number of a key's failures in a row.
    pub(crate) fn failures(&self, key: &Key) -> u32 {
        self.failures.get(key).map_or(0, |f| f.all)
    }

    /// Returns the number of a key's failures in a row without progress.
    pub(crate) fn fruitless(&self, key: &Key) -> u32 {
        self.failures.get(key).map_or(0, |f| f.fruitless)
    }

    /// Forgets the failures of a key.
    pub(crate) fn succeeded(&mut self, key: &Key) {
        self.failures.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;

    fn key(name: &str) -> Key {
        Key::new("default", name)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn related(revision: Revision) -> Trigger {
        Trigger {
            rank: Rank::Related,
            source: Source::at(revision),
        }
    }

    fn wait(queue: &mut Queue, name: &str, lane: Lane, wait: SignedDuration) {
        let at = at(0).checked_add(wait).unwrap();
        queue.add_at(&key(name), lane, at, Some(related(7)));
    }

    fn names(due: &[Due]) -> Vec<&str> {
        due.iter().map(|d| &*d.key.name).collect()
    }

    #[test]
    fn keys_are_queued_once_with_the_latest_trigger() {
        let mut queue = Queue::default();
        for (name, trigger) in [("b", Some(1)), ("a", Some(2)), ("b", Some(3)), ("c", None)] {
            queue.add(&key(name), trigger.map(related), at(0));
        }
        let due = queue.take(at(0), 2);
        assert_eq!(names(&due), ["b", "a"]);
        assert_eq!(due[0].trigger, Some(related(3)));
        queue.add(&key("b"), Some(related(4)), at(0));
        assert_eq!(names(&queue.take(at(0), 9)), ["c", "b"]);
        assert!(!queue.has_ready(at(0)));
    }

    #[test]
    fn delayed_keys_are_sorted_by_their_earliest_time() {
        let mut queue = Queue::default();
        let seconds = SignedDuration::from_secs;
        wait(&mut queue, "slow", Lane::Wanted, seconds(9));
        wait(&mut queue, "soon", Lane::Wanted, seconds(5));
        wait(&mut queue, "slow", Lane::Wanted, seconds(3));
        wait(&mut queue, "slow", Lane::Wanted, seconds(7));
        wait(&mut queue, "idle", Lane::Idle, seconds(1));
        assert_eq!(queue.next(&[Lane::Wanted]), Some(at(3)));
        assert_eq!(queue.next(&[Lane::Wanted, Lane::Idle]), Some(at(1)));
        assert_eq!(names(&queue.take(at(2), 9)), ["idle"]);
        assert_eq!(names(&queue.take(at(5), 9)), ["slow", "soon"]);
        assert_eq!(queue.next(&[Lane::Wanted, Lane::Idle, Lane::Retry]), None);
    }

    #[test]
    fn closest_trigger_is_the_cause_and_survives_a_timer() {
        let mut queue = Queue::default();
        let trigger = |rank, revision| {
            Some(Trigger {
                rank,
                ..related(revision)
            })
        };
        queue.add(&key("pod"), trigger(Rank::Subject, 35), at(0));
        queue.add(&key("pod"), trigger(Rank::Related, 37), at(0));
        queue.add(&key("pod"), trigger(Rank::Own, 38), at(0));
        assert_eq!(queue.take(at(0), 9)[0].trigger, trigger(Rank::Subject, 35));
        queue.add_at(&key("pod"), Lane::Wanted, at(5), trigger(Rank::Subject, 35));
        assert_eq!(queue.take(at(5), 9)[0].trigger, trigger(Rank::Timer, 35));
        queue.add_at(&key("pod"), Lane::Wanted, at(6), trigger(Rank::Subject, 35));
        queue.add(&key("pod"), trigger(Rank::Own, 40), at(6));
        assert_eq!(queue.take(at(6), 9)[0].trigger, trigger(Rank::Own, 40));
    }

    #[test]
    fn forget_times_removes_delayed_keys() {
        let mut queue = Queue::default();
        wait(&mut queue, "a", Lane::Wanted, SignedDuration::from_secs(1));
        wait(&mut queue, "a", Lane::Idle, SignedDuration::from_secs(2));
        queue.forget_times(&key("a"));
        assert_eq!(queue.next(&[Lane::Wanted, Lane::Idle]), None);
        assert!(queue.take(at(9), 9).is_empty());
    }

    #[test]
    fn failures_are_counted_in_a_row() {
        let mut queue = Queue::default();
        let mut fail = |got_on| queue.failed(&key("a"), got_on);
        assert_eq!((fail(false), fail(true), fail(false)), (1, 2, 3));
        assert_eq!(queue.fruitless(&key("a")), 1);
        queue.succeeded(&key("a"));
        assert_eq!(queue.failures(&key("a")), 0);
    }

    #[test]
    fn drained_queue_releases_its_memory() {
        let mut queue = Queue::default();
        for number in 0..10 * ROOM {
            queue.add(&key(&number.to_string()), None, at(0));
        }
        assert!(queue.ready.capacity() >= 10 * ROOM);
        assert_eq!(queue.take(at(0), usize::MAX).len(), 10 * ROOM);
        assert!(queue.ready.capacity() <= 2 * ROOM && queue.queued.capacity() <= 2 * ROOM);
    }
}
