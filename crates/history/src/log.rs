//! The log: one entry per commit.

use jiff::Timestamp;

use crate::api::changes::Difference;
use crate::cluster::{Cluster, HistoryQuery, Key, Recorded, RecordedChange, Result, Revision};
use crate::fields::changed_fields;
use crate::origin::Origin;
use crate::read::ChangeKind;

/// Selects the commits of a log.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only commits that change this object.
    pub object: Option<Key>,
    /// Only changes to objects in this namespace.
    pub namespace: Option<String>,
    /// Only commits after this revision.
    pub after: Revision,
    /// Only commits up to this revision.
    pub up_to: Option<Revision>,
    /// Only commits at or after this time.
    pub since: Option<Timestamp>,
    /// Only commits at or before this time.
    pub until: Option<Timestamp>,
    /// Only commits by this writer: a controller, `you`, `hand-edit`, or the start of a command line.
    pub by: Option<String>,
    /// Only changes with this rule, such as `scale-up`.
    pub rule: Option<String>,
    /// True to compute the changed fields.
    pub fields: bool,
}

/// A commit in the log.
///
/// ```
/// use ctl_history::{Changed, ChangeKind, Filter, LogEntry, log};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let created = |change: &Changed| change.action == ChangeKind::Created;
/// let mut count = 0;
/// log(&cluster, &Filter::default(), &mut |entry: LogEntry| {
///     count += entry.changes.iter().filter(|change| created(change)).count();
///     true // continues
/// })?;
/// assert!(count > 0);
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// The number of the journal record, which rises by one with each commit.
    pub sequence: u64,
    /// The revision of the cluster after the commit.
    pub revision: Revision,
    /// The time on the cluster's clock.
    pub time: Timestamp,
    /// The writer: a command line, a controller, or `hand-edit`.
    pub writer: String,
    /// The kind of the writer.
    pub origin: Origin,
    /// The rule of the first change.
    pub rule: String,
    /// The revision that triggered the first change.
    pub trigger: Option<Revision>,
    /// The selected changes; empty for a commit that only advances the clock or records a new leader.
    pub changes: Vec<Changed>,
}

impl LogEntry {
    /// Returns the reason on one line: the command line of a person, otherwise the rule.
    pub fn reason(&self) -> &str {
        self.origin.reason(&self.writer, &self.rule)
    }
}

/// A change in a commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The key of the object, such as `pods/default/web`.
    pub key: String,
    /// The revision of the change.
    pub revision: Revision,
    /// The kind of change to the object.
    pub action: ChangeKind,
    /// The rule that caused the change.
    pub rule: String,
    /// The revision that triggered the change.
    pub trigger: Option<Revision>,
    /// The changed fields of an updated object, if the filter asks for them.
    pub fields: Vec<Difference>,
}

impl Filter {
    fn selects_all_objects(&self) -> bool {
        self.object.is_none() && self.namespace.is_none()
    }

    fn selects_writer(&self, commit: &Recorded<'_>) -> bool {
        let origin = Origin::from_writer(commit.writer, commit.trigger.is_some());
        self.by.as_deref().is_none_or(|by| {
            by == origin.author(commit.writer) || {
                let rest = commit.writer.strip_prefix(by);
                // `ctl set` selects `ctl set image ...`, but not `ctl settle`.
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            }
        })
    }

    fn selects_rule(&self, rule: &str) -> bool {
        // The name is stable; the numbers after the colon differ between commits.
        let name = rule.split(':').next().unwrap_or_default();
        self.rule.as_deref().is_none_or(|wanted| wanted == name)
    }

    fn selects(&self, change: &RecordedChange<'_>) -> bool {
        let namespace = || change.key.split('/').nth(1);
        let object = self.object.as_ref();
        self.selects_rule(change.rule)
            && object.is_none_or(|key| key.as_str() == change.key)
            && (self.namespace.is_none() || self.namespace.as_deref() == namespace())
    }
}

/// Calls `see` with the selected commits, oldest first, until it returns false. Returns where the history begins.
///
/// # Errors
/// Returns an error if the cluster cannot be read.
pub fn log(
    cluster: &Cluster,
    filter: &Filter,
    see: &mut dyn FnMut(LogEntry) -> bool,
) -> Result<Revision> {
    let begins = cluster.stored().oldest()?;
    let past = HistoryQuery {
        after: filter.after.max(begins),
        until: filter.up_to.unwrap_or(Revision::MAX),
        since: filter.since,
        before: filter.until,
        object: filter.object.clone(),
        ..HistoryQuery::default()
    };
    let selected = |commit: &Recorded<'_>| {
        // The cheapest checks come first, and nothing is copied before a commit is selected. A commit without changes
        // has the revision of the one before it, so the store may also return commits that are too old.
        match commit.revision < filter.after || !filter.selects_writer(commit) {
            true => Ok(None),
            false => entry(filter, commit),
        }
    };
    let stored = cluster.stored();
    if past.object.is_some() {
        // Reads from the end, because the versions of an object link from the newest to the oldest.
        let mut entries = Vec::new();
        stored.visit_back(&past, &mut |commit| {
            entries.extend(selected(commit)?);
            Ok(true)
        })?;
        let _ = entries.into_iter().rev().all(see);
        return Ok(begins);
    }
    stored.visit(&past, &mut |commit| {
        Ok(selected(commit)?.is_none_or(&mut *see))
    })?;
    Ok(begins)
}

fn entry(filter: &Filter, commit: &Recorded<'_>) -> Result<Option<LogEntry>> {
    let selected = commit
        .changes
        .iter()
        .filter(|change| filter.selects(change));
    let mut changes = Vec::new();
    for change in selected {
        changes.push(Changed {
            key: change.key.to_owned(),
            revision: change.revision,
            action: ChangeKind::new(change.before(), change.after.is_some()),
            rule: change.rule.to_owned(),
            trigger: change.trigger,
            fields: match filter.fields {
                true => changed_fields(change)?,
                false => Vec::new(),
            },
        });
    }
    // Clock moves and new epochs concern no object, so the log of an object omits them.
    let is_empty = commit.changes.is_empty();
    let shows_empty = filter.selects_all_objects() && filter.selects_rule(commit.rule);
    if changes.is_empty() && !(is_empty && shows_empty) {
        return Ok(None);
    }
    // The commit's own rule may be that of a change that the filter has excluded.
    let first = changes.first();
    let rule = first.map_or(commit.rule, |change| &change.rule).to_owned();
    let trigger = first.map_or(commit.trigger, |change| change.trigger);
    Ok(Some(LogEntry {
        sequence: commit.sequence,
        revision: commit.revision,
        time: commit.time,
        writer: commit.writer.to_owned(),
        origin: Origin::from_writer(commit.writer, trigger.is_some()),
        rule,
        trigger,
        changes,
    }))
}
