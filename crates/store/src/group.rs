//! Group commit: the transactions of one process that wait for the lock share one sync
//! (`docs/design/0016-group-commit.md`).
//!
//! A thread that has written its record passes the store under its lock to the next one in line and sleeps. The last
//! one makes all records durable, shows them, and reports the outcomes. Nothing is reported before the sync, not even
//! that a transaction changes nothing: the state that it read may still be lost.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::access::busy;
use super::append::{Change, Note};
use super::error::StoreError;
use super::exclusive::{Exclusive, JournalGuard, Transacted};
use super::files::FileStore;
use super::import_reports::{ParkedReports, Reports};
use super::interface::{Batch, Cause, Committed, Result, View};
use super::layout::JOURNAL;
use super::prepared::Prepared;
use super::revision::Revision;
use super::seen::{Facts, FileFacts};
use super::segment::Segment;
use crate::sys::clock::Stopwatch;
use crate::sys::fs::{FsError, LockGuard, Stat};

/// The most transactions of one group. Readers of the process and other processes wait for its end.
const MOST: usize = 64;

/// The most bytes of one group, except for its last transaction.
const MOST_BYTES: u64 = 1 << 20;

/// The longest wait for transactions that are expected.
const LONGEST: Duration = Duration::from_millis(10);

/// The transactions of a process that wait for the lock, in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Line {
    state: Mutex<LineState>,
    arrivals: Condvar,
}

#[derive(Debug, Default)]
struct LineState {
    /// True if a thread has the lock for the line, or is about to take it.
    is_led: bool,
    waiting: VecDeque<Arc<Place>>,
    /// The size of the last group, and the duration of its sync.
    last: (usize, Duration),
}

/// A place in the line, and afterwards in the group.
#[derive(Default)]
pub(crate) struct Place {
    word: Mutex<Option<Word>>,
    rings: Condvar,
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").finish_non_exhaustive()
    }
}

/// Tells a thread that its wait is over.
enum Word {
    /// It takes the lock and begins a group.
    Lead,
    /// It continues a group.
    Turn(Box<Parked>),
    /// Its group has ended.
    Ended(Outcome),
}

/// The end of a group.
pub(crate) enum Outcome {
    /// Everything in it is durable.
    Durable,
    /// Nothing of it is in the journal.
    TakenBack,
    /// It may or may not exist after a restart.
    Unknown(FsError),
}

impl Outcome {
    /// Returns the outcome of a group that failed with `error`.
    fn from_error(error: &StoreError) -> Self {
        match error {
            StoreError::OutcomeUnknown(e) => Self::Unknown(copy(e)),
            _ => Self::TakenBack,
        }
    }

    fn for_another(&self) -> Self {
        match self {
            Self::Durable => Self::Durable,
            Self::TakenBack => Self::TakenBack,
            Self::Unknown(e) => Self::Unknown(copy(e)),
        }
    }
}

fn copy(error: &FsError) -> FsError {
    let source = match error.source.raw_os_error() {
        Some(code) => std::io::Error::from_raw_os_error(code),
        None => std::io::Error::new(error.kind(), error.source.to_string()),
    };
    FsError::new(error.operation, &error.path, source)
}

/// The transactions that share a sync, in the thread whose turn it is.
#[derive(Default)]
pub(crate) struct Group {
    /// True if this turn may leave its sync to the end of the group.
    pub(crate) defers: bool,
    members: Vec<Arc<Place>>,
    /// The end of the group in this turn, if it failed.
    failed: Option<Outcome>,
}

impl Group {
    /// Reports to the waiting members.
    pub(crate) fn tell(&mut self, outcome: &Outcome) {
        for member in self.members.drain(..) {
            member.tell(Word::Ended(outcome.for_another()));
        }
    }
}

/// The store under its lock, passed from one thread to the next.
struct Parked {
    journal: JournalGuard,
    judged: BTreeMap<String, u64>,
    gone: BTreeSet<String>,
    commented: bool,
    facts: Facts,
    reading: OnceLock<Arc<Segment>>,
    has_reserve: AtomicBool,
    is_tidy: bool,
    dot: Option<Stat>,
    members: Vec<Arc<Place>>,
    lock: Box<dyn LockGuard>,
    reports: ParkedReports,
}

impl Place {
    fn tell(&self, word: Word) {
        let mut told = self.word.lock().unwrap_or_else(PoisonError::into_inner);
        // A lost signal would mean a lost lock: its transactions would wait forever.
        debug_assert!(
            told.is_none(),
            "a thread was signaled twice before it woke up"
        );
        *told = Some(word);
        drop(told);
        self.rings.notify_one();
    }

    /// Waits for a signal; `None` if `patience` is over before.
    fn wait(&self, patience: Option<Duration>) -> Option<Word> {
        let stopwatch = Stopwatch::start();
        let mut word = self.word.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if word.is_some() {
                return word.take();
            }
            word = match patience.map(|patience| patience.saturating_sub(stopwatch.elapsed())) {
                Some(Duration::ZERO) => return None,
                Some(left) => {
                    let waited = self.rings.wait_timeout(word, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let waited = self.rings.wait(word);
                    waited.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }
}

/// The right to take the lock for the line; passes to the next in line when dropped.
struct Lead<'l>(&'l Line);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let next = state.waiting.pop_front();
        state.is_led = next.is_some();
        drop(state);
        if let Some(next) = next {
            next.tell(Word::Lead);
        }
    }
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, LineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds transactions until `count` of them wait, which then make one group.
    #[cfg(test)]
    pub(crate) fn all_at_once(&self, count: usize, run: impl FnOnce()) {
        let Some(Word::Lead) = self.enter(None) else {
            panic!("another thread leads the line")
        };
        let lead = Lead(self);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while self.lock().waiting.len() < count {
                    std::thread::yield_now();
                }
                drop(lead);
            });
            run();
        });
    }

    /// Waits for the turn of a transaction; `None` if `patience` is over before.
    fn enter(&self, patience: Option<Duration>) -> Option<Word> {
        let mut state = self.lock();
        if !state.is_led {
            state.is_led = true;
            return Some(Word::Lead);
        }
        let place = Arc::new(Place::default());
        state.waiting.push_back(Arc::clone(&place));
        drop(state);
        self.arrivals.notify_one();
        let word = place.wait(patience);
        if word.is_some() {
            return word;
        }
        let mut state = self.lock();
        let before = state.waiting.len();
        state.waiting.retain(|other| !Arc::ptr_eq(other, &place));
        if state.waiting.len() < before {
            return None;
        }
        drop(state);
        // Removed from the line at the last moment: the signal and the lock are already sent.
        place.wait(None)
    }

    /// Returns true if a thread has the lock for the line, or is about to take it.
    pub(crate) fn is_led(&self) -> bool {
        self.lock().is_led
    }

    /// Returns true if more transactions wait, or are likely to arrive during a sync.
    fn expects_more(&self) -> bool {
        let state = self.lock();
        !state.waiting.is_empty() || state.last.0 > 1
    }

    /// Returns the next in line, for a group that has `members` so far.
    fn next(&self, members: usize) -> Option<Arc<Place>> {
        let stopwatch = Stopwatch::start();
        let mut state = self.lock();
        // The members of the last group are likely to return. Without this wait the first of them would pay for a sync
        // alone, and every second group would have one member.
        while state.waiting.is_empty() && members < state.last.0 {
            let left = state
                .last
                .1
                .min(LONGEST)
                .saturating_sub(stopwatch.elapsed());
            if left.is_zero() {
                break;
            }
            let waited = self.arrivals.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.pop_front()
    }
}

impl FileStore {
    /// Runs a transaction when its turn has come.
    pub(crate) fn transact_in_line(
        &self,
        cause: &Cause,
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
    ) -> Result<Option<Committed>> {
        let (mut prepared, mut alone) = (Prepared::default(), false);
        loop {
            let (lead, mut exclusive) = self.take_turn(!alone)?;
            exclusive.prepared = std::mem::take(&mut prepared);
            let expects_more = || self.line.expects_more() || exclusive.may_leave();
            let defers = exclusive.is_open() || expects_more();
            exclusive.group.defers = !alone && defers;
            // The others in the group must not wait for a thread that has died.
            let done = catch_unwind(AssertUnwindSafe(|| exclusive.transact(cause, decide)));
            if !matches!(done, Ok(Ok(Transacted::Done(_)))) {
                exclusive.is_tidy = false;
            }
            let outcome = self.end_turn(lead, exclusive);
            let done = done.unwrap_or_else(|panic| resume_unwind(panic));
            match outcome {
                // The lock is free while large files are parsed.
                Outcome::Durable => match done? {
                    Transacted::Done(committed) => return Ok(committed),
                    Transacted::Unread(suspects) => prepared = self.prepare(&suspects),
                },
                // Alone, so that it fails only by itself.
                Outcome::TakenBack => alone = true,
                Outcome::Unknown(e) => return Err(StoreError::OutcomeUnknown(e)),
            }
        }
    }

    /// Takes the lock, or takes it over from another thread. With the lock it `inherits` what other processes have left.
    fn take_turn(&self, inherits: bool) -> Result<(Lead<'_>, Exclusive<'_>)> {
        let patience = self.options.patience;
        let word = self.line.enter(patience);
        match word {
            Some(Word::Turn(parked)) => Ok((Lead(&self.line), parked.resume(self))),
            Some(_) => {
                let lead = Lead(&self.line);
                Ok((lead, self.exclusive_for(patience, inherits)?))
            }
            None => Err(busy(&*self.fs, patience)),
        }
    }

    /// Passes the lock on if others wait for it, and waits for the end of the group; or ends it.
    fn end_turn(&self, lead: Lead<'_>, mut exclusive: Exclusive<'_>) -> Outcome {
        if let Some(failed) = exclusive.group.failed.take() {
            return failed;
        }
        // Without a group the lock is released, because other processes wait for it, too.
        if !exclusive.is_open() {
            // Only a panic in the middle of a write leaves members behind.
            let died = std::io::Error::other("a thread of the group died while it wrote");
            let unknown = FsError::new("write", JOURNAL, died);
            exclusive.tell_group(&Outcome::Unknown(unknown));
            exclusive.leave_tidy();
            return Outcome::Durable;
        }
        let members = exclusive.group.members.len() + 1;
        let records = exclusive.journal.unsettled_records().0;
        let has_room =
            members < MOST && records < MOST as u64 && exclusive.journal.unsettled() < MOST_BYTES;
        let next = has_room.then(|| self.line.next(members)).flatten();
        let Some(next) = next else {
            if has_room && exclusive.has_waiters(LONGEST) {
                return self.leave(exclusive);
            }
            return match exclusive.settle_group() {
                Ok(()) => {
                    exclusive.leave_tidy();
                    Outcome::Durable
                }
                Err(e) => exclusive
                    .group
                    .failed
                    .take()
                    .unwrap_or(Outcome::from_error(&e)),
            };
        };
        let place = Arc::new(Place::default());
        exclusive.group.members.push(Arc::clone(&place));
        // The lead moves with the lock.
        std::mem::forget(lead);
        next.tell(Word::Turn(Box::new(exclusive.park())));
        match place.wait(None) {
            Some(Word::Ended(outcome)) => outcome,
            // A member of a group receives no other signal.
            _ => Outcome::TakenBack,
        }
    }
}

impl Exclusive<'_> {
    /// Returns true if records wait for the end of the group.
    pub(crate) fn is_open(&self) -> bool {
        self.journal.tail.is_some()
    }

    /// Writes a record that becomes durable with the others of the group.
    pub(crate) fn append_to_group(
        &mut self,
        note: &Note<'_>,
        changes: &[Change<'_>],
    ) -> Result<Revision> {
        let written = self.journal.write(note, changes);
        if let Err(e @ (StoreError::NotApplied(_) | StoreError::OutcomeUnknown(_))) = &written {
            self.fail_group(e);
        }
        written
    }

    /// Ends the group, if there is one: makes it durable, shows it, and reports to its members. From here on this turn
    /// is separate.
    pub(crate) fn settle_group(&mut self) -> Result<()> {
        self.group.defers = false;
        if !self.is_open() {
            return Ok(());
        }
        let stopwatch = Stopwatch::start();
        let (records, is_shared) = self.journal.unsettled_records();
        let settled = self.journal.settle();
        self.store.line.lock().last = (self.group.members.len() + 1, stopwatch.elapsed());
        let records = if is_shared { records } else { 0 };
        self.store.sharing.note_records(records);
        // Signaled after the files are written: a commit is in the tree when it returns. Other processes wait for the
        // files of theirs.
        let shown = settled.and_then(|()| {
            self.show_committed(is_shared)
                .map_err(StoreError::OutcomeUnknown)
        });
        match &shown {
            Ok(()) => self.tell_group(&Outcome::Durable),
            Err(e) => self.fail_group(e),
        }
        shown
    }

    fn fail_group(&mut self, error: &StoreError) {
        let outcome = Outcome::from_error(error);
        self.tell_group(&outcome);
        self.group.failed = Some(outcome);
    }

    fn tell_group(&mut self, outcome: &Outcome) {
        self.group.tell(outcome);
    }

    /// Puts the store away for the next thread, with the lock.
    fn park(mut self) -> Parked {
        debug_assert!(
            self.journal.tail.is_some() && !self.group.members.is_empty(),
            "the lock is passed on without a record that waits for its sync"
        );
        let reports = self.reports.take();
        let seen = self.seen.into_inner();
        Parked {
            journal: self.journal,
            judged: self.judged,
            gone: self.gone,
            commented: self.commented,
            facts: seen.unwrap_or_else(PoisonError::into_inner).into_facts(),
            reading: self.reading,
            has_reserve: self.has_reserve,
            is_tidy: self.is_tidy,
            dot: self.dot,
            members: self.group.members,
            lock: self.lock,
            reports,
        }
    }
}

impl Parked {
    /// Continues in another thread.
    fn resume(self, store: &FileStore) -> Exclusive<'_> {
        Exclusive {
            store,
            journal: self.journal,
            judged: self.judged,
            gone: self.gone,
            prepared: Prepared::default(),
            commented: self.commented,
            beginning: None,
            seen: Mutex::new(FileFacts::resume(&*store.fs, self.facts)),
            reading: self.reading,
            has_reserve: self.has_reserve,
            is_tidy: self.is_tidy,
            dot: self.dot,
            group: Group {
                members: self.members,
                ..Group::default()
            },
            lock: self.lock,
            reports: Reports::resume(&store.options, self.reports),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Store as _;
    use crate::interface::{Expect, Op};
    use crate::key::{Key, Range};
    use crate::options::Options;
    use crate::settings::{ClockMode, Settings};
    use crate::sys::entropy::Seed;
    use crate::sys::sim_fs::SimFs;

    const THREADS: usize = 8;

    fn store(fs: &SimFs, patience: Option<Duration>) -> FileStore {
        let settings = Settings {
            clock: ClockMode::Virtual,
            ..Settings::new(Seed(1))
        };
        let options = Options {
            patience,
            ..Options::default()
        };
        FileStore::open_or_create(Arc::new(fs.clone()), options, settings).unwrap()
    }

    fn key(name: &str) -> Key {
        Key::new("configmaps", Some("default"), name).unwrap()
    }

    fn create(name: &str, value: &str) -> Batch {
        let json = format!(
            r#"{{"apiVersion":"v1","data":{{"v":"{value}"}},"kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"default"}}}}"#
        );
        Batch::new(vec![Op::put(key(name), json.into_bytes(), Expect::Absent)])
    }

    /// Runs something in each of the threads, all of which wait for the lock before the first gets it.
    fn together<T: Send>(store: &FileStore, run: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let mut results = Vec::new();
        store.line.all_at_once(THREADS, || {
            results = std::thread::scope(|scope| {
                let run = &run;
                let threads: Vec<_> = (0..THREADS)
                    .map(|thread| scope.spawn(move || run(thread)))
                    .collect();
                threads.into_iter().map(|t| t.join().unwrap()).collect()
            });
        });
        results
    }

    #[test]
    fn transactions_that_wait_for_the_lock_share_one_sync() {
        let fs = SimFs::new();
        let store = store(&fs, None);
        let (before, start) = (fs.syncs(), store.revision().unwrap());
        let mut revisions = together(&store, |thread| {
            let batch = create(&format!("a{thread}"), "1");
            let done = store.commit(&Cause::new("w", "r"), batch).unwrap();
            // A commit is in the tree when it returns.
            let path = key(&format!("a{thread}")).path();
            assert!(fs.disk().bytes(&path).is_some(), "{path}");
            done.revision
        });
        assert_eq!(fs.syncs() - before, 1);
        revisions.sort_unstable();
        let all = (start + 1..).take(THREADS).collect::<Vec<_>>();
        assert_eq!(revisions, all);
        assert!(fs.disk().names(".ctl/tmp").is_empty());
    }

    #[test]
    fn writers_that_keep_writing_share_their_syncs() {
        const ROUNDS: usize = 12;
        let syncs = |milliseconds: u64| {
            let fs = SimFs::new();
            let store = store(&fs, None);
            fs.slow_sync(Duration::from_millis(milliseconds));
            let before = fs.syncs();
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    let store = &store;
                    scope.spawn(move || {
                        for round in 0..ROUNDS {
                            let batch = create(&format!("a{thread}-{round}"), "1");
                            store.commit(&Cause::new("w", "r"), batch).unwrap();
                        }
                    });
                }
            });
            let stored = store.list(&Range::all()).unwrap().items.len();
            assert_eq!(stored, THREADS * ROUNDS);
            fs.syncs() - before
        };
        // Half of the best, because the scheduler may delay a thread; during a longer sync it delays fewer of them.
        let mut delays = [5, 5, 20, 50].into_iter();
        assert!(delays.any(|delay| syncs(delay) <= 2 * ROUNDS as u64));
    }

    #[test]
    fn small_write_makes_at_most_40_file_system_calls() {
        let fs = SimFs::new();
        let store = store(&fs, None);
        let update = |value: &str| {
            let mut batch = create("a", value);
            batch.ops[0].expect = Expect::Any;
            let before = fs.calls();
            store
                .transact(&Cause::new("w", "r"), &mut |view| {
                    let _ = view.get(&key("a"))?;
                    Ok(Some(batch.clone()))
                })
                .unwrap();
            fs.calls() - before
        };
        let _ = (update("1"), update("2"));
        let calls = update("3");
        assert!(calls <= 40, "{calls} operations for one small write");
    }

    #[test]
    fn group_with_failed_sync_is_committed_one_by_one() {
        let fs = SimFs::new();
        let store = store(&fs, None);
        let start = store.revision().unwrap();
        fs.fail_sync(Some(fs.syncs() + 1));
        let told = together(&store, |thread| {
            let batch = create(&format!("a{thread}"), "1");
            store.commit(&Cause::new("w", "r"), batch).is_ok()
        });
        assert_eq!(told, vec![true; THREADS]);
        assert_eq!(store.revision().unwrap(), start + THREADS as u64);
        assert_eq!(store.list(&Range::all()).unwrap().items.len(), THREADS);
    }

    #[test]
    fn transaction_reads_earlier_writes_of_its_group() {
        let fs = SimFs::new();
        let store = store(&fs, None);
        let before = fs.syncs();
        let won = together(&store, |thread| {
            let batch = create("same", &thread.to_string());
            match store.commit(&Cause::new("w", "r"), batch) {
                Ok(_) => true,
                Err(StoreError::AlreadyExists(_)) => false,
                Err(e) => panic!("{e}"),
            }
        });
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
        assert_eq!(fs.syncs() - before, 1);
    }

    #[test]
    fn panicking_transaction_fails_no_other_transaction() {
        let fs = SimFs::new();
        let store = store(&fs, None);
        let told = together(&store, |thread| {
            let decided = catch_unwind(AssertUnwindSafe(|| {
                store.transact(&Cause::new("w", "r"), &mut |_| {
                    assert!(thread % 3 != 0, "planned");
                    Ok(Some(create(&format!("a{thread}"), "1")))
                })
            }));
            decided.is_ok_and(|done| done.is_ok())
        });
        let expected: Vec<bool> = (0..THREADS).map(|thread| thread % 3 != 0).collect();
        assert_eq!(told, expected);
        assert_eq!(store.list(&Range::all()).unwrap().items.len(), 5);
        store
            .commit(&Cause::new("w", "r"), create("after", "1"))
            .unwrap();
    }

    #[test]
    fn lock_wait_ends_with_busy_after_the_timeout() {
        let fs = SimFs::new();
        let store = store(&fs, Some(Duration::from_millis(5)));
        let Some(Word::Lead) = store.line.enter(None) else {
            panic!("the line is led")
        };
        let lead = Lead(&store.line);
        let refused = store.commit(&Cause::new("w", "r"), create("a", "1"));
        assert!(
            matches!(refused, Err(StoreError::Busy { .. })),
            "{refused:?}"
        );
        drop(lead);
        store
            .commit(&Cause::new("w", "r"), create("a", "1"))
            .unwrap();
    }
}
