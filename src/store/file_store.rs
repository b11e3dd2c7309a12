//! [`Store`] on a directory.

use std::sync::{Condvar, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use jiff::Timestamp;

use super::files::FileStore;
use super::interface::{
    Batch, Cause, Change, Committed, Event, Listing, Past, Result, Revision, Shown, Store, Stored,
    View,
};
use super::key::{Key, Range};
use super::layout::HEAD;
use crate::sys::clock::Stopwatch;
use crate::sys::notify::Watch;

/// However many events were missed, a waiter looks for itself this often.
const POLL: Duration = Duration::from_secs(1);

/// The same where the machine does not tell of changes.
const POLL_WITHOUT_EVENTS: Duration = Duration::from_millis(250);

impl Store for FileStore {
    fn revision(&self) -> Result<Revision> {
        self.published_revision()
    }

    fn now(&self) -> Result<Timestamp> {
        Ok(self.moment()?.1)
    }

    fn moment(&self) -> Result<(Revision, Timestamp)> {
        let head = self.reading()?.head;
        Ok((head.revision, self.time_after(head.time)))
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        self.read_one(key)
    }

    fn list(&self, range: &Range) -> Result<Listing> {
        self.read_range(range)
    }

    fn visit(&self, range: &Range, take: &mut dyn FnMut(Shown<'_>)) -> Result<Revision> {
        self.show_range(range, take)
    }

    fn list_at(&self, range: &Range, revision: Revision) -> Result<Listing> {
        self.read_range_at(range, revision)
    }

    fn transact(
        &self,
        cause: &Cause,
        decide: &mut dyn FnMut(&dyn View) -> Result<Option<Batch>>,
    ) -> Result<Option<Committed>> {
        self.exclusive(self.options.patience)?
            .transact(cause, decide)
    }

    fn events(&self, range: &Range, after: Revision) -> Result<(Vec<Event>, Revision)> {
        self.read_events(range, after)
    }

    fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision> {
        let stopwatch = Stopwatch::start();
        loop {
            let count = self.bell.count();
            let revision = self.published_revision()?;
            let left = timeout.saturating_sub(stopwatch.elapsed());
            if revision > after || left.is_zero() {
                return Ok(revision);
            }
            self.doze(count, after, left)?;
        }
    }

    fn history(&self, past: &Past) -> Result<Vec<Change>> {
        self.read_history(past)
    }
}

/// Where the threads of a process wait for commits: one listens, the others wait for its word.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    watch: Mutex<Option<Watch>>,
    rung: Mutex<u64>,
    rings: Condvar,
}

impl Bell {
    /// How often it has rung; asked before the state is looked at.
    fn count(&self) -> u64 {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.rings.notify_all();
    }

    /// Waits until it rings, if it has not since `count`.
    fn wait(&self, count: u64, timeout: Duration) {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        if *rung == count {
            drop(self.rings.wait_timeout(rung, timeout));
        }
    }
}

impl FileStore {
    /// Sleeps until the head was written, or for a while.
    fn doze(&self, count: u64, after: Revision, left: Duration) -> Result<()> {
        let mut watch = match self.bell.watch.try_lock() {
            Ok(watch) => watch,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.bell.wait(count, left.min(POLL));
                return Ok(());
            }
        };
        let fresh = watch.is_none();
        let watch = watch.get_or_insert_with(|| self.listen());
        // A commit may have come before the subscription, or been heard by another thread.
        let unheard = fresh || self.bell.count() != count;
        if !unheard || self.published_revision()? <= after {
            let deaf = watch.failure().is_some() || self.options.path.is_none();
            watch.wait(left.min(if deaf { POLL_WITHOUT_EVENTS } else { POLL }));
        }
        self.bell.ring();
        Ok(())
    }

    fn listen(&self) -> Watch {
        let paths: Vec<_> = self.options.path.iter().map(|p| p.join(HEAD)).collect();
        let watch = Watch::new(&paths, false);
        if let Some(reason) = watch.failure() {
            self.say(&format!("changes are looked for every 250 ms: {reason}"));
        }
        watch
    }
}
