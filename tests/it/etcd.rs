//! Tests a cluster on etcd through the program: from any number of directories, with the same results as in a
//! directory.

#[path = "../../crates/etcd/tests/server/mod.rs"]
#[expect(dead_code, reason = "the tests of the client use more of it")]
pub(crate) mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ctl::sys::clock::Stopwatch;
use ctl_etcd::{Client, KeyRange, KeyWrite, Txn};
use rustix::process::Signal;
use server::Etcd;

use crate::support::race::{eventually, signal, write_file};
use crate::support::{World, in_time, note};

pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The shortest lease that etcd grants.
const LEASE: &str = "2s";

/// The number of shares that the hosts divide among themselves.
const SHARES: usize = 64;

pub(crate) const NAMESPACES: usize = 8;

/// Returns a directory with a default cluster, on etcd if an address is given.
pub(crate) fn world(etcd: Option<&Etcd>) -> World {
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
    // Names of Pods are drawn with the revision, which etcd counts differently.
    let pods = remote.run(&["get", "pods", "--no-headers"]).ok();
    assert_eq!(pods.lines().count(), 40);
    // The keys equal those of kube-apiserver, but the values are JSON.
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

/// Returns the objects of the chain of causes of an object.
fn causes(world: &World, object: &str) -> Vec<String> {
    let told = world.run(&["why", object, "-o", "json"]).ok();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let steps = told["steps"].as_array().unwrap();
    let key = |step: &serde_json::Value| step["object"].as_str().unwrap().to_owned();
    steps.iter().map(key).collect()
}

#[test]
fn causes_name_the_object_among_several_of_one_commit() {
    let Some((etcd, _client)) = Etcd::plain() else {
        return;
    };
    let (remote, local) = (world(Some(&etcd)), world(None));
    let deployment = |name: &str| {
        format!(
            r#"{{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "{name}"}}, "spec": {{
                "selector": {{"matchLabels": {{"app": "{name}"}}}}, "template": {{
                "metadata": {{"labels": {{"app": "{name}"}}}},
                "spec": {{"containers": [{{"name": "c", "image": "i"}}]}}}}}}}}"#
        )
    };
    let manifest = ["one", "two"].map(deployment).join("\n---\n");
    for world in [&remote, &local] {
        let _ = world.run_with(&["apply", "-f", "-"], &manifest).ok();
        let _ = world.run(&["settle"]).ok();
    }
    for name in ["one", "two"] {
        let object = format!("deployment/{name}");
        let there = causes(&remote, &object);
        // Each step is about an object of this Deployment.
        assert!(there.iter().all(|key| key.contains(name)), "{there:?}");
        // Names of Pods are drawn with the revision, which etcd counts differently.
        let resources = |keys: &[String]| -> Vec<String> {
            let resource = |key: &String| key.split('/').next().unwrap().to_owned();
            keys.iter().map(resource).collect()
        };
        assert_eq!(resources(&there), resources(&causes(&local, &object)));
    }
}

#[test]
fn two_machines_share_a_cluster_with_a_kube_apiserver() {
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
        writes: vec![KeyWrite::put(
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
fn init_with_an_unreachable_etcd_address_creates_nothing() {
    let world = World::new();
    let init = |store: &str| world.run(&["cluster", "init", "--store", store]).fails();
    // Port 1 is privileged, so no test has a server there.
    let told = init("etcd://127.0.0.1:1/registry");
    assert!(told.contains("etcd cannot be reached"), "{told}");
    let told = init("etcd://127.0.0.1/registry");
    assert!(told.contains("etcd://HOST:PORT"), "{told}");
    assert!(!world.state().exists());
}

/// A process that is killed when the value is dropped.
pub(crate) struct Host(pub(crate) Child);

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

pub(crate) fn controllers(world: &World, name: &str) -> Host {
    let log = File::create(world.outside(name)).unwrap();
    let mut command = world.command();
    command
        .args(["controllers", "--lease", LEASE])
        .stdin(Stdio::null());
    let quiet = command.stdout(Stdio::null()).stderr(log);
    Host(quiet.spawn().unwrap())
}

/// Returns another directory that uses the cluster on etcd, with the system clock.
pub(crate) fn machine(etcd: &Etcd) -> World {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let store = format!("etcd://{}/registry", etcd.address);
    let _ = world.run(&["cluster", "init", "--store", &store]).ok();
    world
}

/// Applies a Deployment of two Pods in each of the namespaces `n0` to `n7`. Creates missing namespaces.
pub(crate) fn deploy(world: &World, name: &str) {
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

/// Returns the number of namespaces in which both Pods of a Deployment are ready.
fn ready(world: &World, name: &str) -> usize {
    let path = "jsonpath={range .items[*]}{.metadata.name}={.status.readyReplicas} {end}";
    let told = world.run(&["get", "deployments", "-A", "-o", path]).ok();
    let wanted = format!("{name}=2");
    told.split(' ').filter(|one| *one == wanted).count()
}

pub(crate) fn until_ready(world: &World, name: &str) -> Duration {
    let watch = Stopwatch::start();
    assert!(
        eventually(PATIENCE, || ready(world, name) == NAMESPACES),
        "{name}: {} of {NAMESPACES}",
        ready(world, name)
    );
    watch.elapsed()
}

/// Returns the number of shares of each holder, read from the keys.
fn holders(client: &Client) -> BTreeMap<String, usize> {
    let found = client.range(&KeyRange::prefix("/registry.ctl/shares/"));
    let mut holders = BTreeMap::new();
    for kv in found.unwrap().kvs {
        let name = String::from_utf8(kv.value).unwrap();
        *holders.entry(name).or_default() += 1;
    }
    holders
}

pub(crate) fn until_hosts(client: &Client, count: usize) -> Duration {
    let watch = Stopwatch::start();
    let divided = || {
        let holders = holders(client);
        holders.len() == count && holders.values().sum::<usize>() == SHARES
    };
    assert!(eventually(PATIENCE, divided), "{:?}", holders(client));
    watch.elapsed()
}

#[test]
fn hosts_share_controllers_and_replace_a_killed_host() {
    let Some((etcd, client)) = Etcd::plain() else {
        return;
    };
    let (one, two) = (machine(&etcd), machine(&etcd));
    let first = controllers(&one, "first");
    let mut second = controllers(&two, "second");
    until_hosts(&client, 2);
    deploy(&one, "web");
    until_ready(&one, "web");
    // Both processes have worked. In both, Pods have the same writers, so the shares prove it.
    let before = holders(&client);
    assert!(before.values().all(|count| *count > 10), "{before:?}");

    signal(&first.0, Signal::KILL);
    let takeover = until_hosts(&client, 1);
    note(&format!(
        "takeover after kill -9 with a lease of {LEASE}: {takeover:?}"
    ));
    // On an idle machine, the takeover takes the lease plus 1 s, including etcd's own check twice per second.
    assert!(takeover < in_time(Duration::from_secs(4)), "{takeover:?}");
    deploy(&two, "late");
    until_ready(&two, "late");

    // A process that is stopped for longer than its lease loses its shares. Its next write is rejected, and it joins
    // again.
    let third = controllers(&one, "third");
    until_hosts(&client, 2);
    signal(&second.0, Signal::STOP);
    until_hosts(&client, 1);
    deploy(&one, "asleep");
    until_ready(&one, "asleep");
    signal(&second.0, Signal::CONT);
    until_hosts(&client, 2);
    // `ctl settle` runs in between, and both processes continue afterwards. It may report that other controllers run,
    // which does not matter here.
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

/// Collects the YAML files of a directory's objects.
fn tree(root: &Path, below: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        let name = path.display().to_string();
        if name.starts_with('.') || name == "cluster.yaml" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            tree(root, &path, files);
        } else {
            files.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
}

#[test]
fn a_cluster_inside_another_is_refused() {
    let Some((etcd, _client)) = Etcd::plain() else {
        return;
    };
    let world = World::new();
    let init = |directory: &str, prefix: &str| {
        let directory = path_of(&world.outside(directory));
        let store = format!("etcd://{}{prefix}", etcd.address);
        world.run(&["--state", &directory, "cluster", "init", "--store", &store])
    };
    let _ = init("outer", "/a").ok();
    for (prefix, other) in [("/a/b", "/a"), ("/a/b/c", "/a"), ("/a.ctl", "/a")] {
        let told = init("inner", prefix).fails();
        let expected = format!(
            "the keys below {prefix} and those of the cluster {other} overlap: choose another prefix"
        );
        assert!(told.contains(&expected), "{told}");
    }
    let _ = init("beside", "/ab").ok();
    let _ = init("deep", "/c/d/e").ok();
    let told = init("above", "/c").fails();
    assert!(
        told.contains("and those of the cluster /c/d/e overlap"),
        "{told}"
    );
}

/// Checks that a fork and an export of a cluster on etcd have the objects and the log of the original in `from`.
fn forks_and_exports(world: &World, there: &str, from: &str, log: &dyn Fn(&str) -> Vec<String>) {
    let (fork, imported) = (
        path_of(&world.outside("fork")),
        path_of(&world.outside("imported")),
    );
    let _ = world.run(&["--state", there, "mark", "here"]).ok();
    let out = world
        .run(&["--state", there, "cluster", "fork", &fork, "--at", "here"])
        .ok();
    assert!(out.contains("forked at revision"), "{out}");
    let archive = path_of(&world.outside("run.tgz"));
    let _ = world.run(&["--state", there, "export", &archive]).ok();
    let _ = world.run(&["--state", &imported, "import", &archive]).ok();
    let objects = |root: &str| {
        world
            .run(&["--state", root, "get", "all,events", "-A", "-o", "name"])
            .ok()
    };
    for copy in [&fork, &imported] {
        let marked = log(copy);
        let (last, before) = marked.split_last().unwrap();
        assert!(last.contains("here"), "{last}");
        assert_eq!(before, log(from));
        assert_eq!(objects(copy), objects(from));
        let _ = world.run(&["--state", copy, "fsck", "--history"]).ok();
    }
}

#[test]
fn a_copy_to_etcd_and_back_gives_the_same_bytes() {
    let Some((etcd, _client)) = Etcd::plain() else {
        return;
    };
    let world = world(None);
    let _ = world
        .run(&["create", "deployment", "web", "--image=i", "--replicas=3"])
        .ok();
    let _ = world.run(&["settle"]).ok();
    let _ = world
        .run(&["scale", "deployment", "web", "--replicas=2"])
        .ok();
    // This commit is split into several on etcd.
    let many: Vec<String> = (0..130)
        .map(|n| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: many-{n}}}}}"))
        .collect();
    let _ = world
        .run_with(&["apply", "-f", "-"], &many.join("\n---\n"))
        .ok();
    // These commits remove one object and change another.
    let _ = world
        .run(&[
            "create",
            "cronjob",
            "tick",
            "--image=i",
            "--schedule=* * * * *",
        ])
        .ok();
    let _ = world.run(&["settle", "--for", "8m"]).ok();
    let (there, back) = (world.outside("there"), world.outside("back"));
    let store = format!("etcd://{}/registry", etcd.address);
    let (from, there, back) = (path_of(&world.state()), path_of(&there), path_of(&back));
    let out = world
        .run(&["cluster", "copy", &from, &there, "--store", &store])
        .ok();
    assert!(out.contains("commits copied into etcd://"), "{out}");
    let _ = world.run(&["cluster", "copy", &there, &back]).ok();
    let read = |root: &str| {
        let mut files = BTreeMap::new();
        tree(Path::new(root), Path::new(""), &mut files);
        files
    };
    let original = read(&from);
    assert!(original.len() > 30, "{:?}", original.keys());
    assert_eq!(read(&back), original);
    // The histories are equal, too, except for commits that were too large for etcd and were split.
    let log = |root: &str| {
        let text = world.run(&["log", "--state", root]).ok();
        let line = |line: &str| {
            line.split_whitespace()
                .skip(1)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let lines = text.lines().filter(|line| !line.contains("apply -f -"));
        lines.map(line).collect::<Vec<_>>()
    };
    assert_eq!(log(&back), log(&from));
    forks_and_exports(&world, &there, &from, &log);
    let refused = world.run(&[
        "cluster",
        "copy",
        &from,
        &path_of(&world.outside("c")),
        "--store",
        &store,
    ]);
    let told = refused.fails();
    assert!(told.contains("is not empty"), "{told}");
}

/// Writes a certificate or key in PEM below a world. Returns its path.
fn pem(world: &World, name: &str, text: &str) -> String {
    let path = world.outside(name);
    write_file(&path, text.as_bytes());
    path.display().to_string()
}

fn armour(kind: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(64)
        .map(|l| std::str::from_utf8(l).unwrap())
        .collect();
    format!(
        "-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n",
        lines.join("\n")
    )
}

#[test]
fn etcd_over_tls_works_and_wrong_certificates_are_explained() {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let authority = ctl::pki::Authority::generate().unwrap();
    let server = authority.server(&["127.0.0.1"]).unwrap();
    let client = authority.client("ctl", &[]).unwrap();
    let ca = pem(&world, "ca.pem", authority.certificate());
    let cert = pem(&world, "cert.pem", &client.certificate);
    let key = pem(&world, "key.pem", &client.key);
    let options = [
        format!("--trusted-ca-file={ca}"),
        format!(
            "--cert-file={}",
            pem(
                &world,
                "server.pem",
                &armour("CERTIFICATE", &server.certificate)
            )
        ),
        format!(
            "--key-file={}",
            pem(&world, "server.key", &armour("PRIVATE KEY", &server.key))
        ),
        "--client-cert-auth".to_owned(),
    ];
    let Some(etcd) = Etcd::start("https", |_| options.to_vec()) else {
        return;
    };
    let tls = ctl_etcd::Tls {
        ca: authority.certificate().as_bytes().to_vec(),
        identity: Some((
            client.certificate.clone().into_bytes(),
            client.key.clone().into_bytes(),
        )),
    };
    server::until_ready(&Client::new(std::slice::from_ref(&etcd.address), Some(&tls)).unwrap());
    let store = format!("etcd://{}/registry", etcd.address);
    let init = |more: &[&str]| {
        let all = [&["cluster", "init", "--store", &store], more].concat();
        world.run(&all)
    };
    let other = ctl::pki::Authority::generate().unwrap();
    let stranger = pem(&world, "other.pem", other.certificate());
    let unsigned = other.client("ctl", &[]).unwrap();
    let (odd, odd_key) = (
        pem(&world, "odd.pem", &unsigned.certificate),
        pem(&world, "odd.key", &unsigned.key),
    );
    let identity = ["--cert", &cert, "--key", &key];
    for (flags, wanted) in [
        (vec![], "give its authority with --ca"),
        (
            vec!["--ca", &ca],
            "etcd refuses the client: it requires a certificate",
        ),
        (
            vec!["--ca", &ca, "--cert", &odd, "--key", &odd_key],
            "etcd refuses the client: it requires a certificate",
        ),
        (
            [&["--ca", &stranger], &identity[..]].concat(),
            "the authority of --ca has not signed its certificate",
        ),
        (vec!["--ca", &key], "--ca: no certificate in PEM"),
        (vec!["--ca", "/none"], "/none"),
    ] {
        let told = init(&flags).fails();
        assert!(told.contains(wanted), "{flags:?}: {told}");
        assert!(!world.state().exists(), "{flags:?} leaves nothing behind");
    }
    let _ = init(&[&["--ca", &ca], &identity[..]].concat()).ok();
    let _ = world.run(&["create", "configmap", "a"]).ok();
    assert_eq!(
        world.run(&["get", "configmap", "a", "-o", "name"]).ok(),
        "configmap/a\n"
    );
    refuses_tls(&world, &ca);
}

/// Checks that the error mentions an etcd without TLS.
fn refuses_tls(world: &World, ca: &str) {
    let Some((plain, _client)) = Etcd::plain() else {
        return;
    };
    let store = format!("etcd://{}/registry", plain.address);
    let elsewhere = path_of(&world.outside("elsewhere"));
    let told = world.run(&[
        "cluster", "init", "--state", &elsewhere, "--store", &store, "--ca", ca,
    ]);
    let told = told.fails();
    assert!(told.contains("omit --ca"), "{told}");
}

pub(crate) fn path_of(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn protobuf_objects_of_kube_apiserver_are_read_and_changed() {
    let Some((etcd, client)) = Etcd::plain() else {
        return;
    };
    let world = world(Some(&etcd));
    let _ = world
        .run(&["create", "deployment", "web", "--image=i", "--replicas=2"])
        .ok();
    let _ = world
        .run(&["create", "service", "clusterip", "web", "--tcp=80"])
        .ok();
    let _ = world
        .run(&["create", "secret", "generic", "s", "--from-literal=k=v"])
        .ok();
    let _ = world.run(&["create", "job", "j", "--image=i"]).ok();
    let _ = world.run(&["settle"]).ok();
    let kinds = "all,nodes,namespaces,secrets,configmaps,serviceaccounts,endpointslices,leases,\
        clusterroles,clusterrolebindings,roles,rolebindings,priorityclasses,storageclasses,events";
    let shown = || {
        let text = world.run(&["get", kinds, "-A", "-o", "json"]).ok();
        let mut list = serde_json::from_str(&text).unwrap();
        prune(&mut list);
        list
    };
    let before = shown();
    let all = client.range(&KeyRange::prefix("/registry/")).unwrap().kvs;
    let mut groups = BTreeSet::new();
    for kv in &all {
        let object: ctl::api::json::Value = serde_json::from_slice(&kv.value).unwrap();
        // A real etcd stores custom resources as JSON, too.
        let Some(bytes) = ctl_protobuf::encode(&object) else {
            continue;
        };
        assert!(bytes.starts_with(b"k8s\0"));
        groups.insert(object["apiVersion"].to_string());
        let txn = Txn {
            writes: vec![KeyWrite::put(kv.key.clone(), bytes)],
            ..Txn::default()
        };
        assert!(client.txn(&txn).unwrap().succeeded);
    }
    assert!(groups.len() >= 8, "{groups:?}");
    assert_eq!(shown(), before);
    let _ = world
        .run(&["scale", "deployment", "web", "--replicas=3"])
        .ok();
    let _ = world.run(&["settle"]).ok();
    assert!(
        world
            .run(&["get", "deployment", "web"])
            .ok()
            .contains("3/3")
    );
    assert!(read(&client, "/registry/deployments/default/web").starts_with(b"{\"apiVersion\""));
}

/// Removes revisions, which belong to the new values, and empty fields such as `lastProbeTime: null`, which JSON shows
/// and protobuf omits.
fn prune(value: &mut ctl::api::json::Value) {
    use ctl::api::json::Value;
    match value {
        Value::Object(fields) => {
            fields.retain(|name, field| {
                let is_empty = field.is_null() || *field == "";
                !is_empty && name != "resourceVersion"
            });
            fields.values_mut().for_each(prune);
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}
