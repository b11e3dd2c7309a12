//! Deletes Pods that nothing else would delete: those of nodes that are gone, and the oldest of too many
//! that have ended.
//!
//! Rules:
//! - `lost-node`: the Pod's node no longer exists.
//! - `out-of-service`: the Pod is terminating on a node that is tainted as out of service.
//! - `unscheduled`: a terminating Pod never had a node, so no kubelet ends it.
//! - `terminated`: more Pods have ended than the limit; the oldest are deleted.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::workload::{by_node, disruption, numbered, pods_of};
use super::{views, watched};
use crate::api::json::{Value, json};
use crate::kinds::condition;
use crate::kinds::moment;
use crate::runtime::{
    Cache, Change, Controller, Index, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

/// The time between the end of a node and the deletion of its Pods.
// Upstream's `quarantineTime`: the node may only be missing from a stale cache.
const QUARANTINE: SignedDuration = SignedDuration::from_secs(40);
/// The number of terminated Pods that are kept.
// The default of `--terminated-pod-gc-threshold`.
const MOST_ENDED: usize = 12_500;
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// Removes Pods.
#[derive(Debug, Default)]
pub(crate) struct PodGc {
    /// The times at which missing nodes were first noticed.
    gone: BTreeMap<String, Timestamp>,
    ended: usize,
}

impl Controller for PodGc {
    fn name(&self) -> &'static str {
        "pod-gc"
    }

    fn component(&self) -> &'static str {
        "pod-garbage-collector"
    }

    fn watches(&self) -> Vec<Watch> {
        let nodes = Watch::new(watched::nodes(), |change, cache| {
            let matters = change.after.is_none() || change.differs("/spec/taints");
            match change.object().filter(|_| matters) {
                Some(node) => pods_of(node, cache),
                None => Vec::new(),
            }
        });
        let pods = Watch::new(watched::pods(), |change, cache| {
            let Some(pod) = &change.after else {
                return Vec::new();
            };
            let node = views::pod(pod).node_name();
            let lost = !node.is_empty() && cache.get(watched::nodes(), "", node).is_none();
            let begins = change.differs("/metadata/deletionTimestamp");
            // The number of Pods that have ended can only exceed the threshold when one ends.
            let ends = is_over(pod) && change.differs("/status/phase");
            match () {
                () if lost || begins => vec![pod.key().clone()],
                () if ends => vec![Key::all()],
                () => Vec::new(),
            }
        });
        vec![nodes, pods]
    }

    fn indexes(&self) -> Vec<Index> {
        vec![by_node()]
    }

    fn observe(&mut self, change: &Change, _: &Cache) {
        let over = |o: &Option<Object>| o.as_ref().is_some_and(|p| p.kind().is_pod() && is_over(p));
        let ended = self.ended + usize::from(over(&change.after));
        // Counted on the way, because counting all Pods for each that ends would be quadratic.
        self.ended = ended.saturating_sub(usize::from(over(&change.before)));
        if let Some(node) = change.after.as_ref().filter(|o| o.kind().hosts_pods()) {
            self.gone.remove(node.name());
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        if *context.key == Key::all() {
            too_many(context.cache, self.ended, &mut plan);
            return plan;
        }
        let Some(pod) = context.cache.by_key(watched::pods(), context.key) else {
            return plan;
        };
        let name = views::pod(pod).node_name();
        match context.cache.get(watched::nodes(), "", name) {
            None if !name.is_empty() => {
                let since = *self.gone.entry(name.to_owned()).or_insert(context.now);
                let left = QUARANTINE.saturating_sub(moment::since(since, context.now));
                match left.is_positive() {
                    true => plan.requeue_in(left),
                    false => lost(pod, name, context.now, &mut plan),
                }
            }
            Some(node) if pod.is_terminating() && is_out_of_service(node) => {
                fail(
                    pod,
                    json!({}),
                    &format!("out-of-service: the taint is on node {name}"),
                    &mut plan,
                );
            }
            // No kubelet will ever confirm the deletion of a Pod without a node.
            None if pod.is_terminating() => {
                let rule = "unscheduled: the Pod is terminating and has no node";
                fail(pod, json!({}), rule, &mut plan);
            }
            _ => {}
        }
        plan
    }
}

fn is_over(pod: &Value) -> bool {
    views::pod(pod).has_ended()
}

fn is_out_of_service(node: &Value) -> bool {
    let taints = views::node(node).taints();
    let ready = condition::is_true(node, "Ready");
    !ready
        && taints
            .iter()
            .any(|t| views::taint(t).key() == OUT_OF_SERVICE)
}

fn lost(pod: &Object, node: &str, now: Timestamp, plan: &mut Plan) {
    fail(
        pod,
        disruption(pod, "DeletionByPodGC", "PodGC: node no longer exists", now),
        &format!("lost-node: node {node} no longer exists"),
        plan,
    );
}

/// Fails and deletes a Pod that no kubelet can end; `status` is what its status also gets.
fn fail(pod: &Object, mut status: Value, rule: &str, plan: &mut Plan) {
    // The phase is written first, so that a Job controller observes the failure before the Pod is deleted.
    if !is_over(pod) {
        status["phase"] = json!("Failed");
        let patch = json!({"status": status});
        plan.changes
            .push(PlannedWrite::patch_status(pod, patch, rule).in_wave(1));
    }
    plan.changes
        .push(PlannedWrite::delete_now(pod, rule).in_wave(2));
}

fn too_many(cache: &Cache, ended: usize, plan: &mut Plan) {
    let surplus = ended.saturating_sub(MOST_ENDED);
    if surplus == 0 {
        return;
    }
    let pods = cache.list(watched::pods(), "");
    let mut over: Vec<&Object> = pods.filter(|p| is_over(p) && !p.is_terminating()).collect();
    // The oldest go first, as upstream.
    over.sort_by_cached_key(|p| (p.meta("creationTimestamp").to_owned(), p.key().clone()));
    let rule = format!(
        "terminated: {} the limit",
        numbered(ended, "ended Pod exceeds", "ended Pods exceed")
    );
    plan.changes = over
        .into_iter()
        .take(surplus)
        .map(|p| PlannedWrite::delete_now(p, rule.clone()))
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, lines};

    #[test]
    fn pods_of_a_deleted_node_are_deleted_after_quarantine() {
        let mut harness = ControllerHarness::new(PodGc::default());
        let pod = harness.put(
            "v1",
            "Pod",
            json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n"}}),
        );
        assert_eq!(harness.keys(&pod).len(), 1);
        assert_eq!(harness.plan("default", "p").requeue_after, Some(QUARANTINE));
        harness.now = "2026-01-02T12:00:40Z".parse().unwrap();
        let plan = harness.plan("default", "p");
        assert_eq!(
            lines(&plan),
            ["patch-status pods p: lost-node", "delete pods p: lost-node"]
        );
    }

    #[test]
    fn out_of_service_taint_deletes_only_terminating_pods() {
        let mut harness = ControllerHarness::new(PodGc::default());
        harness.put("v1", "Node", json!({"metadata": {"name": "n"}}));
        harness.put(
            "v1",
            "Pod",
            json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n"}}),
        );
        assert_eq!(harness.plan("default", "p"), Plan::done());
        harness.put(
            "v1",
            "Node",
            json!({"metadata": {"name": "n"}, "spec": {"taints": [{"key": OUT_OF_SERVICE}]}}),
        );
        assert_eq!(harness.plan("default", "p"), Plan::done());
        harness.put("v1", "Pod", json!({"metadata": {"name": "p", "deletionTimestamp": "2026-01-02T12:00:00Z"}, "spec": {"nodeName": "n"}}));
        assert_eq!(harness.plan("default", "p").changes.len(), 2);
    }

    #[test]
    fn oldest_terminated_pods_beyond_the_limit_are_deleted() {
        let mut harness = ControllerHarness::new(PodGc::default());
        for number in 0..MOST_ENDED + 2 {
            let time = format!("2026-01-01T{:02}:{:02}:00Z", 23 - number % 24, number % 60);
            harness.put("v1", "Pod", json!({
                "metadata": {"name": format!("p{number}"), "creationTimestamp": time}, "status": {"phase": "Failed"},
            }));
        }
        let plan = harness.plan("", "");
        assert_eq!(plan.changes.len(), 2);
    }
}
