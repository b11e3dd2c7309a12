//! Tests clusters in memory: they behave like a cluster in a directory, and forks of them are independent.

use std::time::Duration;

use ctl::api::json::{Value, json};
use ctl::cluster::{ClockMode, Cluster, HistoryQuery, PodMode, Range, Settings, WriteOptions};
use ctl::runtime::{Config, Manager, Outcome, Until};
use ctl::sys::clock::Stopwatch;
use ctl::sys::entropy::Seed;

use crate::self_running::{new_cluster, opened};
use crate::support::World;
use crate::support::http::{Client, Server};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn in_memory() -> Cluster {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(7))
    };
    let cluster = Cluster::in_memory(&opened(), settings);
    cluster.bootstrap().unwrap();
    cluster
}

fn web(replicas: usize) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}})
}

fn create(cluster: &Cluster, object: &Value) {
    let place = ctl::cluster::Place::new(cluster.kind("deployments.apps").unwrap(), "default");
    let created = cluster.create(&place, object, &WriteOptions::default());
    created.unwrap();
}

fn settle(cluster: &Cluster) {
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    let mut manager = Manager::new(cluster, all, &|_| Config::default());
    manager.load().unwrap();
    let until = Until {
        pass: None,
        timeout: Some(Duration::from_secs(60)),
    };
    assert_eq!(manager.settle(&until, &|| false).unwrap(), Outcome::Settled);
}

/// Returns all stored objects and the whole history.
fn all(cluster: &Cluster) -> (ctl::cluster::Listing, Vec<ctl::cluster::Change>) {
    let past = HistoryQuery {
        after: 1,
        ..HistoryQuery::default()
    };
    let list = cluster.stored().list(&Range::all(), None).unwrap();
    (list, cluster.stored().history(&past).unwrap())
}

fn ready(cluster: &Cluster) -> i64 {
    let place = ctl::cluster::Place::new(cluster.kind("deployments.apps").unwrap(), "default");
    let web = cluster.get(&place, "web").unwrap();
    web["status"]["readyReplicas"].as_i64().unwrap_or_default()
}

#[test]
fn same_seed_makes_equal_clusters_in_memory_and_directory() {
    let (directory, _scratch) = new_cluster(PodMode::Default);
    let clusters = [in_memory(), in_memory(), directory];
    for cluster in &clusters {
        create(cluster, &web(10));
        settle(cluster);
        assert_eq!(ready(cluster), 10);
    }
    let (list, history) = all(&clusters[0]);
    assert!(list.items.len() > 20 && history.len() > 3);
    for other in &clusters[1..] {
        let (found, past) = all(other);
        assert_eq!(found, list);
        assert_eq!(past, history);
    }
}

#[test]
fn forks_diverge_and_leave_the_original_unchanged() {
    let (directory, _scratch) = new_cluster(PodMode::Default);
    for cluster in [in_memory(), directory] {
        create(&cluster, &web(3));
        let before = cluster.stored().moment().unwrap();
        settle(&cluster);
        let settled = all(&cluster).0;
        // Two forks of an earlier state continue, and neither changes the original.
        let futures = [0, 1].map(|_| {
            let fork = cluster.fork(Some(before.0)).unwrap();
            assert_eq!(fork.stored().moment().unwrap(), before);
            settle(&fork);
            assert_eq!(ready(&fork), 3);
            fork.stored().list(&Range::all(), None).unwrap()
        });
        assert_eq!(futures[0], futures[1]);
        assert_eq!(all(&cluster).0, settled);
        let fork = cluster.fork(None).unwrap();
        assert_eq!(fork.stored().list(&Range::all(), None).unwrap(), settled);
        assert_eq!(fork.place(), "memory:");
    }
}

#[test]
fn file_operations_on_a_memory_cluster_are_errors() {
    let mut cluster = in_memory();
    let told = |e: ctl::cluster::StoreError| e.to_string();
    for (work, error) in [
        ("fsck", told(cluster.files().fsck(true).unwrap_err())),
        ("fsck --repair", told(cluster.files().repair().unwrap_err())),
        (
            "migrate",
            told(cluster.configure().migrate(false).unwrap_err()),
        ),
    ] {
        let expected = format!("{work} needs a cluster in a directory, not memory:");
        assert_eq!(error, expected);
    }
    // There are no edits to notice and no files to write, which is no error.
    cluster.files().notice_edits();
    cluster.files().hold_tree();
    cluster.files().show_held().unwrap();
    assert_eq!(cluster.files().while_noticing(|| 7), 7);
}

#[test]
fn a_hundred_pods_settle_in_a_fork_in_memory() {
    let start = in_memory();
    let watch = Stopwatch::start();
    let fork = start.fork(None).unwrap();
    create(&fork, &web(100));
    settle(&fork);
    eprintln!(
        "100 Pods in memory, create to settled: {:?}",
        watch.elapsed()
    );
    assert_eq!(ready(&fork), 100);
    assert_eq!(all(&start).0.items.len(), all(&in_memory()).0.items.len());
}

#[test]
fn a_server_keeps_its_cluster_in_memory_and_writes_no_file() {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let server = Server::start(&world, &["--controllers", "--store", "memory:"]);
    let mut client = server.client();
    client.post(DEPLOYMENTS, &web(2)).ok();
    let watched =
        format!("{DEPLOYMENTS}?watch=1&fieldSelector=metadata.name%3Dweb&timeoutSeconds=60");
    let mut watch = Client::watch(&server.address, &watched);
    let ready = watch.find(|event| event["object"]["status"]["readyReplicas"] == 2);
    assert!(ready.is_some());
    drop(watch);
    assert_eq!(server.stop().code, 0);
    assert!(!world.state().exists(), "a cluster was made");
}
