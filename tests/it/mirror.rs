//! Tests mirrors of clusters on etcd, and the contents of such a cluster's own directory.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use ctl_etcd::{KeyWrite, Txn};

use crate::etcd::server::Etcd;
use crate::etcd::{Host, PATIENCE, path_of, world};
use crate::support::World;
use crate::support::edits::rename_over;
use crate::support::race::{eventually, write_file};

/// The arguments that print the ConfigMap that both sides change.
const VALUE: [&str; 4] = ["configmap", "a", "-o", "jsonpath={.data}"];

/// Runs `ctl mirror` on the cluster of a world until it is stopped.
fn mirror(world: &World, directory: &str, log: &str) -> Host {
    let log = File::create(world.outside(log)).unwrap();
    let mut command = world.command();
    command.args(["mirror", directory]).stdin(Stdio::null());
    Host(command.stdout(Stdio::null()).stderr(log).spawn().unwrap())
}

#[test]
fn mirror_follows_a_cluster_and_writes_edits_back() {
    let Some((etcd, _client)) = Etcd::plain() else {
        return;
    };
    let world = world(Some(&etcd));
    let create = ["create", "deployment", "web", "--image=i", "--replicas=2"];
    let _ = world.run(&create).ok();
    let _ = world.run(&["settle"]).ok();
    let copy = path_of(&world.outside("copy"));
    let _ = world.run(&["mirror", &copy, "--once"]).ok();
    let get = |at: &str, what: &[&str]| world.run(&[&["--state", at, "get"], what].concat()).ok();
    let original = path_of(&world.state());
    let same = |what: &[&str]| {
        let (there, here) = (get(&original, what), get(&copy, what));
        assert_eq!(there, here, "{what:?}");
        here
    };
    same(&["all,nodes", "-A", "-o", "name"]);
    let log = world.run(&["--state", &copy, "log"]).ok();
    assert!(log.contains("create deployment web"), "{log}");

    let running = mirror(&world, &copy, "log");
    let replicas = ["deployment", "web", "-o", "jsonpath={.spec.replicas}"];
    let becomes = |at: &str, what: &[&str], wanted: &str| {
        let all = [&["--state", at, "get"], what].concat();
        let is = || world.run(&all).out == wanted;
        assert!(
            eventually(PATIENCE, is),
            "{what:?}: {}",
            world.run(&all).out
        );
    };
    let _ = world
        .run(&["scale", "deployment", "web", "--replicas=3"])
        .ok();
    becomes(&copy, &replicas, "3");
    // A second mirror would take the commits of the first one for hand edits.
    let second = world.run(&["mirror", &copy, "--once"]).fails();
    assert!(second.contains("another process mirrors into"), "{second}");
    // One file is changed, and another one is new and has a comment.
    let file = Path::new(&copy).join("default/deployments.apps/web.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    // The mirror runs, and would take a file of which half is written for a broken one on a busy machine.
    let edited = text.replace("replicas: 3", "replicas: 1");
    rename_over(&file, edited.as_bytes());
    becomes(&original, &replicas, "1");
    let file = Path::new(&copy).join("default/configmaps/a.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text =
        "# kept here\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: \"1\"\n";
    rename_over(&file, text.as_bytes());
    becomes(&original, &VALUE, r#"{"k":"1"}"#);
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("# kept here")
    );
    // A file is removed.
    std::fs::remove_file(&file).unwrap();
    becomes(&original, &VALUE, "");
    drop(running);

    conflicting_edits(&world, &copy, &file, &same);
    large_and_late_edits(&world, &copy, &file, &same);
}

/// Changes one field on both sides while the mirror is down: the hand edit loses and is kept aside.
fn conflicting_edits(world: &World, copy: &str, file: &Path, same: &dyn Fn(&[&str]) -> String) {
    let _ = world
        .run(&["create", "configmap", "a", "--from-literal=k=1"])
        .ok();
    let _ = world.run(&["mirror", copy, "--once"]).ok();
    let text = std::fs::read_to_string(file).unwrap();
    write_file(file, text.replace("k: \"1\"", "k: mine").as_bytes());
    let theirs = [
        "patch",
        "configmap",
        "a",
        "-p",
        r#"{"data":{"k":"theirs"}}"#,
    ];
    let _ = world.run(&theirs).ok();
    let ran = world.run(&["mirror", copy, "--once"]);
    let told = "data.k was changed both here and in the cluster; the file is kept as";
    assert!(ran.err.contains(told), "{}", ran.err);
    assert_eq!(same(&VALUE), r#"{"k":"theirs"}"#);
    let kept = std::fs::read_to_string(file.with_extension("yaml.rejected")).unwrap();
    assert!(kept.contains("k: mine"), "{kept}");
    let problems = world.run(&["--state", copy, "fsck", "--history"]).ok();
    assert!(problems.contains("no problem"), "{problems}");
}

fn large_and_late_edits(world: &World, copy: &str, file: &Path, same: &dyn Fn(&[&str]) -> String) {
    // A directory can commit more objects at once than etcd.
    let many: Vec<String> = (0..130)
        .map(|n| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: many-{n}}}}}"))
        .collect();
    let _ = world
        .run_with(
            &["--state", copy, "apply", "-f", "-"],
            &many.join("\n---\n"),
        )
        .ok();
    world.run(&["mirror", copy, "--once"]).must_not_crash();
    assert_eq!(same(&["configmaps", "-o", "name"]).lines().count(), 132);
    // A single run imports files that were saved before it, even if the cluster has no new commits.
    let text = std::fs::read_to_string(file).unwrap();
    write_file(file, text.replace("k: theirs", "k: alone").as_bytes());
    world.run(&["mirror", copy, "--once"]).must_not_crash();
    assert_eq!(same(&VALUE), r#"{"k":"alone"}"#);
}

#[test]
fn a_cluster_with_an_audit_log_and_an_unreadable_value_works() {
    let Some((etcd, client)) = Etcd::plain() else {
        return;
    };
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let store = format!("etcd://{}/registry", etcd.address);
    let init = ["cluster", "init", "--audit", "Metadata", "--store", &store];
    let _ = world.run(&init).ok();
    let _ = world.run(&["get", "configmaps"]).ok();
    assert!(world.state().join(".ctl/audit.log").exists());
    let key = "/registry/secrets/default/enc";
    let txn = Txn {
        writes: vec![KeyWrite::put(key, "k8s:enc:aescbc:v1:key1:x")],
        ..Txn::default()
    };
    assert!(client.txn(&txn).unwrap().succeeded);
    let told = world.run(&["create", "secret", "generic", "enc"]).fails();
    assert!(
        told.contains(&format!("the value of {key} in etcd cannot be read")),
        "{told}"
    );
}
