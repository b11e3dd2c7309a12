//! A cluster on etcd, through the program: from any number of directories, with the same results as in a directory.

#[path = "../../crates/etcd/tests/server/mod.rs"]
#[expect(dead_code, reason = "the tests of the client use more of it")]
pub(crate) mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::process::{Child, Stdio};
use std::time::Duration;

use ctl::sys::clock::Stopwatch;
use ctl_etcd::{Client, KeyRange, Put, Txn};
use rustix::process::Signal;
use server::Etcd;

use crate::support::race::{eventually, signal};
use crate::support::{World, in_time, say};

const PATIENCE: Duration = Duration::from_secs(120);

/// etcd grants no shorter lease.
const LEASE: &str = "2s";

/// The shares that hosts divide.
const SHARES: usize = 64;

const NAMESPACES: usize = 8;

/// A directory with a cluster as users get it, on etcd if there is an address.
fn world(etcd: Option<&Etcd>) -> World {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let mut args = vec!["cluster", "init", "--clock", "virtual", "--seed", "7"];
    let store = etcd.map(|etcd| format!("etcd://{}/registry", etcd.address));
    if let Some(store) = &store {
        args.extend(["--store", store]);
    }
    let _ = world.run(&args).ok();
    world
}

fn read(client: &Client, key: &str) -> Vec<u8> {
    let mut found = client.range(&KeyRange::key(key)).unwrap();
    found.kvs.pop().unwrap_or_default().value
}

#[test]
fn a_rollout_settles_on_etcd_as_in_a_directory() {
    let Some((etcd, client)) = Etcd::plain() else {
        return;
    };
    let (remote, local) = (world(Some(&etcd)), world(None));
    let each = |args: &[&str]| {
        let (there, here) = (remote.run(args).ok(), local.run(args).ok());
        assert_eq!(there, here, "{args:?}");
        there
    };
    let nodes = each(&["get", "nodes", "-o", "name"]);
    assert_eq!(nodes.lines().count(), 3);
    each(&[
        "create",
        "deployment",
        "web",
        "--image=nginx",
        "--replicas=40",
    ]);
    let _ = (remote.run(&["settle"]).ok(), local.run(&["settle"]).ok());
    let ready = each(&["get", "deployment", "web"]);
    assert!(ready.contains("40/40"), "{ready}");
    each(&["set", "image", "deployment/web", "nginx=nginx:2"]);
    let _ = (remote.run(&["settle"]).ok(), local.run(&["settle"]).ok());
    each(&["get", "deployment,rs", "--no-headers"]);
    // Names of Pods are drawn with the revision, and etcd counts those in another way.
    let pods = remote.run(&["get", "pods", "--no-headers"]).ok();
    assert_eq!(pods.lines().count(), 40);
    // The keys of kube-apiserver, in JSON.
    let stored = read(&client, "/registry/deployments/default/web");
    assert!(stored.starts_with(br#"{"apiVersion":"apps/v1""#));
    assert!(!read(&client, "/registry/minions/node-0").is_empty());
    let log = remote.run(&["log"]).ok();
    assert!(!log.contains("no longer kept"), "{log}");
    let image = log.lines().find(|line| line.contains("set image"));
    let revision = image.and_then(|line| line.split(' ').next()).unwrap();
    let _ = remote.run(&["undo", revision]).ok();
    let back = ["get", "deployment", "web", "-o", "jsonpath={..image}"];
    assert_eq!(remote.run(&back).ok(), "nginx");
    let _ = remote.run(&["delete", "deployment", "web"]).ok();
    let _ = remote.run(&["settle"]).ok();
    assert_eq!(remote.run(&["get", "pods", "-o", "name"]).ok(), "");
    let log = remote.run(&["log"]).ok();
    assert!(log.contains("delete deployment web"), "{log}");
    let refused = remote.run(&["fsck"]).fails();
    assert!(
        refused.contains("needs a cluster in a directory"),
        "{refused}"
    );
}

#[test]
fn two_machines_share_a_cluster_and_a_kube_apiserver_may_write_too() {
    let Some((etcd, client)) = Etcd::plain() else {
        return;
    };
    let (one, two) = (world(Some(&etcd)), world(Some(&etcd)));
    let _ = one
        .run(&["create", "configmap", "a", "--from-literal=k=v"])
        .ok();
    assert_eq!(
        two.run(&["get", "configmap", "a", "-o", "jsonpath={.data.k}"])
            .ok(),
        "v"
    );
    let taken = two.run(&["create", "configmap", "a"]).fails();
    assert!(taken.contains("already exists"), "{taken}");
    let object = ctl::api::json::json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "theirs"},
        "metadata": {"name": "b", "namespace": "default", "uid": "u"},
    });
    let txn = Txn {
        puts: vec![Put::new(
            "/registry/configmaps/default/b",
            ctl_protobuf::encode(&object).unwrap(),
        )],
        ..Txn::default()
    };
    assert!(client.txn(&txn).unwrap().succeeded);
    let theirs = one
        .run(&["get", "configmap", "b", "-o", "jsonpath={.data.k}"])
        .ok();
    assert_eq!(theirs, "theirs");
    let _ = two
        .run(&["patch", "configmap", "b", "-p", r#"{"data":{"k":"ours"}}"#])
        .ok();
    let ours = read(&client, "/registry/configmaps/default/b");
    assert!(ours.starts_with(br#"{"apiVersion":"v1","data":{"k":"ours"}"#));
}

#[test]
fn an_address_that_leads_nowhere_leaves_nothing_behind() {
    let world = World::new();
    let init = |store: &str| world.run(&["cluster", "init", "--store", store]).fails();
    // Port 1 is privileged, so no test has a server there.
    let told = init("etcd://127.0.0.1:1/registry");
    assert!(told.contains("etcd cannot be reached"), "{told}");
    let told = init("etcd://127.0.0.1/registry");
    assert!(told.contains("etcd://HOST:PORT"), "{told}");
    assert!(!world.state().exists());
}

/// A process that is killed where a test forgets it.
struct Host(Child);

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn controllers(world: &World, name: &str) -> Host {
    let log = File::create(world.outside(name)).unwrap();
    let mut command = world.command();
    command
        .args(["controllers", "--lease", LEASE])
        .stdin(Stdio::null());
    let quiet = command.stdout(Stdio::null()).stderr(log);
    Host(quiet.spawn().unwrap())
}

/// A cluster on etcd with the system's clock, seen from one more directory.
fn machine(etcd: &Etcd) -> World {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let store = format!("etcd://{}/registry", etcd.address);
    let _ = world.run(&["cluster", "init", "--store", &store]).ok();
    world
}

/// Applies a Deployment of two Pods in each of the namespaces `n0` to `n7`, which are made if they are absent.
fn deploy(world: &World, name: &str) {
    let mut text = String::new();
    for number in 0..NAMESPACES {
        let namespace = format!("n{number}");
        let object = ctl::api::json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        text += &format!("---\n{object}\n");
        let deployment = ctl::api::json::json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": namespace}, "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "c", "image": "shop:1"}]}}}});
        text += &format!("---\n{deployment}\n");
    }
    let _ = world.run_with(&["apply", "-f", "-"], &text).ok();
}

/// The number of namespaces in which both Pods of a Deployment are ready.
fn ready(world: &World, name: &str) -> usize {
    let path = "jsonpath={range .items[*]}{.metadata.name}={.status.readyReplicas} {end}";
    let told = world.run(&["get", "deployments", "-A", "-o", path]).ok();
    let wanted = format!("{name}=2");
    told.split(' ').filter(|one| *one == wanted).count()
}

fn until_ready(world: &World, name: &str) -> Duration {
    let watch = Stopwatch::start();
    assert!(
        eventually(PATIENCE, || ready(world, name) == NAMESPACES),
        "{name}: {} of {NAMESPACES}",
        ready(world, name)
    );
    watch.elapsed()
}

/// The holder of each share, as its key says.
fn holders(client: &Client) -> BTreeMap<String, usize> {
    let found = client.range(&KeyRange::prefix("/registry.ctl/shares/"));
    let mut holders = BTreeMap::new();
    for kv in found.unwrap().kvs {
        let name = String::from_utf8(kv.value).unwrap();
        *holders.entry(name).or_default() += 1;
    }
    holders
}

fn until_hosts(client: &Client, count: usize) -> Duration {
    let watch = Stopwatch::start();
    let divided = || {
        let holders = holders(client);
        holders.len() == count && holders.values().sum::<usize>() == SHARES
    };
    assert!(eventually(PATIENCE, divided), "{:?}", holders(client));
    watch.elapsed()
}

#[test]
fn hosts_roll_out_together_and_take_over_what_one_that_dies_had() {
    let Some((etcd, client)) = Etcd::plain() else {
        return;
    };
    let (one, two) = (machine(&etcd), machine(&etcd));
    let first = controllers(&one, "first");
    let mut second = controllers(&two, "second");
    until_hosts(&client, 2);
    deploy(&one, "web");
    until_ready(&one, "web");
    // Both have worked: the writers of Pods are the same controllers, so the shares tell.
    let before = holders(&client);
    assert!(before.values().all(|count| *count > 10), "{before:?}");

    signal(&first.0, Signal::KILL);
    let takeover = until_hosts(&client, 1);
    say(&format!(
        "takeover after kill -9 with a lease of {LEASE}: {takeover:?}"
    ));
    // On an idle machine: lease + 1 s. The lease and etcd's own look twice a second are in it.
    assert!(takeover < in_time(Duration::from_secs(4)), "{takeover:?}");
    deploy(&two, "late");
    until_ready(&two, "late");

    // One that sleeps for longer than its lease has lost its shares; its next write is refused, and it joins again.
    let third = controllers(&one, "third");
    until_hosts(&client, 2);
    signal(&second.0, Signal::STOP);
    until_hosts(&client, 1);
    deploy(&one, "asleep");
    until_ready(&one, "asleep");
    signal(&second.0, Signal::CONT);
    until_hosts(&client, 2);
    // `ctl settle` comes between, and both go on after it.
    // It may find that it is not alone, which is no matter here.
    drop(one.run(&["settle", "--timeout", "60s"]));
    deploy(&two, "last");
    until_ready(&two, "last");
    assert!(second.0.try_wait().unwrap().is_none(), "it goes on");
    drop((second, third));
    let pods = two
        .run(&["get", "pods", "-A", "-o", "jsonpath={..podIP}"])
        .ok();
    let addresses: BTreeSet<&str> = pods.split(' ').collect();
    assert_eq!(
        addresses.len(),
        4 * 2 * NAMESPACES,
        "one address each, and no Pod too many"
    );
}
