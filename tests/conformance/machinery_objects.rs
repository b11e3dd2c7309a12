//! SIG API Machinery: the garbage collector and namespaces.

use serde_json::{Value, json};

use crate::cluster::{Api, Server, namespace, server};
use crate::objects::{HTTPD, PAUSE, controller, pod, service, spec, until_ready_pods, workload};
use crate::operations::status_changes;
use crate::resource::name;

fn space(name: &str) -> Api {
    namespace("objects", name)
}

#[test]
fn pods_of_a_deleted_controller_are_collected() {
    let api = space("gc-rc");
    let (controllers, pods) = (api.of("v1", "ReplicationController"), api.of("v1", "Pod"));
    controllers.create(controller("rc", 2, PAUSE));
    pods.until_all("app=rc", "exist", |pods| !pods.is_empty());
    controllers.delete_as("rc", "Background");
    controllers.until_gone("rc");
    pods.until_all("app=rc", "are collected", <[Value]>::is_empty);
}

#[test]
fn pods_of_a_deleted_controller_are_orphaned() {
    let api = space("gc-rc-orphan");
    let (controllers, pods) = (api.of("v1", "ReplicationController"), api.of("v1", "Pod"));
    controllers.create(controller("rc", 10, PAUSE));
    controllers.until("rc", "has 10 Pods", |rc| rc["status"]["replicas"] == 10);
    controllers.delete_as("rc", "Orphan");
    controllers.until_gone("rc");
    let orphans = pods.list("app=rc");
    assert_eq!(orphans.len(), 10);
    for orphan in orphans {
        assert!(orphan["metadata"]["ownerReferences"].is_null(), "{orphan}");
        assert!(
            orphan["metadata"]["deletionTimestamp"].is_null(),
            "{orphan}"
        );
    }
}

#[test]
fn controller_is_deleted_after_its_pods() {
    let api = space("gc-rc-foreground");
    let (controllers, pods) = (api.of("v1", "ReplicationController"), api.of("v1", "Pod"));
    controllers.create(controller("rc", 10, PAUSE));
    controllers.until("rc", "has 10 Pods", |rc| rc["status"]["replicas"] == 10);
    let mut watch = controllers.watch("fieldSelector=metadata.name%3Drc");
    controllers.delete_as("rc", "Foreground");
    watch.find("DELETED", |_| true);
    assert!(
        pods.list("app=rc").is_empty(),
        "the Pods go before their controller"
    );
}

#[test]
fn pods_with_a_second_owner_stay() {
    let api = space("gc-owners");
    let (controllers, pods) = (api.of("v1", "ReplicationController"), api.of("v1", "Pod"));
    controllers.create(controller("leaves", 10, PAUSE));
    let mut stays = controller("stays", 0, PAUSE);
    stays["spec"]["selector"] = json!({"app": "stays"});
    let stays = controllers.create(stays);
    controllers.until("leaves", "has 10 Pods", |rc| rc["status"]["replicas"] == 10);
    let owner = json!({
        "apiVersion": "v1", "kind": "ReplicationController", "name": "stays", "uid": stays["metadata"]["uid"],
    });
    for kept in pods.list("app=leaves").iter().take(5) {
        let patch = json!({"metadata": {"ownerReferences": [owner]}});
        pods.try_patch(name(kept), "", "strategic-merge", &patch)
            .ok();
    }
    controllers.delete_as("leaves", "Foreground");
    controllers.until_gone("leaves");
    let kept = pods.list("app=leaves");
    assert_eq!(kept.len(), 5);
    for pod in kept {
        assert!(pod["metadata"]["deletionTimestamp"].is_null(), "{pod}");
        assert_eq!(
            pod["metadata"]["ownerReferences"][0]["name"], "stays",
            "{pod}"
        );
    }
}

#[test]
fn circle_of_owners_is_collected() {
    let api = space("gc-circle");
    let pods = api.of("v1", "Pod");
    let made: Vec<Value> = (1..=3)
        .map(|n| pods.create(pod(&format!("pod{n}"), spec(PAUSE))))
        .collect();
    for (owned, owner) in [(0, 2), (1, 0), (2, 1)] {
        let owner = json!({
            "apiVersion": "v1", "kind": "Pod", "name": name(&made[owner]),
            "uid": made[owner]["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true,
        });
        pods.merge(
            name(&made[owned]),
            "",
            json!({"metadata": {"ownerReferences": [owner]}}),
        );
    }
    pods.delete_as("pod1", "Foreground");
    pods.until_all("", "are collected", <[Value]>::is_empty);
}

#[test]
fn replica_set_of_a_deleted_deployment_is_collected() {
    let api = space("gc-deployment");
    let (deployments, sets) = (
        api.of("apps/v1", "Deployment"),
        api.of("apps/v1", "ReplicaSet"),
    );
    deployments.create(workload("web", 2, HTTPD));
    sets.until_all("app=web", "exist", |sets| sets.len() == 1);
    deployments.delete_as("web", "Background");
    deployments.until_gone("web");
    sets.until_all("app=web", "are collected", <[Value]>::is_empty);
    api.of("v1", "Pod")
        .until_all("app=web", "are collected", <[Value]>::is_empty);
}

#[test]
fn replica_set_of_a_deleted_deployment_is_orphaned() {
    let api = space("gc-deployment-orphan");
    let (deployments, sets) = (
        api.of("apps/v1", "Deployment"),
        api.of("apps/v1", "ReplicaSet"),
    );
    deployments.create(workload("web", 2, HTTPD));
    sets.until_all("app=web", "exist", |sets| sets.len() == 1);
    until_ready_pods(&api.of("v1", "Pod"), "web", 2);
    deployments.delete_as("web", "Orphan");
    deployments.until_gone("web");
    let orphans = sets.list("app=web");
    assert_eq!(orphans.len(), 1);
    assert!(
        orphans[0]["metadata"]["ownerReferences"].is_null(),
        "{orphans:?}"
    );
    assert_eq!(api.of("v1", "Pod").list("app=web").len(), 2);
}

// A controller looks at a terminating namespace again after some seconds; a virtual clock jumps to their end.

#[test]
fn deleted_namespace_takes_its_pods() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("ns-pods");
    api.of("v1", "Pod").create(pod("test-pod", spec(PAUSE)));
    crate::objects::until_ready(&api.of("v1", "Pod"), "test-pod");
    let namespaces = api.global("v1", "Namespace");
    namespaces.delete("ns-pods");
    namespaces.until_gone("ns-pods");
    let api = server.namespace("ns-pods");
    assert!(api.of("v1", "Pod").list("").is_empty());
}

#[test]
fn deleted_namespace_takes_its_services() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("ns-services");
    let ports = json!({"selector": {"a": "b"}, "ports": [{"port": 80, "targetPort": 80}]});
    api.of("v1", "Service")
        .create(service("test-service", ports));
    let namespaces = api.global("v1", "Namespace");
    namespaces.delete("ns-services");
    namespaces.until_gone("ns-services");
    let api = server.namespace("ns-services");
    assert!(api.of("v1", "Service").list("").is_empty());
}

#[test]
fn namespace_is_deleted_after_its_pods() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("ns-order");
    let (pods, maps) = (api.of("v1", "Pod"), api.of("v1", "ConfigMap"));
    let mut held = pod("held", spec(PAUSE));
    held["metadata"]["finalizers"] = json!(["e2e.example.com/finalizer"]);
    pods.create(held);
    maps.create(json!({"metadata": {"name": "map"}}));
    let namespaces = api.global("v1", "Namespace");
    namespaces.delete("ns-order");
    pods.until("held", "is being deleted", |pod| {
        pod["metadata"]["deletionTimestamp"].is_string()
    });
    namespaces.until("ns-order", "waits for its Pods", |namespace| {
        crate::resource::is_true(namespace, "NamespaceContentRemaining")
    });
    assert!(
        maps.get("map")["metadata"]["deletionTimestamp"].is_null(),
        "Pods are deleted first"
    );
    pods.merge("held", "", json!({"metadata": {"finalizers": null}}));
    namespaces.until_gone("ns-order");
}

#[test]
fn namespace_is_patched() {
    let api = space("ns-patch");
    let namespaces = api.global("v1", "Namespace");
    namespaces.merge(
        "ns-patch",
        "",
        json!({"metadata": {"labels": {"testLabel": "testValue"}}}),
    );
    assert_eq!(
        namespaces.get("ns-patch")["metadata"]["labels"]["testLabel"],
        "testValue"
    );
}

#[test]
fn namespace_is_updated() {
    let api = space("ns-update");
    let namespaces = api.global("v1", "Namespace");
    let updated = namespaces.edit("ns-update", "", |namespace| {
        namespace["metadata"]["labels"]["ns-update"] = json!("updated");
    });
    assert_eq!(updated["metadata"]["labels"]["ns-update"], "updated");
}

#[test]
fn namespace_status_changes() {
    let api = space("ns-status");
    let namespaces = api.global("v1", "Namespace");
    assert_eq!(
        namespaces.part("ns-status", "status")["status"]["phase"],
        "Active"
    );
    let condition =
        |kind: &str| json!({"type": kind, "status": "True", "reason": "E2E", "message": "m"});
    let (patched, updated) = (condition("StatusPatch"), condition("StatusUpdate"));
    status_changes(&namespaces, "ns-status", &patched, &updated);
}

#[test]
fn namespace_has_a_finalizer() {
    let api = server("objects").namespace("ns-finalizer");
    let namespaces = api.global("v1", "Namespace");
    let fake = "e2e.example.com/fakeFinalizer";
    let has = |namespace: &Value| {
        let finalizers = namespace["spec"]["finalizers"].as_array().unwrap();
        finalizers.iter().any(|f| f == fake)
    };
    let path = format!("{}/ns-finalizer/finalize", namespaces.path);
    let mut changed = namespaces.get("ns-finalizer");
    changed["spec"]["finalizers"]
        .as_array_mut()
        .unwrap()
        .push(json!(fake));
    api.ask("PUT", &path, "application/json", &changed.to_string())
        .ok();
    let mut changed = namespaces.get("ns-finalizer");
    assert!(has(&changed), "{changed}");
    changed["spec"]["finalizers"]
        .as_array_mut()
        .unwrap()
        .retain(|f| f != fake);
    api.ask("PUT", &path, "application/json", &changed.to_string())
        .ok();
    let read = namespaces.get("ns-finalizer");
    assert!(!has(&read), "{read}");
}
