//! The experience of a store with the syncs that it shares with other processes
//! (`docs/design/0016-group-commit.md`).

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// A shorter sync is shared with no other process: the way of the lock to the next one takes as long.
const WORTH_SHARING: Duration = Duration::from_micros(500);

/// Counts and durations; each is only a hint.
#[derive(Debug, Default)]
pub(crate) struct Sharing {
    /// The durations of the last two syncs in microseconds.
    syncs: [AtomicU64; 2],
    /// The number of records of the last sync that was shared with another process; 0 after one that was not.
    records: AtomicU64,
    /// True if another store had the lock between the last two times that this one had it.
    others: AtomicBool,
    /// The number of threads that have the lock and wait for the journal.
    in_need: AtomicUsize,
}

impl Sharing {
    /// Notes the duration of a sync.
    pub(crate) fn note_sync(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let before = self.syncs[0].swap(micros, Ordering::Relaxed);
        self.syncs[1].store(before, Ordering::Relaxed);
    }

    /// Returns the shorter one of the last two syncs: a single slow one is not a slow disk.
    pub(crate) fn sync(&self) -> Duration {
        let syncs = self.syncs.iter().map(|sync| sync.load(Ordering::Relaxed));
        Duration::from_micros(syncs.min().unwrap_or(0))
    }

    /// Notes the number of records of a shared sync, or 0 for one that was not shared.
    pub(crate) fn note_records(&self, records: u64) {
        self.records.store(records, Ordering::Relaxed);
    }

    /// Returns the number of records of the last sync, if it was shared.
    pub(crate) fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// Notes if another store had the lock since this one had it.
    pub(crate) fn note_others(&self, there_are: bool) {
        self.others.store(there_are, Ordering::Relaxed);
    }

    /// Returns true if it is worth a system call to find out if others wait.
    pub(crate) fn is_likely(&self) -> bool {
        let others = self.others.load(Ordering::Relaxed) || self.records() > 0;
        others && self.sync() >= WORTH_SHARING
    }

    /// Runs a function that waits for the journal while this thread has the lock. A thread that has the journal and
    /// waits for another process gives up then, because no process can take the lock.
    pub(crate) fn in_need_of<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.in_need.fetch_add(1, Ordering::Relaxed);
        let done = wait();
        self.in_need.fetch_sub(1, Ordering::Relaxed);
        done
    }

    /// Returns true if a thread has the lock and waits for the journal.
    pub(crate) fn is_needed(&self) -> bool {
        self.in_need.load(Ordering::Relaxed) > 0
    }
}
