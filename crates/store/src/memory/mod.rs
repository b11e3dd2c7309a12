//! A store in memory: no files, and forks that share unchanged parts.
//!
//! It gives every guarantee of [`Store`] except durability. With a virtual clock the same calls give the same bytes, as
//! in a directory with the same settings.

mod map;
pub(crate) mod state;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use jiff::Timestamp;

use self::state::{FOR_WATCHERS, State, TransactionView};
use super::contract::Store;
use super::heartbeats::{Heartbeats, MemoryHeartbeats};
use super::interface::{
    Batch, Cause, Change, Committed, Event, HistoryQuery, Listing, Result, Stored, View, VisitEvent,
};
use super::key::{Key, Range};
use super::leader::{Election, SettleLock};
use super::revision::Revision;
use super::settings::{ApiFault, ClockMode, CurrentSettings, Settings};
use crate::sys::clock::{Clock, Stopwatch, virtual_epoch};
use crate::sys::fs::LockGuard;

pub(crate) use self::state::Point;

/// A cluster's state in memory.
///
/// ```
/// use ctl_store::{Batch, Cause, Expect, Key, MemoryStore, Op, Settings, Store as _};
/// use ctl_sys::{clock::Clock, entropy::Seed};
///
/// let store = MemoryStore::new(Clock::System, Settings::new(Seed(1)));
/// let key = Key::new("configmaps", Some("default"), "settings")?;
/// let put = Op::put(key.clone(), br#"{"kind":"ConfigMap"}"#.to_vec(), Expect::Absent);
/// store.commit(&Cause::new("example", "create"), Batch::new(vec![put]))?;
///
/// let fork = store.fork(None)?;
/// let delete = Op::delete(key.clone(), Expect::Present);
/// fork.commit(&Cause::new("example", "delete"), Batch::new(vec![delete]))?;
/// assert!(store.get(&key)?.is_some() && fork.get(&key)?.is_none());
/// # Ok::<(), ctl_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    clock: Clock,
    settings: CurrentSettings,
    state: RwLock<State>,
    /// Held by a transaction from its first read to its commit. Readers do not need it.
    writer: Mutex<()>,
    /// The last revision reported to waiting threads.
    told: Mutex<Revision>,
    news: Condvar,
    draws: AtomicU64,
    heartbeats: Arc<MemoryHeartbeats>,
    settle_lock: Arc<AtomicBool>,
    secrets: Mutex<BTreeMap<String, String>>,
}

impl MemoryStore {
    /// Creates an empty store with these settings; `clock` is the machine's time for a cluster on the system clock.
    pub fn new(clock: Clock, settings: Settings) -> Self {
        let time = match settings.clock {
            ClockMode::Virtual => virtual_epoch(),
            ClockMode::System => clock.now(),
        };
        // Also the first revision of a new directory, because uids are derived from it.
        let point = Point {
            revision: 1,
            epoch: 0,
            time,
            items: Vec::new(),
        };
        Self::at(clock, settings, point)
    }

    /// Creates an empty store in which the objects of a commit share a revision, as on etcd: for tests of code that
    /// must not rely on the revisions of a directory.
    pub fn with_shared_revisions(clock: Clock, settings: Settings) -> Self {
        let mut store = Self::new(clock, settings);
        let state = store.state.get_mut();
        state.unwrap_or_else(PoisonError::into_inner).shares = true;
        store
    }

    /// Creates a store that begins with these objects and without a history.
    pub(crate) fn at(clock: Clock, settings: Settings, point: Point) -> Self {
        Self::with(clock, settings, State::at(point))
    }

    /// Creates a store that continues from a state.
    pub(crate) fn with(clock: Clock, settings: Settings, state: State) -> Self {
        Self {
            clock,
            settings: CurrentSettings::new(settings),
            told: Mutex::new(state.revision),
            state: RwLock::new(state),
            writer: Mutex::default(),
            news: Condvar::new(),
            draws: AtomicU64::new(0),
            heartbeats: Arc::default(),
            settle_lock: Arc::default(),
            secrets: Mutex::default(),
        }
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of the state, so that no lock is held while callers read it.
    fn snapshot(&self) -> State {
        self.state().clone()
    }

    /// Leaves out the draws that were made before.
    pub(crate) fn skip_draws(&self, drawn: u64) {
        self.draws.store(drawn, Ordering::Relaxed);
    }

    fn time_after(&self, last: Timestamp) -> Timestamp {
        match self.settings.get().clock {
            ClockMode::Virtual => last,
            ClockMode::System => self.clock.now(),
        }
    }

    fn tell(&self, revision: Revision) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = revision;
        self.news.notify_all();
    }
}

impl Store for MemoryStore {
    fn place(&self) -> String {
        "memory:".to_owned()
    }

    fn settings(&self) -> Arc<Settings> {
        self.settings.get()
    }

    fn update_settings(&self, change: &mut dyn FnMut(&mut Settings)) -> Result<Arc<Settings>> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut settings = (*self.settings.get()).clone();
        change(&mut settings);
        Ok(self.settings.set(settings))
    }

    fn faults(&self) -> Arc<[ApiFault]> {
        self.settings.get().faults.clone().into()
    }

    fn draw(&self, count: u64) -> u64 {
        self.draws.fetch_add(count, Ordering::Relaxed)
    }

    fn secret(&self, name: &str, make: &mut dyn FnMut() -> Result<String>) -> Result<String> {
        let mut secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = secrets.get(name) {
            return Ok(kept.clone());
        }
        let made = make()?;
        secrets.insert(name.to_owned(), made.clone());
        Ok(made)
    }

    fn revision(&self) -> Result<Revision> {
        Ok(self.state().revision)
    }

    fn now(&self) -> Result<Timestamp> {
        Ok(self.moment()?.1)
    }

    fn moment(&self) -> Result<(Revision, Timestamp)> {
        let (revision, time) = {
            let state = self.state();
            (state.revision, state.time)
        };
        Ok((revision, self.time_after(time)))
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        Ok(self.state().get(key))
    }

    fn list(&self, range: &Range) -> Result<Listing> {
        let state = self.snapshot();
        Ok(Listing {
            revision: state.revision,
            items: state.list(range),
        })
    }

    fn visit(&self, range: &Range, take: &mut dyn FnMut(VisitEvent<'_>)) -> Result<Revision> {
        let state = self.snapshot();
        for (key, entry) in state.range(range) {
            take(VisitEvent::Object(key, entry.revision, &entry.json));
        }
        Ok(state.revision)
    }

    fn list_at(&self, range: &Range, revision: Revision) -> Result<Listing> {
        self.snapshot().list_at(range, revision)
    }

    fn transact(
        &self,
        cause: &Cause,
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
    ) -> Result<Option<Committed>> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.snapshot();
        let now = self.time_after(state.time);
        let seen = TransactionView { state, now };
        let Some(batch) = decide(&seen)? else {
            return Ok(None);
        };
        // Dropped before the commit, which then changes the state in place: a block with another owner would be copied.
        drop(seen);
        let settings = self.settings.get();
        let committed = {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            let committed = state.commit(cause, batch, settings.clock, now)?;
            // Twice the limit, so that a long history is cut once in a while and not with each
            // commit; `history: 0` keeps a little for watchers.
            state.forget(settings.history.doubled(), FOR_WATCHERS);
            committed
        };
        self.tell(committed.revision);
        Ok(Some(committed))
    }

    fn events(&self, range: &Range, after: Revision) -> Result<(Vec<Event>, Revision)> {
        let state = self.snapshot();
        Ok((state.events(range, after)?, state.revision))
    }

    fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision> {
        let stopwatch = Stopwatch::start();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = timeout.saturating_sub(stopwatch.elapsed());
            if *told > after || left.is_zero() {
                return Ok(*told);
            }
            let woken = self.news.wait_timeout(told, left);
            (told, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn oldest(&self) -> Result<Revision> {
        Ok(self.state().oldest)
    }

    fn visit_history(
        &self,
        past: &HistoryQuery,
        visit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<()> {
        self.snapshot().history(past, visit)
    }

    fn compact(&self) -> Result<()> {
        let keep = self.settings.get().history;
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.forget(keep, 0);
        Ok(())
    }

    fn fork(&self, at: Option<Revision>) -> Result<Arc<dyn Store>> {
        let state = self.snapshot();
        let state = match at {
            Some(revision) if revision != state.revision => state.back_to(revision)?,
            _ => state,
        };
        let settings = (*self.settings.get()).clone();
        let fork = Self::with(self.clock.clone(), settings, state);
        // Both sides have equal draws: a fork repeats the original's faults.
        fork.skip_draws(self.draws.load(Ordering::Relaxed));
        Ok(Arc::new(fork))
    }

    fn election(&self) -> &dyn Election {
        self
    }
}

/// The settle lock of a thread.
struct SettleLockGuard(Arc<AtomicBool>);

impl LockGuard for SettleLockGuard {}

impl Drop for SettleLockGuard {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Election for MemoryStore {
    fn heartbeats(&self) -> Arc<dyn Heartbeats> {
        Arc::<MemoryHeartbeats>::clone(&self.heartbeats)
    }

    fn try_settle_lock(&self) -> Result<Option<SettleLock>> {
        // Acquire pairs with the Release of `SettleLockGuard`, so that the next holder observes all effects of the
        // previous one.
        let taken = self.settle_lock.swap(true, Ordering::Acquire);
        let settle_lock = || {
            SettleLock::under(Some(Box::new(SettleLockGuard(Arc::clone(
                &self.settle_lock,
            )))))
        };
        Ok((!taken).then(settle_lock))
    }

    fn settle_lock_holder(&self) -> String {
        "another thread of this process".to_owned()
    }
}
