//! The reads of a decision, and the comparisons that a transaction derives from them.

use std::collections::{BTreeMap, BTreeSet};
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

/// The number of objects from which on a place is large.
const LARGE: usize = 5000;

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
        let ranges = self.ranges_within(cached, MOST_COMPARES - compares.len());
        let is_whole = ranges.first().is_some_and(String::is_empty);
        let (wide, exact): (Vec<&Key>, Vec<&Key>) = self
            .keys
            .iter()
            .partition(|key| is_whole || ranges.contains(place(key)));
        compares.extend(exact.iter().map(|key| compare(keys, cached, key)));
        let ranges: Vec<Range> = ranges.iter().map(|prefix| Range::prefix(prefix)).collect();
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
        let shown = shown.map(|(key, _)| key);
        let shown = shown.filter(|key| !self.keys.contains(*key));
        let room = MOST_COMPARES.saturating_sub(compares.len());
        let shown = wide.into_iter().chain(shown).take(room);
        compares.extend(shown.map(|key| compare(keys, cached, key)));
        compares
    }

    /// Returns the ranges to compare: those that were read, and as many places of objects that were read as it takes
    /// for fewer comparisons than `room`.
    fn ranges_within(&self, cached: &Cached, room: usize) -> BTreeSet<String> {
        let mut ranges = self.ranges.clone();
        let mut count = self.keys.len() + 2 * ranges.len();
        if count < room {
            return ranges;
        }
        // A range costs two comparisons, so it must replace more objects than that.
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for key in &self.keys {
            *places.entry(place(key)).or_default() += 1;
        }
        let size = |place: &str| {
            let range = Range::prefix(place);
            cached.state.range(&range).take(LARGE).count()
        };
        let mut places: Vec<(usize, &str, usize)> = places
            .into_iter()
            .filter(|(_, read)| *read > 2)
            .map(|(place, read)| (size(place), place, read))
            .collect();
        // The smallest first, because etcd reads each object of a compared range with its value. Binding 95 of 10,000
        // Pods to 95 of 100 nodes compares the range of the nodes, not that of the Pods: until they are ready, etcd
        // uses 2.8 s of a processor instead of 4.9 s.
        places.sort_unstable();
        for (_, place, read) in places {
            if count < room {
                return ranges;
            }
            if ranges.insert(place.to_owned()) {
                count += 2;
            }
            count -= read;
        }
        // Reads of more ranges than comparisons are rare, and a comparison of everything is still correct.
        match count < room {
            true => ranges,
            false => BTreeSet::from([String::new()]),
        }
    }
}

/// Returns the prefix of the keys beside a key: its resource in its namespace.
fn place(key: &Key) -> &str {
    let key = key.as_str();
    key.rfind('/').map_or(key, |slash| &key[..=slash])
}

fn compare(keys: &Keys, cached: &Cached, key: &Key) -> Compare {
    // A missing key has revision zero.
    let revision = cached.state.revision_of(key).unwrap_or(0);
    Compare::mod_revision(keys.object(key), revision)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::memory::Point;
    use crate::memory::state::State;
    use crate::sys::clock::virtual_epoch;

    fn key(resource: &str, namespace: Option<&str>, number: usize) -> Key {
        Key::new(resource, namespace, &format!("x-{number}")).unwrap()
    }

    /// Returns the cache of a cluster with nodes and many more Pods.
    fn cached(nodes: usize, pods: usize) -> Cached {
        let nodes = (0..nodes).map(|number| key("nodes", None, number));
        let pods = (0..pods).map(|number| key("pods", Some("default"), number));
        let stored = |key| Stored {
            key,
            revision: 7,
            json: Arc::from(*b"{}"),
        };
        let mut items: Vec<Stored> = nodes.chain(pods).map(stored).collect();
        items.sort_by(|a, b| a.key.cmp(&b.key));
        Cached {
            state: State::at(Point {
                revision: 7,
                epoch: 0,
                time: virtual_epoch(),
                items,
            }),
            seen: 7,
            head: 7,
            epoch: 1,
            hosts: Arc::default(),
            unreadable: Arc::default(),
        }
    }

    #[test]
    fn reads_of_many_objects_compare_the_smallest_ranges() {
        let keys = Keys::new("r");
        let cached = cached(100, 1000);
        let own = |reads: &Reads| reads.compares(&keys, &cached, Vec::new());
        let range = |prefix: &str| Compare::unwritten_since(prefix, 7);
        let mut reads = Reads::default();
        for number in 0..95 {
            reads.add(&key("pods", Some("default"), number));
        }
        for number in 0..20 {
            reads.add(&key("nodes", None, number));
        }
        // Everything that was read fits.
        assert_eq!(own(&reads).len(), 1 + 95 + 20);
        for number in 20..95 {
            reads.add(&key("nodes", None, number));
        }
        let compares = own(&reads);
        assert_eq!(compares.len(), MOST_COMPARES);
        assert!(compares.contains(&range("/r/minions/")));
        assert!(compares.contains(&range("/r.ctl/removed/nodes/_cluster/")));
        assert!(!compares.contains(&range("/r/pods/default/")));
        for number in 0..95 {
            let pod = key("pods", Some("default"), number);
            assert!(compares.contains(&compare(&keys, &cached, &pod)));
        }
        for number in 95..200 {
            reads.add(&key("pods", Some("default"), number));
        }
        let compares = own(&reads);
        assert_eq!(compares.len(), MOST_COMPARES);
        assert!(compares.contains(&range("/r/pods/default/")));
        // A read of more places than comparisons is one of everything.
        for number in 0..100 {
            reads.ranges.insert(format!("pods/n-{number}/"));
        }
        assert!(own(&reads).contains(&range("/r/")));
    }
}
