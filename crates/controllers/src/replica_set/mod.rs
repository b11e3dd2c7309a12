//! ReplicaSets and ReplicationControllers: as many Pods as are wanted.
//!
//! Rules:
//! - `adopt`, `release`: Pods follow the selector; a set that is going adopts and releases nothing.
//! - `scale-up`: Pods that are missing are made, at most 500 at a time, in waves of 1, 2, 4 ...; a wave in
//!   which one is refused is the last.
//! - `scale-down`: Pods that are too many are deleted, at most 500 at a time, in the order of `rank`.
//! - `status`: what there was before the changes; a refusal is the condition `ReplicaFailure`.
//!
//! Pods that have ended or are on their way out do not count.

mod rank;
mod status;

#[cfg(test)]
mod tests;

use super::crowd::{Controlled, Crowd};
use super::watched;
use super::workload::{
    Claimed, adopted, claim, create_pod, delete_pod, is_active, look_when_available, pod_of,
    selector_of, selects, start_slowly, watch_gates,
};
use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::cluster::Kind;
use crate::kinds::tree::{field, int, opt_int};
use crate::runtime::{
    Cache, Controller, Index, Key, Object, Plan, Planner, Sync, Tally, Watch, Write,
};

/// The most Pods that are made or deleted at a time.
const BURST: usize = 500;

/// The index of Pods by the node that they are on and who controls them.
const BY_NODE: &str = "node-and-controller";

/// The controller of ReplicaSets, or of ReplicationControllers.
pub struct ReplicaSets {
    kind: &'static Kind,
    name: &'static str,
    component: &'static str,
}

impl ReplicaSets {
    /// The controller of ReplicaSets.
    pub fn of_apps() -> Self {
        Self {
            kind: watched::replica_sets(),
            name: "replicaset",
            component: "replicaset-controller",
        }
    }

    /// The controller of ReplicationControllers.
    pub fn of_core() -> Self {
        Self {
            kind: watched::replication_controllers(),
            name: "replicationcontroller",
            component: "replication-controller",
        }
    }

    /// Creates or deletes Pods of a set and updates its status.
    fn reconcile(&self, sync: &Sync<'_>) -> Plan {
        let Some(set) = sync.cache.by_key(self.kind, sync.key) else {
            return Plan::done();
        };
        let spec = field(set, "spec");
        let selector = self.selector(set);
        let (crowd, writes) = self.members(set, &selector, sync.cache);
        let had = crowd.count(|sort| sort.life.active);
        let mut plan = Plan {
            changes: writes,
            ..Plan::default()
        };
        if !set.is_terminating() {
            let wanted = usize::try_from(opt_int(spec, "replicas").unwrap_or(1)).unwrap_or(0);
            plan.partial = had.abs_diff(wanted) > BURST;
            plan.changes.extend(match had <= wanted {
                true => grow(set, (had, wanted)),
                false => self.shrink(set, &selector, (had, wanted), sync),
            });
        }
        let status = status::of(set, &crowd, sync, self.is_old_sort());
        plan.status.extend(Write::status(
            set,
            status,
            format!("status: {had} of the Pods are there"),
        ));
        let active = crowd.sorts().map(|sort| sort.life).filter(|l| l.active);
        look_when_available(&mut plan, active, int(spec, "minReadySeconds"), sync.now);
        plan
    }

    fn is_old_sort(&self) -> bool {
        self.kind.group.is_empty()
    }

    fn selector(&self, set: &Object) -> LabelSelector {
        if !self.is_old_sort() {
            return selector_of(set);
        }
        let labels = field(field(set, "spec"), "selector");
        let some = labels.as_object().is_some_and(|l| !l.is_empty());
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
        let wants = if self.is_old_sort() {
            selects_by_labels
        } else {
            selects
        };
        let mut watches = vec![
            Watch::own(self.kind),
            Watch::adoptable(watched::pods(), self.kind, wants),
        ];
        watches.extend(watch_gates(self.kind));
        watches
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index {
            kind: watched::pods(),
            name: BY_NODE,
            values: node_and_controller,
        }]
    }

    fn tallies(&self) -> Vec<Box<dyn Tally>> {
        vec![Box::<Controlled>::default()]
    }

    fn plan(&mut self, sync: &Sync<'_>) -> Plan {
        self.reconcile(sync)
    }

    fn planner<'a>(&'a mut self, _: &[&Key], _: &Cache) -> Option<Planner<'a>> {
        Some(Box::new(|sync| self.reconcile(sync)))
    }
}

/// The Pods that are made for the wanted number.
fn grow(set: &Object, (had, wanted): (usize, usize)) -> Vec<Write> {
    let pod = pod_of(set, field(field(set, "spec"), "template"));
    let rule = format!("scale-up: wanted {wanted}, had {had}");
    let count = (wanted - had).min(BURST);
    let mut writes: Vec<Write> = (0..count)
        .map(|_| create_pod(set, pod.clone(), rule.clone()))
        .collect();
    start_slowly(&mut writes);
    writes
}

impl ReplicaSets {
    /// The sorts of the Pods of a set once it has claimed them, and the writes that does. Where they are
    /// its own already, as they mostly are, none of them is looked at.
    fn members(
        &self,
        set: &Object,
        selector: &LabelSelector,
        cache: &Cache,
    ) -> (Crowd, Vec<Write>) {
        let crowd = cache.tally::<Controlled>().by(set.uid());
        let settled = crowd.sorts().all(|sort| sort.is_selected(selector));
        if settled
            && adopted(set, watched::pods(), selector, cache)
                .next()
                .is_none()
        {
            return (crowd, Vec::new());
        }
        let Claimed { own, writes } = claim(set, watched::pods(), selector, cache);
        (Crowd::of(own), writes)
    }

    /// The Pods that are deleted for the wanted number.
    fn shrink(
        &self,
        set: &Object,
        selector: &LabelSelector,
        (had, wanted): (usize, usize),
        sync: &Sync<'_>,
    ) -> Vec<Write> {
        let mut active = claim(set, watched::pods(), selector, sync.cache).own;
        active.retain(|pod| is_active(pod));
        let rule = format!("scale-down: wanted {wanted}, had {had}");
        let siblings = self.siblings(set, sync.cache);
        let crowd = |pod: &Object| crowd(pod, &siblings, sync.cache);
        rank::first(&active, (had - wanted).min(BURST), sync.now, &crowd)
            .into_iter()
            .map(|pod| delete_pod(set, pod, rule.clone()))
            .collect()
    }

    /// The uids of the sets with the same owner as this one.
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

/// How many active Pods of these sets are on the Pod's node.
fn crowd(pod: &Object, siblings: &[String], cache: &Cache) -> usize {
    let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
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
