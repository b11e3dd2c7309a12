use super::*;
use crate::api::json::{Value, json};
use crate::harness::ControllerHarness;
use crate::runtime::Outcome;
use crate::testing::{Habit, Table, World, lines, noon};
use crate::workload::stamp;

fn set(replicas: i64) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}})
}

fn pod(extra: Value) -> Value {
    let mut pod = json!({
        "metadata": {"labels": {"app": "web"}, "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "uid-web",
             "controller": true}]},
        "spec": {"nodeName": "n1"},
        "status": {"phase": "Running", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": stamp(noon())}]},
    });
    crate::api::patch::merge::apply(&mut pod, &extra);
    pod
}

fn table(replicas: i64, pods: &[(&str, Value)]) -> (ReplicaSets, Table) {
    let controller = ReplicaSets::of_apps();
    let mut table = Table::new(&controller);
    table.put(watched::replica_sets(), "web", &set(replicas));
    for (name, extra) in pods {
        table.put(watched::pods(), name, &pod(extra.clone()));
    }
    (controller, table)
}

fn deleted(replicas: i64, pods: &[(&str, Value)]) -> Vec<String> {
    let (mut controller, table) = table(replicas, pods);
    let plan = table.plan(&mut controller, "web");
    let deleted = plan.changes.iter().filter(|w| w.is_delete());
    deleted.map(|w| w.name.clone()).collect()
}

#[test]
fn missing_pods_are_created_in_slow_start_waves() {
    let (mut controller, table) = table(4, &[("a", json!({}))]);
    let plan = table.plan(&mut controller, "web");
    let waves: Vec<u32> = plan.changes.iter().map(|w| w.wave).collect();
    assert_eq!(waves, [1, 2, 2]);
    assert_eq!(lines(&plan)[0], "create : scale-up: desired 4, current 1");
}

#[test]
fn large_replica_set_creates_pods_in_consecutive_bursts() {
    let (mut controller, table) = table(1100, &[]);
    let plan = table.plan(&mut controller, "web");
    assert_eq!((plan.changes.len(), plan.partial), (BURST, true));
    let world = World::new();
    world.create(watched::replica_sets(), &set(501));
    let after = world.scratch.stored().revision().unwrap();
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(
        world.get(watched::replica_sets(), "web")["status"]["readyReplicas"],
        501
    );
    let past = crate::cluster::HistoryQuery {
        after,
        range: crate::cluster::Range::resource("pods", None),
        ..Default::default()
    };
    let commits = world.scratch.stored().history(&past).unwrap();
    let rules: Vec<&str> = commits.iter().map(|c| c.cause.rule.as_str()).collect();
    assert_eq!(
        rules[..2],
        [
            "scale-up: desired 501, current 0",
            "scale-up: desired 501, current 500"
        ]
    );
}

#[test]
fn scale_down_deletes_the_least_important_pod_first() {
    let none = json!({});
    for (other, why) in [
        (json!({"spec": {"nodeName": null}}), "it has no node"),
        (json!({"status": {"phase": "Pending"}}), "it is pending"),
        (json!({"status": {"conditions": []}}), "it is not ready"),
        (
            json!({"metadata": {"annotations":
                {"controller.kubernetes.io/pod-deletion-cost": "-1"}}}),
            "it costs less",
        ),
        (
            json!({"status": {"containerStatuses": [{"restartCount": 3}]}}),
            "it was started again",
        ),
    ] {
        let pods = [("a", none.clone()), ("b", other), ("c", none.clone())];
        assert_eq!(deleted(2, &pods), ["b"], "{why}");
    }
    let crowded = [
        ("a", none.clone()),
        ("b", json!({"spec": {"nodeName": "n2"}})),
        ("c", json!({"spec": {"nodeName": "n2"}})),
    ];
    assert_eq!(deleted(2, &crowded), ["b"]);
}

#[test]
fn pods_follow_the_selector() {
    let (mut controller, mut table) = table(2, &[("left", json!({"metadata": {"labels": null}}))]);
    let orphan = pod(json!({"metadata": {"ownerReferences": null}}));
    table.put(watched::pods(), "orphan", &orphan);
    let plan = table.plan(&mut controller, "web");
    assert_eq!(
        lines(&plan),
        [
            "patch left: release: its labels no longer match",
            "patch orphan: adopt: its labels match",
            "create : scale-up: desired 2, current 1",
            "status web: status: 1 Pod is active",
        ]
    );
}

#[test]
fn set_that_loses_an_orphan_to_another_set_keeps_its_pods() {
    let world = World::new();
    for name in ["web", "also"] {
        let mut own = set(1);
        own["metadata"]["name"] = json!(name);
        world.create(watched::replica_sets(), &own);
    }
    world.settled();
    let before = world.names(watched::pods());
    for name in ["p1", "p2", "p3"] {
        let orphan = json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
        world.create(watched::pods(), &orphan);
    }
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.names(watched::pods()), before);
}

#[test]
fn pods_that_are_not_active_are_neither_adopted_nor_released() {
    let failed = json!({"metadata": {"labels": null}, "status": {"phase": "Failed"}});
    let leaving = json!({"metadata": {"labels": null, "deletionTimestamp": stamp(noon())}});
    let (mut controller, mut table) = table(0, &[("failed", failed), ("leaving", leaving)]);
    let orphan = json!({"metadata": {"ownerReferences": null}, "status": {"phase": "Failed"}});
    table.put(watched::pods(), "orphan", &pod(orphan));
    let plan = table.plan(&mut controller, "web");
    assert_eq!(lines(&plan), ["status web: status: 0 Pods are active"]);
    // A Pod that is released does not change that.
    table.put(
        watched::pods(),
        "left",
        &pod(json!({"metadata": {"labels": null}})),
    );
    let plan = table.plan(&mut controller, "web");
    assert_eq!(
        lines(&plan)[0],
        "patch left: release: its labels no longer match"
    );
    assert_eq!(plan.changes.len(), 1);
    let status = &crate::harness::content(&plan.status[0])["status"];
    assert_eq!(status["terminatingReplicas"], 1);
}

#[test]
fn a_terminating_set_changes_only_its_status() {
    let (mut controller, mut table) = table(3, &[]);
    let going = json!({"metadata": {"deletionTimestamp": stamp(noon())}});
    let mut going_set = set(3);
    crate::api::patch::merge::apply(&mut going_set, &going);
    table.put(watched::replica_sets(), "web", &going_set);
    let plan = table.plan(&mut controller, "web");
    assert_eq!(lines(&plan), ["status web: status: 0 Pods are active"]);
}

#[test]
fn pod_becomes_available_after_min_ready_seconds() {
    let (mut controller, mut table) = table(1, &[("a", json!({}))]);
    let mut patient = set(1);
    patient["spec"]["minReadySeconds"] = json!(30);
    table.put(watched::replica_sets(), "web", &patient);
    let plan = table.plan(&mut controller, "web");
    assert_eq!(
        plan.requeue_after,
        Some(jiff::SignedDuration::from_secs(30))
    );
    let later = noon() + jiff::SignedDuration::from_secs(30);
    assert_eq!(
        table.plan_at(&mut controller, "web", later).requeue_after,
        None
    );
}

#[test]
fn pods_that_have_ended_are_not_terminating() {
    let leaving = |phase: &str| {
        json!({"metadata": {"deletionTimestamp": stamp(noon()), "finalizers": ["a.b/c"]},
            "status": {"phase": phase}})
    };
    let pods = [
        ("a", leaving("Failed")),
        ("b", leaving("Running")),
        ("c", leaving("Succeeded")),
    ];
    let (mut controller, table) = table(0, &pods);
    let plan = table.plan(&mut controller, "web");
    let status = &crate::harness::content(&plan.status[0])["status"];
    assert_eq!(status["terminatingReplicas"], 1);
}

#[test]
fn refusals_in_an_ending_namespace_are_not_reported() {
    let (mut controller, table) = table(1, &[]);
    let mut status =
        crate::api::status::Status::forbidden("pods", "web-", "it is being terminated");
    let mut conditions = |status: &crate::api::status::Status| {
        let refused = [crate::runtime::Failure {
            rule: "scale-up: desired 1, current 0".to_owned(),
            index: Some(0),
            status: status.clone(),
        }];
        let plan = controller.plan(&ReconcileContext {
            key: &crate::runtime::Key::new("default", "web"),
            cache: &table.cache,
            now: noon(),
            failures: 1,
            refused: &refused,
            seed: crate::runtime::Seed(7),
            pods: crate::cluster::PodMode::Default,
            identity: crate::harness::identity(),
        });
        let status = &crate::harness::content(&plan.status[0])["status"];
        status["conditions"].as_array().map_or(0, |all| all.len())
    };
    assert_eq!(conditions(&status), 1);
    if let Some(details) = &mut status.details {
        details.causes.push(crate::api::status::Cause {
            reason: crate::api::status::CauseReason::NamespaceTerminating,
            field: "metadata.namespace".to_owned(),
            message: "namespace default is being terminated".to_owned(),
        });
    }
    assert_eq!(conditions(&status), 0);
}

#[test]
fn replica_set_settles_scales_and_replaces_deleted_pods() {
    let world = World::new();
    world.create(watched::replica_sets(), &set(7));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = &world.get(watched::replica_sets(), "web")["status"];
    assert_eq!(
        *status,
        json!({"replicas": 7, "fullyLabeledReplicas": 7, "readyReplicas": 7,
            "availableReplicas": 7, "terminatingReplicas": 0, "observedGeneration": 1})
    );
    world.patch(
        watched::replica_sets(),
        "web",
        json!({"spec": {"replicas": 2}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.names(watched::pods()).len(), 2);
    world.delete(watched::pods(), &world.names(watched::pods())[0]);
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.names(watched::pods()).len(), 2);
}

#[test]
fn failed_pod_creation_is_reported_and_retried_once_allowed() {
    let world = World::new();
    let mut robots = set(3);
    robots["spec"]["template"]["spec"]["serviceAccountName"] = json!("robot");
    world.create(watched::replica_sets(), &robots);
    assert!(matches!(world.settle(), Outcome::Stuck(_)));
    let condition = &world.get(watched::replica_sets(), "web")["status"]["conditions"][0];
    assert_eq!(condition["reason"], "FailedCreate");
    assert!(
        condition["message"]
            .as_str()
            .unwrap()
            .contains("\"robot\" not found")
    );
    let accounts = crate::kinds::find("", "v1", "ServiceAccount").unwrap();
    world.create(
        accounts,
        &json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    let status = &world.get(watched::replica_sets(), "web")["status"];
    assert_eq!(status["readyReplicas"], 3);
    assert!(status.get("conditions").is_none());
}

#[test]
fn each_refused_creation_is_an_event_until_similar_ones_are_combined() {
    let world = World::new();
    let quotas = crate::kinds::find("", "v1", "ResourceQuota").unwrap();
    world.create(
        quotas,
        &json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"},
            "spec": {"hard": {"pods": "0"}}}),
    );
    world.settled();
    world.create(watched::replica_sets(), &set(1));
    let told = || -> Vec<(String, i64)> {
        let events = world.list(watched::events());
        let failed = events.iter().filter(|e| e["reason"] == "FailedCreate");
        let told = |e: &Value| {
            let text = e["message"].as_str().unwrap();
            (text.to_owned(), e["count"].as_i64().unwrap())
        };
        failed.map(told).collect()
    };
    // A settled cluster waits for no retry, because time alone does not help.
    let before = world.scratch.now().unwrap();
    assert!(matches!(world.settle(), Outcome::Stuck(_)));
    assert_eq!(world.scratch.now().unwrap(), before);
    // Waits of 5 ms that double: 14 attempts within a minute.
    assert!(matches!(world.pass(60), Outcome::Stuck(_)));
    let told = told();
    let combined = "(combined from similar events): Error creating: pods \"web-";
    let (rest, once): (Vec<_>, Vec<_>) = told.iter().partition(|told| told.0.starts_with(combined));
    assert!(once.iter().all(|told| told.1 == 1));
    assert_eq!((once.len(), rest.len()), (9, 1));
    assert!(rest[0].1 >= 5, "{told:?}");
}

#[test]
fn replication_controller_creates_pods_by_its_map_selector() {
    let world = World::new();
    world.create(
        watched::replication_controllers(),
        &json!({"apiVersion": "v1",
        "kind": "ReplicationController", "metadata": {"name": "old"}, "spec": {"replicas": 2,
        "template": {"metadata": {"labels": {"app": "old"}},
            "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    let status = &world.get(watched::replication_controllers(), "old")["status"];
    assert_eq!(
        *status,
        json!({"replicas": 2, "fullyLabeledReplicas": 2, "readyReplicas": 2,
            "availableReplicas": 2, "observedGeneration": 1})
    );
}

#[test]
fn more_pods_than_one_burst_are_all_created() {
    let mut world = World::new();
    world.habit = Habit::Nothing;
    world.create(watched::replica_sets(), &set(620));
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.names(watched::pods()).len(), 620);
}

fn controlled(name: &str, app: &str, owner: &str, phase: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"app": app}, "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner,
                "controller": true},
        ]},
        "status": {"phase": phase},
    })
}

#[test]
fn pod_counts_by_owner_follow_creations_changes_and_deletions() {
    let mut harness = ControllerHarness::new(ReplicaSets::of_apps());
    harness.put("v1", "Pod", controlled("a", "web", "x", "Running"));
    harness.put("v1", "Pod", controlled("b", "web", "x", "Running"));
    let c = harness.put("v1", "Pod", controlled("c", "db", "x", "Running"));
    harness.put("v1", "Pod", controlled("d", "web", "y", "Running"));
    let crowds = |harness: &ControllerHarness<ReplicaSets>| {
        let pods = harness.cache.tally::<Controlled>();
        (pods.by("x"), pods.by("y"))
    };
    let active = |pod_counts: &PodCounts| pod_counts.count(|class| class.life.active);
    let (x, y) = crowds(&harness);
    assert_eq!((x.classes().count(), active(&x), active(&y)), (2, 3, 1));
    harness.put("v1", "Pod", controlled("a", "web", "y", "Running"));
    harness.put("v1", "Pod", controlled("b", "web", "x", "Failed"));
    harness.remove(&c);
    let (x, y) = crowds(&harness);
    assert_eq!((x.classes().count(), active(&x), active(&y)), (1, 0, 2));
    assert_eq!(
        y,
        PodCounts::from_pods(harness.cache.controlled_by(watched::pods(), "y"))
    );
}
