//! Affinity between Pods.

use super::*;

/// Returns an affinity term about the Pods with a label.
fn to(label: &str, value: &str) -> Value {
    json!({"labelSelector": {"matchLabels": {label: value}}, "topologyKey": "kubernetes.io/hostname"})
}

fn running(harness: &mut ControllerHarness, name: &str, node: &str, labels: Value) -> Object {
    let pod = json!({"metadata": {"name": name, "labels": labels}, "spec": {"nodeName": node}});
    harness.put("v1", "Pod", pod)
}

#[test]
fn a_pod_counts_for_affinity_only_if_it_matches_all_terms() {
    let both = json!({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        to("app", "db"), to("tier", "back"),
    ]}}});
    let mut harness = ControllerHarness::with_nodes(2);
    running(&mut harness, "db", "node-1", json!({"app": "db"}));
    running(&mut harness, "back", "node-1", json!({"tier": "back"}));
    harness.pod("p", both);
    let message = harness.message();
    let expected = "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.";
    assert!(message.starts_with(expected), "{message}");
    let labels = json!({"app": "db", "tier": "back"});
    running(&mut harness, "db-back", "node-1", labels);
    assert_eq!(harness.bind(), [("p".to_owned(), "node-1".to_owned())]);
}

#[test]
fn a_terminating_pod_counts_for_affinity_but_not_for_spreading() {
    let mut harness = ControllerHarness::with_nodes(1);
    let old = running(&mut harness, "old", "node-0", json!({"app": "web"}));
    let mut ending = old.to_value();
    ending["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
    harness.put("v1", "Pod", ending);
    harness.pod("apart", affinity("podAntiAffinity", to("app", "web")));
    let message = harness.message();
    let expected = "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.";
    assert!(message.starts_with(expected), "{message}");
    let spread = json!({"topologySpreadConstraints": [{
        "topologyKey": "kubernetes.io/hostname", "maxSkew": 1, "minDomains": 2,
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}},
    }]});
    harness.pod("spread", spread);
    assert_eq!(harness.bind(), [("spread".to_owned(), "node-0".to_owned())]);
}

#[test]
fn a_running_pod_wakes_the_pods_that_wait_for_its_labels() {
    let mut harness = ControllerHarness::with_nodes(1);
    let bare = running(&mut harness, "db", "node-0", json!({}));
    harness.pod("p", affinity("podAffinity", to("app", "db")));
    harness.message();
    let mut labeled = bare.to_value();
    labeled["metadata"]["labels"] = json!({"app": "db"});
    let labeled = harness.put("v1", "Pod", labeled);
    let mut reported = labeled.to_value();
    reported["status"] = json!({"phase": "Running"});
    let reported = Object::new(watched::pods(), reported);
    let watches = harness.scheduler.watches();
    let wakes = |before: Option<&Object>, after: &Object| {
        let change = Change {
            before: before.cloned(),
            after: Some(after.clone()),
        };
        !(watches[0].keys)(&change, &harness.cache).is_empty()
    };
    assert!(wakes(Some(&bare), &labeled) && wakes(None, &labeled));
    assert!(!wakes(Some(&labeled), &reported));
    assert_eq!(harness.bind(), [("p".to_owned(), "node-0".to_owned())]);
}

#[test]
fn a_waiting_pod_with_other_labels_is_tried_again() {
    let mut harness = ControllerHarness::with_nodes(1);
    let apart = affinity("podAntiAffinity", to("app", "web"));
    let mut spec = apart.clone();
    spec["nodeName"] = json!("node-0");
    harness.pod("old", spec);
    let waiting = harness.pod("p", json!({}));
    harness.message();
    let mut relabeled = waiting.to_value();
    relabeled["metadata"]["labels"] = json!({"app": "db"});
    harness.put("v1", "Pod", relabeled);
    assert_eq!(harness.bind(), [("p".to_owned(), "node-0".to_owned())]);
}
