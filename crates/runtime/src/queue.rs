//! The work queue of a controller: due keys in order of arrival, each once, and delayed keys.

use std::collections::{BTreeSet, VecDeque};

use jiff::{SignedDuration, Timestamp};

use super::fast_map::FastMap;
use super::object::Key;
use crate::cluster::Revision;

/// The reason of a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// The cluster is not settled before this reconcile.
    Wanted,
    /// The key failed and is retried.
    Retry,
    /// Work that goes on in a settled cluster.
    Idle,
}

/// A key that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The key.
    pub key: Key,
    /// The revision of the change that triggered it, if one did.
    pub trigger: Option<Revision>,
    /// The time since which it is due.
    pub since: Timestamp,
}

/// How often in a row a key has failed.
#[derive(Clone, Copy, Debug, Default)]
struct Failures {
    all: u32,
    /// Those since a write of its plans last succeeded.
    fruitless: u32,
}

/// The capacity that an empty queue keeps; a queue that was long returns the rest of its memory.
const ROOM: usize = 1024;

/// Keys that are due now or later.
#[derive(Debug, Default)]
pub struct Queue {
    ready: VecDeque<Due>,
    queued: FastMap<Key, Option<Revision>>,
    later: BTreeSet<(Timestamp, Lane, Key)>,
    times: FastMap<(Key, Lane), Timestamp>,
    failures: FastMap<Key, Failures>,
    adds: u64,
}

impl Queue {
    /// Adds a key behind the others; one that waits already keeps its place.
    pub fn add(&mut self, key: &Key, trigger: Option<Revision>, now: Timestamp) {
        if let Some(known) = self.queued.get_mut(key) {
            // One reconcile covers all earlier changes, so that the history names the latest as its trigger.
            *known = (*known).max(trigger);
            return;
        }
        self.adds += 1;
        self.queued.insert(key.clone(), trigger);
        self.ready.push_back(Due {
            key: key.clone(),
            trigger,
            since: now,
        });
    }

    /// Delays a key in a lane; the earlier of two times wins.
    pub fn add_after(&mut self, key: &Key, lane: Lane, wait: SignedDuration, now: Timestamp) {
        let at = now.checked_add(wait).unwrap_or(Timestamp::MAX);
        let slot = (key.clone(), lane);
        if let Some(known) = self.times.get(&slot) {
            if *known <= at {
                return;
            }
            // Both indexes change together: `later` finds the next time, `times` the time of a key.
            self.later.remove(&(*known, lane, key.clone()));
        }
        self.later.insert((at, lane, key.clone()));
        self.times.insert(slot, at);
    }

    /// Forgets the delays of a key: a new plan sets them anew.
    pub fn forget_times(&mut self, key: &Key) {
        for lane in [Lane::Wanted, Lane::Retry, Lane::Idle] {
            if let Some(at) = self.times.remove(&(key.clone(), lane)) {
                self.later.remove(&(at, lane, key.clone()));
            }
        }
    }

    /// Takes up to `limit` keys that are due.
    pub fn take(&mut self, now: Timestamp, limit: usize) -> Vec<Due> {
        // A key that is due in several lanes becomes one reconcile, because `add` keeps each key
        // once.
        while let Some((at, _, _)) = self.later.first() {
            if *at > now {
                break;
            }
            if let Some((at, lane, key)) = self.later.pop_first() {
                self.times.remove(&(key.clone(), lane));
                // With the time at which it was due, so that the waiting time in the metrics is right.
                self.add(&key, None, at);
            }
        }
        let count = self.ready.len().min(limit);
        let mut due: Vec<Due> = self.ready.drain(..count).collect();
        for due in &mut due {
            // A change may have arrived while the key waited; `queued` has the latest trigger.
            due.trigger = self.queued.remove(&due.key).unwrap_or(due.trigger);
        }
        if self.ready.is_empty() {
            // After 10,000 keys at start-up the capacity would stay for the life of the process.
            self.ready.shrink_to(ROOM);
            self.queued.shrink_to(ROOM);
        }
        due
    }

    /// The earliest time of a key in one of the lanes.
    pub fn next(&self, lanes: &[Lane]) -> Option<Timestamp> {
        self.later_in(lanes).next().map(|(at, _)| at)
    }

    /// The keys of some lanes with their times, the earliest first.
    pub fn later_in(&self, lanes: &[Lane]) -> impl Iterator<Item = (Timestamp, &Key)> {
        let wanted = self
            .later
            .iter()
            .filter(|(_, lane, _)| lanes.contains(lane));
        wanted.map(|(at, _, key)| (*at, key))
    }

    /// Returns true if a key is due now.
    pub fn has_ready(&self, now: Timestamp) -> bool {
        !self.ready.is_empty() || self.later.first().is_some_and(|(at, _, _)| *at <= now)
    }

    /// The number of keys that are due.
    pub fn depth(&self) -> usize {
        self.ready.len()
    }

    /// How many keys were ever added.
    pub fn adds(&self) -> u64 {
        self.adds
    }

    /// Counts a failure of a key, of whose plan a part may have been done; returns how many there were
    /// in a row.
    pub fn failed(&mut self, key: &Key, got_on: bool) -> u32 {
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

    /// How often in a row a key has failed.
    pub fn failures(&self, key: &Key) -> u32 {
        self.failures.get(key).map_or(0, |f| f.all)
    }

    /// How often in a row a key has failed without getting on.
    pub fn fruitless(&self, key: &Key) -> u32 {
        self.failures.get(key).map_or(0, |f| f.fruitless)
    }

    /// Forgets the failures of a key.
    pub fn succeeded(&mut self, key: &Key) {
        self.failures.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key::new("default", name)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn names(due: &[Due]) -> Vec<&str> {
        due.iter().map(|d| &*d.key.name).collect()
    }

    #[test]
    fn keys_come_in_order_once_each_with_the_latest_trigger() {
        let mut queue = Queue::default();
        for (name, trigger) in [("b", Some(1)), ("a", Some(2)), ("b", Some(3)), ("c", None)] {
            queue.add(&key(name), trigger, at(0));
        }
        let due = queue.take(at(0), 2);
        assert_eq!(names(&due), ["b", "a"]);
        assert_eq!(due[0].trigger, Some(3));
        queue.add(&key("b"), Some(4), at(0));
        assert_eq!(names(&queue.take(at(0), 9)), ["c", "b"]);
        assert!(!queue.has_ready(at(0)));
    }

    #[test]
    fn later_keys_come_by_time_and_the_earlier_time_wins() {
        let mut queue = Queue::default();
        let seconds = SignedDuration::from_secs;
        queue.add_after(&key("slow"), Lane::Wanted, seconds(9), at(0));
        queue.add_after(&key("soon"), Lane::Wanted, seconds(5), at(0));
        queue.add_after(&key("slow"), Lane::Wanted, seconds(3), at(0));
        queue.add_after(&key("slow"), Lane::Wanted, seconds(7), at(0));
        queue.add_after(&key("idle"), Lane::Idle, seconds(1), at(0));
        assert_eq!(queue.next(&[Lane::Wanted]), Some(at(3)));
        assert_eq!(queue.next(&[Lane::Wanted, Lane::Idle]), Some(at(1)));
        assert_eq!(names(&queue.take(at(2), 9)), ["idle"]);
        assert_eq!(names(&queue.take(at(5), 9)), ["slow", "soon"]);
        assert_eq!(queue.next(&[Lane::Wanted, Lane::Idle, Lane::Retry]), None);
    }

    #[test]
    fn a_new_plan_forgets_the_times_of_the_last() {
        let mut queue = Queue::default();
        queue.add_after(&key("a"), Lane::Wanted, SignedDuration::from_secs(1), at(0));
        queue.add_after(&key("a"), Lane::Idle, SignedDuration::from_secs(2), at(0));
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
    fn a_queue_that_was_long_gives_back_its_memory() {
        let mut queue = Queue::default();
        for number in 0..10 * ROOM {
            queue.add(&key(&number.to_string()), None, at(0));
        }
        assert!(queue.ready.capacity() >= 10 * ROOM);
        assert_eq!(queue.take(at(0), usize::MAX).len(), 10 * ROOM);
        assert!(queue.ready.capacity() <= 2 * ROOM && queue.queued.capacity() <= 2 * ROOM);
    }
}
