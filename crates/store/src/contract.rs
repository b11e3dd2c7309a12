//! The interface of a store.
//!
//! Nothing here mentions files, so that the same callers run on every store. Abilities that only a
//! directory has are in [`Directory`], leadership is in [`Election`].
//!
//! Guarantees of every implementation:
//! - a commit that was acknowledged survives the process and the machine; a batch is whole or absent;
//! - no two commits use the same revision; the objects of one commit have rising revisions, or one that they share;
//! - a commit that changes no object may have a revision too, at which nothing is found;
//! - a list is the state at exactly one revision;
//! - events after a revision come complete and in order, or the error is [`StoreError::Gone`].

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::directory::Directory;
use super::error::StoreError;
use super::interface::{
    Batch, Cause, Change, Committed, Event, Listing, Past, Result, Shown, Stored, View,
};
use super::key::{Key, Range};
use super::leader::Election;
use super::revision::Revision;
use super::settings::{ApiFault, Settings};
use super::visit::{Recorded, RecordedChange, See};

/// Where cluster state is kept.
pub trait Store: fmt::Debug + Send + Sync {
    /// Names the store for people: the path of a directory, or `memory:`.
    fn place(&self) -> String;

    /// The cluster's settings, as this process knows them.
    fn settings(&self) -> Arc<Settings>;

    /// Changes the settings as they are stored now; returns the new ones.
    ///
    /// # Errors
    /// If they cannot be written.
    fn update_settings(&self, change: &mut dyn FnMut(&mut Settings)) -> Result<Arc<Settings>>;

    /// The injected API faults. Others may change them at any time.
    fn faults(&self) -> Arc<[ApiFault]>;

    /// The controllers that are paused. Others may change them at any time.
    fn paused(&self) -> Arc<[String]> {
        self.settings().paused.clone().into()
    }

    /// Returns a secret of the cluster that is no object, such as a key; the first time, the one that
    /// `make` returns. Its owner alone can read it, and no copy or export of the cluster contains it.
    ///
    /// # Errors
    /// If it cannot be read or kept, and those of `make`.
    fn secret(&self, name: &str, make: &mut dyn FnMut() -> Result<String>) -> Result<String>;

    /// Reserves `count` random draws and returns the number of the first. The count runs across all
    /// commands on the cluster, so that a retry draws anew.
    fn draw(&self, count: u64) -> u64;

    /// The revision of the last commit.
    ///
    /// # Errors
    /// Where the store cannot be read.
    fn revision(&self) -> Result<Revision>;

    /// The current time: the machine's, or the last commit's for a cluster on a virtual clock.
    ///
    /// # Errors
    /// Where the store cannot be read.
    fn now(&self) -> Result<Timestamp>;

    /// The revision and that time, of one look.
    ///
    /// # Errors
    /// Where the store cannot be read.
    fn moment(&self) -> Result<(Revision, Timestamp)>;

    /// One object.
    ///
    /// # Errors
    /// Where the store cannot be read.
    fn get(&self, key: &Key) -> Result<Option<Stored>>;

    /// The objects of a range, all at one revision.
    ///
    /// # Errors
    /// Where the store cannot be read.
    fn list(&self, range: &Range) -> Result<Listing>;

    /// Shows the objects of a range one by one, in any order, all at the revision that it returns:
    /// for a caller who wants few of many.
    ///
    /// # Errors
    /// Where the store cannot be read; some objects may have been shown then.
    fn visit(&self, range: &Range, take: &mut dyn FnMut(Shown<'_>)) -> Result<Revision> {
        // The default is right for every store; the file store reads with less memory.
        let listing = self.list(range)?;
        for item in &listing.items {
            take(Shown::Object(&item.key, item.revision, &item.json));
        }
        Ok(listing.revision)
    }

    /// The objects of a range as they were at an earlier revision.
    ///
    /// # Errors
    /// [`StoreError::Gone`] where that is no longer known.
    fn list_at(&self, range: &Range, revision: Revision) -> Result<Listing>;

    /// Shows the commits of a part of the past one by one, oldest first, those without objects too: for a
    /// caller that wants little of many.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if `past.after` is before everything that is kept.
    fn visit_commits(&self, past: &Past, see: See<'_>) -> Result<()> {
        // The default is right for every store; the file store reads without copies.
        let mut revision = past.after;
        for (sequence, change) in (1..).zip(&self.history(past)?) {
            let cause = &change.cause;
            let events = change.events.iter();
            // An event shows a revision, a commit without changes none: it gets that of the one before.
            revision = change.events.last().map_or(revision, |e| e.revision);
            let commit = Recorded {
                sequence,
                revision,
                time: change.time,
                writer: &cause.writer,
                trigger: cause.trigger,
                rule: &cause.rule,
                changes: events
                    .map(|event| RecordedChange::held(event, cause.trigger, &cause.rule))
                    .collect(),
            };
            if !see(&commit)? {
                break;
            }
        }
        Ok(())
    }

    /// Runs `decide` on a state that nobody else changes, and commits the batch it returns.
    ///
    /// `decide` may run more than once and must be quick: others wait. `None` commits nothing.
    ///
    /// # Errors
    /// Where an expectation does not hold or the commit is refused; then nothing was applied,
    /// save for [`StoreError::OutcomeUnknown`].
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

    /// The changes after a revision, oldest first, and the revision up to which they are complete.
    ///
    /// # Errors
    /// [`StoreError::Gone`] where some of them are no longer kept.
    fn events(&self, range: &Range, after: Revision) -> Result<(Vec<Event>, Revision)>;

    /// Waits until the store is past `after` or `timeout` is over; returns its revision.
    ///
    /// # Errors
    /// Where the store cannot be read.
    fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision>;

    /// The oldest revision whose later changes are all kept: where the history begins.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn oldest(&self) -> Result<Revision>;

    /// Shows the commits of a part of the past one by one, oldest first, until `visit` breaks.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if `past.after` is before everything that is kept.
    fn visit_history(
        &self,
        past: &Past,
        visit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<()>;

    /// The commits of a part of the past, oldest first.
    ///
    /// # Errors
    /// As for [`Store::visit_history`].
    fn history(&self, past: &Past) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        self.visit_history(past, &mut |change| {
            changes.push(change);
            ControlFlow::Continue(())
        })?;
        Ok(changes)
    }

    /// Forgets as much of the past as the settings allow. Watches that are further behind get
    /// [`StoreError::Gone`].
    ///
    /// # Errors
    /// If the store cannot be written.
    fn compact(&self) -> Result<()>;

    /// Copies the state at a revision, or now, into a store in memory that goes its own way.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if that revision is no longer known.
    fn fork(&self, at: Option<Revision>) -> Result<Arc<dyn Store>>;

    /// The leadership of the cluster's controllers.
    fn election(&self) -> &dyn Election;

    /// The abilities of a directory, if the store is one.
    fn directory(&self) -> Option<&dyn Directory> {
        None
    }
}
