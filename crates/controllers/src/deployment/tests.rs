use super::rollout::MAX_REPLICAS;
use super::*;
use crate::api::json::{Value, json};
use crate::kinds::tree::{at, text};
use crate::runtime::Outcome;
use crate::testing::{Habit, World};
use crate::workload::stamp;

fn deployment(replicas: i64, strategy: Value, extra: Value) -> Value {
    let mut object = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "annotations": {"note": "kept"}}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "strategy": strategy,
        "template": {"metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}}});
    crate::api::patch::merge::apply(&mut object, &extra);
    object
}

fn rolling(surge: Value, away: Value) -> Value {
    json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": away}})
}

fn image(tag: &str) -> Value {
    json!({"spec": {"template": {"spec": {"containers": [
        {"name": "c", "image": format!("nginx:{tag}")}]}}}})
}

/// Returns the sizes that the ReplicaSets went through: `new 0>3`, `old 10>8`.
fn steps(world: &World, since: u64) -> Vec<String> {
    use crate::cluster::{HistoryQuery, Range};
    let past = HistoryQuery {
        after: since,
        range: Range::resource("replicasets.apps", None),
        ..HistoryQuery::default()
    };
    let mut names: Vec<String> = Vec::new();
    let mut steps = Vec::new();
    for change in world.scratch.stored().history(&past).unwrap() {
        for event in change.events {
            let size = |json: &[u8]| {
                let value: Value = serde_json::from_slice(json).unwrap();
                value["spec"]["replicas"].as_i64().unwrap()
            };
            let before = event.before.as_ref().map_or(0, |(_, json)| size(json));
            let Some(after) = event.after.as_deref().map(size) else {
                continue;
            };
            let name = event.key.name().to_owned();
            if event.before.is_none() {
                names.push(name.clone());
            }
            if before == after {
                continue;
            }
            let word = if names.contains(&name) { "new" } else { "old" };
            steps.push(format!("{word} {before}>{after}"));
        }
    }
    steps
}

fn rollout(replicas: i64, strategy: Value) -> Vec<String> {
    let world = World::new();
    world.create(
        watched::deployments(),
        &deployment(replicas, strategy, json!({})),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    let since = world.scratch.stored().revision().unwrap();
    world.patch(watched::deployments(), "web", image("2"));
    assert_eq!(world.settle(), Outcome::Settled);
    steps(&world, since)
}

#[test]
fn a_new_deployment_becomes_available() {
    let world = World::new();
    world.create(
        watched::deployments(),
        &deployment(3, rolling(json!("25%"), json!("25%")), json!({})),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    let web = world.get(watched::deployments(), "web");
    let mut status = web["status"].clone();
    let conditions = status["conditions"].take();
    assert_eq!(
        status,
        json!({"conditions": null, "observedGeneration": 1, "replicas": 3, "updatedReplicas": 3,
            "readyReplicas": 3, "availableReplicas": 3, "terminatingReplicas": 0})
    );
    let told = |i: usize| (text(&conditions[i], "type"), text(&conditions[i], "reason"));
    assert_eq!(told(0), ("Available", "MinimumReplicasAvailable"));
    assert_eq!(told(1), ("Progressing", "NewReplicaSetAvailable"));
    assert_eq!(
        web["metadata"]["annotations"]["deployment.kubernetes.io/revision"],
        "1"
    );
    let managers = web["metadata"]["managedFields"].as_array().unwrap();
    let managers: Vec<_> = managers
        .iter()
        .map(|m| (text(m, "manager"), text(m, "subresource")))
        .collect();
    assert_eq!(
        managers,
        [("kube-controller-manager", "status"), ("kubectl", "")]
    );
    let set = &world.list(watched::replica_sets())[0];
    assert_eq!(
        set["metadata"]["annotations"],
        json!({"deployment.kubernetes.io/desired-replicas": "3", "note": "kept",
            "deployment.kubernetes.io/max-replicas": "4", "deployment.kubernetes.io/revision": "1"})
    );
    let hash = set["metadata"]["labels"]["pod-template-hash"]
        .as_str()
        .unwrap();
    assert_eq!(set["metadata"]["name"], format!("web-{hash}"));
    assert_eq!(
        set["spec"]["selector"]["matchLabels"]["pod-template-hash"],
        hash
    );
}

#[test]
fn rollouts_take_the_recorded_steps() {
    let quarter = || rolling(json!("25%"), json!("25%"));
    assert_eq!(
        rollout(3, quarter()),
        [
            "new 0>1", "old 3>2", "new 1>2", "old 2>1", "new 2>3", "old 1>0"
        ]
    );
    assert_eq!(
        rollout(10, quarter())[..4],
        ["new 0>3", "old 10>8", "new 3>5", "old 8>5"]
    );
    assert_eq!(rollout(1, quarter()), ["new 0>1", "old 1>0"]);
    assert_eq!(
        rollout(2, rolling(json!(0), json!("1%"))),
        ["old 2>1", "new 0>1", "old 1>0", "new 1>2"]
    );
    let recreate = json!({"type": "Recreate"});
    assert_eq!(rollout(3, recreate), ["old 3>0", "new 0>3"]);
}

#[test]
fn a_stuck_rollout_reports_that_its_deadline_is_exceeded() {
    let mut world = World::new();
    world.habit = Habit::Unready;
    let began = world.scratch.now().unwrap();
    world.create(
        watched::deployments(),
        &deployment(2, rolling(json!(1), json!(0)), json!({})),
    );
    let Outcome::Stuck(stuck) = world.settle() else {
        panic!("the Deployment is not stuck");
    };
    let set = world.names(watched::replica_sets()).remove(0);
    let message = format!("ReplicaSet \"{set}\" has timed out progressing.");
    let told = stuck.iter().map(|s| format!("{}: {}", s.object, s.reason));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [format!(
            "Deployment default/web: ProgressDeadlineExceeded: {message}"
        )]
    );
    let waited = world.scratch.now().unwrap().duration_since(began);
    assert_eq!(waited.as_secs(), 600);
}

#[test]
fn scale_down_during_rollout_removes_only_the_surplus() {
    let world = World::new();
    world.create(
        watched::deployments(),
        &deployment(10, rolling(json!(3), json!(2)), json!({})),
    );
    world.settled();
    let mut held = image("2");
    held["spec"]["minReadySeconds"] = json!(500);
    world.patch(watched::deployments(), "web", held);
    world.passed(5);
    let sizes = || -> Vec<i64> {
        let mut sets = world.list(watched::replica_sets());
        let revision = |s: &Value| {
            s["metadata"]["annotations"]["deployment.kubernetes.io/revision"].to_string()
        };
        sets.sort_by_key(revision);
        let size = |s: &Value| s["spec"]["replicas"].as_i64().unwrap();
        sets.iter().map(size).collect()
    };
    assert_eq!(sizes(), [8, 5]);
    for (replicas, sets) in [(20, [14, 9]), (6, [4, 5])] {
        let patch = json!({"spec": {"replicas": replicas}});
        world.patch(watched::deployments(), "web", patch);
        world.passed(5);
        assert_eq!(sizes(), sets, "{replicas}");
    }
}

#[test]
fn paused_deployment_scales_without_a_rollout() {
    let world = World::new();
    world.create(
        watched::deployments(),
        &deployment(2, rolling(json!(1), json!(0)), json!({})),
    );
    world.settled();
    world.patch(
        watched::deployments(),
        "web",
        json!({"spec": {"paused": true}}),
    );
    world.patch(watched::deployments(), "web", image("2"));
    world.patch(
        watched::deployments(),
        "web",
        json!({"spec": {"replicas": 3}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    let sets = world.list(watched::replica_sets());
    assert_eq!(
        (sets.len(), sets[0]["spec"]["replicas"].as_i64()),
        (1, Some(3))
    );
    let web = world.get(watched::deployments(), "web");
    assert_eq!(
        condition(&web, "Progressing").unwrap()["reason"],
        "DeploymentPaused"
    );
    world.patch(
        watched::deployments(),
        "web",
        json!({"spec": {"paused": false}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    let web = world.get(watched::deployments(), "web");
    assert_eq!(
        condition(&web, "Progressing").unwrap()["reason"],
        "NewReplicaSetAvailable"
    );
    assert_eq!(world.list(watched::replica_sets()).len(), 2);
}

#[test]
fn only_set_with_the_desired_size_keeps_its_annotations() {
    let world = World::new();
    let web = deployment(2, rolling(json!(1), json!(0)), json!({}));
    world.create(watched::deployments(), &web);
    world.settled();
    let surge = json!({"spec": {"paused": true, "strategy": {"rollingUpdate": {"maxSurge": 3}}}});
    world.patch(watched::deployments(), "web", surge);
    world.settled();
    let most = || {
        let sets = world.list(watched::replica_sets());
        sets[0]["metadata"]["annotations"][MAX_REPLICAS].clone()
    };
    assert_eq!(most(), "3");
    world.patch(
        watched::deployments(),
        "web",
        json!({"spec": {"replicas": 3}}),
    );
    world.settled();
    assert_eq!(most(), "6");
}

#[test]
fn a_paused_deployment_keeps_its_history_for_a_rollback() {
    let world = World::new();
    let object = deployment(1, rolling(json!(1), json!(0)), json!({}));
    world.create(watched::deployments(), &object);
    world.settled();
    world.patch(watched::deployments(), "web", image("2"));
    world.settled();
    let undo = json!({"metadata": {"annotations": {"deprecated.deployment.rollback.to": "1"}},
        "spec": {"paused": true, "revisionHistoryLimit": 0}});
    world.patch(watched::deployments(), "web", undo);
    world.settled();
    assert_eq!(world.list(watched::replica_sets()).len(), 2);
    let later = json!({"metadata": {"annotations": {"deprecated.deployment.rollback.to": null}}});
    world.patch(watched::deployments(), "web", later);
    world.settled();
    assert_eq!(world.list(watched::replica_sets()).len(), 1);
}

#[test]
fn rollback_gets_the_next_revision() {
    let world = World::new();
    world.create(
        watched::deployments(),
        &deployment(1, rolling(json!(1), json!(0)), json!({})),
    );
    world.settled();
    let mut changed = image("2");
    changed["metadata"]["annotations"] = json!({"why": "two"});
    world.patch(watched::deployments(), "web", changed);
    world.settled();
    let undo = json!({"metadata": {"annotations": {"deprecated.deployment.rollback.to": "0"}}});
    world.patch(watched::deployments(), "web", undo);
    assert_eq!(world.settle(), Outcome::Settled);
    let web = world.get(watched::deployments(), "web");
    assert_eq!(
        at(&web, &["spec", "template", "spec", "containers"])[0]["image"],
        "nginx:1"
    );
    let annotations = &web["metadata"]["annotations"];
    assert_eq!(annotations["deployment.kubernetes.io/revision"], "3");
    // The annotations are those of the revision.
    assert!(annotations.get("why").is_none());
    assert!(
        annotations
            .get("deprecated.deployment.rollback.to")
            .is_none()
    );
    let history = "deployment.kubernetes.io/revision-history";
    let sets = world.list(watched::replica_sets());
    let kept: Vec<&Value> = sets
        .iter()
        .filter_map(|s| s["metadata"]["annotations"].get(history))
        .collect();
    assert_eq!(kept, ["1"]);
}

#[test]
fn old_replica_sets_beyond_the_history_limit_are_deleted() {
    let world = World::new();
    let limit = json!({"spec": {"revisionHistoryLimit": 1}});
    world.create(
        watched::deployments(),
        &deployment(1, rolling(json!(1), json!(0)), limit),
    );
    for tag in ["2", "3", "4"] {
        world.settled();
        world.patch(watched::deployments(), "web", image(tag));
    }
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.names(watched::replica_sets()).len(), 2);
}

#[test]
fn scaling_during_rollout_is_proportional() {
    let mut world = World::new();
    world.create(
        watched::deployments(),
        &deployment(10, rolling(json!(3), json!(2)), json!({})),
    );
    world.settled();
    world.habit = Habit::Unready;
    world.patch(watched::deployments(), "web", image("2"));
    assert!(matches!(world.settle(), Outcome::Stuck(_)));
    let sizes = |world: &World| {
        let mut sizes: Vec<i64> = world
            .list(watched::replica_sets())
            .iter()
            .map(|s| s["spec"]["replicas"].as_i64().unwrap())
            .collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(sizes(&world), [5, 8]);
    world.patch(
        watched::deployments(),
        "web",
        json!({"spec": {"replicas": 15}}),
    );
    assert!(matches!(world.settle(), Outcome::Stuck(_)));
    assert_eq!(sizes(&world), [7, 11]);
}

#[test]
fn orphans_are_adopted_and_hash_collisions_counted() {
    let world = World::new();
    let web = deployment(1, rolling(json!(1), json!(0)), json!({}));
    world.create(watched::deployments(), &web);
    world.settled();
    let set = world.list(watched::replica_sets()).remove(0);
    let name = set["metadata"]["name"].as_str().unwrap().to_owned();
    world.patch(
        watched::replica_sets(),
        &name,
        json!({"metadata": {"ownerReferences": null}}),
    );
    world.settled();
    let owner = &world.get(watched::replica_sets(), &name)["metadata"]["ownerReferences"][0];
    assert_eq!(owner["name"], "web");
    // A set of another owner has the name of the next set.
    world.patch(
        watched::deployments(),
        "web",
        json!({"spec": {"paused": true}}),
    );
    world.patch(watched::deployments(), "web", image("2"));
    let next = {
        let live = world.get(watched::deployments(), "web");
        let object = Object::new(watched::deployments(), live);
        let cache = Cache::default();
        let context = ReconcileContext {
            key: &Key::new("default", "web"),
            cache: &cache,
            now: world.scratch.now().unwrap(),
            failures: 0,
            refused: &[],
            seed: crate::runtime::Seed(7),
            pods: crate::cluster::PodMode::Default,
            identity: crate::harness::identity(),
        };
        let mut rollout = Rollout::new(&object, &[], &context);
        rollout.find_new_set(true);
        rollout.new.unwrap().name
    };
    let mut clash = set;
    clash["metadata"] = json!({"name": next, "labels": {"app": "other"}});
    clash["spec"]["selector"] = json!({"matchLabels": {"app": "other"}});
    clash["spec"]["template"]["metadata"]["labels"] = json!({"app": "other"});
    world.create(watched::replica_sets(), &clash);
    world.patch(
        watched::deployments(),
        "web",
        json!({"spec": {"paused": false}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    let web = world.get(watched::deployments(), "web");
    assert_eq!(web["status"]["collisionCount"], 1);
    assert_eq!(stamp(world.scratch.now().unwrap()).len(), 20);
}

#[test]
fn objects_read_per_pod_are_independent_of_pod_count() {
    let looked = |pods: u32| {
        let mut world = World::new();
        world.habit = Habit::Served;
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
            "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}});
        world.create(watched::services(), &service);
        world.create(
            watched::deployments(),
            &deployment(pods.into(), rolling(json!(1), json!(0)), json!({})),
        );
        // A few at a time, so that every controller reconciles repeatedly while Pods are created.
        let config = crate::runtime::Config {
            workers: 10,
            ..crate::runtime::Config::default()
        };
        let (outcome, looked) = world.run_with(None, config);
        assert_eq!(outcome, Outcome::Settled);
        let endpoints = world.get(watched::endpoints(), "web");
        let addresses = endpoints["subsets"][0]["addresses"].as_array().unwrap();
        assert_eq!(addresses.len(), pods as usize);
        looked as f64 / f64::from(pods)
    };
    let (few, many) = (looked(50), looked(250));
    assert!(many < 1.2 * few, "{few} and {many} for each");
}
