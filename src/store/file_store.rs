//! [`Store`] on a directory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
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
use crate::sys::notify::{Wake, Watch};

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
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
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
            let heard = self.bell.heard();
            let revision = match heard.known() {
                Some(revision) => revision,
                None => self.look(heard.count)?,
            };
            let left = timeout.saturating_sub(stopwatch.elapsed());
            if revision > after || left.is_zero() {
                return Ok(revision);
            }
            self.doze(heard.count, left);
        }
    }

    fn history(&self, past: &Past) -> Result<Vec<Change>> {
        self.read_history(past)
    }
}

/// What is known of the head without looking at it.
#[derive(Clone, Copy, Debug, Default)]
struct Heard {
    /// How often it was heard that the head was written.
    count: u64,
    /// The last look at it: what was heard before, what stood there, and when.
    look: Option<(u64, Revision, Stopwatch)>,
}

impl Heard {
    /// The revision, where nothing was heard since the last look and that was not long ago.
    fn known(&self) -> Option<Revision> {
        let (count, revision, when) = self.look.as_ref()?;
        (*count == self.count && when.elapsed() < POLL).then_some(*revision)
    }
}

/// Where the threads of a process wait for commits: one listens, the others wait for its word.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    watch: Mutex<Option<Watch>>,
    heard: Mutex<Heard>,
    rings: Condvar,
}

impl Bell {
    fn heard(&self) -> Heard {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        self.lock().count += 1;
        self.rings.notify_all();
    }

    /// Waits until it rings, if it has not since `count`.
    fn wait(&self, count: u64, timeout: Duration) {
        let heard = self.lock();
        if heard.count == count {
            drop(self.rings.wait_timeout(heard, timeout));
        }
    }
}

impl FileStore {
    /// Looks at the head; all that was heard before `count` is known with it.
    fn look(&self, count: u64) -> Result<Revision> {
        let revision = self.published_revision()?;
        let mut heard = self.bell.lock();
        if heard
            .look
            .as_ref()
            .is_none_or(|(before, ..)| *before <= count)
        {
            heard.look = Some((count, revision, Stopwatch::start()));
        }
        Ok(revision)
    }

    /// Sleeps until the head was written, or for a while.
    fn doze(&self, count: u64, left: Duration) {
        let mut watch = match self.bell.watch.try_lock() {
            Ok(watch) => watch,
            Err(TryLockError::Poisoned(e)) => e.into_inner(),
            Err(TryLockError::WouldBlock) => return self.bell.wait(count, left.min(POLL)),
        };
        let Some(watch) = watch.as_ref() else {
            *watch = Some(self.listen());
            // A commit may have come before the subscription.
            return self.bell.ring();
        };
        if self.bell.heard().count != count {
            return;
        }
        let deaf = watch.failure().is_some() || self.options.path.is_none();
        let woken = watch.wait(left.min(if deaf { POLL_WITHOUT_EVENTS } else { POLL }));
        if deaf || woken != Wake::Timeout {
            self.bell.ring();
        } else {
            // Somebody else listens now.
            self.bell.rings.notify_all();
        }
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
