//! Evicts Pods that do not tolerate a NoExecute taint of their node, at once or after the tolerated time.
//!
//! Rules:
//! - `evict`: no toleration covers a NoExecute taint of the node, or its time is over; the Pod is deleted.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::workload::{by_node, disruption, pods_of};
use super::{views, watched};
use crate::api::json::{Value, json};
use crate::kinds::pod::node_rules::Taint;
use crate::kinds::tree::{field, opt_int};
use crate::kinds::{condition, moment};
use crate::runtime::{
    Cache, Change, Controller, EventNote, Index, Object, Plan, PlannedWrite, ReconcileContext,
    Watch,
};

/// The reason of the condition DisruptionTarget of an evicted Pod.
const EVICTED: &str = "DeletionByTaintManager";

/// Evicts Pods from tainted nodes.
#[derive(Debug, Default)]
pub(crate) struct TaintEviction {
    /// The times from which the toleration of each Pod counts.
    leaving: BTreeMap<String, Timestamp>,
}

impl Controller for TaintEviction {
    fn name(&self) -> &'static str {
        "taint-eviction"
    }

    fn component(&self) -> &'static str {
        "taint-eviction-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        let nodes = Watch::new(watched::nodes(), |change, cache| {
            match change
                .after
                .as_ref()
                .filter(|_| change.differs("/spec/taints"))
            {
                Some(node) => pods_of(node, cache),
                None => Vec::new(),
            }
        });
        let pods = Watch::new(watched::pods(), |change, cache| {
            // Other changes of a Pod cannot change the decision.
            let fresh = change.differs("/spec/nodeName") || change.differs("/spec/tolerations");
            let pod = change.after.iter().filter(|_| fresh);
            pod.filter(|p| {
                let node = cache.get(watched::nodes(), "", views::pod(p).node_name());
                node.is_some_and(|n| executing(n).next().is_some())
            })
            .map(|p| p.key().clone())
            .collect()
        });
        vec![nodes, pods]
    }

    fn indexes(&self) -> Vec<Index> {
        vec![by_node()]
    }

    fn observe(&mut self, change: &Change, _: &Cache) {
        if let (Some(pod), None) = (&change.before, &change.after) {
            self.leaving.remove(pod.uid());
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let Some(pod) = context.cache.by_key(watched::pods(), context.key) else {
            return plan;
        };
        let node = views::pod(pod).node_name();
        let Some(node) = context.cache.get(watched::nodes(), "", node) else {
            return plan;
        };
        // A terminating Pod is evicted, too: upstream does not see that the controller of a DaemonSet was faster.
        if pod.is_terminating() && is_marked(pod) {
            return plan;
        }
        let seen = context.now;
        let Some((wait, added)) = stay(pod, node) else {
            if self.leaving.remove(pod.uid()).is_some() {
                plan.events.push(note(pod, "Cancelling deletion of Pod"));
            }
            return plan;
        };
        // A taint without a toleration ends every tolerated time.
        let at_once = wait.is_zero() && added.is_none();
        if at_once && self.leaving.remove(pod.uid()).is_some() {
            plan.events.push(note(pod, "Cancelling deletion of Pod"));
        }
        let since = *self
            .leaving
            .entry(pod.uid().to_owned())
            // The time of the taint rather than of the first reconcile, so that a restart does not grant the tolerated
            // time again.
            .or_insert_with(|| added.unwrap_or(seen));
        let stayed = moment::since(since, context.now);
        if stayed < wait {
            plan.requeue_in(wait.saturating_sub(stayed));
            return plan;
        }
        evict(pod, context.now, &mut plan);
        plan
    }
}

/// Returns the `NoExecute` taints of a node.
fn executing(node: &Value) -> impl Iterator<Item = &Value> {
    let taints = views::node(node).taints().iter();
    taints.filter(|t| views::taint(t).effect() == "NoExecute")
}

/// Returns true if the Pod was evicted before.
fn is_marked(pod: &Object) -> bool {
    let mark = condition::find(pod, "DisruptionTarget");
    mark.is_some_and(|c| views::condition(c).reason() == EVICTED)
}

/// Returns the time from which the toleration of a taint counts. `kubectl taint` does not set it, and a restart must
/// not grant the tolerated time again, so it is the time at which the taints were written.
fn added_at(taint: &Value, node: &Value) -> Option<Timestamp> {
    let added = moment::read(field(taint, "timeAdded"));
    added.or_else(|| views::node(node).taints_written())
}

/// Returns the time that a Pod may stay and its beginning, or `None` if it may stay forever.
fn stay(pod: &Value, node: &Value) -> Option<(SignedDuration, Option<Timestamp>)> {
    let mut least: Option<i64> = None;
    let mut added = None;
    for taint in executing(node) {
        let read = Taint::read(taint);
        added = added.max(added_at(taint, node));
        let mut tolerations = views::pod(pod).tolerations().iter();
        // The first toleration counts, as in upstream's `GetMatchingTolerations`.
        let Some(meant) = tolerations.find(|t| Taint::read(t).tolerates(&read)) else {
            // A single taint without a toleration is enough to evict.
            return Some((SignedDuration::ZERO, None));
        };
        if let Some(seconds) = opt_int(meant, "tolerationSeconds") {
            least = Some(least.map_or(seconds, |l| l.min(seconds)).max(0));
        }
    }
    Some((SignedDuration::from_secs(least?), added))
}

fn note(pod: &Object, what: &str) -> EventNote {
    let message = format!("{what} {}/{}", pod.namespace(), pod.name());
    EventNote::normal(pod, "TaintManagerEviction", message)
}

fn evict(pod: &Object, now: Timestamp, plan: &mut Plan) {
    let message = "Taint manager: deleting due to NoExecute taint";
    let status = disruption(pod, EVICTED, message, now);
    let rule = "evict: no toleration covers a NoExecute taint of the node";
    plan.changes
        // The condition is written first: a Job's failure policy reads it from the deleted Pod.
        .push(PlannedWrite::patch_status(pod, json!({"status": status}), rule).in_wave(1));
    plan.changes
        .push(PlannedWrite::delete(pod, rule).in_wave(2));
    plan.events.push(note(pod, "Marking for deletion Pod"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content, lines};

    fn harness(taints: Value, tolerations: Value) -> ControllerHarness<TaintEviction> {
        let mut harness = ControllerHarness::new(TaintEviction::default());
        harness.put(
            "v1",
            "Node",
            json!({"metadata": {"name": "n"}, "spec": {"taints": taints}}),
        );
        harness.put(
            "v1",
            "Pod",
            json!({"metadata": {"name": "p"}, "spec": {
                "nodeName": "n", "tolerations": tolerations,
            }}),
        );
        harness
    }

    fn tolerated(seconds: Option<i64>) -> Value {
        let mut toleration = json!({"key": "k", "operator": "Exists", "effect": "NoExecute"});
        if let Some(seconds) = seconds {
            toleration["tolerationSeconds"] = json!(seconds);
        }
        json!([toleration])
    }

    #[test]
    fn pods_are_evicted_after_their_toleration_seconds() {
        let taint =
            json!([{"key": "k", "effect": "NoExecute", "timeAdded": "2026-01-02T11:59:00Z"}]);
        let gone = ["patch-status pods p: evict", "delete pods p: evict"];
        let both = |first, second| {
            let [first, second] =
                [first, second].map(|seconds| tolerated(Some(seconds))[0].clone());
            json!([first, second])
        };
        for (taints, tolerations, writes, again) in [
            (taint.clone(), json!([]), &gone[..], None),
            (taint.clone(), tolerated(None), &[], None),
            (taint.clone(), tolerated(Some(300)), &[], Some(240)),
            (taint.clone(), tolerated(Some(60)), &gone[..], None),
            (taint.clone(), tolerated(Some(-5)), &gone[..], None),
            (
                json!([{"key": "k", "effect": "NoSchedule"}]),
                json!([]),
                &[],
                None,
            ),
            (json!([]), json!([]), &[], None),
            // The first toleration that matches counts.
            (taint.clone(), both(300, 10), &[], Some(240)),
            (taint.clone(), both(10, 300), &gone[..], None),
        ] {
            let plan = harness(taints.clone(), tolerations.clone()).plan("default", "p");
            assert_eq!(lines(&plan), writes, "{taints} {tolerations}");
            assert_eq!(
                plan.requeue_after.map(|a| a.as_secs()),
                again,
                "{taints} {tolerations}"
            );
        }
    }

    #[test]
    fn eviction_adds_the_last_condition_with_the_generation() {
        let taint = json!([{"key": "k", "effect": "NoExecute"}]);
        let mut harness = harness(taint, json!([]));
        harness.put(
            "v1",
            "Pod",
            json!({"metadata": {"name": "p", "generation": 3}, "spec": {"nodeName": "n"},
                "status": {"conditions": [{"type": "Ready", "status": "True"}]}}),
        );
        let plan = harness.plan("default", "p");
        let status = &content(&plan.changes[0])["status"];
        assert_eq!(
            status["$setElementOrder/conditions"],
            json!([{"type": "Ready"}, {"type": "DisruptionTarget"}])
        );
        let own = &status["conditions"];
        assert_eq!(
            (own[0]["observedGeneration"].as_i64(), own[1].is_null()),
            (Some(3), true)
        );
    }

    #[test]
    fn terminating_pods_are_evicted_once() {
        let taint = json!([{"key": "k", "effect": "NoExecute"}]);
        for (conditions, writes) in [
            (json!([]), 2),
            (
                json!([{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]),
                2,
            ),
            (
                json!([{"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}]),
                0,
            ),
        ] {
            let mut harness = harness(taint.clone(), json!([]));
            let pod = json!({
                "metadata": {"name": "p", "deletionTimestamp": "2026-01-02T12:00:30Z"},
                "spec": {"nodeName": "n"}, "status": {"conditions": conditions},
            });
            harness.put("v1", "Pod", pod);
            let plan = harness.plan("default", "p");
            assert_eq!(
                (plan.changes.len(), plan.events.len()),
                (writes, writes / 2)
            );
        }
    }

    #[test]
    fn tolerated_time_counts_from_the_write_of_the_taint() {
        let taint = json!([{"key": "k", "effect": "NoExecute"}]);
        let mut harness = harness(taint.clone(), tolerated(Some(60)));
        let written =
            json!([{"time": "2026-01-02T11:59:20Z", "fieldsV1": {"f:spec": {"f:taints": {}}}}]);
        let node =
            json!({"metadata": {"name": "n", "managedFields": written}, "spec": {"taints": taint}});
        harness.put("v1", "Node", node);
        let plan = harness.plan("default", "p");
        assert_eq!(plan.requeue_after, Some(SignedDuration::from_secs(20)));
    }

    #[test]
    fn new_untolerated_taint_replaces_the_scheduled_eviction() {
        let taint = |key: &str| json!({"key": key, "effect": "NoExecute"});
        let mut harness = harness(json!([taint("k")]), tolerated(Some(30)));
        assert!(harness.plan("default", "p").events.is_empty());
        let both =
            json!({"metadata": {"name": "n"}, "spec": {"taints": [taint("k"), taint("other")]}});
        harness.put("v1", "Node", both);
        let plan = harness.plan("default", "p");
        let told: Vec<&str> = plan.events.iter().map(|n| &*n.message).collect();
        assert_eq!(
            told,
            [
                "Cancelling deletion of Pod default/p",
                "Marking for deletion Pod default/p"
            ]
        );
    }

    #[test]
    fn a_taint_removed_in_time_cancels_the_eviction() {
        let taint = json!([{"key": "k", "effect": "NoExecute"}]);
        let mut harness = harness(taint, tolerated(Some(30)));
        assert_eq!(
            harness.plan("default", "p").requeue_after,
            Some(SignedDuration::from_secs(30))
        );
        harness.now = "2026-01-02T12:00:10Z".parse().unwrap();
        assert_eq!(
            harness.plan("default", "p").requeue_after,
            Some(SignedDuration::from_secs(20))
        );
        harness.put("v1", "Node", json!({"metadata": {"name": "n"}, "spec": {}}));
        let plan = harness.plan("default", "p");
        assert_eq!(
            plan.events[0].message,
            "Cancelling deletion of Pod default/p"
        );
        assert_eq!(harness.plan("default", "p"), Plan::done());
    }
}
