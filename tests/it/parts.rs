//! Tests processes that each lead a part of the namespaces: the responsible part does all work, no address is assigned
//! twice, a standby replaces a killed leader, and `ctl settle` can run in between.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Stdio};
use std::time::Duration;

use ctl::api::json::{Value, json};
use ctl::cluster::{Cluster, HistoryQuery, Open, Place, WriteOptions};
use rustix::process::Signal;

use crate::support::World;
use crate::support::race::{eventually, signal, write_file};

const PATIENCE: Duration = Duration::from_secs(120);

/// A process that leads a part of the namespaces. It is killed when the value is dropped.
struct Part(Child);

impl Drop for Part {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn start(world: &World, shard: Option<&str>) -> Part {
    let mut command = world.command();
    command.args(["controllers", "--lease", "1s"]);
    if let Some(shard) = shard {
        let file = format!("{}.yaml", shard.replace('/', "-"));
        let path = world.outside(&file);
        write_file(&path, format!("defaults: {{shard: {shard}}}\n").as_bytes());
        command.arg("--config").arg(path);
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::null());
    Part(child.stderr(Stdio::null()).spawn().unwrap())
}

fn create(cluster: &Cluster, place: &Place, object: &Value) {
    cluster
        .create(place, object, &WriteOptions::default())
        .unwrap();
}

/// Applies a Deployment of two Pods in each of these namespaces. Creates missing namespaces.
fn deploy(cluster: &Cluster, name: &str) {
    let namespaces = Place::new(cluster.kind("namespaces").unwrap(), "");
    for number in 0..6 {
        let namespace = format!("n{number}");
        if cluster.get(&namespaces, &namespace).is_err() {
            let object =
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
            create(cluster, &namespaces, &object);
        }
        let place = Place::new(cluster.kind("deployments").unwrap(), &namespace);
        let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "c", "image": "shop:1"}]}}}});
        create(cluster, &place, &object);
    }
}

/// Returns the namespaces in which all Pods of a Deployment are ready.
fn ready(cluster: &Cluster, name: &str) -> BTreeSet<String> {
    let place = Place::new(cluster.kind("deployments").unwrap(), "");
    let is = |d: &Value| d["metadata"]["name"] == name && d["status"]["readyReplicas"] == 2;
    let list = cluster.list(&place, &is, None).unwrap();
    let namespace = |d: &Value| d["metadata"]["namespace"].to_string();
    list.items.iter().map(namespace).collect()
}

#[test]
fn namespace_shards_lead_independently_in_two_processes() {
    let world = World::fresh();
    let cluster = Cluster::open(&world.state(), Open::as_writer("test")).unwrap();
    let first = start(&world, Some("0/2"));
    let second = start(&world, Some("1/2"));
    deploy(&cluster, "web");
    assert!(
        eventually(PATIENCE, || ready(&cluster, "web").len() == 6),
        "both parts are done"
    );
    // No process can lead the whole cluster at the same time.
    let whole = start(&world, None);

    // Both parts have Pods, and no two Pods share an address.
    let pods = cluster
        .list(
            &Place::new(cluster.kind("pods").unwrap(), ""),
            &|_| true,
            None,
        )
        .unwrap();
    let addresses: BTreeSet<String> = pods
        .items
        .iter()
        .map(|p| p["status"]["podIP"].to_string())
        .collect();
    assert_eq!((pods.items.len(), addresses.len()), (12, 12));

    // A part whose leader was killed waits, while the other one continues.
    signal(&first.0, Signal::KILL);
    drop(first);
    deploy(&cluster, "late");
    assert!(
        eventually(PATIENCE, || !ready(&cluster, "late").is_empty()),
        "one part is done"
    );
    let alone = ready(&cluster, "late");
    let again = start(&world, Some("0/2"));
    assert!(
        eventually(PATIENCE, || ready(&cluster, "late").len() == 6),
        "a new leader follows"
    );
    assert!(alone.len() < 6, "{alone:?}");

    // `ctl settle` runs in between, and both continue afterwards.
    world.run(&["settle"]).ok();
    deploy(&cluster, "last");
    assert!(
        eventually(PATIENCE, || ready(&cluster, "last").len() == 6),
        "both go on"
    );
    drop((second, again, whole));

    // Each epoch begins with one leader, and all writes of a part under it are in that part's namespaces.
    let mut epochs: BTreeMap<u64, usize> = BTreeMap::new();
    for commit in cluster
        .stored()
        .history(&HistoryQuery {
            after: 1,
            ..HistoryQuery::default()
        })
        .unwrap()
    {
        if commit.cause.rule == "lead" {
            *epochs.entry(commit.epoch).or_default() += 1;
        }
    }
    assert!(
        epochs.len() >= 4 && epochs.values().all(|n| *n == 1),
        "{epochs:?}"
    );
}
