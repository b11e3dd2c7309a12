//! SIG Apps: Deployments.

use serde_json::{Value, json};

use crate::cluster::{Api, namespace};
use crate::objects::{HTTPD, NEW_HTTPD, PAUSE, pod, spec, until_ready_pods, workload};
use crate::operations::status_changes;
use crate::resource::{Resource, condition, name};

fn space(name: &str) -> Api {
    namespace("apps", name)
}

const APPS: &str = "apps/v1";

/// Returns true if all Pods of a Deployment are of its newest revision and available.
fn is_complete(deployment: &Value) -> bool {
    let (spec, status) = (&deployment["spec"], &deployment["status"]);
    let replicas = &spec["replicas"];
    status["observedGeneration"] == deployment["metadata"]["generation"]
        && ["replicas", "updatedReplicas", "availableReplicas"]
            .iter()
            .all(|f| status[f] == *replicas)
}

#[track_caller]
fn until_complete(deployments: &Resource<'_>, name: &str) -> Value {
    deployments.until(name, "is complete", is_complete)
}

fn set_image(deployments: &Resource<'_>, name: &str, image: &str) {
    let patch =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}});
    deployments
        .try_patch(name, "", "strategic-merge", &patch)
        .ok();
}

#[test]
fn rolling_update_replaces_pods() {
    let api = space("rolling");
    let (sets, pods) = (api.of(APPS, "ReplicaSet"), api.of("v1", "Pod"));
    // The Deployment adopts a ReplicaSet with its labels, and counts on from its revision.
    let mut old = workload("web", 1, HTTPD);
    old["metadata"]["annotations"] =
        json!({"deployment.kubernetes.io/revision": "3546343826724305832"});
    old["metadata"]["name"] = json!("web-old");
    sets.create(old);
    until_ready_pods(&pods, "web", 1);
    let deployments = api.of(APPS, "Deployment");
    deployments.create(workload("web", 1, NEW_HTTPD));
    let done = until_complete(&deployments, "web");
    let revision = &done["metadata"]["annotations"]["deployment.kubernetes.io/revision"];
    assert_eq!(revision, "3546343826724305833");
    let pods = until_ready_pods(&pods, "web", 1);
    assert_eq!(pods[0]["spec"]["containers"][0]["image"], NEW_HTTPD);
    let old = sets.until("web-old", "is scaled down", |set| {
        set["status"]["replicas"] == 0
    });
    assert_eq!(old["metadata"]["ownerReferences"][0]["name"], "web");
}

#[test]
fn recreate_deletes_old_pods_first() {
    let api = space("recreate");
    let (deployments, pods) = (api.of(APPS, "Deployment"), api.of("v1", "Pod"));
    let mut made = workload("web", 2, HTTPD);
    made["spec"]["strategy"] = json!({"type": "Recreate"});
    deployments.create(made);
    until_complete(&deployments, "web");
    let mut running = pods.list("app=web").len();
    let list = pods.query("labelSelector=app%3Dweb");
    let from = crate::resource::revision(&list).to_owned();
    set_image(&deployments, "web", NEW_HTTPD);
    until_complete(&deployments, "web");
    for event in pods.watch(&format!("labelSelector=app%3Dweb&resourceVersion={from}")) {
        let is_new = event["object"]["spec"]["containers"][0]["image"] == NEW_HTTPD;
        match event["type"].as_str() {
            Some("DELETED") => running -= 1,
            Some("ADDED") if is_new => {
                assert_eq!(running, 0, "new Pods run beside old ones");
                break;
            }
            _ => {}
        }
    }
}

#[test]
fn old_replica_sets_are_deleted() {
    let api = space("history");
    let (deployments, sets) = (api.of(APPS, "Deployment"), api.of(APPS, "ReplicaSet"));
    let mut made = workload("web", 1, HTTPD);
    made["spec"]["revisionHistoryLimit"] = json!(0);
    deployments.create(made);
    until_complete(&deployments, "web");
    set_image(&deployments, "web", NEW_HTTPD);
    until_complete(&deployments, "web");
    sets.until_all("app=web", "only the new one is left", |sets| {
        sets.len() == 1
    });
}

#[test]
fn rollover_takes_the_last_template() {
    let api = space("rollover");
    let (deployments, sets) = (api.of(APPS, "Deployment"), api.of(APPS, "ReplicaSet"));
    let mut made = workload("web", 1, "webserver:404");
    made["spec"]["strategy"] =
        json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}});
    deployments.create(made);
    sets.until_all("app=web", "exists", |sets| sets.len() == 1);
    set_image(&deployments, "web", "webserver:invalid");
    sets.until_all("app=web", "exist", |sets| sets.len() == 2);
    set_image(&deployments, "web", HTTPD);
    until_complete(&deployments, "web");
    let sets = sets.until_all("app=web", "old ones are empty", |sets| {
        sets.len() == 3
            && sets
                .iter()
                .filter(|set| set["status"]["replicas"] == 0)
                .count()
                == 2
    });
    let new = sets
        .iter()
        .find(|set| set["status"]["replicas"] == 1)
        .unwrap();
    assert_eq!(
        new["spec"]["template"]["spec"]["containers"][0]["image"],
        HTTPD
    );
    assert_eq!(
        new["metadata"]["annotations"]["deployment.kubernetes.io/revision"],
        "3"
    );
}

#[test]
fn scaling_is_proportional() {
    let api = space("proportional");
    let (deployments, sets) = (api.of(APPS, "Deployment"), api.of(APPS, "ReplicaSet"));
    let mut made = workload("web", 10, HTTPD);
    made["spec"]["strategy"] =
        json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}});
    deployments.create(made);
    until_complete(&deployments, "web");
    // The rollout stops at 8 old and 5 new Pods, because the new image does not exist.
    set_image(&deployments, "web", "webserver:404");
    let replicas = |sets: &[Value], image: &str| {
        let of = |set: &&Value| set["spec"]["template"]["spec"]["containers"][0]["image"] == image;
        sets.iter()
            .find(of)
            .map(|set| set["spec"]["replicas"].as_u64().unwrap())
    };
    sets.until_all("app=web", "8 old and 5 new", |sets| {
        replicas(sets, HTTPD) == Some(8) && replicas(sets, "webserver:404") == Some(5)
    });
    deployments.until("web", "has 8 available", |d| {
        d["status"]["availableReplicas"] == 8
    });
    deployments.merge("web", "", json!({"spec": {"replicas": 30}}));
    sets.until_all("app=web", "20 old and 13 new", |sets| {
        replicas(sets, HTTPD) == Some(20) && replicas(sets, "webserver:404") == Some(13)
    });
}

#[test]
fn deployment_has_a_lifecycle() {
    let api = space("life");
    let deployments = api.of(APPS, "Deployment");
    let mut watch = deployments.watch("labelSelector=test-deployment-static%3Dtrue");
    let mut made = workload("web", 2, HTTPD);
    made["metadata"]["labels"]["test-deployment-static"] = json!("true");
    deployments.create(made);
    assert_eq!(name(&watch.expect("ADDED")), "web");
    watch.find("MODIFIED", |d| d["status"]["availableReplicas"] == 2);
    let patch = json!({
        "metadata": {"labels": {"test-deployment": "patched"}},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "main", "image": PAUSE}]}}},
    });
    let patched = deployments
        .try_patch("web", "", "strategic-merge", &patch)
        .ok();
    assert_eq!(patched["metadata"]["labels"]["test-deployment"], "patched");
    watch.find("MODIFIED", is_complete);
    let listed = api
        .global(APPS, "Deployment")
        .list("test-deployment-static=true");
    let found = listed
        .iter()
        .find(|d| d["metadata"]["namespace"] == "life")
        .unwrap();
    assert_eq!(
        found["spec"]["template"]["spec"]["containers"][0]["image"],
        PAUSE
    );
    let none = json!({"readyReplicas": 0, "availableReplicas": 0});
    let status = json!({"metadata": {"annotations": {"note": "x"}}, "status": none});
    let patched = deployments.merge("web", "status", status);
    assert_eq!(patched["status"]["readyReplicas"].as_u64().unwrap_or(0), 0);
    deployments.until("web", "is ready again", |d| {
        d["status"]["readyReplicas"] == 1
    });
    deployments.edit("web", "", |d| d["spec"]["replicas"] = json!(2));
    watch.find("MODIFIED", |d| d["status"]["readyReplicas"] == 2);
    assert_eq!(
        deployments.part("web", "status")["status"]["readyReplicas"],
        2
    );
    deployments.delete_all("test-deployment-static=true");
    watch.find("DELETED", |_| true);
}

#[test]
fn deployment_status_changes() {
    let api = space("deployment-status");
    let deployments = api.of(APPS, "Deployment");
    deployments.create(workload("web", 1, HTTPD));
    until_complete(&deployments, "web");
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "E2E", "message": "set from e2e"});
    let (patched, updated) = (condition("StatusPatched"), condition("StatusUpdate"));
    status_changes(&deployments, "web", &patched, &updated);
}

/// Reads, updates and patches a scale.
#[track_caller]
pub fn scales(resource: &Resource<'_>, name: &str) {
    let scale = resource.part(name, "scale");
    assert_eq!(scale["kind"], "Scale");
    assert_eq!(scale["spec"]["replicas"], 1, "{scale}");
    assert_eq!(scale["status"]["replicas"], 1, "{scale}");
    let updated = resource.edit(name, "scale", |scale| {
        scale["spec"]["replicas"] = json!(2);
    });
    assert_eq!(updated["spec"]["replicas"], 2, "{updated}");
    assert_eq!(resource.get(name)["spec"]["replicas"], 2);
    let patched = resource.merge(name, "scale", json!({"spec": {"replicas": 4}}));
    assert_eq!(patched["spec"]["replicas"], 4, "{patched}");
    assert_eq!(resource.get(name)["spec"]["replicas"], 4);
}

#[test]
fn deployment_has_a_scale() {
    let api = space("deployment-scale");
    let deployments = api.of(APPS, "Deployment");
    deployments.create(workload("web", 1, HTTPD));
    until_complete(&deployments, "web");
    scales(&deployments, "web");
}

#[test]
fn replica_set_has_a_scale() {
    let api = space("rs-scale");
    let sets = api.of(APPS, "ReplicaSet");
    sets.create(workload("web", 1, HTTPD));
    sets.until("web", "has a replica", |set| set["status"]["replicas"] == 1);
    scales(&sets, "web");
}

#[test]
fn replica_set_runs_an_image() {
    let api = space("rs-image");
    api.of(APPS, "ReplicaSet").create(workload("web", 2, HTTPD));
    for pod in until_ready_pods(&api.of("v1", "Pod"), "web", 2) {
        assert_eq!(pod["status"]["phase"], "Running");
        assert!(pod["status"]["podIP"].is_string(), "{pod}");
    }
}

#[test]
fn replica_set_adopts_and_releases_pods() {
    let api = space("rs-adopt");
    let (sets, pods) = (api.of(APPS, "ReplicaSet"), api.of("v1", "Pod"));
    let mut orphan = pod("orphan", spec(PAUSE));
    orphan["metadata"]["labels"] = json!({"app": "web"});
    pods.create(orphan);
    sets.create(workload("web", 1, PAUSE));
    let adopted = pods.until("orphan", "is adopted", |pod| {
        pod["metadata"]["ownerReferences"][0]["name"] == "web"
    });
    assert_eq!(
        adopted["metadata"]["ownerReferences"][0]["controller"],
        true
    );
    pods.merge(
        "orphan",
        "",
        json!({"metadata": {"labels": {"app": "not-matching"}}}),
    );
    pods.until("orphan", "is released", |pod| {
        pod["metadata"]["ownerReferences"].is_null()
    });
    pods.until_all("app=web", "a replacement exists", |pods| pods.len() == 1);
}

#[test]
fn replica_sets_are_a_collection() {
    let api = space("rs-list");
    let sets = api.of(APPS, "ReplicaSet");
    let mut made = workload("web", 3, HTTPD);
    made["metadata"]["labels"]["e2e"] = json!("rs-list");
    sets.create(made);
    until_ready_pods(&api.of("v1", "Pod"), "web", 3);
    assert_eq!(api.global(APPS, "ReplicaSet").list("e2e=rs-list").len(), 1);
    sets.delete_all("e2e=rs-list");
    sets.until_all("e2e=rs-list", "are deleted", <[Value]>::is_empty);
}

#[test]
fn replica_set_is_replaced_and_patched() {
    let api = space("rs-patch");
    let (sets, pods) = (api.of(APPS, "ReplicaSet"), api.of("v1", "Pod"));
    sets.create(workload("web", 1, HTTPD));
    until_ready_pods(&pods, "web", 1);
    sets.edit("web", "", |set| set["spec"]["replicas"] = json!(2));
    until_ready_pods(&pods, "web", 2);
    let container = json!({"name": "main", "image": NEW_HTTPD});
    let patch = json!({
        "metadata": {"labels": {"test-rs": "patched"}},
        "spec": {"replicas": 3, "template": {"spec": {"containers": [container]}}},
    });
    let patched = sets.try_patch("web", "", "strategic-merge", &patch).ok();
    assert_eq!(patched["metadata"]["labels"]["test-rs"], "patched");
    assert_eq!(
        patched["spec"]["template"]["spec"]["containers"][0]["image"],
        NEW_HTTPD
    );
    sets.until("web", "has three ready", |set| {
        set["status"]["readyReplicas"] == 3
    });
}

#[test]
fn replica_set_status_changes() {
    let api = space("rs-status");
    let sets = api.of(APPS, "ReplicaSet");
    sets.create(workload("web", 1, HTTPD));
    sets.until("web", "is ready", |set| set["status"]["readyReplicas"] == 1);
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "E2E", "message": "set from e2e"});
    let (patched, updated) = (condition("StatusPatched"), condition("StatusUpdate"));
    status_changes(&sets, "web", &patched, &updated);
}

#[test]
fn failed_condition_shows_a_quota() {
    let api = space("rc-quota");
    let quotas = api.of("v1", "ResourceQuota");
    quotas.create(json!({"metadata": {"name": "condition-test"}, "spec": {"hard": {"pods": "2"}}}));
    quotas.until("condition-test", "is calculated", |quota| {
        quota["status"]["hard"]["pods"] == "2"
    });
    let controllers = api.of("v1", "ReplicationController");
    controllers.create(crate::objects::controller("condition-test", 3, PAUSE));
    controllers.until("condition-test", "has a failure", |rc| {
        condition(rc, "ReplicaFailure").is_some_and(|c| c["reason"] == "FailedCreate")
    });
    controllers.merge("condition-test", "", json!({"spec": {"replicas": 2}}));
    controllers.until("condition-test", "has no failure", |rc| {
        condition(rc, "ReplicaFailure").is_none()
    });
}

#[test]
fn controller_adopts_and_releases_pods() {
    let api = space("rc-adopt");
    let (controllers, pods) = (api.of("v1", "ReplicationController"), api.of("v1", "Pod"));
    let mut orphan = pod("orphan", spec(PAUSE));
    orphan["metadata"]["labels"] = json!({"app": "rc"});
    pods.create(orphan);
    controllers.create(crate::objects::controller("rc", 1, PAUSE));
    pods.until("orphan", "is adopted", |pod| {
        pod["metadata"]["ownerReferences"][0]["name"] == "rc"
    });
    pods.merge(
        "orphan",
        "",
        json!({"metadata": {"labels": {"app": "not-matching"}}}),
    );
    pods.until("orphan", "is released", |pod| {
        pod["metadata"]["ownerReferences"].is_null()
    });
}

#[test]
fn controller_runs_an_image() {
    let api = space("rc-image");
    api.of("v1", "ReplicationController")
        .create(crate::objects::controller("rc", 2, HTTPD));
    for pod in until_ready_pods(&api.of("v1", "Pod"), "rc", 2) {
        assert_eq!(pod["status"]["phase"], "Running");
    }
}

#[test]
fn controller_has_a_scale() {
    let api = space("rc-scale");
    let controllers = api.of("v1", "ReplicationController");
    controllers.create(crate::objects::controller("rc", 1, PAUSE));
    controllers.until("rc", "has a replica", |rc| rc["status"]["replicas"] == 1);
    scales(&controllers, "rc");
    controllers.until("rc", "has four replicas", |rc| {
        rc["status"]["replicas"] == 4
    });
}

#[test]
fn controller_has_a_lifecycle() {
    let api = space("rc-life");
    let controllers = api.of("v1", "ReplicationController");
    let mut watch = controllers.watch("labelSelector=test-rc-static%3Dtrue");
    let mut made = crate::objects::controller("rc", 1, PAUSE);
    made["metadata"]["labels"]["test-rc-static"] = json!("true");
    controllers.create(made);
    watch.expect("ADDED");
    watch.find("MODIFIED", |rc| rc["status"]["readyReplicas"] == 1);
    controllers.merge(
        "rc",
        "",
        json!({"metadata": {"labels": {"test-rc": "patched"}}}),
    );
    watch.find("MODIFIED", |rc| {
        rc["metadata"]["labels"]["test-rc"] == "patched"
    });
    let none = json!({"readyReplicas": 0, "availableReplicas": 0});
    let patched = controllers.merge("rc", "status", json!({"status": none}));
    assert_eq!(patched["status"]["readyReplicas"].as_u64().unwrap_or(0), 0);
    watch.find("MODIFIED", |rc| rc["status"]["readyReplicas"] == 1);
    assert_eq!(controllers.part("rc", "status")["status"]["replicas"], 1);
    controllers.merge("rc", "scale", json!({"spec": {"replicas": 2}}));
    watch.find("MODIFIED", |rc| rc["status"]["readyReplicas"] == 2);
    let listed = api
        .global("v1", "ReplicationController")
        .list("test-rc-static=true");
    assert!(
        listed
            .iter()
            .any(|rc| rc["metadata"]["namespace"] == "rc-life"),
        "{listed:?}"
    );
    controllers.edit("rc", "", |rc| rc["spec"]["replicas"] = json!(3));
    watch.find("MODIFIED", |rc| rc["status"]["readyReplicas"] == 3);
    controllers.delete_all("test-rc-static=true");
    watch.find("DELETED", |_| true);
}
