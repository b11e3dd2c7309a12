//! Tables of claims and volumes.

use super::drivers::PROVISIONER;
use super::*;
use crate::cluster::PodMode;
use crate::harness::{ControllerHarness, content, lines};

fn claim(class: &str) -> Value {
    json!({"metadata": {"name": "c", "uid": "u", "finalizers": [CLAIM_FINALIZER]}, "spec": {
        "storageClassName": class, "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }})
}

fn volume(name: &str, size: &str) -> Value {
    json!({"metadata": {"name": name, "finalizers": [VOLUME_FINALIZER]}, "status": {"phase": "Available"},
        "spec": {"storageClassName": "s", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": size},
            "persistentVolumeReclaimPolicy": "Retain"}})
}

#[test]
fn claim_binds_the_smallest_sufficient_volume() {
    let mut harness = ControllerHarness::new(Claims::default());
    harness.put("v1", "PersistentVolumeClaim", claim("s"));
    harness.put("v1", "PersistentVolume", volume("big", "5Gi"));
    harness.put("v1", "PersistentVolume", volume("fit", "2Gi"));
    harness.put("v1", "PersistentVolume", volume("small", "500Mi"));
    let plan = harness.plan("default", "c");
    assert_eq!(
        lines(&plan),
        [
            "patch persistentvolumes fit: bind",
            "patch persistentvolumeclaims c: bind"
        ]
    );
    assert_eq!(content(&plan.changes[0])["spec"]["claimRef"]["uid"], "u");
    assert_eq!(content(&plan.changes[1])["spec"]["volumeName"], "fit");
    let mut bound = claim("s");
    bound["spec"]["volumeName"] = json!("fit");
    bound["metadata"]["annotations"] = json!({COMPLETED: "yes"});
    harness.put("v1", "PersistentVolumeClaim", bound);
    let mut taken = volume("fit", "2Gi");
    taken["spec"]["claimRef"] = json!({"name": "c", "namespace": "default", "uid": "u"});
    harness.put("v1", "PersistentVolume", taken);
    let plan = harness.plan("default", "c");
    assert_eq!(lines(&plan), ["status persistentvolumeclaims c: phase"]);
    assert_eq!(
        content(&plan.status[0])["status"],
        json!({
            "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"},
        })
    );
}

#[test]
fn unbound_claim_reports_the_reason_every_fifteen_seconds() {
    let mut harness = ControllerHarness::new(Claims::default());
    for class in ["", "missing"] {
        harness.put("v1", "PersistentVolumeClaim", claim(class));
        let plan = harness.plan("default", "c");
        assert_eq!(
            (plan.events.len(), plan.idle_requeue_after),
            (1, Some(RESYNC))
        );
        // Another claim or volume causes a reconcile before that time.
        let plan = harness.plan("default", "c");
        assert_eq!(
            (plan.events.len(), plan.idle_requeue_after),
            (0, Some(RESYNC))
        );
    }
}

#[test]
fn a_new_claim_waits_for_its_consumer_although_the_scheduler_was_faster() {
    let class = json!({"metadata": {"name": "s"}, "provisioner": "disk.example.com",
        "volumeBindingMode": "WaitForFirstConsumer"});
    let mut chosen = claim("s");
    chosen["metadata"]["annotations"] = json!({SELECTED_NODE: "node-0"});
    for (is_new, wanted) in [
        (true, &["WaitForFirstConsumer", "ExternalProvisioning"][..]),
        (false, &["ExternalProvisioning"]),
    ] {
        let mut harness = ControllerHarness::new(Claims::default());
        harness.put("storage.k8s.io/v1", "StorageClass", class.clone());
        if is_new {
            harness.put("v1", "PersistentVolumeClaim", claim("s"));
        }
        harness.put("v1", "PersistentVolumeClaim", chosen.clone());
        let reasons =
            |plan: Plan| -> Vec<String> { plan.events.iter().map(|n| n.reason.clone()).collect() };
        assert_eq!(reasons(harness.plan("default", "c")), wanted);
        // The same claim is not reported again before the resync, and no longer as new after a change.
        let again = reasons(harness.plan("default", "c"));
        assert!(again.is_empty(), "{again:?}");
        harness.put("v1", "PersistentVolumeClaim", chosen.clone());
        assert_eq!(
            reasons(harness.plan("default", "c")),
            ["ExternalProvisioning"]
        );
    }
}

#[test]
fn a_restart_does_not_repeat_the_report_about_a_waiting_claim() {
    let world = crate::testing::World::new();
    let asked = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"},
        "spec": {"storageClassName": "", "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}}}});
    let _ = world.create(claims(), &asked);
    world.settled();
    // Each run has new controllers.
    world.settled();
    let events = world.list(watched::events());
    let told = events
        .iter()
        .filter(|event| event["reason"] == "FailedBinding");
    let counts: Vec<_> = told.map(|event| event["count"].as_i64()).collect();
    assert_eq!(counts, [Some(1)]);
}

#[test]
fn a_claim_that_no_driver_serves_is_reported_again() {
    let mut harness = ControllerHarness::new(Claims::default());
    harness.mode = PodMode::Running;
    let class = json!({"metadata": {"name": "s"}, "provisioner": "disk.example.com"});
    harness.put("storage.k8s.io/v1", "StorageClass", class);
    let mut asked = claim("s");
    asked["metadata"]["annotations"] = json!({PROVISIONER[0]: "disk.example.com"});
    harness.put("v1", "PersistentVolumeClaim", claim("s"));
    harness.plan("default", "c");
    harness.put("v1", "PersistentVolumeClaim", asked);
    for (seconds, told) in [(0, 1), (1, 0), (15, 1)] {
        harness.now += SignedDuration::from_secs(seconds);
        let plan = harness.plan("default", "c");
        assert_eq!((plan.changes.len(), plan.events.len()), (0, told));
    }
}

#[test]
fn storage_class_provisions_a_volume_for_the_claim() {
    let mut harness = ControllerHarness::new(Claims::default());
    let class = json!({"metadata": {"name": "s"}, "provisioner": "disk.example.com"});
    harness.put("storage.k8s.io/v1", "StorageClass", class);
    harness.put("v1", "PersistentVolumeClaim", claim("s"));
    let plan = harness.plan("default", "c");
    assert_eq!(
        (
            plan.changes[0].name.as_str(),
            plan.events[0].reason.as_str()
        ),
        ("c", "ExternalProvisioning")
    );
    let mut asked = claim("s");
    asked["metadata"]["annotations"] = json!({PROVISIONER[0]: "disk.example.com"});
    harness.put("v1", "PersistentVolumeClaim", asked);
    let plan = harness.plan("default", "c");
    assert_eq!(lines(&plan), ["create persistentvolumes pvc-u: provision"]);
    assert_eq!(content(&plan.changes[0])["spec"]["claimRef"]["name"], "c");
}

#[test]
fn claim_is_expanded_if_its_class_allows_expansion() {
    for (allowed, mode, writes) in [
        (true, PodMode::Default, 1),
        (false, PodMode::Default, 0),
        (true, PodMode::Running, 0),
    ] {
        let mut harness = ControllerHarness::new(Claims::default());
        harness.mode = mode;
        let class = json!({"metadata": {"name": "s"}, "provisioner": "disk.example.com", "allowVolumeExpansion": allowed});
        harness.put("storage.k8s.io/v1", "StorageClass", class);
        let mut bound = claim("s");
        bound["spec"]["volumeName"] = json!("v");
        bound["spec"]["resources"]["requests"]["storage"] = json!("3Gi");
        bound["metadata"]["annotations"] = json!({COMPLETED: "yes"});
        bound["status"] = json!({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}});
        harness.put("v1", "PersistentVolumeClaim", bound);
        let mut held = volume("v", "1Gi");
        held["spec"]["claimRef"] = json!({"name": "c", "namespace": "default", "uid": "u"});
        held["spec"]["csi"] = json!({"driver": "disk.example.com"});
        harness.put("v1", "PersistentVolume", held.clone());
        let plan = harness.plan("default", "c");
        assert_eq!(plan.changes.len(), writes, "{allowed} {mode:?}");
        if writes == 0 {
            continue;
        }
        assert_eq!(lines(&plan), ["patch persistentvolumes v: resize"]);
        let told: Vec<&str> = plan.changes[0]
            .on_success
            .iter()
            .map(|n| n.reason.as_str())
            .collect();
        assert_eq!(told, ["Resizing", "VolumeResizeSuccessful"]);
        held["spec"]["capacity"]["storage"] = json!("3Gi");
        harness.put("v1", "PersistentVolume", held);
        let plan = harness.plan("default", "c");
        assert_eq!(
            content(&plan.status[0])["status"]["capacity"]["storage"],
            "3Gi"
        );
    }
}

#[test]
fn waiting_claims_report_the_reason() {
    for (class, mode, reason) in [
        ("", None, "FailedBinding"),
        ("none", None, "ProvisioningFailed"),
        ("late", Some("WaitForFirstConsumer"), "WaitForFirstConsumer"),
    ] {
        let mut harness = ControllerHarness::new(Claims::default());
        if let Some(mode) = mode {
            let object =
                json!({"metadata": {"name": class}, "provisioner": "x", "volumeBindingMode": mode});
            harness.put("storage.k8s.io/v1", "StorageClass", object);
        }
        harness.put("v1", "PersistentVolumeClaim", claim(class));
        let plan = harness.plan("default", "c");
        assert_eq!(
            (plan.changes.len(), plan.events[0].reason.as_str()),
            (0, reason)
        );
    }
}

#[test]
fn a_claim_is_kept_while_a_pod_uses_it() {
    let mut harness = ControllerHarness::new(Claims::default());
    let mut going = claim("s");
    going["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
    harness.put("v1", "PersistentVolumeClaim", going);
    let pod = json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n", "volumes": [
        {"name": "v", "persistentVolumeClaim": {"claimName": "c"}},
    ]}, "status": {"phase": "Succeeded"}});
    let pod = harness.put("v1", "Pod", pod);
    assert_eq!(harness.plan("default", "c"), Plan::done());
    harness.remove(&pod);
    assert_eq!(
        lines(&harness.plan("default", "c")),
        ["patch persistentvolumeclaims c: unprotect"]
    );
}

#[test]
fn ephemeral_volume_gets_a_claim_owned_by_the_pod() {
    let mut harness = ControllerHarness::new(EphemeralClaims);
    harness.put("v1", "Pod", json!({"metadata": {"name": "p"}, "spec": {"volumes": [
        {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
    ]}}));
    let plan = harness.plan("default", "p");
    assert_eq!(
        lines(&plan),
        ["create persistentvolumeclaims p-v: provision"]
    );
    assert_eq!(
        content(&plan.changes[0])["metadata"]["ownerReferences"][0]["kind"],
        "Pod"
    );
}

#[test]
fn claim_of_an_ephemeral_volume_must_be_the_pods() {
    let mut harness = ControllerHarness::new(EphemeralClaims);
    harness.put("v1", "Pod", json!({"metadata": {"name": "p"}, "spec": {"volumes": [
        {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
    ]}}));
    harness.put(
        "v1",
        "PersistentVolumeClaim",
        json!({"metadata": {"name": "p-v"}}),
    );
    let plan = harness.plan("default", "p");
    let why = "PVC default/p-v was not created for pod default/p (pod is not owner)";
    assert_eq!(plan.error.as_deref(), Some(why));
    assert_eq!(plan.events[0].reason, "FailedBinding");
    assert_eq!(plan.events[0].message, format!("ephemeral volume v: {why}"));
}

#[test]
fn only_a_driver_changes_the_capacity_of_a_bound_claim() {
    let mut bound = claim("s");
    bound["spec"]["volumeName"] = json!("v");
    bound["metadata"]["annotations"] = json!({COMPLETED: "yes"});
    bound["status"] =
        json!({"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]});
    let mut grown = volume("v", "5Gi");
    grown["spec"]["claimRef"] = json!({"name": "c", "namespace": "default", "uid": "u"});
    let mut harness = ControllerHarness::new(Claims::default());
    harness.put("v1", "PersistentVolumeClaim", bound);
    harness.put("v1", "PersistentVolume", grown.clone());
    assert_eq!(lines(&harness.plan("default", "c")), [""; 0]);
    let class =
        json!({"metadata": {"name": "s"}, "provisioner": "d", "allowVolumeExpansion": true});
    harness.put("storage.k8s.io/v1", "StorageClass", class);
    grown["spec"]["csi"] = json!({"driver": "d"});
    harness.put("v1", "PersistentVolume", grown);
    let plan = harness.plan("default", "c");
    assert_eq!(
        content(&plan.status[0])["status"]["capacity"]["storage"],
        "5Gi"
    );
}

#[test]
fn former_drivers_of_kubernetes_mean_their_successors() {
    let mut harness = ControllerHarness::new(Claims::default());
    let class = |name: &str| json!({"metadata": {"name": "s"}, "provisioner": name});
    harness.put("v1", "PersistentVolumeClaim", claim("s"));
    harness.put(
        "storage.k8s.io/v1",
        "StorageClass",
        class("kubernetes.io/aws-ebs"),
    );
    let plan = harness.plan("default", "c");
    let annotations = &content(&plan.changes[0])["metadata"]["annotations"];
    assert_eq!(annotations[PROVISIONER[0]], "ebs.csi.aws.com");
    harness.put(
        "storage.k8s.io/v1",
        "StorageClass",
        class("kubernetes.io/foo"),
    );
    let plan = harness.plan("default", "c");
    assert_eq!(plan.changes.len(), 0);
    assert_eq!(
        plan.events[0].message,
        "no volume plugin matched name: kubernetes.io/foo"
    );
}

#[test]
fn wait_for_first_consumer_event_names_unscheduled_pods() {
    let mut harness = ControllerHarness::new(Claims::default());
    let class = json!({"metadata": {"name": "s"}, "provisioner": "disk.example.com",
        "volumeBindingMode": "WaitForFirstConsumer"});
    harness.put("storage.k8s.io/v1", "StorageClass", class);
    harness.put("v1", "PersistentVolumeClaim", claim("s"));
    let pod = |name: &str, scheduled: &str| {
        json!({"metadata": {"name": name},
            "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]},
            "status": {"conditions": [{"type": "PodScheduled", "status": scheduled}]}})
    };
    let told = |harness: &mut ControllerHarness<Claims>| {
        let note = harness.plan("default", "c").events.remove(0);
        (note.reason, note.message)
    };
    let said = |reason: &str, message: &str| (reason.to_owned(), message.to_owned());
    harness.put("v1", "Pod", pod("new", "Unknown"));
    assert_eq!(
        told(&mut harness),
        said(
            "WaitForFirstConsumer",
            "waiting for first consumer to be created before binding"
        )
    );
    harness.put("v1", "Pod", pod("a", "False"));
    assert_eq!(
        told(&mut harness),
        said("WaitForPodScheduled", "waiting for pod a to be scheduled")
    );
    harness.put("v1", "Pod", pod("b", "False"));
    assert_eq!(
        told(&mut harness),
        said(
            "WaitForPodScheduled",
            "waiting for pods a,b to be scheduled"
        )
    );
    // No condition tells about the Pods of another scheduler.
    let mut foreign = pod("c", "Unknown");
    foreign["spec"]["schedulerName"] = json!("other");
    harness.put("v1", "Pod", foreign);
    assert_eq!(
        told(&mut harness).1,
        "waiting for pods a,b,c to be scheduled"
    );
}

fn released(source: Value) -> Value {
    let mut volume = json!({"metadata": {"name": "v", "finalizers": [VOLUME_FINALIZER],
            "annotations": {BY_CONTROLLER: "yes"}},
        "spec": {"capacity": {"storage": "3Gi"}, "persistentVolumeReclaimPolicy": "Recycle",
            "claimRef": {"namespace": "default", "name": "gone", "uid": "uid-gone"}},
        "status": {"phase": "Released"}});
    crate::api::patch::merge::apply(&mut volume, &json!({"spec": source}));
    volume
}

#[test]
fn a_recycled_volume_is_emptied_by_a_pod_and_free_again() {
    let mut harness = ControllerHarness::new(Volumes);
    harness.put(
        "v1",
        "PersistentVolume",
        released(json!({"hostPath": {"path": "/tmp/v"}})),
    );
    let plan = harness.plan("", "v");
    assert_eq!(lines(&plan), ["create pods recycler-for-v: recycle"]);
    let mut pod = content(&plan.changes[0]).clone();
    assert_eq!(pod["spec"]["activeDeadlineSeconds"], 90);
    let told = |plan: &Plan| -> Vec<String> {
        let of_writes = plan.changes.iter().chain(&plan.status);
        let of_writes = of_writes.flat_map(|write| &write.on_success);
        let all = plan.events.iter().chain(of_writes);
        all.map(|n| format!("{}: {}", n.reason, n.message))
            .collect()
    };
    pod["spec"]["nodeName"] = json!("n");
    let put = |harness: &mut ControllerHarness<Volumes>, phase: &str| {
        let mut pod = pod.clone();
        pod["status"] = json!({"phase": phase});
        let pod = harness.put("v1", "Pod", pod);
        assert_eq!(harness.keys(&pod), [Key::new("", "v")]);
    };
    put(&mut harness, "Running");
    assert_eq!(lines(&harness.plan("", "v")), Vec::<String>::new());
    put(&mut harness, "Succeeded");
    let plan = harness.plan("", "v");
    assert_eq!(
        lines(&plan),
        [
            "delete pods recycler-for-v: recycle",
            "patch persistentvolumes v: recycle"
        ]
    );
    assert_eq!(content(&plan.changes[1])["spec"]["claimRef"], Value::Null);
    assert_eq!(
        told(&plan),
        [
            "RecyclerPod: Recycler pod: Successfully assigned default/recycler-for-v to n",
            "VolumeRecycled: Volume recycled"
        ]
    );
    put(&mut harness, "Failed");
    let plan = harness.plan("", "v");
    assert_eq!(
        lines(&plan),
        [
            "delete pods recycler-for-v: recycle",
            "patch-status persistentvolumes v: recycle"
        ]
    );
    assert_eq!(
        told(&plan)[1],
        "VolumeFailedRecycle: Recycle failed: failed to recycle volume: pod failed, \
         pod.Status.Message unknown"
    );
}

#[test]
fn a_volume_that_no_plugin_empties_fails_once() {
    let mut harness = ControllerHarness::new(Volumes);
    let mut volume = released(json!({"local": {"path": "/v"}}));
    harness.put("v1", "PersistentVolume", volume.clone());
    let plan = harness.plan("", "v");
    assert_eq!(lines(&plan), ["patch-status persistentvolumes v: recycle"]);
    let message = "No recycler plugin found for the volume!";
    assert_eq!(content(&plan.status[0])["status"]["message"], message);
    volume["status"]["phase"] = json!("Failed");
    harness.put("v1", "PersistentVolume", volume);
    assert!(harness.plan("", "v").is_empty());
}

#[test]
fn claim_expansion_without_a_driver_is_reported_once() {
    let mut harness = ControllerHarness::new(Claims::default());
    let asks = |size: &str, phase: &str| {
        let mut claim = claim("s");
        claim["spec"]["resources"]["requests"]["storage"] = json!(size);
        claim["status"] = json!({"phase": phase});
        claim
    };
    for (size, phase, told) in [
        ("1Gi", "Bound", 0),
        ("2Gi", "Bound", 1),
        ("2Gi", "Bound", 0),
        ("2Gi", "Pending", 0),
        ("3Gi", "Pending", 0),
    ] {
        harness.put("v1", "PersistentVolumeClaim", asks(size, phase));
        let notes = harness.plan("default", "c").events;
        let expanding = notes.iter().filter(|n| n.reason == "ExternalExpanding");
        let by: Vec<&str> = expanding.map(|n| n.component).collect();
        assert_eq!(by, vec!["volume_expand"; told], "{size} {phase}");
    }
}

#[test]
fn pending_claim_gets_a_new_default_storage_class() {
    let mut harness = ControllerHarness::new(Claims::default());
    let class = |default: &str| {
        json!({"metadata": {"name": "s", "annotations":
            {"storageclass.kubernetes.io/is-default-class": default}},
            "provisioner": "disk.example.com"})
    };
    let mut unnamed = claim("");
    unnamed["spec"]
        .as_object_mut()
        .unwrap()
        .remove("storageClassName");
    harness.put("storage.k8s.io/v1", "StorageClass", class("false"));
    harness.put("v1", "PersistentVolumeClaim", unnamed);
    assert_eq!(lines(&harness.plan("default", "c")), Vec::<String>::new());
    harness.put("storage.k8s.io/v1", "StorageClass", class("true"));
    let plan = harness.plan("default", "c");
    assert_eq!(lines(&plan), ["patch persistentvolumeclaims c: classify"]);
    assert_eq!(
        *content(&plan.changes[0]),
        json!({"spec": {"storageClassName": "s"}})
    );
    // A claim that requests no class gets none.
    harness.put("v1", "PersistentVolumeClaim", claim(""));
    assert_eq!(lines(&harness.plan("default", "c")), Vec::<String>::new());
}
