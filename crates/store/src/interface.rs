//! The values that pass a store's interface: objects as JSON bytes, revisions, batches, commits, events.
//!
//! Nothing here mentions files; [`super::contract`] has the interface itself.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

use super::error::StoreError;
use super::key::{Key, Range};
pub use super::revision::Revision;
use super::rules;

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
///
/// ```
/// use ctl_store::{Listing, Range, Revision, Store, Stored};
///
/// /// Returns the revision and the sizes of the stored Pods.
/// fn sizes(store: &dyn Store) -> ctl_store::Result<(Revision, Vec<usize>)> {
///     let Listing { revision, items } = store.list(&Range::resource("pods", None))?;
///     let size = |item: &Stored| item.json.len();
///     Ok((revision, items.iter().map(size).collect()))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The revision of the store that the list shows.
    pub revision: Revision,
    /// The objects in the order of their keys.
    pub items: Vec<Stored>,
}

/// An item passed to a visitor.
///
/// ```
/// use ctl_store::{Range, VisitEvent, Store};
///
/// /// Counts the objects without keeping any in memory.
/// fn count(store: &dyn Store) -> ctl_store::Result<usize> {
///     let mut count = 0;
///     store.visit(&Range::all(), &mut |shown| match shown {
///         VisitEvent::Object(..) => count += 1,
///         VisitEvent::Again => count = 0, // the state changed while it was read
///     })?;
///     Ok(count)
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub enum VisitEvent<'a> {
    /// An object: its key, the revision of its last change, its JSON.
    Object(&'a Key, Revision, &'a [u8]),
    /// The state changed meanwhile and the visit starts again: discard the objects passed so far.
    Again,
}

/// A precondition of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// Anything.
    #[default]
    Any,
    /// It does not exist.
    Absent,
    /// It exists.
    Present,
    /// It exists, and was last changed at this revision.
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
    /// The reason, if it differs from the cause of the whole commit.
    pub why: Option<ChangeReason>,
}

/// A change that led to another one.
///
/// ```
/// use ctl_store::{CausingChange, Cause, Event};
///
/// /// Returns the cause of a controller's reaction to a change.
/// fn reaction(to: &Event) -> Cause {
///     let observed = CausingChange { revision: to.revision, object: Some(to.key.clone()) };
///     Cause { trigger: Some(observed), ..Cause::new("deployment", "scale-up") }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CausingChange {
    /// Its revision.
    pub revision: Revision,
    /// Its object, because the objects of a commit may share a revision. A store that numbers each object does not keep it.
    pub object: Option<Key>,
}

impl From<Revision> for CausingChange {
    fn from(revision: Revision) -> Self {
        Self {
            revision,
            object: None,
        }
    }
}

/// The reason for the change of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeReason {
    /// The change that triggered it, if any.
    pub trigger: Option<CausingChange>,
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
    pub fn because(self, why: ChangeReason) -> Self {
        Self {
            why: Some(why),
            ..self
        }
    }
}

/// Changes that are applied together or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The changes; at most one for each key.
    pub ops: Vec<Op>,
    /// Preconditions on objects that are not changed.
    pub checks: Vec<(Key, Expect)>,
    /// The leader's epoch under which the writer acts; a different current epoch rejects the batch.
    pub epoch: Option<u64>,
    /// Begins a new leader's epoch, which fences off all earlier ones.
    pub lead: bool,
    /// Moves the clock of a virtual cluster to this time.
    pub at: Option<Timestamp>,
    /// The time of the commit that this one copies; by default the clock's.
    pub made: Option<Timestamp>,
    /// Records the commit although it changes nothing: its rule marks a point in the history.
    pub marks: bool,
    /// Allows several commits if one is too small for all changes.
    pub splits: Splits,
}

/// Commits of a batch that is too large for one.
///
/// ```
/// use ctl_store::{Batch, Splits};
///
/// let copied = Batch { splits: Splits::InOrder, ..Batch::default() };
/// assert_ne!(copied.splits, Batch::default().splits);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Splits {
    /// The batch is refused.
    #[default]
    Never,
    /// The changes are committed in their order.
    InOrder,
    /// The first changes are committed last, so that a reader that observes those observes all.
    FirstLast,
}

impl Batch {
    /// Creates a batch with only changes.
    pub fn new(ops: Vec<Op>) -> Self {
        Self {
            ops,
            ..Self::default()
        }
    }
}

/// The reason for a commit, which is stored with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The command line or the controller.
    pub writer: String,
    /// The change that triggered it, if any.
    pub trigger: Option<CausingChange>,
    /// The stable short name of the rule that led to it.
    pub rule: String,
}

impl Cause {
    /// Creates a cause without a trigger.
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
    /// The revision of each change in order; `None` if nothing changed.
    pub revisions: Vec<Option<Revision>>,
    /// The leader's epoch after it.
    pub epoch: u64,
    /// The time of the commit.
    pub time: Timestamp,
}

/// The state of a transaction; no other writer changes it before the transaction ends.
///
/// ```
/// use ctl_store::{Batch, Cause, Committed, Expect, Key, MemoryStore, Op, Range, Settings, Store as _, View, ChangeReason};
/// use ctl_sys::{clock::Clock, entropy::Seed};
///
/// let store = MemoryStore::new(Clock::System, Settings::new(Seed(1)));
/// // Decided on the state that the commit is made of, so two writers cannot take the same number.
/// let mut take_number = |view: &(dyn View + Sync)| {
///     let number = view.list(&Range::resource("tickets", Some("default")))?.len();
///     let key = Key::new("tickets", Some("default"), &format!("t-{number}"))?;
///     let op = Op::put(key, b"{}".to_vec(), Expect::Absent);
///     let why = ChangeReason { trigger: None, rule: "take-number".to_owned() };
///     Ok(Some(Batch::new(vec![op.because(why)])))
/// };
/// let cause = Cause::new("example", "");
/// let first: Option<Committed> = store.transact(&cause, &mut take_number)?;
/// let second: Option<Committed> = store.transact(&cause, &mut take_number)?;
/// assert!(first.unwrap().revision < second.unwrap().revision);
/// assert!(store.get(&Key::new("tickets", Some("default"), "t-1")?)?.is_some());
/// # Ok::<(), ctl_store::StoreError>(())
/// ```
pub trait View {
    /// Returns the store's revision.
    fn revision(&self) -> Revision;
    /// Returns the time of a commit made now.
    fn now(&self) -> Timestamp;
    /// Returns the leader's epoch in force.
    fn epoch(&self) -> u64;
    /// Returns the number from which a decision counts its draws: no two states of a store have overlapping ones.
    fn draws_from(&self) -> u64 {
        self.revision()
    }
    /// Returns the most objects in one commit.
    fn most_objects(&self) -> usize {
        rules::MAX_BATCH_OBJECTS
    }
    /// Returns the most bytes in one commit.
    fn most_bytes(&self) -> usize {
        rules::MAX_BATCH
    }
    /// Returns one object.
    ///
    /// # Errors
    /// It cannot be read back as it was written.
    fn get(&self, key: &Key) -> Result<Option<Stored>>;
    /// Returns the revision of the last change of one object, without reading the object.
    fn revision_of(&self, key: &Key) -> Result<Option<Revision>> {
        Ok(self.get(key)?.map(|stored| stored.revision))
    }
    /// Returns the objects of a range.
    ///
    /// # Errors
    /// As for [`View::get`].
    fn list(&self, range: &Range) -> Result<Vec<Stored>>;
}

/// Returns the first draw of a state of a store in which the objects of a commit share a revision.
pub(crate) fn draws_of_shared(revision: Revision) -> u64 {
    // A decision draws once for each object, so the next revision is far beyond all of them.
    const DRAWS: u64 = rules::MAX_BATCH_OBJECTS.next_power_of_two() as u64;
    revision.saturating_mul(DRAWS)
}

/// One change of one object in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The object.
    pub key: Key,
    /// The revision of the change.
    pub revision: Revision,
    /// The object after it; `None` if it was removed.
    pub after: Option<Arc<[u8]>>,
    /// The object before it, with its revision; `None` if it was created.
    pub before: Option<(Revision, Arc<[u8]>)>,
    /// The reason, if it differs from the cause of the whole commit.
    pub why: Option<ChangeReason>,
}

/// One commit in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The time, by the cluster's clock.
    pub time: Timestamp,
    /// The cause.
    pub cause: Cause,
    /// The leader's epoch after it.
    pub epoch: u64,
    /// The changes that it made.
    pub events: Vec<Event>,
}

/// The part of the history to read.
///
/// ```
/// use ctl_store::{Change, Event, HistoryQuery, Range, Store};
///
/// /// Prints the writer of each deletion of a Pod.
/// fn deletions(store: &dyn Store) -> ctl_store::Result<()> {
///     let past = HistoryQuery { range: Range::resource("pods", None), ..HistoryQuery::default() };
///     for Change { cause, events, .. } in store.history(&past)? {
///         let is_deletion = |event: &&Event| event.after.is_none();
///         for event in events.iter().filter(is_deletion) {
///             println!("{} deleted {}", cause.writer, event.key);
///         }
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct HistoryQuery {
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
    /// Only this object. A visit from the newest commit then reads little more than the object's own changes.
    pub object: Option<Key>,
}

impl HistoryQuery {
    /// Returns true if the changes of an object belong to it.
    pub(crate) fn selects(&self, key: &str) -> bool {
        let object = self.object.as_ref();
        self.range.contains(key) && object.is_none_or(|object| object.as_str() == key)
    }

    /// Returns true if the changes of every object belong to it, and commits that change none.
    pub(crate) fn selects_all(&self) -> bool {
        self.range == Range::all() && self.object.is_none()
    }
}

impl Default for HistoryQuery {
    fn default() -> Self {
        Self {
            after: 0,
            until: Revision::MAX,
            since: None,
            before: None,
            range: Range::all(),
            object: None,
        }
    }
}
