//! SIG Storage: the kinds of volumes and of their drivers.

use serde_json::{Value, json};

use crate::cluster::{Api, namespace};
use crate::objects::{PAUSE, pod, spec};
use crate::operations::supported;
use crate::resource::{Resource, is_true, name, names};

const STORAGE: &str = "storage.k8s.io/v1";

fn space(name: &str) -> Api {
    namespace("api", name)
}

/// Checks the steps of several tests: create, read, patch, list, delete, create again, update, delete together.
#[track_caller]
fn lifecycle(all: &Resource<'_>, make: &dyn Fn(&str) -> Value) {
    let label = format!("e2e={}", all.api.namespace);
    let labeled = |name: &str, value: &str| {
        let mut object = make(name);
        object["metadata"]["labels"] = json!({"e2e": value});
        object
    };
    let own = &all.api.namespace;
    let first = format!("{own}-1");
    all.create(labeled(&first, "new"));
    assert_eq!(name(&all.get(&first)), first);
    let patched = all.merge(
        &first,
        "",
        json!({"metadata": {"labels": {"e2e": own, (&*first): "patched"}}}),
    );
    assert_eq!(patched["metadata"]["labels"][&first], "patched");
    assert_eq!(names(&all.list(&format!("{first}=patched"))), [&*first]);
    all.delete(&first);
    all.until_gone(&first);
    let second = format!("{own}-2");
    all.create(labeled(&second, own));
    let updated = all.edit(&second, "", |object| {
        object["metadata"]["labels"][&second] = json!("updated")
    });
    assert_eq!(updated["metadata"]["labels"][&second], "updated");
    all.create(labeled(&format!("{own}-3"), own));
    all.delete_all(&label);
    all.until_all(&label, "are deleted", <[Value]>::is_empty);
}

#[test]
fn storage_classes_have_a_lifecycle() {
    let api = space("storage-class");
    lifecycle(
        &api.global(STORAGE, "StorageClass"),
        &|name| json!({"metadata": {"name": name}, "provisioner": "e2e-fake-provisioner"}),
    );
}

#[test]
fn drivers_have_a_lifecycle() {
    let api = space("csi-driver");
    lifecycle(
        &api.global(STORAGE, "CSIDriver"),
        &|name| json!({"metadata": {"name": name}, "spec": {"volumeLifecycleModes": ["Ephemeral"]}}),
    );
}

#[test]
fn csi_nodes_have_a_lifecycle() {
    let api = space("csi-node");
    lifecycle(
        &api.global(STORAGE, "CSINode"),
        &|name| json!({"metadata": {"name": name}, "spec": {"drivers": [{"name": "e2e-driver", "nodeID": name}]}}),
    );
}

fn attachment(name: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {
        "attacher": "e2e-test.example.com", "nodeName": "e2e-node", "source": {"persistentVolumeName": format!("pv-{name}")},
    }})
}

#[test]
fn attachments_have_a_lifecycle() {
    let api = space("attach");
    lifecycle(&api.global(STORAGE, "VolumeAttachment"), &attachment);
}

#[test]
fn attachment_status_changes() {
    let api = space("attach-status");
    let all = api.global(STORAGE, "VolumeAttachment");
    all.create(attachment("attach-status"));
    let patched = all.merge(
        "attach-status",
        "",
        json!({"metadata": {"labels": {"e2e": "patched"}}}),
    );
    assert_eq!(patched["metadata"]["labels"]["e2e"], "patched");
    let read = all.part("attach-status", "status");
    assert_ne!(read["status"]["attached"], true, "{read}");
    let patched = all.merge(
        "attach-status",
        "status",
        json!({"status": {"attached": true}}),
    );
    assert_eq!(patched["status"]["attached"], true);
    let updated = all.edit("attach-status", "status", |object| {
        object["status"]["attached"] = json!(false)
    });
    assert_eq!(updated["status"]["attached"], false);
    all.delete("attach-status");
    all.until_gone("attach-status");
}

#[test]
fn storage_capacities_support_all_operations() {
    let api = space("capacities");
    supported(&api, STORAGE, "CSIStorageCapacity", false, &|number| {
        json!({"metadata": {"name": format!("capacity-{number}")}, "storageClassName": "csi-sc",
            "nodeTopology": {"matchLabels": {"topology.example.com/host": "a"}}, "capacity": "1Gi"})
    });
}

#[test]
fn attributes_classes_support_all_operations() {
    let api = space("attributes");
    supported(&api, STORAGE, "VolumeAttributesClass", true, &|number| {
        json!({"metadata": {"name": format!("attributes-{number}")}, "driverName": "e2e-fake-csi-driver",
            "parameters": {"foo": "bar"}})
    });
}

#[test]
fn pods_have_inline_volumes() {
    let api = space("inline");
    let pods = api.of("v1", "Pod");
    let made = |name: &str| {
        let mut made = pod(name, spec(PAUSE));
        let volume = json!({"driver": "e2e.example.com", "volumeAttributes": {"foo": "bar"}});
        made["spec"]["volumes"] = json!([{"name": "v", "csi": volume}]);
        made["spec"]["containers"][0]["volumeMounts"] = json!([{"name": "v", "mountPath": "/v"}]);
        made["metadata"]["labels"] = json!({"e2e": "inline"});
        made
    };
    let created = pods.create(made("one"));
    pods.create(made("two"));
    assert_eq!(
        created["spec"]["volumes"][0]["csi"]["driver"],
        "e2e.example.com"
    );
    assert_eq!(
        pods.get("one")["metadata"]["uid"],
        created["metadata"]["uid"]
    );
    assert_eq!(names(&pods.list("e2e=inline")), ["one", "two"]);
    let patched = pods.merge(
        "one",
        "",
        json!({"metadata": {"annotations": {"patched": "true"}}}),
    );
    assert_eq!(patched["metadata"]["annotations"]["patched"], "true");
    pods.try_delete("one", &json!({"gracePeriodSeconds": 0}))
        .ok();
    pods.until_gone("one");
    assert_eq!(names(&pods.list("e2e=inline")), ["two"]);
}

fn volume(name: &str, api: &Api) -> Value {
    json!({"metadata": {"name": name, "labels": {"e2e-pv-pool": api.namespace}}, "spec": {
        "storageClassName": format!("{}-none", api.namespace), "capacity": {"storage": "10Mi"},
        "accessModes": ["ReadWriteOnce"], "csi": {"driver": "csi.example.com", "volumeHandle": name},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone1"]},
        ]}]}},
    }})
}

fn claim(name: &str, api: &Api) -> Value {
    json!({"metadata": {"name": name, "labels": {"e2e-pvc-pool": api.namespace}}, "spec": {
        "storageClassName": format!("{}-other", api.namespace), "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }})
}

#[test]
fn volumes_and_claims_have_a_lifecycle() {
    let api = space("pv-life");
    let (volumes, claims) = (
        api.global("v1", "PersistentVolume"),
        api.of("v1", "PersistentVolumeClaim"),
    );
    for (all, first, second, label) in [
        (
            &volumes,
            volume("pv-life-1", &api),
            volume("pv-life-2", &api),
            "e2e-pv-pool=pv-life",
        ),
        (
            &claims,
            claim("pvc-1", &api),
            claim("pvc-2", &api),
            "e2e-pvc-pool=pv-life",
        ),
    ] {
        let made = all.create(first);
        let own = name(&made).to_owned();
        assert_eq!(names(&all.list(label)), [&*own]);
        let patched = all.merge(
            &own,
            "",
            json!({"metadata": {"labels": {(&*own): "patched"}}}),
        );
        assert_eq!(patched["metadata"]["labels"][&own], "patched");
        assert_eq!(all.get(&own)["metadata"]["uid"], made["metadata"]["uid"]);
        all.delete(&own);
        all.until_gone(&own);
        let made = all.create(second);
        let own = name(&made).to_owned();
        let updated = all.edit(&own, "", |object| {
            object["metadata"]["labels"][&own] = json!("updated")
        });
        assert_eq!(updated["metadata"]["labels"][&own], "updated");
        all.delete_all(label);
        all.until_all(label, "are deleted", <[Value]>::is_empty);
    }
}

#[test]
fn status_of_volumes_and_claims_changes() {
    let api = space("pv-status");
    let (volumes, claims) = (
        api.global("v1", "PersistentVolume"),
        api.of("v1", "PersistentVolumeClaim"),
    );
    volumes.create(volume("pv-status", &api));
    claims.create(claim("pvc-status", &api));
    assert_eq!(names(&volumes.list("e2e-pv-pool=pv-status")), ["pv-status"]);
    assert_eq!(names(&claims.list("")), ["pvc-status"]);
    claims.until("pvc-status", "is pending", |claim| {
        claim["status"]["phase"] == "Pending"
    });
    volumes.until("pv-status", "is available", |volume| {
        volume["status"]["phase"] == "Available"
    });
    let condition =
        |kind: &str| json!({"type": kind, "status": "True", "reason": "E2E", "message": "m"});
    let patch = json!({"status": {"conditions": [condition("StatusPatched")]}});
    let patched = claims.merge("pvc-status", "status", patch);
    assert!(is_true(&patched, "StatusPatched"), "{patched}");
    let patch = json!({"status": {"message": "StatusPatched", "reason": "E2E patchStatus"}});
    let patched = volumes.merge("pv-status", "status", patch);
    assert_eq!(patched["status"]["message"], "StatusPatched");
    assert_eq!(patched["status"]["reason"], "E2E patchStatus");
    let updated = claims.edit("pvc-status", "status", |claim| {
        claim["status"]["conditions"]
            .as_array_mut()
            .unwrap()
            .push(condition("StatusUpdated"));
    });
    assert!(is_true(&updated, "StatusUpdated"), "{updated}");
    let updated = volumes.edit("pv-status", "status", |volume| {
        volume["status"]["message"] = json!("StatusUpdated");
        volume["status"]["reason"] = json!("E2E updateStatus");
    });
    assert_eq!(updated["status"]["message"], "StatusUpdated");
    assert_eq!(
        volumes.part("pv-status", "status")["status"]["reason"],
        "E2E updateStatus"
    );
}
