//! The history in memory, without objects: the writer, time and cause of each change.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;

use crate::cluster::{Cluster, HistoryQuery, Key, Recorded, RecordedChange, Result, Revision};
use crate::history_start::HistoryStart;
use crate::origin::Origin;

/// The effect of a change on its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// The object was created.
    Created,
    /// The object was updated.
    Updated,
    /// The object was deleted.
    Deleted,
}

impl ChangeKind {
    pub(crate) fn new(before: Option<Revision>, is_there: bool) -> Self {
        match (before, is_there) {
            // Only an existing object can be deleted, whatever the record says.
            (_, false) => Self::Deleted,
            (None, true) => Self::Created,
            (Some(_), true) => Self::Updated,
        }
    }

    /// Returns `created`, `updated` or `deleted`.
    pub fn participle(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }
}

/// Interned strings: a hundred thousand commits have only a few hundred different rules.
#[derive(Debug, Default)]
struct Texts {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        number
    }

    fn get(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }
}

/// A change in a commit, in compact form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) revision: Revision,
    pub(crate) trigger: Option<Revision>,
    /// The key of the object that triggered it, if the revision does not name it.
    trigger_object: Option<u32>,
    before: Option<Revision>,
    time: Timestamp,
    /// The number of the commit's journal record.
    commit: u64,
    writer: u32,
    key: u32,
    rule: u32,
    is_there: bool,
}

/// The history of a cluster, or a chain of causes within it, without the objects.
#[derive(Debug)]
pub struct History {
    begins: HistoryStart,
    /// Sorted by revision.
    changes: VecDeque<Row>,
    texts: Texts,
}

/// A change in the history.
///
/// ```
/// use ctl_history::{Change, ChangeKind, History};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let history = History::read(&cluster)?;
/// let last: Change<'_> = history.last("namespaces/_cluster/default").unwrap();
/// assert_eq!((last.action, last.rule), (ChangeKind::Created, "bootstrap"));
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'h> {
    /// The revision of the change.
    pub revision: Revision,
    /// The revision of the previous version; `None` if the object was created.
    pub before: Option<Revision>,
    /// The revision that triggered the change.
    pub trigger: Option<Revision>,
    /// The time of the commit.
    pub time: Timestamp,
    /// The key of the object, such as `pods/default/web`.
    pub key: &'h str,
    /// The writer.
    pub writer: &'h str,
    /// The rule.
    pub rule: &'h str,
    /// The kind of change to the object.
    pub action: ChangeKind,
}

impl Change<'_> {
    /// Returns the kind of the change's writer.
    pub fn origin(&self) -> Origin {
        Origin::from_writer(self.writer, self.trigger.is_some())
    }
}

impl History {
    /// Reads the whole retained history.
    ///
    /// # Errors
    /// Returns an error if the cluster cannot be read.
    pub fn read(cluster: &Cluster) -> Result<Self> {
        let begins = cluster.stored().oldest()?;
        let mut history = Self::empty(HistoryStart {
            revision: begins,
            time: None,
        });
        let past = HistoryQuery {
            after: begins,
            ..HistoryQuery::default()
        };
        cluster.stored().visit(&past, &mut |commit| {
            let _ = history.begins.time.get_or_insert(commit.time);
            for change in &commit.changes {
                let row = history.row_for(commit, change);
                history.changes.push_back(row);
            }
            Ok(true)
        })?;
        Ok(history)
    }

    /// Reads the last change of an object and its chain of causes.
    ///
    /// # Errors
    /// Returns an error if the cluster cannot be read.
    pub fn with_causes_of(cluster: &Cluster, key: &Key) -> Result<Self> {
        // An existing object has the revision of its last change. Only a deletion must be searched for.
        let last = cluster.stored().get(key)?.map(|stored| stored.revision);
        let until = last.unwrap_or(Revision::MAX);
        Self::with_causes(cluster, until, &|change| change.key == key.as_str())
    }

    /// Reads the change to an object at a revision and its chain of causes.
    ///
    /// # Errors
    /// Returns an error if the cluster cannot be read.
    pub fn with_causes_at(cluster: &Cluster, revision: Revision, key: &Key) -> Result<Self> {
        Self::with_causes(cluster, revision, &|change| {
            change.revision == revision && change.key == key.as_str()
        })
    }

    fn with_causes(
        cluster: &Cluster,
        until: Revision,
        is_first: &dyn Fn(&RecordedChange<'_>) -> bool,
    ) -> Result<Self> {
        let mut history = Self::empty(HistoryStart::read(cluster)?);
        let past = HistoryQuery {
            after: history.begins.revision,
            until,
            ..HistoryQuery::default()
        };
        // The last change of the chain found so far.
        let mut last: Option<Row> = None;
        cluster.stored().visit_back(&past, &mut |commit| {
            let Some(oldest) = commit.changes.first().map(|change| change.revision) else {
                return Ok(true);
            };
            if last.is_none() {
                let first = commit.changes.iter().find(|change| is_first(change));
                last = first.map(|change| {
                    history.keep(commit, change.revision);
                    history.row_for(commit, change)
                });
            }
            while let Some(row) = last {
                let Some(trigger) = row.trigger.filter(|trigger| *trigger < row.revision) else {
                    return Ok(false);
                };
                // The commit of the trigger comes later in this walk.
                if trigger < oldest {
                    return Ok(true);
                }
                for revision in [Some(trigger), row.before].into_iter().flatten() {
                    history.keep(commit, revision);
                }
                let Some(cause) = history.cause(&row) else {
                    return Ok(false);
                };
                last = Some(*cause);
            }
            Ok(true)
        })?;
        Ok(history)
    }

    /// Keeps a commit's changes at a revision. The changes in between are not part of a chain. Keeping all changes of
    /// a long history, with the text of each rule, took half of the time.
    fn keep(&mut self, commit: &Recorded<'_>, revision: Revision) {
        let begin = self.changes.partition_point(|row| row.revision < revision);
        if self
            .changes
            .get(begin)
            .is_some_and(|row| row.revision == revision)
        {
            return;
        }
        let own = commit.changes.iter();
        let own = own.filter(|change| change.revision == revision);
        for (number, change) in own.enumerate() {
            let row = self.row_for(commit, change);
            self.changes.insert(begin + number, row);
        }
    }

    fn empty(begins: HistoryStart) -> Self {
        Self {
            begins,
            changes: VecDeque::new(),
            texts: Texts::default(),
        }
    }

    fn row_for(&mut self, commit: &Recorded<'_>, change: &RecordedChange<'_>) -> Row {
        Row {
            revision: change.revision,
            trigger: change.trigger,
            trigger_object: change.trigger_object.map(|key| self.texts.number(key)),
            before: change.before(),
            time: commit.time,
            commit: commit.sequence,
            writer: self.texts.number(commit.writer),
            key: self.texts.number(change.key),
            rule: self.texts.number(change.rule),
            is_there: change.after.is_some(),
        }
    }

    /// Returns where the history begins; earlier changes are no longer retained.
    pub fn begins(&self) -> HistoryStart {
        self.begins
    }

    /// Returns all changes, oldest first.
    pub fn changes(&self) -> impl DoubleEndedIterator<Item = Change<'_>> {
        self.changes.iter().map(|row| self.shown(row))
    }

    /// Returns the change at a revision, or the first one if several changes of a commit share it.
    pub fn at(&self, revision: Revision) -> Option<Change<'_>> {
        self.row(revision).map(|row| self.shown(row))
    }

    /// Returns the change to an object at a revision.
    pub(crate) fn at_key(&self, revision: Revision, key: &str) -> Option<Change<'_>> {
        self.row_of(revision, key).map(|row| self.shown(row))
    }

    pub(crate) fn row_of(&self, revision: Revision, key: &str) -> Option<&Row> {
        let key = *self.texts.numbers.get(key)?;
        self.rows(revision).find(|row| row.key == key)
    }

    /// Returns the change that triggered another one, if it is retained.
    pub(crate) fn cause(&self, change: &Row) -> Option<&Row> {
        // A trigger always comes earlier. The check keeps a damaged record from making the walk endless.
        let trigger = change
            .trigger
            .filter(|trigger| *trigger < change.revision)?;
        let named = change.trigger_object;
        let named = named.and_then(|key| self.rows(trigger).find(|row| row.key == key));
        // Only earlier versions recorded no object.
        let cause = named.or_else(|| self.row(trigger))?;
        // A reconcile may handle many objects of one commit, such as new Pods, but stores only one of them as its
        // trigger. For each object, its own change is the trigger.
        let mut before = change.before.into_iter().flat_map(|at| self.rows(at));
        let own = before.find(|row| row.key == change.key);
        let own = own.filter(|own| own.commit == cause.commit);
        Some(own.unwrap_or(cause))
    }

    /// Returns all changes of the commit that contains the change at a revision.
    pub(crate) fn commit_of(&self, revision: Revision) -> Vec<Change<'_>> {
        let Some(commit) = self.row(revision).map(|row| row.commit) else {
            return Vec::new();
        };
        let begin = self.changes.partition_point(|row| row.commit < commit);
        let own = self
            .changes
            .range(begin..)
            .take_while(|row| row.commit == commit);
        own.map(|row| self.shown(row)).collect()
    }

    /// Returns the revisions of the other commits of a command line, as long as no other person's commit is in
    /// between.
    pub(crate) fn same_command(&self, revision: Revision) -> Vec<Revision> {
        let Some(own) = self.row(revision).map(|row| row.commit) else {
            return Vec::new();
        };
        // The last change of each commit by a person.
        let mut commits: Vec<Row> = Vec::new();
        for row in &self.changes {
            let change = self.shown(row);
            // Several undos in a row are separate commands.
            if change.origin() != Origin::Person || change.rule.starts_with("undo: ") {
                continue;
            }
            match commits.last_mut().filter(|last| last.commit == row.commit) {
                Some(last) => *last = *row,
                None => commits.push(*row),
            }
        }
        let near = commits.chunk_by(|a, b| a.writer == b.writer);
        let mut near = near.filter(|all| all.iter().any(|row| row.commit == own));
        let others = near.next().unwrap_or_default().iter();
        let others = others.filter(|row| row.commit != own);
        others.map(|row| row.revision).collect()
    }

    pub(crate) fn row(&self, revision: Revision) -> Option<&Row> {
        self.rows(revision).next()
    }

    /// Returns the changes at a revision; several changes of a commit may share it.
    fn rows(&self, revision: Revision) -> impl Iterator<Item = &Row> {
        // Revisions never decrease, so the rows are sorted by revision.
        let first = self.changes.partition_point(|row| row.revision < revision);
        let rest = self.changes.range(first..);
        rest.take_while(move |row| row.revision == revision)
    }

    /// Returns the last change to an object.
    pub fn last(&self, key: &str) -> Option<Change<'_>> {
        self.last_row(key).map(|row| self.shown(row))
    }

    pub(crate) fn last_row(&self, key: &str) -> Option<&Row> {
        let key = *self.texts.numbers.get(key)?;
        // Searches from the end, because the last change to an existing object is usually recent.
        self.changes.iter().rev().find(|row| row.key == key)
    }

    pub(crate) fn shown(&self, row: &Row) -> Change<'_> {
        Change {
            revision: row.revision,
            before: row.before,
            trigger: row.trigger,
            time: row.time,
            key: self.texts.get(row.key),
            writer: self.texts.get(row.writer),
            rule: self.texts.get(row.rule),
            action: ChangeKind::new(row.before, row.is_there),
        }
    }
}
