//! The chain of causes of a change, back to its origin.

use jiff::Timestamp;

use crate::cluster::{Key, Revision};
use crate::history_start::HistoryStart;
use crate::origin::Origin;
use crate::read::{Change, ChangeKind, History, Row};

/// A step of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The revision of the change.
    pub revision: Revision,
    /// The time of the commit on the cluster's clock.
    pub time: Timestamp,
    /// The writer: a command line, a controller, or `hand-edit`.
    pub writer: String,
    /// The kind of the writer.
    pub origin: Origin,
    /// The rule that caused the change.
    pub rule: String,
    /// The key of the object, such as `pods/default/web`.
    pub key: String,
    /// The kind of change to the object.
    pub action: ChangeKind,
}

impl Step {
    fn from_change(change: Change<'_>) -> Self {
        Self {
            revision: change.revision,
            time: change.time,
            writer: change.writer.to_owned(),
            origin: change.origin(),
            rule: change.rule.to_owned(),
            key: change.key.to_owned(),
            action: change.action,
        }
    }

    /// Returns the reason on one line: the command line of a person, otherwise the rule.
    pub fn reason(&self) -> &str {
        self.origin.reason(&self.writer, &self.rule)
    }
}

/// The reason why a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The last step is the origin: a command, an edited file or the clock.
    Origin,
    /// The step before is no longer retained; the history begins here.
    Forgotten(HistoryStart),
}

/// A change and its causes, starting with the change.
///
/// ```
/// use ctl_cluster::Key;
/// use ctl_history::{Chain, End, History, Step};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let key = Key::new("namespaces", None, "default")?;
/// let chain: Chain = History::with_causes_of(&cluster, &key)?.why(&key);
/// assert!(matches!(chain.end, End::Origin), "nothing of it is forgotten");
/// let first: &Step = chain.steps.last().unwrap();
/// assert_eq!(first.rule, "bootstrap");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The steps, of which the first is the change itself.
    pub steps: Vec<Step>,
    /// The reason why there are no more steps.
    pub end: End,
}

impl Chain {
    /// Returns true if the last step is an origin.
    pub fn is_complete(&self) -> bool {
        self.end == End::Origin && self.steps.last().is_some_and(|step| step.origin.is_first())
    }
}

impl History {
    /// Returns the chain of an object's last change; it has no steps if that change is no longer retained.
    pub fn why(&self, key: &Key) -> Chain {
        self.chain(self.last_row(key.as_str()))
    }

    /// Returns the chain of the change to an object at a revision, or of the first change if there is none to it.
    pub fn why_at(&self, revision: Revision, key: &str) -> Chain {
        self.chain(self.row_of(revision, key).or_else(|| self.row(revision)))
    }

    fn chain<'h>(&'h self, mut next: Option<&'h Row>) -> Chain {
        let mut steps = Vec::new();
        // Triggers only lead back in time, so the loop ends. Chains are short, so each step is a lookup.
        while let Some(change) = next {
            steps.push(Step::from_change(self.shown(change)));
            if change.trigger.is_none() {
                let end = End::Origin;
                return Chain { steps, end };
            }
            next = self.cause(change);
        }
        // All retained changes are in memory, so a trigger that is not found was dropped by a compaction.
        Chain {
            steps,
            end: End::Forgotten(self.begins()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::{in_memory, with_shared_revisions};
    use crate::cluster::{CausingChange, Cluster, Place, Request, WriteOptions, find_kind};

    /// Creates ConfigMaps in one commit.
    fn create(cluster: &Cluster, names: &[&str], options: &WriteOptions) {
        let kind = find_kind("v1", "ConfigMap").unwrap();
        let request = |name: &&str| {
            let object =
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": *name}});
            Request::create(Place::new(kind, "default"), object).with(options.clone())
        };
        let requests: Vec<Request> = names.iter().map(request).collect();
        for response in cluster.all(&requests).unwrap() {
            response.unwrap();
        }
    }

    #[test]
    fn a_chain_leads_to_the_object_that_was_the_trigger_among_several_of_a_commit() {
        for cluster in [in_memory(), with_shared_revisions()] {
            let key = |name: &str| Key::new("configmaps", Some("default"), name).unwrap();
            create(
                &cluster,
                &["first", "second", "third"],
                &WriteOptions::default(),
            );
            let revision = cluster
                .stored()
                .get(&key("second"))
                .unwrap()
                .unwrap()
                .revision;
            let because = WriteOptions {
                rule: "copy".to_owned(),
                trigger: Some(CausingChange {
                    revision,
                    object: Some(key("second")),
                }),
                ..WriteOptions::default()
            };
            create(&cluster, &["zero", "copy"], &because);
            let copy = key("copy");
            let at = cluster.stored().get(&copy).unwrap().unwrap().revision;
            let chains = [
                History::with_causes_of(&cluster, &copy).unwrap().why(&copy),
                History::with_causes_at(&cluster, at, &copy)
                    .unwrap()
                    .why_at(at, copy.as_str()),
                History::read(&cluster).unwrap().why(&copy),
            ];
            for chain in chains {
                let keys: Vec<&str> = chain.steps.iter().map(|step| &*step.key).collect();
                assert_eq!(keys, [copy.as_str(), "configmaps/default/second"]);
            }
        }
    }
}
