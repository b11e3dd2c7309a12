//! ReplicaSets and ReplicationControllers: keep the desired number of Pods.
//!
//! Rules:
//! - `adopt`, `release`: active Pods follow the selector; a terminating set adopts and releases nothing.
//! - `scale-up`: missing Pods are created, at most 500 at a time, in waves of 1, 2, 4 ...; a wave in which
//!   one is rejected is the last.
//! - `scale-down`: surplus Pods are deleted, at most 500 at a time, in the order of `rank`.
//! - `status`: the counts of Pods before the changes; a rejection becomes the condition `ReplicaFailure`.
//!
//! Pods that have ended or are terminating do not count.

mod rank;
mod status;

#[cfg(test)]
mod tests;

use super::pod_counts::{Controlled, PodCounts};
use super::workload::{
    Claimed, adopt_first, adopted, claim_active, create_pod, delete_pod, is_active, numbered,
    pod_of, requeue_when_available, selector_of, selects, start_slowly,
};
use super::{views, watched};
use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::cluster::Kind;
use crate::runtime::{
    Cache, Controller, Index, Key, Object, Plan, PlannedWrite, Planner, ReconcileContext, Tally,
    Watch,
};

/// The most Pods that are made or deleted at a time.
const BURST: usize = 500;

/// The index of Pods by node and controller.
const BY_NODE: &str = "node-and-controller";

/// The replicas of a set: active Pods, and the desired number.
#[derive(Clone, Copy)]
struct Replicas {
    active: usize,
    desired: usize,
}

/// The controller of ReplicaSets, or of ReplicationControllers.
pub(crate) struct ReplicaSets {
    kind: &'static Kind,
    name: &'static str,
    component: &'static str,
}

impl ReplicaSets {
    /// Returns the controller of ReplicaSets.
    pub(crate) fn of_apps() -> Self {
        Self {
            kind: watched::replica_sets(),
            name: "replicaset",
            component: "replicaset-controller",
        }
    }

    /// Returns the controller of ReplicationControllers.
    pub(crate) fn of_core() -> Self {
        Self {
            kind: watched::replication_controllers(),
            name: "replicationcontroller",
            component: "replication-controller",
        }
    }

    /// Creates or deletes Pods of a set and updates its status.
    fn reconcile(&self, context: &ReconcileContext<'_>) -> Plan {
        let Some(set) = context.cache.by_key(self.kind, context.key) else {
            return Plan::done();
        };
        let view = views::workload(set);
        let selector = self.selector(set);
        let (pod_counts, writes) = self.members(set, &selector, context.cache);
        let active = pod_counts.count(|class| class.life.active);
        let mut plan = Plan {
            changes: writes,
            ..Plan::default()
        };
        // A set that is being deleted leaves its Pods to the garbage collector, but its status still follows them.
        if !set.is_terminating() {
            let desired = usize::try_from(view.desired_replicas()).unwrap_or(0);
            let replicas = Replicas { active, desired };
            // A partial plan keeps this controller's turn until the set is complete.
            plan.partial = active.abs_diff(desired) > BURST;
            plan.changes.extend(match active <= desired {
                true => grow(set, replicas),
                false => self.shrink(set, &selector, replicas, context),
            });
        }
        let status = status::of(set, &pod_counts, context, self.is_replication_controller());
        plan.status.extend(PlannedWrite::status(
            set,
            status,
            format!("status: {} active", numbered(active, "Pod is", "Pods are")),
        ));
        let active = pod_counts
            .classes()
            .map(|class| class.life)
            .filter(|l| l.active);
        requeue_when_available(&mut plan, active, view.min_ready_seconds(), context.now);
        adopt_first(&mut plan);
        plan
    }

    fn is_replication_controller(&self) -> bool {
        self.kind.group.is_empty()
    }

    fn selector(&self, set: &Object) -> LabelSelector {
        if !self.is_replication_controller() {
            return selector_of(set);
        }
        let labels = views::workload(set).selector();
        let some = labels.as_object().is_some_and(|l| !l.is_empty());
        // A ReplicationController with an empty selector selects no Pods, while an empty map would select all.
        let selector = some.then(|| LabelSelector::from_labels(Some(labels)));
        selector
            .and_then(Result::ok)
            .unwrap_or_else(LabelSelector::nothing)
    }
}

impl Controller for ReplicaSets {
    fn name(&self) -> &'static str {
        self.name
    }

    fn component(&self) -> &'static str {
        self.component
    }

    fn watches(&self) -> Vec<Watch> {
        let wants = if self.is_replication_controller() {
            selects_by_labels
        } else {
            selects
        };
        vec![
            Watch::own(self.kind),
            Watch::adoptable(watched::pods(), self.kind, wants),
        ]
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index {
            kind: watched::pods(),
            name: BY_NODE,
            reads: &["/spec/nodeName", "/metadata/ownerReferences"],
            values: node_and_controller,
        }]
    }

    fn tallies(&self) -> Vec<Box<dyn Tally>> {
        vec![Box::<Controlled>::default()]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        self.reconcile(context)
    }

    fn planner<'a>(&'a mut self, _: &[&Key], _: &Cache) -> Option<Planner<'a>> {
        Some(Box::new(|context| self.reconcile(context)))
    }
}

/// Returns the Pods to create.
fn grow(set: &Object, replicas: Replicas) -> Vec<PlannedWrite> {
    let pod = pod_of(set, views::workload(set).template());
    let Replicas { active, desired } = replicas;
    let rule = format!("scale-up: desired {desired}, current {active}");
    let count = (desired - active).min(BURST);
    let mut writes: Vec<PlannedWrite> = (0..count)
        .map(|_| create_pod(set, pod.clone(), rule.clone()))
        .collect();
    start_slowly(&mut writes);
    writes
}

impl ReplicaSets {
    /// Returns the classes of a set's Pods after claiming, and the writes of the claiming. If all of them are the
    /// set's own already, as in most reconciles, no Pod is visited.
    fn members(
        &self,
        set: &Object,
        selector: &LabelSelector,
        cache: &Cache,
    ) -> (PodCounts, Vec<PlannedWrite>) {
        let pod_counts = cache.tally::<Controlled>().by(set.uid());
        // Iterates over classes instead of Pods: 10,000 Pods of one template are one class.
        let settled = pod_counts
            .classes()
            .all(|class| !class.life.active || class.is_selected(selector));
        if settled && !adopted(set, watched::pods(), selector, cache).any(is_active) {
            return (pod_counts, Vec::new());
        }
        let Claimed { own, writes } = claim_active(set, selector, cache);
        (PodCounts::from_pods(own), writes)
    }

    /// Returns the Pods to delete.
    fn shrink(
        &self,
        set: &Object,
        selector: &LabelSelector,
        replicas: Replicas,
        context: &ReconcileContext<'_>,
    ) -> Vec<PlannedWrite> {
        let mut active = claim_active(set, selector, context.cache).own;
        // Terminating Pods no longer count, so they are not candidates again.
        active.retain(|pod| is_active(pod));
        let rule = format!(
            "scale-down: desired {}, current {}",
            replicas.desired, replicas.active
        );
        // Upstream ranks Pods by the number of Pods of the same owner on their node, which spans all ReplicaSets of a
        // Deployment.
        let siblings = self.siblings(set, context.cache);
        let pod_counts = |pod: &Object| pod_counts(pod, &siblings, context.cache);
        rank::first(
            &active,
            (replicas.active - replicas.desired).min(BURST),
            context.now,
            &pod_counts,
        )
        .into_iter()
        .map(|pod| delete_pod(set, pod, rule.clone()))
        .collect()
    }

    /// Returns the uids of the sets that share this set's owner.
    fn siblings(&self, set: &Object, cache: &Cache) -> Vec<String> {
        let owner = set.controller().and_then(|o| o["uid"].as_str());
        match owner {
            None => vec![set.uid().to_owned()],
            Some(owner) => cache
                .controlled_by(self.kind, owner)
                .map(|s| s.uid().to_owned())
                .collect(),
        }
    }
}

/// Returns the number of active Pods of these sets on the Pod's node.
fn pod_counts(pod: &Object, siblings: &[String], cache: &Cache) -> usize {
    let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    // Pods without a node are the first to go anyway.
    if node.is_empty() {
        return 0;
    }
    let on_node = |uid: &String| {
        let pods = cache.indexed(watched::pods(), BY_NODE, &format!("{node}\0{uid}"));
        pods.filter(|p| is_active(p)).count()
    };
    siblings.iter().map(on_node).sum()
}

fn node_and_controller(pod: &Value) -> Vec<String> {
    let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    let owners = pod["metadata"]["ownerReferences"].as_array();
    let owner = owners
        .into_iter()
        .flatten()
        .find(|o| o["controller"] == true);
    match owner.and_then(|o| o["uid"].as_str()) {
        Some(uid) if !node.is_empty() => vec![format!("{node}\0{uid}")],
        _ => Vec::new(),
    }
}

/// Returns true if a ReplicationController's selector matches a Pod.
fn selects_by_labels(owner: &Object, pod: &Object) -> bool {
    ReplicaSets::of_core().selector(owner).matches_object(pod)
}
