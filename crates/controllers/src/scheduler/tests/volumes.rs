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
    let [write, nomination] = &plan.changes[..] else {
        panic!("{plan:?}")
    };
    assert_eq!(content(write)["spec"]["claimRef"]["name"], "c");
    assert_eq!(write.name, "v");
    assert_eq!(content(nomination)["status"]["nominatedNodeName"], "node-0");
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

#[test]
fn driver_attaches_a_limited_number_of_volumes_to_a_node() {
    let (mut claim, using) = bound("");
    let mut harness = ControllerHarness::with_nodes(2);
    for (node, count) in [("node-0", 1), ("node-1", 0)] {
        let driver = json!({"name": "d.com", "nodeID": node, "allocatable": {"count": count}});
        harness.put(
            "storage.k8s.io/v1",
            "CSINode",
            json!({"metadata": {"name": node}, "spec": {"drivers": [driver]}}),
        );
    }
    for name in ["a", "b"] {
        let csi = json!({"driver": "d.com", "volumeHandle": name});
        harness.put(
            "v1",
            "PersistentVolume",
            json!({"metadata": {"name": name}, "spec": {"csi": csi}}),
        );
        claim["metadata"]["name"] = json!(name);
        claim["spec"]["volumeName"] = json!(name);
        harness.put("v1", "PersistentVolumeClaim", claim.clone());
    }
    let using = |name: &str| {
        let mut spec = using.clone();
        spec["volumes"][0]["persistentVolumeClaim"]["claimName"] = json!(name);
        spec
    };
    harness.pod("p", using("a"));
    assert_eq!(harness.bind(), [("p".to_owned(), "node-0".to_owned())]);
    harness.pod("q", using("b"));
    assert_eq!(
        harness.message(),
        "0/2 nodes are available: 2 node(s) exceed max volume count. no new claims to deallocate, preemption: \
         0/2 nodes are available: 2 No preemption victims found for incoming pod."
    );
    // A volume that the node has does not count again.
    harness.pod("r", using("a"));
    assert_eq!(harness.bind(), [("r".to_owned(), "node-0".to_owned())]);
}

#[test]
fn volume_is_provisioned_where_its_driver_has_room() {
    let (mut claim, using) = bound("");
    claim["spec"]["storageClassName"] = json!("late");
    claim["spec"]["resources"] = json!({"requests": {"storage": "2Gi"}});
    let mut harness = ControllerHarness::with_nodes(2);
    harness.put(
        "storage.k8s.io/v1",
        "StorageClass",
        json!({"metadata": {"name": "late"}, "provisioner": "d.com", "volumeBindingMode": "WaitForFirstConsumer"}),
    );
    harness.put(
        "storage.k8s.io/v1",
        "CSIDriver",
        json!({"metadata": {"name": "d.com"}, "spec": {"storageCapacity": true}}),
    );
    let capacity = |size: &str| {
        json!({"metadata": {"name": "z1"}, "storageClassName": "late", "capacity": size,
            "nodeTopology": {"matchLabels": {"zone": "z1"}}})
    };
    harness.put("storage.k8s.io/v1", "CSIStorageCapacity", capacity("1Gi"));
    harness.put("v1", "PersistentVolumeClaim", claim);
    harness.pod("p", using);
    assert_eq!(
        harness.message(),
        "0/2 nodes are available: 2 node(s) did not have enough free storage. no new claims to deallocate, \
         preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
    );
    harness.put("storage.k8s.io/v1", "CSIStorageCapacity", capacity("2Gi"));
    let plan = harness.plan();
    let chosen = &content(&plan.changes[0])["metadata"]["annotations"];
    assert_eq!(chosen["volume.kubernetes.io/selected-node"], "node-1");
}

#[test]
fn pods_whose_volumes_are_prepared_are_nominated_and_take_room() {
    let mut harness = ControllerHarness::with_nodes(2);
    let class = json!({"metadata": {"name": "late"}, "provisioner": "x", "volumeBindingMode": "WaitForFirstConsumer"});
    harness.put("storage.k8s.io/v1", "StorageClass", class);
    for name in ["a", "b"] {
        let claim = json!({"metadata": {"name": name}, "spec": {"storageClassName": "late"}});
        harness.put("v1", "PersistentVolumeClaim", claim);
        let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": name}}]);
        harness.asking(name, 100, json!({"volumes": volumes}));
    }
    let plan = harness.plan();
    let nominations = plan.changes.iter().filter_map(|write| {
        let node = content(write)["status"]["nominatedNodeName"]
            .as_str()?
            .to_owned();
        Some((write.name.as_str().to_owned(), node))
    });
    let expected = [("a", "node-0"), ("b", "node-1")];
    let expected = expected.map(|(pod, node)| (pod.to_owned(), node.to_owned()));
    assert_eq!(nominations.collect::<Vec<_>>(), expected);
}

#[test]
fn a_claim_that_is_missing_is_named_before_one_that_is_not_bound() {
    let mut harness = ControllerHarness::with_nodes(1);
    let claim = json!({"metadata": {"name": "a"}, "spec": {}});
    harness.put("v1", "PersistentVolumeClaim", claim);
    let volumes = json!([
        {"name": "a", "persistentVolumeClaim": {"claimName": "a"}},
        {"name": "b", "persistentVolumeClaim": {"claimName": "b"}},
    ]);
    harness.pod("p", json!({"volumes": volumes}));
    assert_eq!(
        harness.message(),
        "0/1 nodes are available: persistentvolumeclaim \"b\" not found. not found"
    );
}

#[test]
fn pods_whose_volumes_are_prepared_keep_out_no_others() {
    let mut harness = ControllerHarness::with_nodes(10);
    let class = json!({"metadata": {"name": "late"}, "provisioner": "x", "volumeBindingMode": "WaitForFirstConsumer"});
    harness.put("storage.k8s.io/v1", "StorageClass", class);
    for node in 0..10 {
        let chosen = json!({"volume.kubernetes.io/selected-node": format!("node-{node}")});
        let claim = json!({"metadata": {"name": format!("c{node}"), "annotations": chosen},
            "spec": {"storageClassName": "late"}});
        harness.put("v1", "PersistentVolumeClaim", claim);
    }
    for number in 0..1000 {
        let node = number % 10;
        let volumes =
            json!([{"name": "v", "persistentVolumeClaim": {"claimName": format!("c{node}")}}]);
        let pod = json!({"metadata": {"name": format!("p{number}")}, "spec": {"volumes": volumes},
            "status": {"nominatedNodeName": format!("node-{node}")}});
        harness.put("v1", "Pod", pod);
    }
    harness.pod("other", json!({}));
    let plan = harness.plan();
    let bound: Vec<_> = bindings(&plan).into_iter().map(|(pod, _)| pod).collect();
    assert_eq!((bound, plan.partial), (vec!["other".to_owned()], false));
}
