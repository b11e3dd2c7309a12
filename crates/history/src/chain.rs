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

    /// Returns the chain of the change at a revision.
    pub fn why_at(&self, revision: Revision) -> Chain {
        self.chain(self.row(revision))
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
