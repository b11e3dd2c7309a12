use super::*;
use crate::api::json::{Value, json};
use crate::kinds::tree::text;
use crate::runtime::Outcome;
use crate::testing::World;

fn set(spec: Value) -> Value {
    let mut set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "db"}, "spec": {"replicas": 3, "serviceName": "db",
        "selector": {"matchLabels": {"app": "db"}},
        "template": {"metadata": {"labels": {"app": "db"}},
            "spec": {"containers": [{"name": "c", "image": "pg:1"}]}}}});
    crate::api::patch::merge::apply(&mut set, &json!({"spec": spec}));
    set
}

/// Returns the default storage class.
fn class() -> Value {
    json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disks",
        "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "example.com/disks"})
}

fn world(spec: Value) -> World {
    let world = World::new();
    world.create(watched::stateful_sets(), &set(spec));
    assert_eq!(world.settle(), Outcome::Settled);
    world
}

/// Returns the changes of Pods since a revision: `+db-0`, `-db-0`.
fn steps(world: &World, since: u64) -> Vec<String> {
    use crate::cluster::{HistoryQuery, Range};
    let past = HistoryQuery {
        after: since,
        range: Range::resource("pods", None),
        ..HistoryQuery::default()
    };
    let history = world.scratch.stored().history(&past).unwrap();
    let events = history.into_iter().flat_map(|change| change.events);
    events
        .filter_map(|event| match (&event.before, &event.after) {
            (None, Some(_)) => Some(format!("+{}", event.key.name())),
            (Some(_), None) => Some(format!("-{}", event.key.name())),
            _ => None,
        })
        .collect()
}

fn image(tag: &str) -> Value {
    json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": format!("pg:{tag}")}]}}}})
}

#[test]
fn ordered_pods_get_ordinal_names_and_hostnames() {
    let world = world(json!({}));
    assert_eq!(steps(&world, 1), ["+db-0", "+db-1", "+db-2"]);
    let pod = world.get(watched::pods(), "db-1");
    assert_eq!(
        (&pod["spec"]["hostname"], &pod["spec"]["subdomain"]),
        (&json!("db-1"), &json!("db"))
    );
    let revision = world.names(watched::revisions()).remove(0);
    assert_eq!(pod["metadata"]["labels"][REVISION], revision);
    let status = &world.get(watched::stateful_sets(), "db")["status"];
    assert_eq!(
        *status,
        json!({"observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "availableReplicas": 3,
            "currentReplicas": 3, "updatedReplicas": 3, "collisionCount": 0,
            "currentRevision": revision, "updateRevision": revision})
    );
}

#[test]
fn rolling_update_proceeds_from_highest_ordinal_to_partition() {
    let world = world(json!({"updateStrategy": {"type": "RollingUpdate",
        "rollingUpdate": {"partition": 1}}}));
    let since = world.scratch.stored().revision().unwrap();
    world.patch(watched::stateful_sets(), "db", image("2"));
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(steps(&world, since), ["-db-2", "+db-2", "-db-1", "+db-1"]);
    let status = world.get(watched::stateful_sets(), "db")["status"].clone();
    assert_eq!(
        (&status["currentReplicas"], &status["updatedReplicas"]),
        (&json!(1), &json!(2))
    );
    world.delete(watched::pods(), "db-0");
    world.settled();
    let image_of =
        |name: &str| world.get(watched::pods(), name)["spec"]["containers"][0]["image"].clone();
    assert_eq!(
        (image_of("db-0"), image_of("db-1")),
        (json!("pg:1"), json!("pg:2"))
    );
    // Back to the first template: its revision gets the next number.
    world.patch(watched::stateful_sets(), "db", image("1"));
    assert_eq!(world.settle(), Outcome::Settled);
    let mut numbers: Vec<i64> = world
        .list(watched::revisions())
        .iter()
        .map(|r| r["revision"].as_i64().unwrap())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [2, 3]);
}

#[test]
fn on_delete_stateful_set_scales_down_from_highest_ordinal() {
    let world = world(json!({"updateStrategy": {"type": "OnDelete"}, "ordinals": {"start": 5}}));
    assert_eq!(world.names(watched::pods()), ["db-5", "db-6", "db-7"]);
    let since = world.scratch.stored().revision().unwrap();
    world.patch(watched::stateful_sets(), "db", image("2"));
    world.patch(
        watched::stateful_sets(),
        "db",
        json!({"spec": {"replicas": 1}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(steps(&world, since), ["-db-7", "-db-6"]);
}

#[test]
fn parallel_sets_do_not_wait() {
    let mut world = World::new();
    world.habit = crate::testing::Habit::Unready;
    world.create(
        watched::stateful_sets(),
        &set(json!({"podManagementPolicy": "Parallel"})),
    );
    world.settled();
    assert_eq!(world.names(watched::pods()).len(), 3);
    let mut world = World::new();
    world.habit = crate::testing::Habit::Unready;
    world.create(watched::stateful_sets(), &set(json!({})));
    world.settled();
    assert_eq!(world.names(watched::pods()), ["db-0"]);
}

#[test]
fn when_scaled_delete_transfers_the_claim_to_its_pod() {
    let templates = json!([{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}}}}]);
    let spec = json!({"volumeClaimTemplates": templates, "replicas": 2,
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Delete"}});
    let world = World::new();
    world.create(watched::storage_classes(), &class());
    world.create(watched::stateful_sets(), &set(spec));
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.names(watched::claims()), ["data-db-0", "data-db-1"]);
    let pod = world.get(watched::pods(), "db-1");
    let volume = &pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"];
    assert_eq!(*volume, "data-db-1");
    let uid = pod["metadata"]["uid"].clone();
    let since = world.scratch.stored().revision().unwrap();
    world.patch(
        watched::stateful_sets(),
        "db",
        json!({"spec": {"replicas": 1}}),
    );
    world.settled();
    let owners = {
        use crate::cluster::{HistoryQuery, Range};
        let past = HistoryQuery {
            after: since,
            range: Range::resource("persistentvolumeclaims", None),
            ..HistoryQuery::default()
        };
        let history = world.scratch.stored().history(&past).unwrap();
        let json = history[0].events[0].after.clone().unwrap();
        serde_json::from_slice::<Value>(&json).unwrap()["metadata"]["ownerReferences"].clone()
    };
    assert_eq!(owners[0]["uid"], uid);
}

#[test]
fn conditions_of_other_writers_cause_no_write() {
    use crate::cluster::Verb;
    let mut table = crate::testing::Table::new(&StatefulSets);
    let kind = watched::stateful_sets();
    table.put(kind, "db", &set(json!({"replicas": 0})));
    let plan = table.plan(&mut StatefulSets, "db");
    let Some(Verb::Update(_, written)) = plan.status.first().map(|write| &write.verb) else {
        panic!("no status is written");
    };
    let mut known = set(json!({"replicas": 0}));
    known["status"] = written["status"].clone();
    known["status"]["conditions"] = json!([{"type": "Checked", "status": "True"}]);
    table.put(kind, "db", &known);
    let plan = table.plan(&mut StatefulSets, "db");
    assert!(plan.status.is_empty(), "{:?}", crate::testing::lines(&plan));
}

#[test]
fn claims_follow_the_retention_policy_of_pods_in_order() {
    let template =
        json!({"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}});
    let spec = json!({"replicas": 2, "volumeClaimTemplates": [template],
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"}});
    let owner = json!([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "uid-db", "controller": true}]);
    let ready = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    let mut table = crate::testing::Table::new(&StatefulSets);
    let mut plan = |policy: &str, statuses: &[&Value]| {
        let mut set = set(spec.clone());
        set["spec"]["podManagementPolicy"] = json!(policy);
        table.put(watched::stateful_sets(), "db", &set);
        for (number, status) in statuses.iter().enumerate() {
            let name = format!("db-{number}");
            let labels = json!({"app": "db", POD_NAME: name});
            let pod =
                json!({"metadata": {"labels": labels, "ownerReferences": owner}, "status": status});
            table.put(watched::pods(), &name, &pod);
            table.put(watched::claims(), &format!("data-{name}"), &json!({}));
        }
        let plan = table.plan(&mut StatefulSets, "db");
        let claims = plan
            .changes
            .iter()
            .filter(|w| w.place.kind.kind == "PersistentVolumeClaim");
        claims.map(|w| w.name.to_string()).collect::<Vec<_>>()
    };
    let waits = json!({"phase": "Running"});
    // In order, a Pod that is not ready keeps its claim and those after it as they are; surplus ones wait for them.
    assert_eq!(
        plan("OrderedReady", &[&ready, &waits, &ready]),
        ["data-db-0"]
    );
    assert_eq!(
        plan("Parallel", &[&ready, &waits, &ready]),
        ["data-db-0", "data-db-1", "data-db-2"]
    );
    assert_eq!(
        plan("OrderedReady", &[&ready, &ready, &ready]),
        ["data-db-0", "data-db-1", "data-db-2"]
    );
}

/// Returns the plan for a set of one Pod with a claim, each of which may exist.
fn planned(pod: Option<Value>, claim: Option<Value>) -> Plan {
    let mut table = crate::testing::Table::new(&StatefulSets);
    let template =
        json!({"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}});
    let set = set(json!({"replicas": 1, "volumeClaimTemplates": [template]}));
    table.put(watched::stateful_sets(), "db", &set);
    if let Some(mut pod) = pod {
        pod["metadata"]["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "StatefulSet",
            "name": "db", "uid": "uid-db", "controller": true}]);
        pod["metadata"]["labels"] = json!({"app": "db"});
        table.put(watched::pods(), "db-0", &pod);
    }
    if let Some(claim) = claim {
        table.put(watched::claims(), "data-db-0", &claim);
    }
    table.plan(&mut StatefulSets, "db")
}

#[test]
fn name_of_another_pod_is_no_failure_that_the_set_reports() {
    for (taken, reports) in [(false, true), (true, false)] {
        let mut table = crate::testing::Table::new(&StatefulSets);
        table.put(watched::stateful_sets(), "db", &set(json!({"replicas": 1})));
        if taken {
            table.put(
                watched::pods(),
                "db-0",
                &json!({"metadata": {"name": "db-0"}}),
            );
        }
        let plan = table.plan(&mut StatefulSets, "db");
        let mut creations = plan.changes.iter().filter(|w| w.place.kind.kind == "Pod");
        let creation = creations.next().unwrap();
        assert_eq!(creation.on_failure.is_some(), reports, "taken: {taken}");
    }
}

#[test]
fn terminating_claim_blocks_pod_creation() {
    let leaving = json!({"metadata": {"deletionTimestamp": "2026-01-02T11:00:00Z"}});
    let plan = planned(None, Some(leaving));
    assert!(plan.changes.iter().all(|w| w.place.kind.kind != "Pod"));
    let told: Vec<_> = plan
        .events
        .iter()
        .map(|n| (&*n.reason, &*n.message))
        .collect();
    assert_eq!(
        told,
        [(
            "FailedCreate",
            "Create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted"
        )]
    );
    assert_eq!(
        plan.error.as_deref(),
        Some("pvc data-db-0 is being deleted")
    );
}

#[test]
fn missing_claim_is_recreated_only_for_a_pending_pod() {
    let made = |phase: &str| {
        let plan = planned(Some(json!({"status": {"phase": phase}})), None);
        let claims = plan
            .changes
            .iter()
            .filter(|w| w.place.kind.kind == "PersistentVolumeClaim");
        claims.count()
    };
    assert_eq!((made("Pending"), made("Running")), (1, 0));
}

#[test]
fn a_refused_claim_is_reported_for_itself_and_for_its_pod() {
    let world = World::new();
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"},
        "spec": {"hard": {"persistentvolumeclaims": "0"}}});
    world.create(watched::resource_quotas(), &quota);
    world.settled();
    let claim = |name: &str| {
        json!({"metadata": {"name": name}, "spec": {"accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}}}})
    };
    let two = json!([claim("data"), claim("logs")]);
    world.create(
        watched::stateful_sets(),
        &set(json!({"replicas": 1, "volumeClaimTemplates": two})),
    );
    assert!(matches!(world.settle(), Outcome::Stuck(_)));
    let why = |name: &str| {
        format!(
            "persistentvolumeclaims \"{name}-db-0\" is forbidden: exceeded quota: q, requested: \
             persistentvolumeclaims=1, used: persistentvolumeclaims=0, limited: persistentvolumeclaims=0"
        )
    };
    let events = world.list(watched::events());
    let mut told: Vec<&str> = events.iter().map(|e| text(e, "message")).collect();
    told.retain(|message| message.contains("failed error"));
    told.sort_unstable();
    let (data, logs) = (why("data"), why("logs"));
    let start = |name: &str| format!("Create Claim {name}-db-0 for Pod db-0 in StatefulSet db");
    let all = format!(
        "Create Pod db-0 in StatefulSet db failed error: [failed to create PVC data-db-0: {data}, \
         failed to create PVC logs-db-0: {logs}]"
    );
    assert_eq!(
        told,
        [
            format!("{} failed error: {data}", start("data")),
            format!("{} failed error: {logs}", start("logs")),
            all
        ]
    );
}

#[test]
fn only_pods_with_ordinal_names_are_adopted() {
    let world = World::new();
    let pod = |name: &str| {
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": {"app": "db"}},
            "spec": {"containers": [{"name": "c", "image": "pg:1"}]}})
    };
    for name in ["db-1", "db", "db-x", "db-1x", "other-0", "db-0-0"] {
        world.create(watched::pods(), &pod(name));
    }
    world.create(watched::stateful_sets(), &set(json!({"replicas": 2})));
    assert_eq!(world.settle(), Outcome::Settled);
    let owned = |name: &str| {
        let pod = world.get(watched::pods(), name);
        pod["metadata"]["ownerReferences"][0]["name"] == "db"
    };
    assert!(owned("db-0") && owned("db-1"));
    for name in ["db", "db-x", "db-1x", "other-0", "db-0-0"] {
        assert!(!owned(name), "{name}");
    }
}

#[test]
fn a_failed_orphan_is_adopted_and_deleted() {
    let mut table = crate::testing::Table::new(&StatefulSets);
    table.put(watched::stateful_sets(), "db", &set(json!({"replicas": 1})));
    let orphan = json!({"metadata": {"labels": {"app": "db"}}, "status": {"phase": "Failed"}});
    table.put(watched::pods(), "db-0", &orphan);
    let lines = crate::testing::lines(&table.plan(&mut StatefulSets, "db"));
    for line in [
        "patch db-0: adopt: its labels match",
        "delete db-0: replace: it has ended",
    ] {
        assert!(lines.iter().any(|l| l == line), "{lines:?}");
    }
}

#[test]
fn a_new_set_adopts_the_revisions_of_an_orphaned_one() {
    let world = world(json!({}));
    world.patch(watched::stateful_sets(), "db", image("2"));
    world.settled();
    let names = world.names(watched::revisions());
    assert_eq!(names.len(), 2);
    for name in &names {
        let orphan = json!({"metadata": {"ownerReferences": null}});
        world.patch(watched::revisions(), name, orphan);
    }
    // The set takes them back at once, as a new one with its selector would.
    world.settled();
    assert_eq!(world.names(watched::revisions()), names);
    for name in &names {
        let revision = world.get(watched::revisions(), name);
        assert_eq!(revision["metadata"]["ownerReferences"][0]["name"], "db");
    }
    // The template of the first revision becomes the newest one, under its old name.
    world.patch(watched::stateful_sets(), "db", image("1"));
    world.settled();
    assert_eq!(world.names(watched::revisions()), names);
    let numbers = names
        .iter()
        .map(|name| world.get(watched::revisions(), name)["revision"].clone());
    let mut numbers: Vec<_> = numbers.filter_map(|number| number.as_i64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [2, 3]);
}

#[test]
fn a_name_that_another_object_has_counts_as_a_collision() {
    let first = world(json!({"replicas": 0}));
    let mut taken = first.list(watched::revisions())[0].clone();
    taken["data"] = json!({"other": true});
    taken["metadata"] = json!({"name": taken["metadata"]["name"]});
    let world = World::new();
    world.create(watched::revisions(), &taken);
    world.create(watched::stateful_sets(), &set(json!({"replicas": 0})));
    world.settled();
    let status = &world.get(watched::stateful_sets(), "db")["status"];
    assert_eq!(status["collisionCount"], 1);
    assert_ne!(status["updateRevision"], taken["metadata"]["name"]);
}
