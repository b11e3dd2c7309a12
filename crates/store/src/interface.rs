//! The interface of a store: objects as JSON bytes, revisions, commits, events.
//!
//! Nothing here mentions files, so that the same callers run on every store. Abilities that only a
//! directory has are in [`Directory`], leadership is in [`Election`].
//!
//! Guarantees of every implementation:
//! - a commit that was acknowledged survives the process and the machine; a batch is whole or absent;
//! - every changed object gets a revision of its own, contiguous in a batch, never reused;
//! - a list is the state at exactly one revision;
//! - events after a revision come complete and in order, or the error is [`StoreError::Gone`].

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::directory::Directory;
use super::error::StoreError;
use super::key::{Key, Range};
use super::leader::Election;
pub use super::revision::Revision;
use super::settings::{ApiFault, Settings};
use super::visit::{Recorded, RecordedChange, See};

/// The result of every call.
pub type Result<T> = std::result::Result<T, StoreError>;

/// A stored object.
#[derive(Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its key.
    pub key: Key,
    /// The revision of its last change.
    pub revision: Revision,
    /// Its JSON, compact, with sorted keys and without `metadata.resourceVersion`.
    pub json: Arc<[u8]>,
}

impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}@{} {}",
            self.key,
            self.revision,
            String::from_utf8_lossy(&self.json)
        )
    }
}

/// The objects of a range at one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The revision of the store that the list shows.
    pub revision: Revision,
    /// The objects in the order of their keys.
    pub items: Vec<Stored>,
}

/// An item passed to a visitor.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    /// An object: its key, the revision of its last change, its JSON.
    Object(&'a Key, Revision, &'a [u8]),
    /// Everything changed meanwhile and begins again: what was shown so far does not count.
    Again,
}

/// A precondition of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// Anything.
    #[default]
    Any,
    /// It is not there.
    Absent,
    /// It is there.
    Present,
    /// It is there, last changed at this revision.
    At(Revision),
}

/// One change of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// The object.
    pub key: Key,
    /// The precondition.
    pub expect: Expect,
    /// Its new JSON (compact, sorted, without `metadata.resourceVersion`); `None` removes it.
    pub json: Option<Arc<[u8]>>,
    /// Why, where that differs from the cause of the whole commit.
    pub why: Option<Why>,
}

/// Why one object was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The revision that triggered it, where one did.
    pub trigger: Option<Revision>,
    /// The rule that led to it.
    pub rule: String,
}

impl Op {
    /// Writes an object.
    pub fn put(key: Key, json: impl Into<Arc<[u8]>>, expect: Expect) -> Self {
        Self {
            key,
            expect,
            json: Some(json.into()),
            why: None,
        }
    }

    /// Removes an object.
    pub fn delete(key: Key, expect: Expect) -> Self {
        Self {
            key,
            expect,
            json: None,
            why: None,
        }
    }

    /// Returns the change with its own cause.
    #[must_use]
    pub fn because(self, why: Why) -> Self {
        Self {
            why: Some(why),
            ..self
        }
    }
}

/// Changes that happen together or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The changes; at most one for each key.
    pub ops: Vec<Op>,
    /// Preconditions on objects that are not changed.
    pub checks: Vec<(Key, Expect)>,
    /// The leader's epoch under which the writer acts; another one in force refuses the batch.
    pub epoch: Option<u64>,
    /// Begins a new leader's epoch, which fences off every earlier one.
    pub lead: bool,
    /// Moves the clock of a virtual cluster to this time.
    pub at: Option<Timestamp>,
    /// Records the commit although it changes nothing: its rule marks a point in the history.
    pub marks: bool,
}

impl Batch {
    /// A batch of changes with nothing else to it.
    pub fn of(ops: Vec<Op>) -> Self {
        Self {
            ops,
            ..Self::default()
        }
    }
}

/// Why a commit happens: kept with it for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The command line or the controller.
    pub writer: String,
    /// The revision that triggered it, where one did.
    pub trigger: Option<Revision>,
    /// The stable short name of the rule that led to it.
    pub rule: String,
}

impl Cause {
    /// A cause without a trigger.
    pub fn new(writer: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            writer: writer.into(),
            trigger: None,
            rule: rule.into(),
        }
    }
}

/// The result of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The store's revision after it.
    pub revision: Revision,
    /// For each change in order its revision; `None` where nothing changed.
    pub revisions: Vec<Option<Revision>>,
    /// The leader's epoch after it.
    pub epoch: u64,
    /// The time it carries.
    pub time: Timestamp,
}

/// The state that a transaction sees; nobody else changes it before the transaction ends.
pub trait View {
    /// The store's revision.
    fn revision(&self) -> Revision;
    /// The time that a commit made now would carry.
    fn now(&self) -> Timestamp;
    /// The leader's epoch in force.
    fn epoch(&self) -> u64;
    /// One object.
    ///
    /// # Errors
    /// Where it cannot be read back as it was written.
    fn get(&self, key: &Key) -> Result<Option<Stored>>;
    /// The revision of the last change of one object, which is not read for it.
    fn revision_of(&self, key: &Key) -> Result<Option<Revision>> {
        Ok(self.get(key)?.map(|stored| stored.revision))
    }
    /// The objects of a range.
    ///
    /// # Errors
    /// As for [`View::get`].
    fn list(&self, range: &Range) -> Result<Vec<Stored>>;
}

/// One change of one object, as the history holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The object.
    pub key: Key,
    /// The revision of the change.
    pub revision: Revision,
    /// The object after it; `None` where it was removed.
    pub after: Option<Arc<[u8]>>,
    /// The object before it, with the revision it had; `None` where it was created.
    pub before: Option<(Revision, Arc<[u8]>)>,
    /// Why, where that differs from the cause of the whole commit.
    pub why: Option<Why>,
}

/// One commit, as the history holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When, by the cluster's clock.
    pub time: Timestamp,
    /// Why.
    pub cause: Cause,
    /// The leader's epoch after it.
    pub epoch: u64,
    /// The changes that it made.
    pub events: Vec<Event>,
}

/// Which part of the history to read.
#[derive(Clone, Debug)]
pub struct Past {
    /// Only changes after this revision.
    pub after: Revision,
    /// Only changes up to this revision.
    pub until: Revision,
    /// Only commits at or after this time.
    pub since: Option<Timestamp>,
    /// Only commits at or before this time.
    pub before: Option<Timestamp>,
    /// Only these objects.
    pub range: Range,
}

impl Default for Past {
    fn default() -> Self {
        Self {
            after: 0,
            until: Revision::MAX,
            since: None,
            before: None,
            range: Range::all(),
        }
    }
}

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
            // A commit without changes has the revision of the one before.
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
