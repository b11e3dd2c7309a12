//! DaemonSets: one Pod on each eligible node.
//!
//! Rules:
//! - `adopt`, `release`: Pods and ControllerRevisions follow the selector.
//! - `revision`, `history`: each template is kept as a ControllerRevision.
//! - `create`: an eligible node has no Pod; at most 250 at a time, in waves of 1, 2, 4 ...
//! - `misplaced`: the Pod's node is no longer eligible, or was deleted before the Pod was bound to it. A NoSchedule
//!   taint does not remove existing Pods.
//! - `replace`: a Pod has ended; after failures with growing delays for each set and node.
//! - `surplus`: a node has more Pods of the set than allowed; the surplus ones are deleted.
//! - `update`: a Pod has an old template. An unavailable one is deleted at once, the others only while fewer than
//!   maxUnavailable are unavailable.
//! - `surge`: a node gets a new Pod next to the old one, within maxSurge.
//! - `surged`: the new Pod is available, or the old one is not ready; the old one is deleted.
//! - `status`: the counts of nodes and Pods before the changes.
//!
//! A step of `update` or `surge` waits until nothing else is to be created or deleted. The back-off after
//! failures is restored from the history of the replaced Pods.

mod fit;
mod plan;
mod pod;
mod status;
mod update;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use self::fit::Fit;
use super::workload::{adopt_first, claim, facts, requeue_when_available, selector_of, selects};
use super::{views, watched};
use crate::api::json::Value;
use crate::kinds::Kind;
use crate::kinds::tree::{field, int, list, text};
use crate::runtime::{
    Cache, Change, CompletedWrite, Controller, EventNote, Index, Key, Object, Plan,
    ReconcileContext, Watch,
};

/// The label with the hash of a Pod's revision.
const HASH: &str = "controller-revision-hash";
/// The index of Pods by the set that controls them and the node that they are for.
const BY_NODE: &str = "daemon-set-and-node";
/// The reason of the event that reports a failed Pod.
const FAILED: &str = "FailedDaemonPod";
/// The rule by which a failed Pod is deleted.
const REPLACE_FAILED: &str = "replace: it has failed";
/// The first and the longest back-off after a failed Pod, in seconds.
const BACK_OFF: (i64, i64) = (1, 15 * 60);

/// The controller of DaemonSets.
#[derive(Default)]
pub(crate) struct DaemonSets {
    back_offs: BackOffs,
}

/// The time at which the failed Pod of a set and a node was last replaced, and the seconds that the next one is kept.
#[derive(Default)]
struct BackOffs(HashMap<(String, String), (Timestamp, i64)>);

impl BackOffs {
    /// Returns the time for which a failed Pod is kept, or `None` if it is deleted at once.
    fn wait(&self, set: &Object, node: &str, now: Timestamp) -> Option<SignedDuration> {
        let (last, seconds) = self.0.get(&(set.uid().to_owned(), node.to_owned()))?;
        let left = SignedDuration::from_secs(*seconds) - now.duration_since(*last);
        left.is_positive().then_some(left)
    }

    /// Records the replacement of a failed Pod: the next one is kept longer if it fails soon.
    fn replaced(&mut self, set: &str, node: &str, at: Timestamp) {
        let (base, most) = BACK_OFF;
        let key = (set.to_owned(), node.to_owned());
        // client-go's back-off forgets a failure after twice the longest delay.
        let soon = SignedDuration::from_secs(2 * most);
        let next = match self.0.get(&key) {
            Some((last, seconds)) if at.duration_since(*last) <= soon => (2 * seconds).min(most),
            _ => base,
        };
        self.0.insert(key, (at, next));
    }
}

impl Controller for DaemonSets {
    fn name(&self) -> &'static str {
        "daemonset"
    }

    fn component(&self) -> &'static str {
        "daemonset-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(watched::daemon_sets()),
            Watch::adoptable(watched::pods(), watched::daemon_sets(), selects),
            Watch::adoptable(watched::revisions(), watched::daemon_sets(), selects),
            Watch::new(watched::nodes(), concerned),
        ]
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index {
            kind: watched::pods(),
            name: BY_NODE,
            reads: &["/spec", "/metadata/ownerReferences"],
            values: set_and_node,
        }]
    }

    fn observe(&mut self, change: &Change, _: &Cache) {
        if let (Some(gone), None) = (&change.before, &change.after)
            && gone.kind() == watched::daemon_sets()
        {
            self.back_offs.0.retain(|(uid, _), _| uid != gone.uid());
        }
    }

    fn replay_kinds(&self, cache: &Cache) -> Vec<&'static Kind> {
        // If no event reports a failure and every Pod is ready, there is nothing to restore, and a replay of the
        // Pods' history would only delay the start.
        let mut events = cache.list(watched::events(), "");
        let mut sets = cache
            .list(watched::daemon_sets(), "")
            .map(|set| field(set, "status"));
        let failed = events.any(|event| text(event, "reason") == FAILED)
            || sets.any(|s| int(s, "numberReady") < int(s, "desiredNumberScheduled"));
        failed.then(watched::pods).into_iter().collect()
    }

    fn on_written(&mut self, write: &CompletedWrite<'_>) {
        if write.rule != REPLACE_FAILED {
            return;
        }
        if let Some((owner, node)) = write.object.controller().zip(target(write.object)) {
            self.back_offs
                .replaced(views::owner(owner).uid(), node, write.at);
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let set = context.cache.by_key(watched::daemon_sets(), context.key);
        let Some(set) = set.filter(|set| !set.is_terminating()) else {
            return Plan::done();
        };
        let selector = selector_of(set);
        // Validation rejects an empty selector. Upstream guards against it nevertheless: such a set would adopt every
        // Pod.
        if selector.is_everything() {
            let message =
                "This daemon set is selecting all pods. A non-empty selector is required.";
            let mut plan = Plan::done();
            plan.events
                .push(EventNote::warning(set, "SelectingAll", message));
            return plan;
        }
        let claimed = claim(set, watched::pods(), &selector, context.cache);
        let mut reconcile = plan::Reconcile::new(set, &claimed.own, context);
        reconcile.plan.changes = claimed.writes;
        reconcile.step(&self.back_offs);
        let mut plan = reconcile.into_plan();
        let min_ready = views::workload(set).min_ready_seconds();
        let lives = claimed.own.into_iter().map(|pod| facts(pod).life);
        requeue_when_available(&mut plan, lives, min_ready, context.now);
        adopt_first(&mut plan);
        plan
    }
}

/// Returns the node that a Pod is on or made for.
fn target(pod: &Value) -> Option<&str> {
    let spec = field(pod, "spec");
    let bound = text(spec, "nodeName");
    if !bound.is_empty() {
        return Some(bound);
    }
    let affinity = field(field(spec, "affinity"), "nodeAffinity");
    let required = field(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
    let terms = list(required, "nodeSelectorTerms").iter();
    let mut fields = terms.flat_map(|term| list(term, "matchFields"));
    fields.find_map(|rule| match list(rule, "values") {
        [name] if text(rule, "key") == "metadata.name" && text(rule, "operator") == "In" => {
            name.as_str()
        }
        _ => None,
    })
}

fn in_index(set: &str, node: &str) -> String {
    // No name contains a NUL, so two pairs cannot share a key.
    format!("{set}\0{node}")
}

fn set_and_node(pod: &Value) -> Vec<String> {
    let mut owners = list(field(pod, "metadata"), "ownerReferences").iter();
    let owner = owners.find(|o| o["controller"] == true && views::owner(o).kind() == "DaemonSet");
    let found = owner.zip(target(pod));
    found
        .map(|(owner, node)| in_index(views::owner(owner).uid(), node))
        .into_iter()
        .collect()
}

/// Returns the sets that a change of a node affects: sets with a Pod for a deleted node, sets that lack a Pod on it,
/// and sets whose Pod must leave it.
fn concerned(change: &Change, cache: &Cache) -> Vec<Key> {
    let sets = cache.list(watched::daemon_sets(), "");
    let Some(node) = &change.after else {
        return sets.map(|set| set.key().clone()).collect();
    };
    // Heartbeats change the status of every node all the time, but no decision of a DaemonSet.
    if !change.differs("/metadata/labels") && !change.differs("/spec") {
        return Vec::new();
    }
    let due = |set: &&Object| {
        let (comes, stays) = fit_of(set).on(node);
        let key = in_index(set.uid(), node.name());
        let there = cache
            .indexed(watched::pods(), BY_NODE, &key)
            .next()
            .is_some();
        // A change that only keeps new Pods away enqueues no set, as recorded: the status stays until something else
        // happens.
        comes && !there || !stays && there
    };
    sets.filter(due).map(|set| set.key().clone()).collect()
}

/// Returns the node requirements of a set's Pods.
fn fit_of(set: &Object) -> Fit {
    let mut spec = crate::kinds::tree::at(set, &["spec", "template", "spec"]).clone();
    // Judged with the tolerations that the Pod will get, as otherwise a cordoned node would lose its daemons.
    pod::tolerate(&mut spec);
    Fit::from_spec(&spec)
}
