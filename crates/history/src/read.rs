//! The whole history in memory, without the objects: the author, time and cause of each change.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::beginning::Beginning;
use crate::cluster::{Cluster, Past, Recorded, Result, Revision};
use crate::origin::Origin;

/// The action of a change on its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// It was created.
    Created,
    /// It was changed.
    Updated,
    /// It was removed.
    Deleted,
}

impl Deed {
    pub(crate) fn of(before: Option<Revision>, is_there: bool) -> Self {
        match (before, is_there) {
            // Only an existing version can be removed, whatever the record contains.
            (_, false) => Self::Deleted,
            (None, true) => Self::Created,
            (Some(_), true) => Self::Updated,
        }
    }

    /// Returns the past participle: `created`, `updated`, `deleted`.
    pub fn participle(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }
}

/// Interned texts: a hundred thousand commits have a few hundred different rules.
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

#[derive(Debug)]
struct CommitRow {
    time: Timestamp,
    writer: u32,
}

#[derive(Debug)]
struct ChangeRow {
    revision: Revision,
    before: Option<Revision>,
    trigger: Option<Revision>,
    commit: u32,
    key: u32,
    rule: u32,
    is_there: bool,
}

/// The history of a cluster, without its objects.
#[derive(Debug)]
pub struct History {
    begins: Beginning,
    commits: Vec<CommitRow>,
    changes: Vec<ChangeRow>,
    texts: Texts,
}

/// One change of the history.
///
/// ```
/// use ctl_history::{Change, Deed, History};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let history = History::read(&cluster)?;
/// let last: Change<'_> = history.last("namespaces/_cluster/default").unwrap();
/// assert_eq!((last.deed, last.rule), (Deed::Created, "bootstrap"));
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'h> {
    /// Its revision.
    pub revision: Revision,
    /// The revision of the version before; `None` if the object was created.
    pub before: Option<Revision>,
    /// The revision that triggered it.
    pub trigger: Option<Revision>,
    /// The time of the commit.
    pub time: Timestamp,
    /// The key of the object, such as `pods/default/web`.
    pub key: &'h str,
    /// The writer.
    pub writer: &'h str,
    /// The rule.
    pub rule: &'h str,
    /// The action on the object.
    pub deed: Deed,
}

impl Change<'_> {
    /// Returns the kind of its author.
    pub fn origin(&self) -> Origin {
        Origin::of(self.writer, self.trigger.is_some())
    }
}

impl History {
    /// Reads the whole kept history.
    ///
    /// # Errors
    /// If the cluster cannot be read.
    pub fn read(cluster: &Cluster) -> Result<Self> {
        // From the start of the kept history, because a chain may lead back to the very first commit.
        let begins = cluster.stored().oldest()?;
        let mut history = Self {
            begins: Beginning {
                revision: begins,
                time: None,
            },
            commits: Vec::new(),
            changes: Vec::new(),
            texts: Texts::default(),
        };
        let past = Past {
            after: begins,
            ..Past::default()
        };
        cluster.stored().visit(&past, &mut |commit| {
            history.add(commit);
            Ok(true)
        })?;
        Ok(history)
    }

    fn add(&mut self, commit: &Recorded<'_>) {
        let _ = self.begins.time.get_or_insert(commit.time);
        // A commit without changes has no revision of its own, so no trigger refers to it.
        if commit.changes.is_empty() {
            return;
        }
        let number = u32::try_from(self.commits.len()).unwrap_or(u32::MAX);
        let writer = self.texts.number(commit.writer);
        self.commits.push(CommitRow {
            time: commit.time,
            writer,
        });
        for change in &commit.changes {
            let (key, rule) = (
                self.texts.number(change.key),
                self.texts.number(change.rule),
            );
            self.changes.push(ChangeRow {
                revision: change.revision,
                before: change.before(),
                trigger: change.trigger,
                commit: number,
                key,
                rule,
                is_there: change.after.is_some(),
            });
        }
    }

    /// Returns the point at which the history begins: earlier changes are no longer kept.
    pub fn begins(&self) -> Beginning {
        self.begins
    }

    /// Returns every change, oldest first.
    pub fn changes(&self) -> impl DoubleEndedIterator<Item = Change<'_>> {
        self.changes.iter().map(|row| self.shown(row))
    }

    /// Returns the change that was made at a revision; the first one if a commit made several at the same.
    pub fn at(&self, revision: Revision) -> Option<Change<'_>> {
        self.row(revision).map(|row| self.shown(row))
    }

    /// Returns the change of one object at a revision.
    pub(crate) fn at_key(&self, revision: Revision, key: &str) -> Option<Change<'_>> {
        self.row_of(revision, key).map(|row| self.shown(row))
    }

    /// Returns the change that triggered another one, if it is kept.
    pub(crate) fn cause(&self, change: &Change<'_>) -> Option<Change<'_>> {
        // A trigger is always earlier, and a damaged record must not make the walk endless.
        let trigger = change
            .trigger
            .filter(|trigger| *trigger < change.revision)?;
        let cause = self.row(trigger)?;
        // One reconcile handles many objects of a commit, such as new Pods, and stores only one of them as its trigger.
        // For each object its own change is the trigger.
        let own = change
            .before
            .and_then(|before| self.row_of(before, change.key));
        let own = own.filter(|own| own.commit == cause.commit);
        Some(self.shown(own.unwrap_or(cause)))
    }

    /// Returns all changes of the commit that made the change at a revision.
    pub(crate) fn commit_of(&self, revision: Revision) -> Vec<Change<'_>> {
        let Some(commit) = self.row(revision).map(|row| row.commit) else {
            return Vec::new();
        };
        let begin = self.changes.partition_point(|row| row.commit < commit);
        let own = self.changes[begin..]
            .iter()
            .take_while(|row| row.commit == commit);
        own.map(|row| self.shown(row)).collect()
    }

    /// Returns the revisions of the other commits of a command line that no other person's commit separates.
    pub(crate) fn same_command(&self, revision: Revision) -> Vec<Revision> {
        let Some(own) = self.row(revision).map(|row| row.commit) else {
            return Vec::new();
        };
        // The last revision of each commit of a person.
        let mut commits: Vec<(u32, Revision)> = Vec::new();
        for row in &self.changes {
            let change = self.shown(row);
            // Several undos in a row are commands of their own.
            if change.origin() != Origin::Person || change.rule.starts_with("undo: ") {
                continue;
            }
            match commits.last_mut().filter(|last| last.0 == row.commit) {
                Some(last) => last.1 = row.revision,
                None => commits.push((row.commit, row.revision)),
            }
        }
        let writer = |commit: u32| self.commits[commit as usize].writer;
        let near = commits.chunk_by(|a, b| writer(a.0) == writer(b.0));
        let mut near = near.filter(|all| all.iter().any(|(commit, _)| *commit == own));
        let others = near.next().unwrap_or_default().iter();
        let others = others.filter(|(commit, _)| *commit != own);
        others.map(|(_, revision)| *revision).collect()
    }

    fn row(&self, revision: Revision) -> Option<&ChangeRow> {
        self.rows(revision).next()
    }

    /// Returns the change of one object at a revision.
    fn row_of(&self, revision: Revision, key: &str) -> Option<&ChangeRow> {
        let key = *self.texts.numbers.get(key)?;
        self.rows(revision).find(|row| row.key == key)
    }

    /// Returns the changes at a revision: several if the objects of a commit share it.
    fn rows(&self, revision: Revision) -> impl Iterator<Item = &ChangeRow> {
        // Revisions never decrease, so the rows are sorted by them.
        let first = self.changes.partition_point(|row| row.revision < revision);
        let rest = self.changes[first..].iter();
        rest.take_while(move |row| row.revision == revision)
    }

    /// Returns the last change of an object.
    pub fn last(&self, key: &str) -> Option<Change<'_>> {
        let key = *self.texts.numbers.get(key)?;
        // From the end, because the last change of a live object is usually recent.
        let row = self.changes.iter().rev().find(|row| row.key == key);
        row.map(|row| self.shown(row))
    }

    fn shown(&self, row: &ChangeRow) -> Change<'_> {
        let commit = &self.commits[row.commit as usize];
        Change {
            revision: row.revision,
            before: row.before,
            trigger: row.trigger,
            time: commit.time,
            key: self.texts.get(row.key),
            writer: self.texts.get(commit.writer),
            rule: self.texts.get(row.rule),
            deed: Deed::of(row.before, row.is_there),
        }
    }
}
