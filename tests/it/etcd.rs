//! A cluster on etcd, through the program: from any number of directories, with the same results as in a directory.

#[path = "../../crates/etcd/tests/server/mod.rs"]
#[expect(dead_code, reason = "the tests of the client use more of it")]
mod server;

use ctl_etcd::{Client, KeyRange, Put, Txn};
use server::Etcd;

use crate::support::World;

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
