//! Tests the controllers from the outside: they settle with the same result every time, on a virtual clock.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ctl::api::json::json;
use ctl::cluster::{Place, PodMode, Request};
use ctl::kinds::find;
use ctl::runtime::{
    Config, Controller, Manager, Outcome, Plan, PlannedWrite, ReconcileContext, Until, Watch,
};

use crate::self_running::new_cluster;
use crate::support::World;

const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: \"nginx:1\"}]}
";

fn world() -> World {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let init = [
        "cluster", "init", "same", "--clock", "virtual", "--seed", "7",
    ];
    let _ = world.run(&init).ok();
    world
}

/// Collects the YAML files and the journal by name.
fn content(dir: &Path, into: &mut BTreeMap<String, Vec<u8>>, root: &Path) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() {
            content(&path, into, root);
        } else if !name.starts_with(".ctl") || name.starts_with(".ctl/journal") {
            into.insert(name, fs::read(&path).unwrap());
        }
    }
}

#[test]
fn the_same_seed_and_the_same_commands_give_the_same_bytes() {
    let run = || {
        let world = world();
        let _ = world.run_with(&["apply", "-f", "-"], WEB).ok();
        let _ = world.run(&["settle"]).ok();
        let two = WEB.replace("nginx:1", "nginx:2");
        let _ = world.run_with(&["apply", "-f", "-"], &two).ok();
        let _ = world.run(&["settle", "--for", "1h"]).ok();
        let mut files = BTreeMap::new();
        content(&world.state(), &mut files, &world.state());
        files
    };
    let (first, second) = (run(), run());
    assert!(first.keys().any(|name| name.starts_with("default/pods/")));
    assert_eq!(
        first.keys().collect::<Vec<_>>(),
        second.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{name} differs");
    }
}

/// Uses enough Pods that two threads share the work, and that Pods are planned during a commit.
#[test]
fn parallel_settle_of_many_pods_is_deterministic() {
    let many = WEB.replace("replicas: 3", "replicas: 300");
    let small = |n: usize| {
        WEB.replace("web", &format!("small-{n}"))
            .replace("replicas: 3", "replicas: 1")
    };
    let service = "apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
";
    let mut documents = vec![many.clone(), service.to_owned()];
    documents.extend((0..60).map(small));
    let run = || {
        let mut world = World::new();
        world.set("CTL_TEST_BARE", "");
        let init = [
            "cluster", "init", "same", "--clock", "virtual", "--seed", "7", "--nodes", "5",
        ];
        let _ = world.run(&init).ok();
        let _ = world
            .run_with(&["apply", "-f", "-"], &documents.join("---\n"))
            .ok();
        let _ = world.run(&["settle"]).ok();
        let two = many.replace("nginx:1", "nginx:2");
        let _ = world.run_with(&["apply", "-f", "-"], &two).ok();
        let _ = world.run(&["settle"]).ok();
        let mut files = BTreeMap::new();
        content(&world.state(), &mut files, &world.state());
        files
    };
    let first = run();
    let pods = first
        .keys()
        .filter(|name| name.starts_with("default/pods/"));
    assert_eq!(pods.count(), 360);
    for _ in 0..2 {
        let again = run();
        assert!(first.keys().eq(again.keys()));
        for (name, bytes) in &first {
            assert!(again[name] == *bytes, "{name} differs");
        }
    }
}

#[test]
fn virtual_clock_moves_only_forward_by_command() {
    let world = world();
    assert_eq!(world.run(&["clock", "show"]).ok(), "2026-01-01T00:00:00Z\n");
    let _ = world.run(&["clock", "advance", "3d"]).ok();
    let _ = world.run(&["settle", "--for", "12h"]).ok();
    assert_eq!(world.run(&["clock", "show"]).ok(), "2026-01-04T12:00:00Z\n");
    assert!(
        world
            .run(&["clock", "set", "2025-01-01T00:00:00Z"])
            .fails()
            .contains("forward")
    );
}

/// A controller that switches the label `lamp` of each ConfigMap between `on` and `off`.
struct Flipper;

impl Controller for Flipper {
    fn name(&self) -> &'static str {
        "flipper"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(find("", "v1", "ConfigMap").unwrap())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = find("", "v1", "ConfigMap").unwrap();
        if let Some(map) = context
            .cache
            .by_key(kind, context.key)
            .filter(|m| !m.label("lamp").is_empty())
        {
            let lamp = if map.label("lamp") == "on" {
                "off"
            } else {
                "on"
            };
            let patch = json!({"metadata": {"labels": {"lamp": lamp}}});
            plan.changes
                .push(PlannedWrite::merge(map, patch, format!("flip: {lamp}")));
        }
        plan
    }
}

#[test]
fn oscillation_of_many_objects_is_detected() {
    let (cluster, _directory) = new_cluster(PodMode::Default);
    let kind = find("", "v1", "ConfigMap").unwrap();
    let lamp = |n: usize| {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": format!("lamp-{n}"), "labels": {"lamp": "off"}}});
        Request::create(Place::new(kind, "default"), object)
    };
    let lamps: Vec<Request> = (0..2_500).map(lamp).collect();
    assert!(cluster.all(&lamps).unwrap().iter().all(Result::is_ok));
    let mut manager = Manager::new(&cluster, vec![Box::new(Flipper)], &|_| Config::default());
    manager.load().unwrap();
    let until = Until {
        pass: None,
        timeout: None,
    };
    let Outcome::Oscillating(round) = manager.settle(&until, &|| false).unwrap() else {
        panic!("it came to rest");
    };
    assert!(
        round.iter().all(|write| write.contains("flip: ")),
        "{round:?}"
    );
    assert!(!round.is_empty());
}
