//! The commits of a part of the history and the snapshot before them: the source of all data over time.
//!
//! Must not know: how the past is drawn.

use jiff::{SignedDuration, Timestamp};

use crate::cluster::{ApiError, Change, Cluster, HistoryQuery, Key, Revision, StoreError, Stored};
use crate::snapshot::{Item, Resources, Scope, Snapshot, read};

/// The part of the history to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    /// The revision after which it starts; 0 for the whole retained history.
    pub after: Revision,
    /// The last revision, if limited.
    pub until: Option<Revision>,
    /// The time of the earliest commit, if limited.
    pub since: Option<Timestamp>,
}

/// A commit that changed objects of the scope.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The last revision of the commit.
    pub revision: Revision,
    /// Its time.
    pub time: Timestamp,
    /// The command line or the controller that wrote it.
    pub writer: String,
    /// The rule that caused the commit.
    pub rule: String,
    /// The revision of the change that triggered the commit, if any.
    pub trigger: Option<Revision>,
    /// The cluster's time from that change to this commit, if the change is recorded.
    pub waited: Option<SignedDuration>,
    /// The changed objects after the commit; `None` for deleted ones.
    pub changes: Vec<(Key, Option<Item>)>,
}

/// A snapshot and the commits after it, oldest first.
///
/// ```
/// use ctl_scene::{Commit, Period, Recording, Scope, Snapshot};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let scope = Scope::namespace("default");
/// let period = Period { after: 0, until: None, since: None };
/// let recording = Recording::read(&cluster, &scope, period)?;
/// let mut last = 0;
/// recording.play(&mut |state: &Snapshot, commit: Option<&Commit>| {
///     assert!(last <= state.revision, "{:?}", commit.map(|commit| &commit.rule));
///     last = state.revision;
/// });
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recording {
    /// The objects before the first commit.
    pub start: Snapshot,
    /// The commits.
    pub commits: Vec<Commit>,
    /// The end of the period: now, or the time of the last commit if the period is limited.
    pub end: Timestamp,
}

impl Recording {
    /// Reads the commits that changed objects of a scope.
    ///
    /// # Errors
    /// Returns Kubernetes' 403, or an error if the history cannot be read.
    pub fn read(cluster: &Cluster, scope: &Scope, range: Period) -> Result<Self, ApiError> {
        let mut past = HistoryQuery {
            after: range.after,
            until: range.until.unwrap_or(Revision::MAX),
            since: range.since,
            ..HistoryQuery::default()
        };
        let commits = match cluster.stored().history(&past) {
            // The requested start is no longer retained, so the history is read from its oldest revision on.
            Err(StoreError::Gone { oldest, .. }) if range.after == 0 => {
                past.after = oldest;
                cluster.stored().history(&past)?
            }
            other => other?,
        };
        let first = commits.iter().find_map(|commit| commit.events.first());
        let before = match first {
            Some(event) => event.revision.saturating_sub(1).max(past.after),
            None => range
                .until
                .map_or_else(|| cluster.stored().revision(), Ok)?,
        };
        let mut start = Snapshot::read(cluster, scope, Some(before))?;
        if let Some(first) = commits.first() {
            // Nothing changes before the first commit, so the picture starts at its time.
            start.time = first.time;
        }
        let end = match (range.until, commits.last()) {
            (Some(_), Some(last)) => last.time,
            (Some(_), None) => start.time,
            // The state after the last commit is valid until now.
            (None, _) => cluster.now()?,
        };
        let resources = Resources::read(cluster, scope)?;
        // Collected before other commits are filtered out, because one of those may be the trigger.
        let last = |change: &Change| change.events.last().map(|event| event.revision);
        let times = commits.iter().map(|change| (last(change), change.time));
        let times: Vec<(Revision, Timestamp)> =
            times.filter_map(|(at, time)| Some((at?, time))).collect();
        // Commits of other objects, such as Leases and Events, would only lengthen the recording.
        let mut own = Vec::new();
        for commit in commits {
            own.extend(commit_of(commit, &resources, &times)?);
        }
        Ok(Self {
            start,
            commits: own,
            end,
        })
    }

    /// Calls `show` with the objects before the first commit and after each commit, in order.
    pub fn play(&self, show: &mut dyn FnMut(&Snapshot, Option<&Commit>)) {
        let mut current = self.start.clone();
        show(&current, None);
        for commit in &self.commits {
            current.take(commit);
            show(&current, Some(commit));
        }
    }
}

impl Snapshot {
    /// Applies the changes of a commit.
    pub(crate) fn take(&mut self, commit: &Commit) {
        for (key, item) in &commit.changes {
            match item {
                Some(item) => self.items.insert(key.clone(), item.clone()),
                None => self.items.remove(key),
            };
        }
        (self.revision, self.time) = (commit.revision, commit.time);
    }
}

/// Returns the part of a commit that is in the scope, if any. `times` holds the revisions and times of all commits.
fn commit_of(
    change: Change,
    resources: &Resources,
    times: &[(Revision, Timestamp)],
) -> Result<Option<Commit>, ApiError> {
    let Some(revision) = change.events.last().map(|event| event.revision) else {
        return Ok(None);
    };
    let mut changes = Vec::new();
    for event in change.events {
        let Some(kind) = resources.kind(&event.key) else {
            continue;
        };
        let item = match event.after {
            None => None,
            Some(json) => {
                let stored = Stored {
                    key: event.key.clone(),
                    revision: event.revision,
                    json,
                };
                Some(read(kind, &stored)?)
            }
        };
        changes.push((event.key, item));
    }
    let trigger = change.cause.trigger.map(|cause| cause.revision);
    let waited = trigger.and_then(|trigger| {
        // The trigger may be in the middle of a commit with many changes.
        let at = times.partition_point(|(revision, _)| *revision < trigger);
        let first = times.first().is_some_and(|(first, _)| *first <= trigger);
        (times.get(at).filter(|_| first)).map(|(_, time)| change.time.duration_since(*time))
    });
    Ok((!changes.is_empty()).then_some(Commit {
        revision,
        time: change.time,
        trigger,
        waited,
        writer: change.cause.writer,
        rule: change.cause.rule,
        changes,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{owned_pod, small};

    #[test]
    fn recording_plays_from_its_start_to_the_latest_commit() {
        let cluster = small();
        let before = cluster.stored().revision().unwrap();
        owned_pod(&cluster, "late", None);
        let scope = Scope::namespace("default");
        let range = Period {
            after: before,
            ..Period::default()
        };
        let recording = Recording::read(&cluster, &scope, range).unwrap();
        let mut seen = Vec::new();
        recording.play(&mut |snapshot, commit| {
            let pods = snapshot.items().filter(|item| item.kind.kind == "Pod");
            seen.push((pods.count(), commit.map(|c| c.changes.len())));
        });
        assert_eq!(seen, [(3, None), (4, Some(1))]);
        let all = Recording::read(&cluster, &scope, Period::default()).unwrap();
        let last = all.commits.last().unwrap();
        assert_eq!(last.changes[0].0.name(), "late");
        let none = Period {
            after: cluster.stored().revision().unwrap(),
            ..Period::default()
        };
        let none = Recording::read(&cluster, &scope, none).unwrap();
        assert_eq!(
            (none.commits.len(), none.start.revision),
            (0, last.revision)
        );
    }
}
