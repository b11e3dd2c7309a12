//! [`Store`] on a directory.

use std::sync::PoisonError;
use std::time::Duration;

use jiff::Timestamp;

use super::files::FileStore;
use super::interface::{
    Batch, Cause, Change, Committed, Event, Listing, Past, Result, Revision, Store, Stored, View,
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
        let last = self.reading()?.head.time;
        Ok(self.time_after(last))
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        self.read_one(key)
    }

    fn list(&self, range: &Range) -> Result<Listing> {
        self.read_range(range)
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
            let revision = self.published_revision()?;
            let left = timeout.saturating_sub(stopwatch.elapsed());
            if revision > after || left.is_zero() {
                return Ok(revision);
            }
            self.doze(after, left)?;
        }
    }

    fn history(&self, past: &Past) -> Result<Vec<Change>> {
        self.read_history(past)
    }
}

impl FileStore {
    /// Sleeps until the head was written, or for a while.
    fn doze(&self, after: Revision, left: Duration) -> Result<()> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        if watch.is_none() {
            let paths: Vec<_> = self.options.path.iter().map(|p| p.join(HEAD)).collect();
            let new = Watch::new(&paths, false);
            if let Some(reason) = new.failure() {
                self.say(&format!("changes are looked for every 250 ms: {reason}"));
            }
            *watch = Some(new);
            // A commit may have come before the subscription.
            if self.published_revision()? > after {
                return Ok(());
            }
        }
        let Some(watch) = watch.as_ref() else {
            return Ok(());
        };
        let deaf = watch.failure().is_some() || self.options.path.is_none();
        watch.wait(left.min(if deaf { POLL_WITHOUT_EVENTS } else { POLL }));
        Ok(())
    }
}
