//! SIG API Machinery: resource quotas. SIG Scheduling: limit ranges.

use serde_json::{Value, json};

use crate::cluster::{Api, namespace};
use crate::objects::{PAUSE, controller, data, pod, service, spec, workload};
use crate::resource::name;

fn space(name: &str) -> Api {
    namespace("quota", name)
}

/// Creates a quota for all that the tests count, and waits until its status is calculated.
fn quota(api: &Api) {
    let hard = json!({
        "pods": "5", "services": "10", "services.nodeports": "1", "services.loadbalancers": "1",
        "replicationcontrollers": "10", "resourcequotas": "1", "configmaps": "10", "secrets": "10",
        "cpu": "1", "memory": "500Mi", "ephemeral-storage": "50Gi", "persistentvolumeclaims": "10",
        "requests.storage": "10Gi", "requests.example.com/dongle": "3", "count/replicasets.apps": "5",
    });
    let quotas = api.of("v1", "ResourceQuota");
    quotas.create(json!({"metadata": {"name": "test-quota"}, "spec": {"hard": hard}}));
    let made = quotas.until("test-quota", "is calculated", |q| {
        q["status"]["used"]["pods"] == "0"
    });
    assert_eq!(made["status"]["hard"], hard);
    used(api, "test-quota", &[("resourcequotas", "1")]);
}

/// Waits until a quota has this usage.
#[track_caller]
fn used(api: &Api, name: &str, wanted: &[(&str, &str)]) {
    let quotas = api.of("v1", "ResourceQuota");
    quotas.until(name, &format!("{wanted:?}"), |quota| {
        wanted
            .iter()
            .all(|(key, value)| quota["status"]["used"][key] == *value)
    });
}

#[test]
fn quota_status_is_calculated() {
    let api = space("quota-new");
    quota(&api);
    used(
        &api,
        "test-quota",
        &[("services", "0"), ("cpu", "0"), ("secrets", "0")],
    );
}

#[test]
fn quota_counts_config_maps() {
    let api = space("quota-maps");
    quota(&api);
    let maps = api.of("v1", "ConfigMap");
    maps.until("kube-root-ca.crt", "exists", |map| !map.is_null());
    used(&api, "test-quota", &[("configmaps", "1")]);
    maps.create(data("test", json!({"a": "b"})));
    used(&api, "test-quota", &[("configmaps", "2")]);
    maps.delete("test");
    used(&api, "test-quota", &[("configmaps", "1")]);
}

#[test]
fn quota_counts_secrets() {
    let api = space("quota-secrets");
    quota(&api);
    let secrets = api.of("v1", "Secret");
    secrets.create(data("test", json!({"data-1": "dmFsdWUtMQo="})));
    used(&api, "test-quota", &[("secrets", "1")]);
    secrets.delete("test");
    used(&api, "test-quota", &[("secrets", "0")]);
}

#[test]
fn quota_counts_services() {
    let api = space("quota-services");
    quota(&api);
    let services = api.of("v1", "Service");
    let ports = |kind: &str| json!({"type": kind, "ports": [{"port": 80, "targetPort": 80}]});
    services.create(service("cluster-ip", ports("ClusterIP")));
    services.create(service("node-port", ports("NodePort")));
    // A load balancer needs a node port, of which only one is allowed.
    let refused = services.try_create(service("load-balancer", ports("LoadBalancer")));
    refused.says(403, "exceeded quota: test-quota");
    let counts = [
        ("services", "2"),
        ("services.nodeports", "1"),
        ("services.loadbalancers", "0"),
    ];
    used(&api, "test-quota", &counts);
    services.delete("cluster-ip");
    services.delete("node-port");
    let counts = [
        ("services", "0"),
        ("services.nodeports", "0"),
        ("services.loadbalancers", "0"),
    ];
    used(&api, "test-quota", &counts);
}

#[test]
fn quota_counts_controllers_and_sets() {
    let api = space("quota-sets");
    quota(&api);
    let controllers = api.of("v1", "ReplicationController");
    controllers.create(controller("rc", 0, PAUSE));
    used(&api, "test-quota", &[("replicationcontrollers", "1")]);
    controllers.delete("rc");
    used(&api, "test-quota", &[("replicationcontrollers", "0")]);
    let sets = api.of("apps/v1", "ReplicaSet");
    sets.create(workload("rs", 0, PAUSE));
    used(&api, "test-quota", &[("count/replicasets.apps", "1")]);
    sets.delete("rs");
    used(&api, "test-quota", &[("count/replicasets.apps", "0")]);
}

fn asking(name: &str, requests: &Value, limits: &Value) -> Value {
    let mut made = pod(name, spec(PAUSE));
    made["spec"]["containers"][0]["resources"] = json!({"requests": requests, "limits": limits});
    made
}

#[test]
fn quota_counts_pods() {
    let api = space("quota-pods");
    quota(&api);
    let pods = api.of("v1", "Pod");
    let requests = json!({
        "cpu": "500m", "memory": "252Mi", "ephemeral-storage": "30Gi", "example.com/dongle": "2",
    });
    pods.create(asking(
        "test-pod",
        &requests,
        &json!({"example.com/dongle": "2"}),
    ));
    let counts = [
        ("pods", "1"),
        ("cpu", "500m"),
        ("memory", "252Mi"),
        ("ephemeral-storage", "30Gi"),
        ("requests.example.com/dongle", "2"),
    ];
    used(&api, "test-quota", &counts);
    let more = json!({"cpu": "600m", "memory": "100Mi"});
    let refused = pods.try_create(asking("fail-pod", &more, &json!({})));
    refused.says(
        403,
        "exceeded quota: test-quota, requested: cpu=600m, used: cpu=500m, limited: cpu=1",
    );
    let dongles = json!({"cpu": "500m", "memory": "100Mi", "ephemeral-storage": "30Gi", "example.com/dongle": "2"});
    let refused = pods.try_create(asking(
        "fail-pod",
        &dongles,
        &json!({"example.com/dongle": "2"}),
    ));
    refused.says(403, "exceeded quota: test-quota");
    let changed = pods.try_edit("test-pod", "", |pod| {
        pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("100m");
    });
    assert_eq!(changed.code, 422, "{changed:?}");
    used(&api, "test-quota", &counts);
    pods.try_delete("test-pod", &json!({"gracePeriodSeconds": 0}))
        .ok();
    let counts = [
        ("pods", "0"),
        ("cpu", "0"),
        ("memory", "0"),
        ("ephemeral-storage", "0"),
        ("requests.example.com/dongle", "0"),
    ];
    used(&api, "test-quota", &counts);
}

fn scoped(api: &Api, scope: &str, hard: &Value) -> String {
    let name = format!("quota-{}", scope.to_lowercase());
    let quotas = api.of("v1", "ResourceQuota");
    quotas.create(json!({"metadata": {"name": name}, "spec": {"hard": hard, "scopes": [scope]}}));
    used(api, &name, &[("pods", "0")]);
    name
}

#[test]
fn quota_of_best_effort_pods() {
    let api = space("quota-effort");
    let hard = json!({"pods": "5"});
    let best = scoped(&api, "BestEffort", &hard);
    let other = scoped(&api, "NotBestEffort", &hard);
    let pods = api.of("v1", "Pod");
    let request = json!({"cpu": "500m", "memory": "200Mi"});
    for (resources, counts, leaves) in [(json!({}), &best, &other), (request, &other, &best)] {
        pods.create(asking("test-pod", &resources, &resources));
        used(&api, counts, &[("pods", "1")]);
        used(&api, leaves, &[("pods", "0")]);
        pods.try_delete("test-pod", &json!({"gracePeriodSeconds": 0}))
            .ok();
        used(&api, counts, &[("pods", "0")]);
    }
}

#[test]
fn quota_of_terminating_pods() {
    let api = space("quota-terminating");
    let hard = json!({
        "pods": "5", "requests.cpu": "1", "requests.memory": "500Mi", "limits.cpu": "2", "limits.memory": "1Gi",
    });
    let ending = scoped(&api, "Terminating", &hard);
    let lasting = scoped(&api, "NotTerminating", &hard);
    let pods = api.of("v1", "Pod");
    let requests = json!({"cpu": "500m", "memory": "200Mi"});
    let limits = json!({"cpu": "1", "memory": "400Mi"});
    for (deadline, counts, leaves) in [(None, &lasting, &ending), (Some(3600), &ending, &lasting)] {
        let mut made = asking("test-pod", &requests, &limits);
        made["spec"]["activeDeadlineSeconds"] = json!(deadline);
        pods.create(made);
        let usage = [
            ("pods", "1"),
            ("requests.cpu", "500m"),
            ("requests.memory", "200Mi"),
            ("limits.cpu", "1"),
            ("limits.memory", "400Mi"),
        ];
        used(&api, counts, &usage);
        used(
            &api,
            leaves,
            &[("pods", "0"), ("requests.cpu", "0"), ("limits.memory", "0")],
        );
        pods.try_delete("test-pod", &json!({"gracePeriodSeconds": 0}))
            .ok();
        used(
            &api,
            counts,
            &[("pods", "0"), ("requests.cpu", "0"), ("limits.cpu", "0")],
        );
    }
}

#[test]
fn quota_is_updated_and_deleted() {
    let api = space("quota-update");
    let quotas = api.of("v1", "ResourceQuota");
    let hard = json!({"cpu": "1", "memory": "500Mi"});
    quotas.create(json!({"metadata": {"name": "test-quota"}, "spec": {"hard": hard}}));
    assert_eq!(quotas.get("test-quota")["spec"]["hard"], hard);
    let hard = json!({"cpu": "2", "memory": "1Gi"});
    quotas.edit("test-quota", "", |quota| {
        quota["spec"]["hard"] = hard.clone()
    });
    assert_eq!(quotas.get("test-quota")["spec"]["hard"], hard);
    quotas.delete("test-quota");
    assert_eq!(quotas.try_get("test-quota").code, 404);
}

#[test]
fn quota_has_a_lifecycle() {
    let api = space("quota-life");
    let quotas = api.of("v1", "ResourceQuota");
    let labels = json!({"quota-life": "yes"});
    quotas.create(json!({
        "metadata": {"name": "life", "labels": labels}, "spec": {"hard": {"cpu": "1", "memory": "500Mi"}},
    }));
    assert_eq!(
        api.global("v1", "ResourceQuota")
            .list("quota-life=yes")
            .len(),
        1
    );
    let patch =
        json!({"metadata": {"labels": {"life": "patched"}}, "spec": {"hard": {"memory": "750Mi"}}});
    let patched = quotas.merge("life", "", patch);
    assert_eq!(patched["metadata"]["labels"]["life"], "patched");
    assert_eq!(
        patched["spec"]["hard"],
        json!({"cpu": "1", "memory": "750Mi"})
    );
    quotas.delete_all("life=patched");
    assert!(
        api.global("v1", "ResourceQuota")
            .list("quota-life=yes")
            .is_empty()
    );
}

#[test]
fn quota_status_changes() {
    let api = space("quota-status");
    let quotas = api.of("v1", "ResourceQuota");
    let hard = json!({"cpu": "500m", "memory": "500Mi"});
    quotas.create(json!({"metadata": {"name": "status"}, "spec": {"hard": hard}}));
    quotas.until("status", "is calculated", |quota| {
        quota["status"]["hard"] == hard
    });
    let wanted = json!({"cpu": "1", "memory": "1Gi"});
    let updated = quotas.edit("status", "status", |q| q["status"]["hard"] = wanted.clone());
    assert_eq!(updated["status"]["hard"], wanted);
    // The controller sets the status right.
    quotas.until("status", "is reconciled", |quota| {
        quota["status"]["hard"] == hard
    });
    let hard = json!({"cpu": "2", "memory": "2Gi"});
    quotas.merge("status", "", json!({"spec": {"hard": hard}}));
    quotas.until("status", "follows the spec", |quota| {
        quota["status"]["hard"] == hard
    });
    let patch = json!({"status": {"hard": {"cpu": "3", "memory": "3Gi"}}});
    let patched = quotas.merge("status", "status", patch);
    assert_eq!(patched["status"]["hard"]["cpu"], "3");
    assert_eq!(
        patched["spec"]["hard"], hard,
        "the spec does not change with the status"
    );
    quotas.until("status", "is reconciled again", |quota| {
        quota["status"]["hard"] == hard
    });
    assert_eq!(quotas.part("status", "status")["status"]["hard"], hard);
}

fn limits(name: &str) -> Value {
    let amounts = |cpu: &str, memory: &str, storage: &str| json!({"cpu": cpu, "memory": memory, "ephemeral-storage": storage});
    json!({
        "metadata": {"name": name},
        "spec": {"limits": [{
            "type": "Container", "min": amounts("50m", "100Mi", "100Gi"),
            "max": amounts("500m", "500Mi", "500Gi"), "default": amounts("500m", "500Mi", "500Gi"),
            "defaultRequest": amounts("100m", "200Mi", "200Gi"),
        }]},
    })
}

#[test]
fn limit_range_gives_defaults() {
    let api = space("limits");
    let (ranges, pods) = (api.of("v1", "LimitRange"), api.of("v1", "Pod"));
    let mut watch = ranges.watch("");
    ranges.create(limits("limit-range"));
    assert_eq!(name(&watch.expect("ADDED")), "limit-range");
    let defaults = limits("x")["spec"]["limits"][0].clone();
    let made = pods.create(pod("no-resources", spec(PAUSE)));
    let resources = &made["spec"]["containers"][0]["resources"];
    assert_eq!(resources["requests"], defaults["defaultRequest"]);
    assert_eq!(resources["limits"], defaults["default"]);
    let made = pods.create(asking(
        "partial",
        &json!({"cpu": "150m", "memory": "150Mi"}),
        &json!({"cpu": "300m"}),
    ));
    let resources = &made["spec"]["containers"][0]["resources"];
    let requests = json!({"cpu": "150m", "memory": "150Mi", "ephemeral-storage": "200Gi"});
    assert_eq!(resources["requests"], requests);
    let limited = json!({"cpu": "300m", "memory": "500Mi", "ephemeral-storage": "500Gi"});
    assert_eq!(resources["limits"], limited);
    let small = asking(
        "small",
        &json!({"cpu": "10m", "memory": "50Mi"}),
        &json!({}),
    );
    assert_eq!(pods.try_create(small).code, 403);
    let large = asking("large", &json!({"cpu": "600m"}), &json!({"cpu": "600m"}));
    assert_eq!(pods.try_create(large).code, 403);
    // A smaller minimum allows what was refused.
    ranges.edit("limit-range", "", |range| {
        range["spec"]["limits"][0]["min"]["cpu"] = json!("9m");
        range["spec"]["limits"][0]["min"]["memory"] = json!("49Mi");
    });
    let small = asking(
        "small",
        &json!({"cpu": "10m", "memory": "50Mi"}),
        &json!({}),
    );
    pods.create(small);
    ranges.delete("limit-range");
    ranges.until_gone("limit-range");
    pods.create(asking(
        "larger",
        &json!({"cpu": "600m"}),
        &json!({"cpu": "600m"}),
    ));
}

#[test]
fn limit_ranges_are_a_collection() {
    let (api, other) = (space("limits-one"), space("limits-two"));
    for api in [&api, &other] {
        let mut range = limits("range");
        range["metadata"]["labels"] = json!({"limits-test": "yes"});
        api.of("v1", "LimitRange").create(range);
    }
    let all = api.global("v1", "LimitRange");
    assert_eq!(all.list("limits-test=yes").len(), 2);
    let ranges = api.of("v1", "LimitRange");
    let patch = json!({"metadata": {"labels": {"range": "patched"}}, "spec": {"limits": [
        {"type": "Container", "min": {"cpu": "40m"}},
    ]}});
    let patched = ranges
        .try_patch("range", "", "strategic-merge", &patch)
        .ok();
    assert_eq!(patched["metadata"]["labels"]["range"], "patched");
    assert_eq!(patched["spec"]["limits"][0]["min"]["cpu"], "40m");
    ranges.delete_all("range=patched");
    assert_eq!(all.list("limits-test=yes").len(), 1);
}
