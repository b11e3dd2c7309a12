//! Nominations: the nodes on which Pods wait for the end of others.

use super::*;
use crate::runtime::PlannedWrite;

/// Patches a Pod.
fn change(harness: &mut ControllerHarness, name: &str, patch: Value) {
    let pod = harness.cache.get(watched::pods(), "default", name);
    let mut pod = pod.unwrap().to_value();
    crate::api::patch::merge::apply(&mut pod, &patch);
    harness.put("v1", "Pod", pod);
}

/// Nominates a waiting Pod for a node.
fn nominate(harness: &mut ControllerHarness, name: &str, node: &str) {
    change(
        harness,
        name,
        json!({"status": {"nominatedNodeName": node}}),
    );
}

/// Returns the nominations that a plan writes; `None` for other writes.
fn nominations(plan: &Plan) -> Vec<(&str, Option<Value>)> {
    let nomination =
        |write: &PlannedWrite| content(write)["status"].get("nominatedNodeName").cloned();
    plan.changes
        .iter()
        .map(|write| (write.name.as_str(), nomination(write)))
        .collect()
}

#[test]
fn pod_without_a_candidate_loses_its_nominated_node() {
    let mut harness = ControllerHarness::with_nodes(1);
    harness.asking(
        "taken",
        3000,
        json!({"nodeName": "node-0", "priority": 200}),
    );
    harness.asking("late", 2000, json!({"priority": 100}));
    nominate(&mut harness, "late", "node-0");
    let plan = harness.plan();
    assert_eq!(nominations(&plan), [("late", Some(Value::Null))]);
}

#[test]
fn preemption_withdraws_the_nomination_of_less_important_pods() {
    let mut harness = ControllerHarness::with_nodes(1);
    harness.asking("old", 3000, json!({"nodeName": "node-0", "priority": 1}));
    harness.asking("low", 2000, json!({"priority": 5}));
    nominate(&mut harness, "low", "node-0");
    harness.asking("high", 3000, json!({"priority": 100}));
    let plan = harness.plan();
    let mut nominations = nominations(&plan);
    nominations.retain(|(name, _)| *name != "old");
    let (none, high) = (Some(Value::Null), Some(json!("node-0")));
    assert_eq!(nominations, [("high", high), ("low", none), ("low", None)]);
}

#[test]
fn a_nominated_node_that_fits_is_not_compared_with_others() {
    let mut harness = ControllerHarness::with_nodes(2);
    harness.asking("other", 1000, json!({"nodeName": "node-1"}));
    harness.asking("p", 100, json!({}));
    nominate(&mut harness, "p", "node-1");
    assert_eq!(harness.bind(), [("p".to_owned(), "node-1".to_owned())]);
}

#[test]
fn pod_waits_only_for_pods_that_terminate_by_preemption() {
    for (reason, waits) in [
        ("PreemptionByScheduler", true),
        ("EvictionByEvictionAPI", false),
    ] {
        let mut harness = ControllerHarness::with_nodes(1);
        harness.asking("old", 3000, json!({"nodeName": "node-0", "priority": 1}));
        let mark = json!({"type": "DisruptionTarget", "status": "True", "reason": reason});
        let patch = json!({"metadata": {"deletionTimestamp": "2026-01-02T12:00:00Z"}, "status": {"conditions": [mark]}});
        change(&mut harness, "old", patch);
        harness.asking("late", 3000, json!({"priority": 100}));
        nominate(&mut harness, "late", "node-0");
        let plan = harness.plan();
        let message = &plan.events[0].message;
        let told = message.contains("not eligible due to a terminating pod");
        assert_eq!(told, waits, "{reason}: {message}");
    }
}

#[test]
fn a_pod_waits_in_silence_while_its_victims_terminate() {
    let mut harness = ControllerHarness::with_nodes(1);
    harness.asking("old", 3000, json!({"nodeName": "node-0", "priority": 1}));
    harness.asking("late", 3000, json!({"priority": 100}));
    assert_eq!(harness.plan().events.len(), 1);
    let mark =
        json!({"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"});
    let ends = json!({"metadata": {"deletionTimestamp": "2026-01-02T12:00:30Z"}, "status": {"conditions": [mark]}});
    change(&mut harness, "old", ends);
    nominate(&mut harness, "late", "node-0");
    harness.asking("other", 3000, json!({}));
    let plan = harness.plan();
    let names: Vec<_> = plan.changes.iter().map(|write| &*write.name).collect();
    assert_eq!(names, ["other"]);
}
