//! Group commit between processes: one that finds others waiting for the lock leaves its records to them, and waits for
//! the sync of the last one (`docs/design/0016-group-commit.md`).

use std::time::Duration;

use super::error::StoreError;
use super::exclusive::{Exclusive, JournalGuard};
use super::files::FileStore;
use super::group::Outcome;
use super::handed_over::{AwaitedRecords, Fate};
use super::layout::{HEAD, JOURNAL};
use crate::sys::clock::Stopwatch;
use crate::sys::fs::FsError;

/// The shortest and the longest wait for a process that took over the records. Others may have died or given up.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(100));

/// The shortest and the longest time between two looks at the head, or at the marks of waiting processes.
const STEP: (Duration, Duration) = (Duration::from_micros(50), Duration::from_micros(500));

/// The wait for the lock between two looks at the head.
const ATTEMPT: Duration = Duration::from_millis(200);

impl Exclusive<'_> {
    /// Returns true if this process is likely to leave its records.
    pub(crate) fn may_leave(&self) -> bool {
        // Whoever delays the tree would wait for another process to write it.
        self.store.sharing.is_likely() && !self.store.holds_tree()
    }

    /// Returns true if another process waits for the lock, or arrives within the time of a sync, but at most within
    /// `longest`. It is expected only if it shared the last sync.
    pub(crate) fn has_waiters(&self, longest: Duration) -> bool {
        if !self.may_leave() {
            return false;
        }
        let sharing = &self.store.sharing;
        let (sync, stopwatch) = (sharing.sync(), Stopwatch::start());
        loop {
            if self.fs().has_waiters(JOURNAL) {
                return true;
            }
            let has_all = self.journal.unsettled_records().0 >= sharing.records();
            if has_all || stopwatch.elapsed() >= sync.min(longest) {
                return false;
            }
            self.fs().pause(STEP.0);
        }
    }
}

impl FileStore {
    /// Releases the lock without a sync, and returns the outcome of the group.
    pub(crate) fn leave(&self, mut exclusive: Exclusive<'_>) -> Outcome {
        let left = exclusive.journal.leave();
        exclusive.leave_tidy();
        let mut members = std::mem::take(&mut exclusive.group);
        let Exclusive { journal, lock, .. } = exclusive;
        drop(lock);
        let outcome = match left {
            Some(left) => self.wait_for_others(journal, &left),
            None => Outcome::TakenBack,
        };
        members.tell(&outcome);
        outcome
    }

    /// Waits until the records are durable and shown. Readers of this process wait meanwhile, as they do for a sync:
    /// its index has records that may still be lost.
    fn wait_for_others(&self, journal: JournalGuard, left: &AwaitedRecords) -> Outcome {
        let (sync, stopwatch) = (self.sharing.sync(), Stopwatch::start());
        let patience = (sync * 10).clamp(PATIENCE.0, PATIENCE.1);
        while stopwatch.elapsed() < patience && !self.sharing.is_needed() {
            // An unreadable head is for the next writer to repair.
            match journal.fate_of(left).unwrap_or(Fate::Open) {
                Fate::Durable { shared, is_shown } if is_shown => {
                    self.sharing.note_records(shared);
                    return Outcome::Durable;
                }
                Fate::Lost => break,
                Fate::Open | Fate::Durable { .. } => {}
            }
            self.fs.pause((sync / 8).clamp(STEP.0, STEP.1));
        }
        // The process that waited may be stopped or dead.
        self.sharing.note_records(0);
        self.settle_left(journal, left)
    }

    /// Takes the lock to make the records durable and to show them, if no other process has done that.
    fn settle_left(&self, mut journal: JournalGuard, left: &AwaitedRecords) -> Outcome {
        journal.forget();
        // Given back before the lock is taken, by the order of the two.
        drop(journal);
        let stopwatch = Stopwatch::start();
        loop {
            let (is_settled, failure) = match self.exclusive(Some(ATTEMPT)) {
                Ok(mut exclusive) => {
                    exclusive.leave_tidy();
                    (true, None)
                }
                Err(StoreError::Busy { .. }) => (false, None),
                Err(e) => (true, Some(e)),
            };
            match self.journal.lock().fate_of(left) {
                // A tree that cannot be written is not a reason to fail the commit.
                Ok(Fate::Durable { .. }) => return Outcome::Durable,
                Ok(Fate::Open) if !is_settled && self.has_patience(stopwatch) => {}
                _ => return unknown(failure),
            }
        }
    }

    fn has_patience(&self, stopwatch: Stopwatch) -> bool {
        let patience = self.options.patience;
        patience.is_none_or(|patience| stopwatch.elapsed() < patience)
    }
}

/// Returns the outcome of records that may exist after a restart or not.
fn unknown(failure: Option<StoreError>) -> Outcome {
    Outcome::Unknown(match failure {
        Some(StoreError::Fs(e) | StoreError::NotApplied(e) | StoreError::OutcomeUnknown(e)) => e,
        _ => {
            let lost = std::io::Error::other("another process did not make the commit durable");
            FsError::new("read", HEAD, lost)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Store as _;
    use crate::crash::files::{key, object, store};
    use crate::interface::{Batch, Cause, Expect, Op};
    use crate::key::Range;
    use crate::sys::fs::Fs as _;
    use crate::sys::sim_fs::SimFs;

    const PROCESSES: usize = 6;

    /// The attempts at a hand-over without a delay. If the scheduler keeps a thread waiting for longer than the
    /// patience of the others, they settle their records themselves.
    const ATTEMPTS: usize = 50;

    /// Returns a file system and the stores of processes on it, which know that a sync takes long.
    fn processes(count: usize) -> (SimFs, Vec<FileStore>) {
        let fs = SimFs::new();
        let stores: Vec<FileStore> = (0..count).map(|_| store(&fs).unwrap()).collect();
        for store in &stores {
            store.sharing.note_sync(PATIENCE.1);
            store.sharing.note_sync(PATIENCE.1);
        }
        fs.use_lock();
        (fs, stores)
    }

    fn commit(fs: &SimFs, store: &FileStore, name: &str) -> u64 {
        let op = Op::put(key(name), object(name, "1"), Expect::Absent);
        let done = store
            .commit(&Cause::new("w", "r"), Batch::new(vec![op]))
            .unwrap();
        // A commit is in the tree when it returns.
        assert!(fs.disk().bytes(&key(name).path()).is_some(), "{name}");
        done.revision
    }

    fn wait_until_waiting(fs: &SimFs, count: usize) {
        while fs.waiting() < count as u64 {
            std::thread::yield_now();
        }
    }

    /// Commits in each process, all of which wait for the lock before the first gets it; returns the revisions.
    fn together(fs: &SimFs, stores: &[FileStore]) -> Vec<u64> {
        let lock = fs.lock(None, &mut |_| {}).unwrap();
        let mut revisions = std::thread::scope(|scope| {
            let run = |(n, store)| scope.spawn(move || commit(fs, store, &format!("a{n}")));
            let threads: Vec<_> = stores.iter().enumerate().map(run).collect();
            wait_until_waiting(fs, stores.len());
            drop(lock);
            let done = threads.into_iter().map(|thread| thread.join().unwrap());
            done.collect::<Vec<u64>>()
        });
        revisions.sort_unstable();
        revisions
    }

    #[test]
    fn processes_that_wait_for_the_lock_share_one_sync() {
        let share_one = || {
            let (fs, stores) = processes(PROCESSES);
            let (before, start) = (fs.syncs(), stores[0].revision().unwrap());
            let revisions = together(&fs, &stores);
            assert_eq!(revisions, (start + 1..).take(PROCESSES).collect::<Vec<_>>());
            for store in &stores {
                assert_eq!(store.list(&Range::all()).unwrap().items.len(), PROCESSES);
            }
            assert!(fs.disk().names(".ctl/tmp").is_empty());
            let knows_all = |store: &FileStore| store.sharing.records() == PROCESSES as u64;
            fs.syncs() - before == 1 && stores.iter().all(knows_all)
        };
        assert!((0..ATTEMPTS).any(|_| share_one()));
    }

    #[test]
    fn process_with_short_syncs_leaves_nothing() {
        let (fs, stores) = processes(PROCESSES);
        for store in &stores {
            store.sharing.note_sync(Duration::from_micros(130));
        }
        let before = fs.syncs();
        together(&fs, &stores);
        assert_eq!(fs.syncs() - before, PROCESSES as u64);
    }

    #[test]
    fn failed_sync_fails_no_process() {
        let syncs = || {
            let (fs, stores) = processes(PROCESSES);
            let before = fs.syncs();
            fs.fail_sync(Some(before + 1));
            together(&fs, &stores);
            let found = stores[0].list(&Range::all()).unwrap();
            assert_eq!(found.items.len(), PROCESSES);
            fs.syncs() - before
        };
        // The failed one, that of the cut, that of what the others have left, and that of the repeated commit.
        assert!((0..ATTEMPTS).any(|_| syncs() == 4));
    }

    #[test]
    fn process_settles_its_own_records_if_no_other_does() {
        let (fs, stores) = processes(1);
        let before = fs.syncs();
        let lock = fs.lock(None, &mut |_| {}).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| commit(&fs, &stores[0], "a"));
            wait_until_waiting(&fs, 1);
            // It takes the lock next, and dies when the first one has given up.
            let other = scope.spawn(|| {
                let lock = fs.lock(None, &mut |_| {}).unwrap();
                wait_until_waiting(&fs, 1);
                drop(lock);
            });
            wait_until_waiting(&fs, 2);
            drop(lock);
            other.join().unwrap();
        });
        assert_eq!(fs.syncs() - before, 1);
        assert_eq!(stores[0].list(&Range::all()).unwrap().items.len(), 1);
    }

    #[test]
    fn thread_with_the_lock_does_not_wait_for_one_that_left() {
        let waited = || {
            let (fs, stores) = processes(1);
            let lock = fs.lock(None, &mut |_| {}).unwrap();
            let waited = std::thread::scope(|scope| {
                scope.spawn(|| commit(&fs, &stores[0], "a"));
                wait_until_waiting(&fs, 1);
                let other = scope.spawn(|| drop(stores[0].exclusive(None).unwrap()));
                wait_until_waiting(&fs, 2);
                let stopwatch = Stopwatch::start();
                drop(lock);
                other.join().unwrap();
                stopwatch.elapsed()
            });
            assert_eq!(stores[0].list(&Range::all()).unwrap().items.len(), 1);
            waited
        };
        assert!((0..ATTEMPTS).any(|_| waited() < PATIENCE.1));
    }

    #[test]
    fn records_of_a_replaced_journal_have_an_unknown_outcome() {
        let (fs, stores) = processes(1);
        let lock = fs.lock(None, &mut |_| {}).unwrap();
        std::thread::scope(|scope| {
            let told = scope.spawn(|| {
                let op = Op::put(key("a"), object("a", "1"), Expect::Absent);
                stores[0].commit(&Cause::new("w", "r"), Batch::new(vec![op]))
            });
            wait_until_waiting(&fs, 1);
            let other = scope.spawn(|| {
                let lock = fs.lock(None, &mut |_| {}).unwrap();
                fs.rename(".ctl", "away").unwrap();
                drop(lock);
            });
            wait_until_waiting(&fs, 2);
            drop(lock);
            other.join().unwrap();
            let told = told.join().unwrap();
            assert!(
                matches!(told, Err(StoreError::OutcomeUnknown(_))),
                "{told:?}"
            );
        });
    }
}
