//! The Pods of a workload by template, which show the progress of a rollout.

use crate::api::json::Value;
use crate::kinds::Kind;
use crate::kinds::client::RolloutHistory;
use crate::kinds::tree::{field, text};
use crate::scene::Node;
use crate::status::State;

/// The Pods of a workload by template, without those that have ended, and the desired number.
///
/// ```
/// use ctl_scene::Rollout;
///
/// let halfway = Rollout { old: 2, new: 2, ready: 3, desired: 4 };
/// assert!(!halfway.words().is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rollout {
    /// The number of Pods with earlier templates.
    pub old: i64,
    /// The number of Pods with the current template.
    pub new: i64,
    /// The number of ready Pods, whatever their template.
    pub ready: i64,
    /// The desired number of Pods.
    pub desired: i64,
}

impl Rollout {
    /// Describes the counts.
    pub fn words(&self) -> String {
        format!(
            "{} old, {} new, {} of {} ready",
            self.old, self.new, self.ready, self.desired
        )
    }

    fn count(&mut self, pod: &Node, is_new: bool) {
        // A Pod that has ended is replaced by another one; counting both would show too many.
        if pod.status.state == State::Ended {
            return;
        }
        match is_new {
            true => self.new += 1,
            false => self.old += 1,
        }
        let ready = pod.status.state == State::Ready;
        self.ready += i64::from(ready);
    }
}

/// Returns the rollout of a workload, or `None` for other kinds. `hash` returns the template of the child at an index.
pub(crate) fn of(
    kind: &Kind,
    object: &Value,
    node: &Node,
    hash: &dyn Fn(usize) -> String,
) -> Option<Rollout> {
    let mut rollout = Rollout {
        desired: node.status.ready.map_or(0, |(_, desired)| desired),
        ..Rollout::default()
    };
    let pods = |node: &Node| node.kind == "Pod";
    match kind.keeps_history_in()? {
        RolloutHistory::ReplicaSets => {
            // The children are sorted by revision. After a rollback, the old ReplicaSet has the newest revision.
            let sets = node.children.iter().filter(|c| c.kind == "ReplicaSet");
            let last = sets.clone().count().saturating_sub(1);
            for (place, set) in sets.enumerate() {
                for pod in set.children.iter().filter(|n| pods(n)) {
                    rollout.count(pod, place == last);
                }
            }
        }
        RolloutHistory::ControllerRevisions => {
            // Only a StatefulSet has its current revision in the status; a DaemonSet has its generation in an
            // annotation.
            let metadata = field(object, "metadata");
            let current = match text(field(object, "status"), "updateRevision") {
                "" => text(
                    field(metadata, "annotations"),
                    "deprecated.daemonset.template.generation",
                ),
                hash => hash,
            };
            let children = node.children.iter().enumerate();
            for (place, pod) in children.filter(|(_, n)| pods(n)) {
                let own = hash(place);
                rollout.count(pod, current.is_empty() || own.is_empty() || own == current);
            }
        }
    }
    Some(rollout)
}

/// Returns the value of the label that identifies a Pod's template.
pub(crate) fn template(pod: &Value) -> String {
    let labels = field(field(pod, "metadata"), "labels");
    // A DaemonSet identifies its templates by generation, a StatefulSet by revision.
    let label = match text(labels, "pod-template-generation") {
        "" => text(labels, "controller-revision-hash"),
        generation => generation,
    };
    label.to_owned()
}
