//! The interface of a store.
//!
//! Nothing here mentions files, so that the same callers run on every store. Abilities of a directory are in
//! [`Directory`], leadership is in [`Election`].
//!
//! Guarantees of every implementation:
//! - a commit that was acknowledged survives the process and the machine; a batch is whole or absent;
//! - no two commits use the same revision; the objects of one commit have rising revisions, or share one;
//! - a commit that changes no object may have a revision too, at which no change is found;
//! - a list is the state at exactly one revision;
//! - events after a revision are complete and in order, or the error is [`StoreError::Gone`].

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::directory::Directory;
use super::error::StoreError;
use super::interface::{
    Batch, Cause, Change, Committed, Event, HistoryQuery, Listing, Result, Stored, View, VisitEvent,
};
use super::key::{Key, Range};
use super::leader::Election;
use super::revision::Revision;
use super::settings::{ApiFault, Settings};
use super::visit::{See, held_commits};

/// The storage of cluster state.
pub trait Store: fmt::Debug + Send + Sync {
    /// Names the store for users: the path of a directory, or `memory:`.
    fn place(&self) -> String;

    /// Returns the cluster's settings known to this process.
    fn settings(&self) -> Arc<Settings>;

    /// Changes the stored settings; returns the new ones.
    ///
    /// # Errors
    /// They cannot be written.
    fn update_settings(&self, change: &mut dyn FnMut(&mut Settings)) -> Result<Arc<Settings>>;

    /// Returns the injected API faults. Others may change them at any time.
    fn faults(&self) -> Arc<[ApiFault]>;

    /// Returns the controllers that are paused. Others may change them at any time.
    fn paused(&self) -> Arc<[String]> {
        self.settings().paused.clone().into()
    }

    /// Returns a secret of the cluster that is not an object, such as a key; the first time, the one that `make`
    /// returns. Only its owner can read it, and no copy or export of the cluster contains it.
    ///
    /// # Errors
    /// It cannot be read or stored, and the errors of `make`.
    fn secret(&self, name: &str, make: &mut dyn FnMut() -> Result<String>) -> Result<String>;

    /// Reserves `count` random draws and returns the number of the first. The count runs across all
    /// commands on the cluster, so that a retry draws again.
    fn draw(&self, count: u64) -> u64;

    /// Returns the revision of the last commit.
    ///
    /// # Errors
    /// The store cannot be read.
    fn revision(&self) -> Result<Revision>;

    /// Returns the current time: the machine's, or the last commit's for a cluster on a virtual clock.
    ///
    /// # Errors
    /// The store cannot be read.
    fn now(&self) -> Result<Timestamp>;

    /// Returns the revision and that time, from one read.
    ///
    /// # Errors
    /// The store cannot be read.
    fn moment(&self) -> Result<(Revision, Timestamp)>;

    /// Returns the revision and the time of the newest commit that this process knows, at least its own last one. Unlike
    /// [`Store::moment`], it asks no other machine.
    ///
    /// # Errors
    /// The store cannot be read.
    fn known_moment(&self) -> Result<(Revision, Timestamp)> {
        self.moment()
    }

    /// Returns one object.
    ///
    /// # Errors
    /// The store cannot be read.
    fn get(&self, key: &Key) -> Result<Option<Stored>>;

    /// Returns the objects of a range, all at one revision.
    ///
    /// # Errors
    /// The store cannot be read.
    fn list(&self, range: &Range) -> Result<Listing>;

    /// Returns numbers that are equal as long as no object of a range changes, by a commit or by a hand edit. They cost
    /// less than a list, and wait for no commit of this process. `None` if only a list tells.
    ///
    /// # Errors
    /// The store cannot be read.
    fn mark(&self, range: &Range) -> Result<Option<[u64; 3]>> {
        // A list in memory is as cheap.
        let _ = range;
        Ok(None)
    }

    /// Returns true if a read of one object is unlikely to wait: it asks no other machine, and no commit of this
    /// process is under way.
    fn is_idle(&self) -> bool {
        true
    }

    /// Passes the objects of a range to `take` one by one, in any order, all at the revision that it returns: for a
    /// caller that needs few of many.
    ///
    /// # Errors
    /// The store cannot be read; some objects may have been passed by then.
    fn visit(&self, range: &Range, take: &mut dyn FnMut(VisitEvent<'_>)) -> Result<Revision> {
        // The default is right for every store; the file store reads with less memory.
        let listing = self.list(range)?;
        for item in &listing.items {
            take(VisitEvent::Object(&item.key, item.revision, &item.json));
        }
        Ok(listing.revision)
    }

    /// Returns the number of bytes that a list of a range copies into memory now, as far as it is known without one.
    ///
    /// # Errors
    /// The store cannot be read.
    fn copied(&self, range: &Range) -> Result<usize> {
        // A store in memory shares its objects.
        let _ = range;
        Ok(0)
    }

    /// Returns the objects of a range at an earlier revision.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if the revision is no longer retained.
    fn list_at(&self, range: &Range, revision: Revision) -> Result<Listing>;

    /// Passes the commits of a part of the past to `see` one by one, oldest first, including those without objects: for
    /// a caller that needs few of many.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if `past.after` is before the retained history.
    fn visit_commits(&self, past: &HistoryQuery, see: See<'_>) -> Result<()> {
        // The default is right for every store; the file store reads without copies.
        for commit in held_commits(&self.history(past)?, past.after) {
            if !see(&commit)? {
                break;
            }
        }
        Ok(())
    }

    /// Passes the commits of a part of the past to `see` like [`Store::visit_commits`], but newest first: for a caller
    /// that stops early.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if `past.after` is before the retained history and `see` did not stop the visit before.
    fn visit_commits_back(&self, past: &HistoryQuery, see: See<'_>) -> Result<()> {
        for commit in held_commits(&self.history(past)?, past.after).rev() {
            if !see(&commit)? {
                break;
            }
        }
        Ok(())
    }

    /// Runs `decide` on a state that no other writer changes, and commits the batch it returns.
    ///
    /// `decide` may run more than once and must be quick, because others wait. `None` commits nothing.
    ///
    /// # Errors
    /// An expectation fails or the commit is rejected; then nothing was applied, except for
    /// [`StoreError::OutcomeUnknown`].
    fn transact(
        &self,
        cause: &Cause,
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
    ) -> Result<Option<Committed>>;

    /// Commits a batch.
    ///
    /// # Errors
    /// As for [`Store::transact`].
    fn commit(&self, cause: &Cause, batch: Batch) -> Result<Committed> {
        let done = self.transact(cause, &mut |_| Ok(Some(batch.clone())))?;
        done.ok_or_else(|| StoreError::Refused("the batch was withdrawn".to_owned()))
    }

    /// Returns the changes after a revision, oldest first, and the revision up to which they are complete.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if some of them are no longer retained.
    fn events(&self, range: &Range, after: Revision) -> Result<(Vec<Event>, Revision)>;

    /// Waits until the store is past `after` or `timeout` is over; returns its revision.
    ///
    /// # Errors
    /// The store cannot be read.
    fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision>;

    /// Returns the oldest revision of the history: all later changes are retained.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn oldest(&self) -> Result<Revision>;

    /// Passes the commits of a part of the past to `visit` one by one, oldest first, until it breaks.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if `past.after` is before the retained history.
    fn visit_history(
        &self,
        past: &HistoryQuery,
        visit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<()>;

    /// Returns the commits of a part of the past, oldest first.
    ///
    /// # Errors
    /// As for [`Store::visit_history`].
    fn history(&self, past: &HistoryQuery) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        self.visit_history(past, &mut |change| {
            changes.push(change);
            ControlFlow::Continue(())
        })?;
        Ok(changes)
    }

    /// Drops as much of the past as the settings allow. Watches that are further behind get [`StoreError::Gone`].
    ///
    /// # Errors
    /// If the store cannot be written.
    fn compact(&self) -> Result<()>;

    /// Copies the state at a revision, or now, into a store in memory that changes independently.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if the revision is no longer retained.
    fn fork(&self, at: Option<Revision>) -> Result<Arc<dyn Store>>;

    /// Returns the leadership of the cluster's controllers.
    fn election(&self) -> &dyn Election;

    /// Returns the abilities of a directory, if the store is one.
    fn directory(&self) -> Option<&dyn Directory> {
        None
    }
}
