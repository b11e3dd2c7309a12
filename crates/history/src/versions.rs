//! The versions of one object.

use jiff::Timestamp;

use crate::api::json::{Value, from_bytes};
use crate::cluster::{Cluster, HistoryQuery, Key, Result, Revision};
use crate::history_start::HistoryStart;
use crate::origin::Origin;

/// A version of an object, with its writer.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// The revision of the change.
    pub revision: Revision,
    /// The time of the commit.
    pub time: Timestamp,
    /// The writer: a command line, a controller, or `hand-edit`.
    pub writer: String,
    /// The kind of the writer.
    pub origin: Origin,
    /// The rule that caused the change.
    pub rule: String,
    /// The object after the change; `None` if it was deleted.
    pub object: Option<Value>,
}

/// The retained versions of an object.
///
/// ```
/// use ctl_cluster::Key;
/// use ctl_history::{Version, Versions, versions_of};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let Versions { versions, .. } = versions_of(&cluster, &Key::new("namespaces", None, "default")?)?;
/// let first: &Version = &versions[0];
/// assert_eq!(first.rule, "bootstrap");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Versions {
    /// Where the history begins.
    pub begins: HistoryStart,
    /// The object at the beginning of the history.
    pub first: Option<Value>,
    /// The versions since then, oldest first.
    pub versions: Vec<Version>,
}

impl Versions {
    /// Returns the current object.
    pub fn now(&self) -> Option<&Value> {
        match self.versions.last() {
            None => self.first.as_ref(),
            Some(last) => last.object.as_ref(),
        }
    }
}

/// Returns the retained versions of an object.
///
/// # Errors
/// Returns an error if the cluster cannot be read.
pub fn versions_of(cluster: &Cluster, key: &Key) -> Result<Versions> {
    let begins = HistoryStart::read(cluster)?;
    let past = HistoryQuery {
        after: begins.revision,
        object: Some(key.clone()),
        ..HistoryQuery::default()
    };
    let parsed = |json: &[u8]| from_bytes(json, &[]).unwrap_or_default();
    let mut first = None;
    let mut versions = Vec::new();
    cluster.stored().visit_back(&past, &mut |commit| {
        for change in commit.changes.iter().rev() {
            // The version before the oldest change is the one at the beginning of the history.
            let is_oldest = change.before().is_some_and(|at| at <= past.after);
            first = match is_oldest {
                true => change.read_before()?.as_deref().map(parsed),
                false => None,
            };
            versions.push(Version {
                revision: change.revision,
                time: commit.time,
                writer: commit.writer.to_owned(),
                origin: Origin::from_writer(commit.writer, change.trigger.is_some()),
                rule: change.rule.to_owned(),
                object: change.after.map(parsed),
            });
        }
        Ok(true)
    })?;
    versions.reverse();
    if versions.is_empty() {
        // The object has not changed since the history began.
        first = cluster
            .stored()
            .get(key)?
            .map(|stored| parsed(&stored.json));
    }
    Ok(Versions {
        begins,
        first,
        versions,
    })
}
