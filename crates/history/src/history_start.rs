//! The beginning of the retained history, and how all commands describe it.

use std::fmt;

use jiff::Timestamp;

use crate::cluster::{Cluster, HistoryQuery, Result, Revision};

/// The point at which the history begins; earlier commits are no longer retained.
///
/// ```
/// use ctl_history::HistoryStart;
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let begins = HistoryStart::read(&cluster)?;
/// assert_eq!(begins.note(), None, "the cluster has everything since it was created");
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryStart {
    /// The revision after which all changes are retained.
    pub revision: Revision,
    /// The time of the first retained commit, if there is one.
    pub time: Option<Timestamp>,
}

impl HistoryStart {
    /// Reads where a cluster's history begins.
    ///
    /// # Errors
    /// Returns an error if the cluster cannot be read.
    pub fn read(cluster: &Cluster) -> Result<Self> {
        let revision = cluster.stored().oldest()?;
        let past = HistoryQuery {
            after: revision,
            ..HistoryQuery::default()
        };
        let mut time = None;
        cluster.stored().visit(&past, &mut |commit| {
            time = Some(commit.time);
            Ok(false)
        })?;
        Ok(Self { revision, time })
    }

    /// Returns a note for commands that read the whole history, or `None` if nothing is missing.
    pub fn note(&self) -> Option<String> {
        // The first revision of a new cluster is 1, and nothing comes before it.
        (self.revision > 1).then(|| self.to_string())
    }

    /// Returns a note for commands that read the history since a time, or `None` if nothing since then is missing.
    pub fn note_since(&self, since: Option<Timestamp>) -> Option<String> {
        let covers = |since| self.time.is_some_and(|begins| begins <= since);
        self.note().filter(|_| !since.is_some_and(covers))
    }
}

impl fmt::Display for HistoryStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the history begins at revision {}", self.revision)?;
        if let Some(time) = self.time {
            write!(f, ", {}", time.strftime("%FT%TZ"))?;
        }
        // Nothing comes before the first revision of a cluster. In an error message, the rest has been said already.
        match self.revision {
            ..=1 => Ok(()),
            _ if f.alternate() => Ok(()),
            _ => f.write_str("; earlier commits are no longer kept"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::chain::End;
    use crate::cluster::testing::fresh;
    use crate::cluster::{Key, Place, Retention, WriteOptions};
    use crate::log::{Filter, LogEntry, log};
    use crate::read::History;

    #[test]
    fn note_appears_only_if_earlier_commits_are_missing() {
        let cluster = fresh();
        assert_eq!(HistoryStart::read(&cluster).unwrap().note(), None);
        let time: Timestamp = "2026-01-01T00:00:30.5Z".parse().unwrap();
        let begins = HistoryStart {
            revision: 7,
            time: Some(time),
        };
        let text = "the history begins at revision 7, 2026-01-01T00:00:30Z; earlier commits are no longer kept";
        assert_eq!(begins.note_since(None).as_deref(), Some(text));
        let earlier = time - jiff::SignedDuration::from_secs(1);
        assert_eq!(begins.note_since(Some(earlier)).as_deref(), Some(text));
        assert_eq!(begins.note_since(Some(time)), None);
    }

    fn entries(cluster: &Cluster) -> Vec<LogEntry> {
        let mut all = Vec::new();
        let begins = log(cluster, &Filter::default(), &mut |entry| {
            all.push(entry);
            true
        });
        assert_eq!(
            begins.unwrap(),
            HistoryStart::read(cluster).unwrap().revision
        );
        all
    }

    #[test]
    fn the_kept_part_of_the_history_survives_compactions() {
        let mut scratch = fresh();
        let none = Retention::Size(0);
        scratch.cluster.configure().set_history(none).unwrap();
        let cluster = &scratch.cluster;
        let key = |name: &str| Key::new("configmaps", Some("default"), name).unwrap();
        let kind = cluster.kind("configmaps").unwrap();
        let commit = |name: &str, trigger: Option<Revision>| {
            let options = WriteOptions {
                trigger: trigger.map(Into::into),
                rule: "test".to_owned(),
                ..WriteOptions::default()
            };
            let object = json!({"metadata": {"name": name}});
            let place = Place::new(kind, "default");
            let _ = cluster.create(&place, &object, &options).unwrap();
            cluster.stored().revision().unwrap()
        };
        let old = commit("old", None);
        cluster.stored().compact().unwrap();
        let kept = commit("kept", Some(old));
        let new = commit("new", Some(kept));
        let all = entries(cluster);
        // The generation before the current one is retained even if no history is.
        cluster.stored().compact().unwrap();
        let left = entries(cluster);
        assert!(left.len() >= 2 && left.len() < all.len(), "{left:?}");
        assert!(all.ends_with(&left));
        let begins = HistoryStart::read(cluster).unwrap();
        assert_eq!(begins.revision, old);
        let why = |name: &str| {
            let history = History::with_causes_of(cluster, &key(name)).unwrap();
            let chain = history.why(&key(name));
            let steps: Vec<Revision> = chain.steps.iter().map(|step| step.revision).collect();
            (steps, chain.end)
        };
        assert_eq!(why("new"), (vec![new, kept], End::Forgotten(begins)));
        assert_eq!(why("old"), (vec![], End::Forgotten(begins)));
    }
}
