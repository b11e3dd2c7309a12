//! SIG Apps: StatefulSets, DaemonSets and their ControllerRevisions.

use serde_json::{Value, json};

use crate::apps_deployments::scales;
use crate::cluster::{Api, Server, namespace};
use crate::objects::{
    HTTPD, NEW_HTTPD, PAUSE, daemon, pod, service, spec, stateful, until_ready_pods,
};
use crate::operations::status_changes;
use crate::resource::{Resource, is_true, name, names};

const APPS: &str = "apps/v1";

fn space(name: &str) -> Api {
    let api = namespace("sets", name);
    let headless = json!({"clusterIP": "None", "selector": {"app": "ss"}, "ports": [{"port": 80, "name": "http"}]});
    api.of("v1", "Service").create(service("test", headless));
    api
}

/// Makes the Pods of a StatefulSet ready as soon as they have the label `healthy`.
fn gated(mut set: Value) -> Value {
    set["spec"]["template"]["spec"]["readinessGates"] =
        json!([{"conditionType": "example.com/healthy"}]);
    set
}

/// Writes the condition that the readiness of a Pod needs.
fn set_gate(pods: &Resource<'_>, name: &str, status: &str) {
    let gate = json!([{"type": "example.com/healthy", "status": status}]);
    let patch = json!({"status": {"conditions": gate}});
    pods.try_patch(name, "status", "strategic-merge", &patch)
        .ok();
}

/// Makes a Pod ready or unready.
fn set_health(pods: &Resource<'_>, name: &str, healthy: bool) {
    set_gate(pods, name, if healthy { "True" } else { "False" });
    pods.until(name, "is as healthy as wanted", |pod| {
        is_true(pod, "Ready") == healthy
    });
}

fn uid(object: &Value) -> String {
    object["metadata"]["uid"].as_str().unwrap().to_owned()
}

#[test]
fn stateful_pods_scale_in_order() {
    let api = space("sts-order");
    let (sets, pods) = (api.of(APPS, "StatefulSet"), api.of("v1", "Pod"));
    let from = crate::resource::revision(&pods.query("")).to_owned();
    sets.create(gated(stateful("ss", 1, HTTPD)));
    pods.until("ss-0", "runs", |pod| pod["status"]["phase"] == "Running");
    sets.merge("ss", "", json!({"spec": {"replicas": 3}}));
    // An unhealthy Pod stops the growth.
    sets.until("ss", "is observed", |set| {
        set["status"]["observedGeneration"] == 2
    });
    assert_eq!(pods.list("app=ss").len(), 1);
    for ordinal in 0..3 {
        let name = format!("ss-{ordinal}");
        pods.until(&name, "runs", |pod| pod["status"]["phase"] == "Running");
        set_health(&pods, &name, true);
    }
    sets.until("ss", "has three ready", |set| {
        set["status"]["readyReplicas"] == 3
    });
    // And it stops the descent.
    for ordinal in 0..3 {
        set_health(&pods, &format!("ss-{ordinal}"), false);
    }
    sets.until("ss", "has none ready", |set| {
        set["status"]["readyReplicas"].as_u64().unwrap_or(0) == 0
    });
    sets.merge("ss", "", json!({"spec": {"replicas": 0}}));
    sets.until("ss", "is observed", |set| {
        set["status"]["observedGeneration"] == 3
    });
    assert_eq!(pods.list("app=ss").len(), 3);
    // The second one is deleted as soon as it is healthy.
    for name in ["ss-0", "ss-1"] {
        set_gate(&pods, name, "True");
    }
    pods.until_all("app=ss", "are gone", <[Value]>::is_empty);
    let mut order = Vec::new();
    for event in pods.watch(&format!("labelSelector=app%3Dss&resourceVersion={from}")) {
        match event["type"].as_str() {
            Some("ADDED") => order.push(format!("+{}", name(&event["object"]))),
            Some("DELETED") => order.push(format!("-{}", name(&event["object"]))),
            _ => {}
        }
        if order.len() == 6 {
            break;
        }
    }
    assert_eq!(
        order,
        ["+ss-0", "+ss-1", "+ss-2", "-ss-2", "-ss-1", "-ss-0"]
    );
}

#[test]
fn burst_ignores_unhealthy_pods() {
    let api = space("sts-burst");
    let (sets, pods) = (api.of(APPS, "StatefulSet"), api.of("v1", "Pod"));
    let mut made = gated(stateful("ss", 1, HTTPD));
    made["spec"]["podManagementPolicy"] = json!("Parallel");
    sets.create(made);
    pods.until("ss-0", "runs", |pod| pod["status"]["phase"] == "Running");
    assert!(!is_true(&pods.get("ss-0"), "Ready"));
    sets.merge("ss", "", json!({"spec": {"replicas": 3}}));
    pods.until_all("app=ss", "all run", |pods| {
        pods.len() == 3 && pods.iter().all(|pod| pod["status"]["phase"] == "Running")
    });
    sets.merge("ss", "", json!({"spec": {"replicas": 0}}));
    pods.until_all("app=ss", "are gone", <[Value]>::is_empty);
}

#[test]
fn evicted_stateful_pod_is_recreated() {
    let api = space("sts-evicted");
    let (sets, pods) = (api.of(APPS, "StatefulSet"), api.of("v1", "Pod"));
    let nodes = api.global("v1", "Node").list("");
    let mut port = pod("test-pod", spec(PAUSE));
    port["spec"]["nodeName"] = nodes[0]["metadata"]["name"].clone();
    port["spec"]["containers"][0]["ports"] = json!([{"containerPort": 21017, "hostPort": 21017}]);
    pods.create(port.clone());
    crate::objects::until_ready(&pods, "test-pod");
    let mut made = stateful("ss", 1, PAUSE);
    made["spec"]["template"]["spec"]["nodeName"] = port["spec"]["nodeName"].clone();
    let ports = port["spec"]["containers"][0]["ports"].clone();
    made["spec"]["template"]["spec"]["containers"][0]["ports"] = ports;
    let mut watch = pods.watch("fieldSelector=metadata.name%3Dss-0");
    sets.create(made);
    // The port is taken: the Pod fails, and is deleted and made again.
    let first = uid(&watch.expect("ADDED"));
    watch.find("DELETED", |pod| uid(pod) == first);
    pods.try_delete("test-pod", &json!({"gracePeriodSeconds": 0}))
        .ok();
    let second = crate::objects::until_ready(&pods, "ss-0");
    assert_ne!(uid(&second), first);
}

#[test]
fn stateful_set_has_a_scale() {
    let api = space("sts-scale");
    let sets = api.of(APPS, "StatefulSet");
    sets.create(stateful("ss", 1, HTTPD));
    sets.until("ss", "has a replica", |set| {
        set["status"]["readyReplicas"] == 1
    });
    scales(&sets, "ss");
}

#[test]
fn stateful_sets_are_a_collection() {
    let api = space("sts-list");
    let sets = api.of(APPS, "StatefulSet");
    sets.create(stateful("ss", 1, HTTPD));
    sets.until("ss", "is ready", |set| set["status"]["readyReplicas"] == 1);
    let patch = json!({
        "metadata": {"labels": {"test-ss": "patched"}},
        "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "main", "image": PAUSE}]}}},
    });
    let patched = sets.try_patch("ss", "", "strategic-merge", &patch).ok();
    assert_eq!(patched["metadata"]["labels"]["test-ss"], "patched");
    sets.until("ss", "is rolled out", |set| {
        let status = &set["status"];
        status["readyReplicas"] == 2 && status["currentRevision"] == status["updateRevision"]
    });
    assert_eq!(
        api.global(APPS, "StatefulSet")
            .list("test-ss=patched")
            .len(),
        1
    );
    sets.delete_all("test-ss=patched");
    sets.until_all("test-ss=patched", "are deleted", <[Value]>::is_empty);
}

#[test]
fn stateful_set_status_changes() {
    let api = space("sts-status");
    let sets = api.of(APPS, "StatefulSet");
    sets.create(stateful("ss", 1, HTTPD));
    sets.until("ss", "is ready", |set| set["status"]["readyReplicas"] == 1);
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "E2E", "message": "set from e2e"});
    let (patched, updated) = (condition("StatusPatched"), condition("StatusUpdate"));
    status_changes(&sets, "ss", &patched, &updated);
}

fn images(pods: &[Value]) -> Vec<String> {
    let mut pods: Vec<&Value> = pods.iter().collect();
    pods.sort_by_key(|pod| name(pod).to_owned());
    let image = |pod: &&Value| {
        pod["spec"]["containers"][0]["image"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    pods.iter().map(image).collect()
}

fn set_image(sets: &Resource<'_>, name: &str, image: &str) {
    let patch =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}});
    sets.try_patch(name, "", "strategic-merge", &patch).ok();
}

#[test]
fn stateful_set_rolls_out_and_back() {
    let api = space("sts-rolling");
    let (sets, pods) = (api.of(APPS, "StatefulSet"), api.of("v1", "Pod"));
    sets.create(stateful("ss", 3, HTTPD));
    let ready = sets.until("ss", "is ready", |set| set["status"]["readyReplicas"] == 3);
    let first = ready["status"]["currentRevision"].clone();
    assert_eq!(ready["status"]["updateRevision"], first);
    let rolled = |image: &str| {
        set_image(&sets, "ss", image);
        sets.until("ss", "is rolled out", |set| {
            let status = &set["status"];
            status["observedGeneration"] == set["metadata"]["generation"]
                && status["readyReplicas"] == 3
                && status["updatedReplicas"] == 3
                && status["currentRevision"] == status["updateRevision"]
        })
    };
    let updated = rolled(NEW_HTTPD);
    assert_ne!(updated["status"]["currentRevision"], first);
    assert_eq!(images(&pods.list("app=ss")), [NEW_HTTPD; 3]);
    // The former template has the former revision.
    let back = rolled(HTTPD);
    assert_eq!(back["status"]["currentRevision"], first);
    assert_eq!(images(&pods.list("app=ss")), [HTTPD; 3]);
    assert_eq!(api.of(APPS, "ControllerRevision").list("app=ss").len(), 2);
}

#[test]
fn stateful_set_rolls_out_in_phases() {
    let api = space("sts-partition");
    let (sets, pods) = (api.of(APPS, "StatefulSet"), api.of("v1", "Pod"));
    let partition = |n: u32| json!({"type": "RollingUpdate", "rollingUpdate": {"partition": n}});
    let mut made = stateful("ss", 3, HTTPD);
    made["spec"]["updateStrategy"] = partition(3);
    sets.create(made);
    sets.until("ss", "is ready", |set| set["status"]["readyReplicas"] == 3);
    set_image(&sets, "ss", NEW_HTTPD);
    let status = sets.until("ss", "has a new revision", |set| {
        set["status"]["currentRevision"] != set["status"]["updateRevision"]
    });
    assert_eq!(status["status"]["currentReplicas"], 3);
    assert_eq!(
        images(&pods.list("app=ss")),
        [HTTPD; 3],
        "the partition holds the update"
    );
    let with_images = |wanted: [&str; 3]| {
        pods.until_all("app=ss", &format!("{wanted:?}"), |pods| {
            images(pods) == wanted && pods.iter().all(|pod| is_true(pod, "Ready"))
        });
    };
    // The canary.
    sets.merge("ss", "", json!({"spec": {"updateStrategy": partition(2)}}));
    with_images([HTTPD, HTTPD, NEW_HTTPD]);
    // Deleted Pods come back with the template of their side of the partition.
    for name in ["ss-0", "ss-2"] {
        let old = uid(&pods.get(name));
        pods.delete(name);
        pods.until(name, "is restored", |pod| {
            !pod.is_null() && uid(pod) != old && is_true(pod, "Ready")
        });
    }
    with_images([HTTPD, HTTPD, NEW_HTTPD]);
    sets.merge("ss", "", json!({"spec": {"updateStrategy": partition(1)}}));
    with_images([HTTPD, NEW_HTTPD, NEW_HTTPD]);
    sets.merge("ss", "", json!({"spec": {"updateStrategy": partition(0)}}));
    with_images([NEW_HTTPD; 3]);
}

/// Returns the number of nodes, each of which runs a Pod of a DaemonSet.
fn nodes(api: &Api) -> usize {
    api.global("v1", "Node").list("").len()
}

#[test]
fn daemon_runs_on_every_node() {
    let api = space("ds-simple");
    let (sets, pods) = (api.of(APPS, "DaemonSet"), api.of("v1", "Pod"));
    sets.create(daemon("ds", HTTPD));
    let running = until_ready_pods(&pods, "ds", nodes(&api));
    let mut places: Vec<&Value> = running.iter().map(|pod| &pod["spec"]["nodeName"]).collect();
    places.dedup();
    assert_eq!(places.len(), nodes(&api), "one Pod on each node");
    let deleted = name(&running[0]);
    pods.delete(deleted);
    pods.until_gone(deleted);
    until_ready_pods(&pods, "ds", nodes(&api));
}

#[test]
fn failed_daemon_is_replaced() {
    let api = space("ds-failed");
    let (sets, pods) = (api.of(APPS, "DaemonSet"), api.of("v1", "Pod"));
    sets.create(daemon("ds", HTTPD));
    let running = until_ready_pods(&pods, "ds", nodes(&api));
    let failed = name(&running[0]).to_owned();
    pods.merge(&failed, "status", json!({"status": {"phase": "Failed"}}));
    pods.until_gone(&failed);
    until_ready_pods(&pods, "ds", nodes(&api));
}

#[test]
fn daemon_follows_the_labels_of_nodes() {
    let server = Server::start();
    let api = server.namespace("ds-complex");
    let (sets, pods) = (api.of(APPS, "DaemonSet"), api.of("v1", "Pod"));
    let all = api.global("v1", "Node");
    let mut made = daemon("ds", HTTPD);
    made["spec"]["template"]["spec"]["nodeSelector"] = json!({"daemonset-color": "blue"});
    sets.create(made);
    sets.until("ds", "is observed", |set| {
        set["status"]["observedGeneration"] == 1
    });
    assert!(pods.list("app=ds").is_empty());
    let node = name(&all.list("")[0]).to_owned();
    let color = |color: &str| json!({"metadata": {"labels": {"daemonset-color": color}}});
    all.merge(&node, "", color("blue"));
    let running = until_ready_pods(&pods, "ds", 1);
    assert_eq!(running[0]["spec"]["nodeName"], node);
    all.merge(&node, "", color("green"));
    pods.until_all("app=ds", "are gone", <[Value]>::is_empty);
    let patch = json!({"spec": {
        "updateStrategy": {"type": "RollingUpdate"},
        "template": {"spec": {"nodeSelector": {"daemonset-color": "green"}}},
    }});
    sets.merge("ds", "", patch);
    until_ready_pods(&pods, "ds", 1);
}

#[test]
fn daemon_rolls_out() {
    let api = space("ds-rolling");
    let (sets, pods) = (api.of(APPS, "DaemonSet"), api.of("v1", "Pod"));
    sets.create(daemon("ds", HTTPD));
    until_ready_pods(&pods, "ds", nodes(&api));
    let revisions = api.of(APPS, "ControllerRevision");
    assert_eq!(revisions.list("app=ds")[0]["revision"], 1);
    set_image(&sets, "ds", NEW_HTTPD);
    pods.until_all("app=ds", "all have the new image", |pods| {
        pods.len() == nodes(&api)
            && images(pods).iter().all(|image| image == NEW_HTTPD)
            && pods.iter().all(|pod| is_true(pod, "Ready"))
    });
    let revisions = revisions.list("app=ds");
    let newest = revisions.iter().find(|r| r["revision"] == 2).unwrap();
    let hash = &newest["metadata"]["labels"]["controller-revision-hash"];
    for pod in pods.list("app=ds") {
        assert_eq!(pod["metadata"]["labels"]["controller-revision-hash"], *hash);
    }
}

#[test]
fn daemon_rolls_back_without_restarts() {
    let api = space("ds-rollback");
    let (sets, pods) = (api.of(APPS, "DaemonSet"), api.of("v1", "Pod"));
    sets.create(daemon("ds", HTTPD));
    let before = until_ready_pods(&pods, "ds", nodes(&api));
    set_image(&sets, "ds", "foo:non-existent");
    pods.until_all("app=ds", "one has the wrong image", |pods| {
        images(pods).contains(&"foo:non-existent".to_owned())
    });
    let kept: Vec<String> = names(&pods.list("app=ds"));
    let kept: Vec<&String> = kept.iter().filter(|n| names(&before).contains(n)).collect();
    set_image(&sets, "ds", HTTPD);
    let after = pods.until_all("app=ds", "all have the old image", |pods| {
        pods.len() == nodes(&api)
            && images(pods).iter().all(|image| image == HTTPD)
            && pods.iter().all(|pod| is_true(pod, "Ready"))
    });
    for name in kept {
        let pod = after
            .iter()
            .find(|pod| crate::resource::name(pod) == name.as_str())
            .unwrap();
        assert_eq!(pod["status"]["containerStatuses"][0]["restartCount"], 0);
    }
}

#[test]
fn daemon_sets_are_a_collection() {
    let api = space("ds-list");
    let sets = api.of(APPS, "DaemonSet");
    let mut made = daemon("ds", HTTPD);
    made["metadata"]["labels"]["e2e"] = json!("ds-list");
    sets.create(made);
    until_ready_pods(&api.of("v1", "Pod"), "ds", nodes(&api));
    assert_eq!(api.global(APPS, "DaemonSet").list("e2e=ds-list").len(), 1);
    sets.delete_all("e2e=ds-list");
    sets.until_all("e2e=ds-list", "are deleted", <[Value]>::is_empty);
}

#[test]
fn daemon_set_status_changes() {
    let api = space("ds-status");
    let sets = api.of(APPS, "DaemonSet");
    sets.create(daemon("ds", HTTPD));
    until_ready_pods(&api.of("v1", "Pod"), "ds", nodes(&api));
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "E2E", "message": "set from e2e"});
    let (patched, updated) = (condition("StatusPatched"), condition("StatusUpdate"));
    status_changes(&sets, "ds", &patched, &updated);
}

#[test]
fn controller_revisions_have_a_lifecycle() {
    let api = space("revisions");
    let (sets, revisions) = (
        api.of(APPS, "DaemonSet"),
        api.of(APPS, "ControllerRevision"),
    );
    sets.create(daemon("ds", HTTPD));
    until_ready_pods(&api.of("v1", "Pod"), "ds", nodes(&api));
    let listed = revisions.until_all("app=ds", "one", |list| list.len() == 1);
    let first = listed[0].clone();
    assert_eq!(revisions.get(name(&first))["revision"], 1);
    let patch = json!({"metadata": {"labels": {(name(&first)): "patched"}}});
    let patched = revisions.merge(name(&first), "", patch);
    assert_eq!(patched["metadata"]["labels"][name(&first)], "patched");
    let second = json!({
        "metadata": {
            "name": "ds-second", "labels": first["metadata"]["labels"],
            "ownerReferences": first["metadata"]["ownerReferences"],
        },
        "data": first["data"], "revision": 2,
    });
    revisions.create(second);
    assert_eq!(revisions.list("app=ds").len(), 2);
    revisions.delete(name(&first));
    revisions.until_all("app=ds", "one is left", |list| {
        list.iter().all(|r| name(r) != name(&first))
    });
    let updated = revisions.edit("ds-second", "", |revision| {
        revision["metadata"]["labels"]["ds-second"] = json!("updated");
    });
    assert_eq!(updated["metadata"]["labels"]["ds-second"], "updated");
    let patch = json!({"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 1}}}});
    sets.merge("ds", "", patch);
    let new = revisions.until_all("app=ds", "the third exists", |list| {
        list.iter().any(|r| r["revision"] == 3)
    });
    assert!(new.len() >= 2, "{new:?}");
    revisions.delete_all("ds-second=updated");
    let last = revisions.until_all("app=ds", "one is left", |list| list.len() == 1);
    assert_eq!(last[0]["revision"], 3);
}
