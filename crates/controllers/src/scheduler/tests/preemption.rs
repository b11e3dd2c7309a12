//! Preemption, and the reasons why it does not help.

use super::*;

#[test]
fn a_node_that_stays_too_full_keeps_its_reason() {
    let mut harness = ControllerHarness::with_nodes(2);
    // Without the less important Pod, there is still not enough room.
    harness.asking(
        "kept",
        3000,
        json!({"nodeName": "node-0", "priority": 1000}),
    );
    harness.asking("low", 1000, json!({"nodeName": "node-0"}));
    harness.asking(
        "full",
        4000,
        json!({"nodeName": "node-1", "priority": 1000}),
    );
    harness.asking("p", 2000, json!({"priority": 100}));
    assert_eq!(
        harness.message(),
        "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are \
         available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod."
    );
}

#[test]
fn budgets_without_a_selector_and_evicted_pods_do_not_protect() {
    for (selector, disrupted, expected) in [
        (json!({"matchLabels": {"app": "web"}}), json!({}), "node-1"),
        (json!({}), json!({}), "node-0"),
        (
            json!({"matchLabels": {"app": "web"}}),
            json!({"a": "2026-01-02T12:00:00Z"}),
            "node-0",
        ),
    ] {
        let mut harness = ControllerHarness::with_nodes(2);
        // The first Pod would be the cheaper victim.
        let containers = json!([{"resources": {"requests": {"cpu": "4"}}}]);
        for (name, app, node, priority) in [("a", "web", "node-0", 1), ("b", "other", "node-1", 2)]
        {
            let spec = json!({"nodeName": node, "priority": priority, "containers": containers});
            let metadata = json!({"name": name, "labels": {"app": app}});
            harness.put("v1", "Pod", json!({"metadata": metadata, "spec": spec}));
        }
        let budget = json!({"metadata": {"name": "pdb"}, "spec": {"selector": selector},
            "status": {"disruptionsAllowed": 0, "disruptedPods": disrupted}});
        harness.put("policy/v1", "PodDisruptionBudget", budget);
        harness.asking("p", 2000, json!({"priority": 100}));
        let plan = harness.plan();
        let status = &content(&plan.changes[0])["status"];
        assert_eq!(status["nominatedNodeName"], expected, "{status}");
    }
}
