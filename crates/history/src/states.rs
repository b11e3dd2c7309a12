//! The states of an object and its Pods, commit by commit.

use std::sync::Arc;

use jiff::Timestamp;

use crate::api::json::{Value, from_bytes};
use crate::cluster::{Cluster, HistoryQuery, Key, Range, Result, Revision};
use crate::moment::Moment;
use crate::pod_counts::{Count, PodCounts};

/// The subject of the states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An object, with the Pods whose topmost owner it is.
    Object(Key),
    /// All Pods in a namespace.
    Namespace(String),
}

impl Subject {
    fn is_key(&self, key: &str) -> bool {
        matches!(self, Self::Object(own) if own.as_str() == key)
    }

    fn has_workload(&self, workload: &str) -> bool {
        match self {
            Self::Object(key) => key.as_str() == workload,
            Self::Namespace(own) => workload.split('/').nth(1) == Some(own),
        }
    }

    fn count(&self, pod_counts: &PodCounts) -> Count {
        match self {
            Self::Object(key) => pod_counts.count(key.as_str()),
            Self::Namespace(_) => {
                let mut sum = Count::default();
                for (workload, count) in pod_counts.counts() {
                    if self.has_workload(workload) {
                        sum += *count;
                    }
                }
                sum
            }
        }
    }
}

/// The state of a subject after a commit.
///
/// ```
/// use ctl_cluster::Key;
/// use ctl_history::{Moment, State, Subject, states};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let (revision, time) = cluster.stored().moment()?;
/// let subject = Subject::Object(Key::new("namespaces", None, "default")?);
/// let mut phases = Vec::new();
/// states(&cluster, Moment { revision, time }, &subject, &mut |state: &State<'_>| {
///     phases.push(state.object.map(|object| object["status"]["phase"].to_string()));
/// })?;
/// assert_eq!(phases, [Some(r#""Active""#.to_owned())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct State<'s> {
    /// The revision of the change that led to the state, or of the start.
    pub revision: Revision,
    /// The time of the commit.
    pub time: Timestamp,
    /// The object; `None` if it does not exist or the subject is a namespace.
    pub object: Option<&'s Value>,
    /// The Pod counts.
    pub count: Count,
}

/// Calls `see` with the state of a subject at a point in the history and after each later commit that may change it,
/// in order.
///
/// # Errors
/// Returns an error if the cluster cannot be read or the point is no longer retained.
pub fn states(
    cluster: &Cluster,
    from: Moment,
    subject: &Subject,
    see: &mut dyn FnMut(&State<'_>),
) -> Result<()> {
    let mut pod_counts = PodCounts::at(cluster, from.revision)?;
    let mut object = match subject {
        Subject::Object(key) => object_at(cluster, key, from.revision)?,
        Subject::Namespace(_) => None,
    };
    see(&State {
        revision: from.revision,
        time: from.time,
        object: object.as_ref(),
        count: subject.count(&pod_counts),
    });
    let past = HistoryQuery {
        after: from.revision,
        ..HistoryQuery::default()
    };
    cluster.stored().visit(&past, &mut |commit| {
        let mut cause = None;
        for change in &commit.changes {
            let affected = pod_counts.take(change.key, change.after);
            let is_own = subject.is_key(change.key);
            if is_own {
                object = change.after.map(parsed);
            }
            if is_own
                || affected
                    .iter()
                    .any(|own: &Arc<str>| subject.has_workload(own))
            {
                let _ = cause.get_or_insert(change.revision);
            }
        }
        // Nobody can see the states within a commit.
        if let Some(revision) = cause {
            see(&State {
                revision,
                time: commit.time,
                object: object.as_ref(),
                count: subject.count(&pod_counts),
            });
        }
        Ok(true)
    })
}

fn object_at(cluster: &Cluster, key: &Key, revision: Revision) -> Result<Option<Value>> {
    if cluster.stored().revision()? == revision {
        return Ok(cluster
            .stored()
            .get(key)?
            .map(|stored| parsed(&stored.json)));
    }
    // The range contains all keys with this prefix, for example `web-2` as well as `web`.
    let all = cluster
        .stored()
        .list(&Range::prefix(key.as_str()), Some(revision))?;
    let own = all.items.iter().find(|item| item.key == *key);
    Ok(own.map(|item| parsed(&item.json)))
}

fn parsed(json: &[u8]) -> Value {
    from_bytes(json, &[]).unwrap_or_default()
}
