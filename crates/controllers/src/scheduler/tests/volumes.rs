//! Pods with volumes.

use super::*;

#[test]
fn volume_claims_block_or_direct_scheduling() {
    let claim = |class: &str, volume: &str| {
        json!({"metadata": {"name": "c", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
            "spec": {"storageClassName": class, "volumeName": volume, "accessModes": ["ReadWriteOnce"]}})
    };
    let using = json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]});
    let mut harness = ControllerHarness::with_nodes(3);
    harness.pod("p", using.clone());
    assert_eq!(
        harness.message(),
        "0/3 nodes are available: persistentvolumeclaim \"c\" not found. not found"
    );
    harness.put("v1", "PersistentVolumeClaim", claim("s", ""));
    assert_eq!(
        harness.message(),
        "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    );
    let only = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-2"]},
    ]}]}});
    harness.put(
        "v1",
        "PersistentVolume",
        json!({"metadata": {"name": "v"}, "spec": {"nodeAffinity": only}}),
    );
    harness.put("v1", "PersistentVolumeClaim", claim("s", "v"));
    assert_eq!(harness.bind(), [("p".to_owned(), "node-2".to_owned())]);
    let mut harness = ControllerHarness::with_nodes(3);
    let class = json!({"metadata": {"name": "late"}, "provisioner": "x", "volumeBindingMode": "WaitForFirstConsumer"});
    harness.put("storage.k8s.io/v1", "StorageClass", class);
    harness.put("v1", "PersistentVolumeClaim", claim("late", ""));
    harness.pod("p", using);
    let plan = harness.plan();
    let Verb::Patch { patch, .. } = &plan.changes[0].verb else {
        panic!()
    };
    let chosen = &patch["metadata"]["annotations"]["volume.kubernetes.io/selected-node"];
    assert_eq!(chosen, "node-0");
    // An existing volume is reserved for the claim, which is not tied to the node.
    let free = json!({"metadata": {"name": "v"}, "spec": {
        "storageClassName": "late", "accessModes": ["ReadWriteOnce"]}});
    harness.put("v1", "PersistentVolume", free);
    let plan = harness.plan();
    let [write] = &plan.changes[..] else {
        panic!("{plan:?}")
    };
    assert_eq!(content(write)["spec"]["claimRef"]["name"], "c");
    assert_eq!(write.name, "v");
}

/// Returns a claim, and a Pod spec that uses it.
fn bound(volume: &str) -> (Value, Value) {
    let claim = json!({"metadata": {"name": "c", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"volumeName": volume, "accessModes": ["ReadWriteOnce"]}});
    let using = json!({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]});
    (claim, using)
}

#[test]
fn volume_is_used_in_its_zones() {
    let (claim, using) = bound("v");
    let mut harness = ControllerHarness::with_nodes(3);
    let zoned = |zones: &str| json!({"metadata": {"name": "v", "labels": {"topology.kubernetes.io/zone": zones}}});
    harness.put("v1", "PersistentVolume", zoned("c"));
    harness.put("v1", "PersistentVolumeClaim", claim);
    harness.pod("p", using);
    // Nodes without zones accept every volume.
    let zone = |key: &str, zone: &str| json!({"metadata": {"labels": {key: zone}}});
    harness.change_node("node-0", zone("topology.kubernetes.io/zone", "a"));
    harness.change_node("node-1", zone("topology.kubernetes.io/region", "a"));
    harness.change_node(
        "node-2",
        zone("failure-domain.beta.kubernetes.io/zone", "b"),
    );
    let message = harness.message();
    let expected = "0/3 nodes are available: 3 node(s) had no available volume zone.";
    assert!(message.starts_with(expected), "{message}");
    harness.put("v1", "PersistentVolume", zoned("c__b"));
    assert_eq!(harness.bind(), [("p".to_owned(), "node-2".to_owned())]);
}

#[test]
fn volume_is_provisioned_where_its_class_allows() {
    let (mut claim, using) = bound("");
    claim["spec"]["storageClassName"] = json!("late");
    let class = |zone: &str| {
        json!({"metadata": {"name": "late"}, "provisioner": "x", "volumeBindingMode": "WaitForFirstConsumer",
            "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": [zone]}]}]})
    };
    let mut harness = ControllerHarness::with_nodes(2);
    harness.put("v1", "PersistentVolumeClaim", claim);
    harness.put("storage.k8s.io/v1", "StorageClass", class("q"));
    harness.pod("p", using);
    let message = harness.message();
    let expected =
        "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.";
    assert!(message.starts_with(expected), "{message}");
    harness.put("storage.k8s.io/v1", "StorageClass", class("z1"));
    let plan = harness.plan();
    let chosen = &content(&plan.changes[0])["metadata"]["annotations"];
    assert_eq!(chosen["volume.kubernetes.io/selected-node"], "node-1");
}

#[test]
fn lost_claim_and_a_claim_of_another_owner_are_named() {
    let (mut claim, using) = bound("v");
    claim["status"] = json!({"phase": "Lost"});
    let mut harness = ControllerHarness::with_nodes(1);
    harness.put("v1", "PersistentVolumeClaim", claim);
    harness.pod("p", using);
    assert_eq!(
        harness.message(),
        "0/1 nodes are available: persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\". not found"
    );
    let mut harness = ControllerHarness::with_nodes(1);
    harness.put(
        "v1",
        "PersistentVolumeClaim",
        json!({"metadata": {"name": "p-v"}}),
    );
    harness.pod(
        "p",
        json!({"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {}}}]}),
    );
    assert_eq!(
        harness.message(),
        "0/1 nodes are available: PVC default/p-v was not created for pod default/p (pod is not owner). not found"
    );
}
