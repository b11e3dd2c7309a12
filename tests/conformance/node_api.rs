//! SIG Node: the kinds of nodes, leases, templates, runtime classes, ConfigMaps and Secrets.

use serde_json::{Value, json};

use crate::cluster::{Api, Server, namespace};
use crate::objects::{PAUSE, data, pod, spec};
use crate::operations::supported;
use crate::resource::{name, names};

fn space(name: &str) -> Api {
    namespace("api", name)
}

#[test]
fn cluster_has_two_nodes() {
    let api = space("two-nodes");
    let nodes = api.global("v1", "Node").list("");
    let untainted = nodes.iter().filter(|node| node["spec"]["taints"].is_null());
    assert!(untainted.count() >= 2, "{nodes:?}");
}

#[test]
fn node_has_a_lifecycle() {
    let server = Server::start();
    let api = server.namespace("node-life");
    let nodes = api.global("v1", "Node");
    nodes.create(json!({"metadata": {"name": "e2e-fake-node"}, "spec": {"unschedulable": true}}));
    assert_eq!(name(&nodes.get("e2e-fake-node")), "e2e-fake-node");
    let patched = nodes.merge(
        "e2e-fake-node",
        "",
        json!({"metadata": {"labels": {"e2e": "patched"}}}),
    );
    assert_eq!(patched["metadata"]["labels"]["e2e"], "patched");
    assert_eq!(names(&nodes.list("e2e=patched")), ["e2e-fake-node"]);
    let updated = nodes.edit("e2e-fake-node", "", |node| {
        node["metadata"]["labels"]["e2e"] = json!("updated")
    });
    assert_eq!(updated["metadata"]["labels"]["e2e"], "updated");
    nodes.delete("e2e-fake-node");
    nodes.until_gone("e2e-fake-node");
}

#[test]
fn leases_support_all_operations() {
    let api = space("leases");
    let leases = api.of("coordination.k8s.io/v1", "Lease");
    let time = "2026-01-01T00:00:00.000000Z";
    let spec = json!({
        "holderIdentity": "holder", "leaseDurationSeconds": 30, "acquireTime": time, "renewTime": time,
        "leaseTransitions": 0,
    });
    leases.create(json!({"metadata": {"name": "lease"}, "spec": spec}));
    assert_eq!(leases.get("lease")["spec"], spec);
    let later = "2026-01-01T00:00:10.000000Z";
    let spec = json!({
        "holderIdentity": "holder2", "leaseDurationSeconds": 30, "acquireTime": later, "renewTime": later,
        "leaseTransitions": 1,
    });
    leases.edit("lease", "", |lease| lease["spec"] = spec.clone());
    assert_eq!(leases.get("lease")["spec"], spec);
    leases.merge(
        "lease",
        "",
        json!({"spec": {"holderIdentity": "holder3", "leaseTransitions": 2}}),
    );
    assert_eq!(leases.get("lease")["spec"]["holderIdentity"], "holder3");
    leases.create(json!({"metadata": {"name": "lease2", "labels": {"deletecollection": "true"}}, "spec": spec}));
    assert_eq!(names(&leases.list("")), ["lease", "lease2"]);
    leases.delete_all("deletecollection=true");
    assert_eq!(names(&leases.list("")), ["lease"]);
    leases.delete("lease");
    assert_eq!(leases.try_get("lease").code, 404);
}

fn template(name: &str, labels: Value) -> Value {
    json!({"metadata": {"name": name, "labels": labels},
        "template": {"spec": {"containers": [{"name": "nginx", "image": PAUSE}]}}})
}

#[test]
fn pod_template_has_a_lifecycle() {
    let api = space("template-life");
    let templates = api.of("v1", "PodTemplate");
    templates.create(template("nginx", json!({"podtemplate-static": "true"})));
    let listed = api
        .global("v1", "PodTemplate")
        .list("podtemplate-static=true");
    assert_eq!(names(&listed), ["nginx"]);
    templates.merge(
        "nginx",
        "",
        json!({"metadata": {"labels": {"podtemplate": "patched"}}}),
    );
    assert_eq!(
        templates.get("nginx")["metadata"]["labels"]["podtemplate"],
        "patched"
    );
    templates.delete("nginx");
    assert!(templates.list("podtemplate-static=true").is_empty());
}

#[test]
fn pod_templates_are_deleted_together() {
    let api = space("template-all");
    let templates = api.of("v1", "PodTemplate");
    for number in 1..=3 {
        templates.create(template(
            &format!("test-{number}"),
            json!({"podtemplate-set": "true"}),
        ));
    }
    assert_eq!(templates.list("podtemplate-set=true").len(), 3);
    templates.delete_all("podtemplate-set=true");
    assert!(templates.list("podtemplate-set=true").is_empty());
}

#[test]
fn pod_template_is_replaced() {
    let api = space("template-replace");
    let templates = api.of("v1", "PodTemplate");
    templates.create(template("replaced", json!({"e2e": "true"})));
    templates.edit("replaced", "", |template| {
        template["metadata"]["annotations"] = json!({"updated": "true"})
    });
    assert_eq!(
        templates.get("replaced")["metadata"]["annotations"]["updated"],
        "true"
    );
}

const NODE: &str = "node.k8s.io/v1";

#[test]
fn runtime_classes_support_all_operations() {
    let api = space("runtime-api");
    supported(
        &api,
        NODE,
        "RuntimeClass",
        true,
        &|number| json!({"metadata": {"name": format!("runtime-api-{number}")}, "handler": "custom"}),
    );
}

fn with_class(name: &str, class: &str) -> Value {
    let mut made = pod(name, spec(PAUSE));
    made["spec"]["runtimeClassName"] = json!(class);
    made
}

#[test]
fn missing_runtime_class_rejects_a_pod() {
    let api = space("runtime-missing");
    let pods = api.of("v1", "Pod");
    pods.try_create(with_class("none", "nonexistent"))
        .says(403, "RuntimeClass \"nonexistent\" not found");
    let classes = api.global(NODE, "RuntimeClass");
    classes.create(json!({"metadata": {"name": "runtime-deleted"}, "handler": "test-handler"}));
    classes.delete("runtime-deleted");
    classes.until_gone("runtime-deleted");
    let refused = pods.try_create(with_class("deleted", "runtime-deleted"));
    refused.says(403, "RuntimeClass \"runtime-deleted\" not found");
}

#[test]
fn pod_with_a_runtime_class_is_scheduled() {
    let api = space("runtime-scheduled");
    let (pods, classes) = (api.of("v1", "Pod"), api.global(NODE, "RuntimeClass"));
    let overhead = json!({"podFixed": {"cpu": "10m", "memory": "1Mi"}});
    classes.create(json!({"metadata": {"name": "runtime-plain"}, "handler": "test-handler"}));
    classes.create(json!({"metadata": {"name": "runtime-over"}, "handler": "test-handler", "overhead": overhead}));
    let made = pods.create(with_class("plain", "runtime-plain"));
    assert!(made["spec"]["overhead"].is_null(), "{made}");
    let made = pods.create(with_class("over", "runtime-over"));
    assert_eq!(made["spec"]["overhead"], overhead["podFixed"]);
    for name in ["plain", "over"] {
        pods.until(name, "is scheduled", |pod| {
            pod["spec"]["nodeName"].is_string()
        });
    }
}

#[test]
fn empty_key_is_refused() {
    let api = space("empty-key");
    for (kind, value) in [("ConfigMap", "value-1"), ("Secret", "dmFsdWUtMQ==")] {
        let refused = api
            .of("v1", kind)
            .try_create(data("empty", json!({"": value})));
        assert_eq!(refused.code, 422, "{refused:?}");
    }
}

#[test]
fn config_map_has_a_lifecycle() {
    let api = space("map-life");
    let maps = api.of("v1", "ConfigMap");
    let mut made = data("test-configmap", json!({"valueName": "value"}));
    made["metadata"]["labels"] = json!({"test-configmap-static": "true"});
    let mut watch = maps.watch("labelSelector=test-configmap-static%3Dtrue");
    maps.create(made);
    watch.expect("ADDED");
    let patch = json!({"metadata": {"labels": {"test-configmap": "patched"}}, "data": {"valueName": "value1"}});
    maps.try_patch("test-configmap", "", "strategic-merge", &patch)
        .ok();
    watch.expect("MODIFIED");
    let read = maps.get("test-configmap");
    assert_eq!(read["data"]["valueName"], "value1");
    assert_eq!(read["metadata"]["labels"]["test-configmap"], "patched");
    let listed = api
        .global("v1", "ConfigMap")
        .list("test-configmap-static=true");
    assert!(
        listed
            .iter()
            .any(|m| name(m) == "test-configmap" && m["data"]["valueName"] == "value1")
    );
    maps.delete_all("test-configmap-static=true");
    watch.expect("DELETED");
    assert!(maps.list("test-configmap-static=true").is_empty());
}

#[test]
fn secret_is_patched() {
    let api = space("secret-patch");
    let secrets = api.of("v1", "Secret");
    let mut made = data("test-secret", json!({"key": "dmFsdWU="}));
    made["metadata"]["labels"] = json!({"testsecret-constant": "true"});
    made["type"] = json!("Opaque");
    secrets.create(made);
    assert_eq!(
        names(&api.global("v1", "Secret").list("testsecret-constant=true")),
        ["test-secret"]
    );
    let patch =
        json!({"metadata": {"labels": {"testsecret": "true"}}, "data": {"key": "dmFsdWUx"}});
    secrets
        .try_patch("test-secret", "", "strategic-merge", &patch)
        .ok();
    let read = secrets.get("test-secret");
    assert_eq!(read["data"]["key"], "dmFsdWUx");
    assert_eq!(read["metadata"]["labels"]["testsecret"], "true");
    secrets.delete_all("testsecret-constant=true");
    assert!(secrets.list("testsecret-constant=true").is_empty());
}

#[test]
fn immutable_data_does_not_change() {
    let api = space("immutable");
    for (kind, first, second) in [
        ("ConfigMap", "value-1", "value-2"),
        ("Secret", "dmFsdWUtMQ==", "dmFsdWUtMg=="),
    ] {
        let all = api.of("v1", kind);
        all.create(data("immutable", json!({"data-1": first})));
        all.edit("immutable", "", |object| {
            object["data"]["data-4"] = json!(second)
        });
        all.edit("immutable", "", |object| object["immutable"] = json!(true));
        let current = all.get("immutable");
        let mut changed = current.clone();
        changed["data"]["data-1"] = json!(second);
        assert_eq!(all.try_update(&changed, "").code, 422);
        let mut changed = current.clone();
        changed["immutable"] = json!(false);
        assert_eq!(all.try_update(&changed, "").code, 422);
        all.edit("immutable", "", |object| {
            object["metadata"]["labels"] = json!({"label-1": "value-1"})
        });
        all.delete("immutable");
    }
}

#[test]
fn device_classes_support_all_operations() {
    let api = space("dra-classes");
    supported(
        &api,
        "resource.k8s.io/v1",
        "DeviceClass",
        true,
        &|number| json!({"metadata": {"name": format!("dra-class-{number}")}, "spec": {}}),
    );
}

#[test]
fn resource_claims_support_all_operations() {
    let api = space("dra-claims");
    let spec = json!({"devices": {"requests": [{"name": "req-0", "exactly": {"deviceClassName": "none"}}]}});
    let version = "resource.k8s.io/v1";
    supported(
        &api,
        version,
        "ResourceClaim",
        false,
        &|number| json!({"metadata": {"name": format!("claim-{number}")}, "spec": spec}),
    );
    supported(
        &api,
        version,
        "ResourceClaimTemplate",
        false,
        &|number| json!({"metadata": {"name": format!("template-{number}")}, "spec": {"spec": spec}}),
    );
}

#[test]
fn resource_slices_support_all_operations() {
    let api = space("dra-slices");
    supported(
        &api,
        "resource.k8s.io/v1",
        "ResourceSlice",
        true,
        &|number| {
            json!({"metadata": {"name": format!("slice-{number}")}, "spec": {
                "driver": "dra.example.com", "allNodes": true,
                "pool": {"name": format!("pool-{number}"), "generation": 1, "resourceSliceCount": 1},
            }})
        },
    );
}
