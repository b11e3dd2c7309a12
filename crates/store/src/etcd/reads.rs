//! The reads of a decision, and the comparisons that a transaction derives from them.

use std::collections::BTreeSet;
use std::sync::Mutex;

use ctl_etcd::Compare;
use jiff::Timestamp;

use super::follow::Cached;
use super::keys::{EPOCH, Keys, REMOVED_MANY};
use crate::interface::{Result, Stored, View, draws_of_shared};
use crate::key::{Key, Range};
use crate::memory::state::TransactionView;
use crate::revision::Revision;
use crate::sys::threads::locked;

/// The most comparisons of a transaction; etcd takes as many by default.
pub(super) const MOST_COMPARES: usize = 128;

/// The most objects of a commit: etcd takes 128 operations, and the record, the epoch and the records of removals are
/// some of them.
pub(super) const MOST_OBJECTS: usize = 110;

/// The most bytes of a commit: etcd's limit of a request is 1.5 MiB.
pub(super) const MOST_BYTES: usize = 3 << 19;

/// The reads of a decision.
#[derive(Debug, Default)]
pub(super) struct Reads {
    keys: BTreeSet<Key>,
    ranges: BTreeSet<String>,
}

/// The cache during a decision, with a record of its reads.
pub(super) struct Recorder {
    seen: TransactionView,
    reads: Mutex<Reads>,
}

impl Recorder {
    pub(super) fn new(cached: &Cached, now: Timestamp) -> Self {
        let state = cached.state.clone();
        Self {
            seen: TransactionView { state, now },
            reads: Mutex::default(),
        }
    }

    pub(super) fn into_reads(self) -> Reads {
        let reads = self.reads.into_inner();
        reads.unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn note(&self, key: &Key) {
        locked(&self.reads).keys.insert(key.clone());
    }
}

impl View for Recorder {
    fn revision(&self) -> Revision {
        self.seen.revision()
    }

    fn now(&self) -> Timestamp {
        self.seen.now()
    }

    fn epoch(&self) -> u64 {
        self.seen.epoch()
    }

    fn draws_from(&self) -> u64 {
        draws_of_shared(self.revision())
    }

    fn most_objects(&self) -> usize {
        MOST_OBJECTS
    }

    fn most_bytes(&self) -> usize {
        MOST_BYTES
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        self.note(key);
        self.seen.get(key)
    }

    fn revision_of(&self, key: &Key) -> Result<Option<Revision>> {
        self.note(key);
        self.seen.revision_of(key)
    }

    fn list(&self, range: &Range) -> Result<Vec<Stored>> {
        let prefix = range.as_str().to_owned();
        locked(&self.reads).ranges.insert(prefix);
        self.seen.list(range)
    }
}

impl Reads {
    /// Adds an object that the batch itself is about.
    pub(super) fn add(&mut self, key: &Key) {
        self.keys.insert(key.clone());
    }

    /// Returns comparisons that succeed as long as nothing that was read changes. If the reads are too many, more is
    /// compared than was read: a false conflict costs one more decision. `first` has other conditions.
    pub(super) fn compares(
        &self,
        keys: &Keys,
        cached: &Cached,
        first: Vec<Compare>,
    ) -> Vec<Compare> {
        // The epoch fences off leaders, and requests that got lost.
        let mut compares = vec![Compare::mod_revision(keys.own(EPOCH), cached.epoch)];
        compares.extend(first);
        let exact = self.keys.len() + 2 * self.ranges.len() + compares.len() < MOST_COMPARES;
        if exact {
            compares.extend(self.keys.iter().map(|key| compare(keys, cached, key)));
            self.compare_ranges(keys, cached, self.ranges.iter().cloned(), &mut compares);
            return compares;
        }
        // Namespaces of resources instead of objects.
        let of = |key: &Key| {
            key.as_str()
                .rsplit_once('/')
                .map(|(of, _)| format!("{of}/"))
        };
        let mut ranges: BTreeSet<String> = self.keys.iter().filter_map(of).collect();
        ranges.extend(self.ranges.iter().cloned());
        if 2 * ranges.len() + compares.len() >= MOST_COMPARES {
            ranges = BTreeSet::from([String::new()]);
        }
        self.compare_ranges(keys, cached, ranges.into_iter(), &mut compares);
        compares
    }

    fn compare_ranges(
        &self,
        keys: &Keys,
        cached: &Cached,
        ranges: impl Iterator<Item = String>,
        compares: &mut Vec<Compare>,
    ) {
        let ranges: Vec<Range> = ranges.map(|prefix| Range::prefix(&prefix)).collect();
        for range in &ranges {
            let (objects, removals) = keys.range(range);
            compares.push(Compare::unwritten_since(objects, cached.seen));
            // A removal leaves no revision among the objects, but a separate record.
            compares.push(Compare::unwritten_since(removals, cached.seen));
        }
        if !ranges.is_empty() {
            compares.push(Compare::unwritten_since(
                keys.own(REMOVED_MANY),
                cached.seen,
            ));
        }
        // A kube-apiserver removes objects without a record, so objects that were read are compared one by one within
        // the limit.
        let shown = ranges.iter().flat_map(|range| cached.state.range(range));
        let room = MOST_COMPARES.saturating_sub(compares.len());
        let shown = shown
            .filter(|(key, _)| !self.keys.contains(*key))
            .take(room);
        let shown: Vec<Compare> = shown.map(|(key, _)| compare(keys, cached, key)).collect();
        compares.extend(shown);
    }
}

fn compare(keys: &Keys, cached: &Cached, key: &Key) -> Compare {
    // A missing key has revision zero.
    let revision = cached.state.revision_of(key).unwrap_or(0);
    Compare::mod_revision(keys.object(key), revision)
}
