//! Tests earlier states restored with git and cp: afterwards the cluster contains exactly the restored files.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::support::{CommandOutput, World, count, finish};
use ctl::api::json::{Map, Value};

fn git(world: &World, args: &[&str]) -> CommandOutput {
    let mut git = world.command_for(Path::new("git"));
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
    git.args([
        "-c",
        "init.defaultBranch=main",
        "-c",
        "advice.detachedHead=false",
    ]);
    git.args(args).current_dir(world.state());
    finish(git, "")
}

/// Commits the tree. Returns the commit.
fn snapshot(world: &World) -> String {
    let _ = git(world, &["add", "-A"]).ok();
    let _ = git(world, &["commit", "-q", "--allow-empty", "-m", "x"]).ok();
    let head = git(world, &["rev-parse", "HEAD"]).ok();
    head.trim().to_owned()
}

/// Returns a cluster under version control.
fn world() -> World {
    let world = World::fresh();
    let _ = git(&world, &["init", "-q"]).ok();
    world
}

/// Returns the fields that users own, of every object.
fn desired(world: &World) -> BTreeMap<String, Value> {
    let list = world.list();
    let item = |line: &str| {
        let mut words = line.splitn(3, '\t').skip(1);
        let key = words.next().unwrap().to_owned();
        let mut object: Value = serde_json::from_str(words.next().unwrap()).unwrap();
        object.as_object_mut().unwrap().remove("status");
        let metadata = object["metadata"].as_object_mut().unwrap();
        for name in ["generation", "managedFields", "resourceVersion"] {
            metadata.remove(name);
        }
        if let Some(annotations) = metadata.get_mut("annotations") {
            // Annotations of controllers are current rather than restored.
            let annotations = annotations.as_object_mut().unwrap();
            let notes = ["deployment.kubernetes.io/", "node.alpha.kubernetes.io/"];
            annotations.retain(|name, _| !notes.iter().any(|note| name.starts_with(note)));
        }
        let bare = |value: &Value| value.as_object().is_some_and(Map::is_empty);
        if metadata.get("annotations").is_some_and(bare) {
            metadata.remove("annotations");
        }
        (key, object)
    };
    list.lines().skip(1).map(item).collect()
}

/// Runs a read-only command, which imports the restored files. Returns its output.
fn look(world: &World) -> String {
    let ran = world.run(&["raw", "list"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let said = ran.err;
    if said.contains("have lost their files") {
        let deleted = world.run(&["fsck", "--accept-deletes"]);
        assert_eq!(deleted.code, 0, "{deleted:?}");
        return said + &deleted.err;
    }
    said
}

const WEB: &str = "default/deployments.apps/web.yaml";

fn deployment(world: &World) {
    let args = ["create", "deployment", "web", "--image", "nginx:1"];
    let _ = world.run(&[&args[..], &["--replicas", "2"]].concat()).ok();
}

fn replicas(world: &World) -> String {
    let path = "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}";
    world.run(&["get", "deployment", "web", "-o", path]).out
}

#[test]
fn git_checkout_of_a_file_restores_user_owned_fields() {
    let world = world();
    deployment(&world);
    let old = snapshot(&world);
    let _ = world.run(&["settle"]).ok();
    let _ = world
        .run(&["scale", "deployment", "web", "--replicas", "5"])
        .ok();
    let _ = world
        .run(&["set", "image", "deployment/web", "nginx=nginx:2"])
        .ok();
    let _ = world.run(&["settle"]).ok();
    let status = |world: &World| {
        let path = "jsonpath={.status.readyReplicas} {.metadata.generation} {.metadata.uid}";
        world.run(&["get", "deployment", "web", "-o", path]).ok()
    };
    let before = status(&world);
    assert!(before.starts_with("5 3 "), "{before}");
    snapshot(&world);
    let _ = git(&world, &["checkout", &old, "--", WEB]).ok();
    let ran = world.run(&["get", "deployment", "web"]);
    let told = "restored to revision ";
    assert!(ran.err.contains(&format!("ctl: {WEB}: {told}")), "{ran:?}");
    assert!(ran.err.contains(": spec.replicas 5 -> 2, "), "{ran:?}");
    let image = "spec.template.spec.containers[nginx].image nginx:2 -> nginx:1";
    assert!(ran.err.contains(image), "{ran:?}");
    assert_eq!(ran.err.lines().count(), 1, "told once: {ran:?}");
    assert_eq!(replicas(&world), "2 nginx:1");
    // The status and the fields that the server sets are current, and the generation increases.
    assert_eq!(status(&world), before.replace("5 3 ", "5 4 "));
    let rules = world.run(&["raw", "log"]).out;
    assert!(
        rules
            .lines()
            .any(|l| l.contains("hand-edit") && l.contains("restore")),
        "{rules}"
    );
    let _ = world.run(&["settle"]).ok();
    assert_eq!(status(&world).split(' ').next(), Some("2"));
    world.fsck_without_remarks();
}

#[test]
fn one_commit_restores_every_file_of_a_tree() {
    let world = world();
    deployment(&world);
    for name in ["a", "b", "c"] {
        let _ = world
            .run(&["create", "configmap", name, "--from-literal=k=old"])
            .ok();
    }
    let old = snapshot(&world);
    let wanted = desired(&world);
    for name in ["a", "b"] {
        let _ = world
            .run(&["patch", "cm", name, "-p", r#"{"data":{"k":"new"}}"#])
            .ok();
    }
    let _ = world.run(&["delete", "configmap", "c"]).ok();
    let _ = world
        .run(&["scale", "deployment", "web", "--replicas", "9"])
        .ok();
    snapshot(&world);
    let before = world.run(&["raw", "log"]).out.lines().count();
    let _ = git(&world, &["checkout", &old, "--", "."]).ok();
    let said = look(&world);
    assert!(
        said.contains("default/configmaps/a.yaml: restored to revision "),
        "{said}"
    );
    assert!(said.contains(": data.k new -> old"), "{said}");
    assert!(
        said.contains("default/configmaps/c.yaml: restored"),
        "{said}"
    );
    assert!(said.contains("the object had been deleted"), "{said}");
    assert_eq!(said.lines().count(), 4, "one line for each file: {said}");
    assert_eq!(desired(&world), wanted);
    let after = world.run(&["raw", "log"]).out.lines().count();
    assert_eq!(after, before + 1, "one commit");
    world.fsck_without_remarks();
}

#[test]
fn git_commit_from_before_the_import_is_restored() {
    let world = world();
    deployment(&world);
    let edit = |from: &str, to: &str| {
        let text = std::fs::read_to_string(world.path(WEB)).unwrap();
        assert!(text.contains(from), "{text}");
        crate::support::race::write_file(&world.path(WEB), text.replace(from, to));
        let commit = snapshot(&world);
        let (before, after) = (from.replace(':', ""), to.replace("replicas: ", ""));
        let told = format!("ctl: {WEB}: edited: spec.{before} -> {after}\n");
        assert_eq!(look(&world), told);
        commit
    };
    let seven = edit("replicas: 2", "replicas: 7");
    let _ = edit("replicas: 7", "replicas: 9");
    let _ = world
        .run(&["set", "image", "deployment/web", "nginx=nginx:2"])
        .ok();
    snapshot(&world);
    let _ = git(&world, &["checkout", &seven, "--", WEB]).ok();
    let said = look(&world);
    assert!(said.contains("restored to revision "), "{said}");
    assert_eq!(replicas(&world), "7 nginx:1");
}

#[test]
fn edit_of_an_outdated_buffer_is_merged_and_reported() {
    let world = world();
    deployment(&world);
    let text = std::fs::read_to_string(world.path(WEB)).unwrap();
    let _ = world
        .run(&["set", "image", "deployment/web", "nginx=nginx:2"])
        .ok();
    crate::support::race::write_file(&world.path(WEB), text.replace("replicas: 2", "replicas: 4"));
    let said = look(&world);
    let kept = "merged with what changed since revision";
    let image = "spec.template.spec.containers[nginx].image remains nginx:2";
    assert!(said.contains(kept), "{said}");
    // The edit is reported on a line of its own.
    assert_eq!(said.matches("spec.replicas").count(), 1, "{said}");
    assert!(
        said.contains(&format!("{WEB}: edited: spec.replicas 2 -> 4\n")),
        "{said}"
    );
    assert!(said.contains(image), "{said}");
    assert_eq!(replicas(&world), "4 nginx:2");
}

#[test]
fn failed_restore_keeps_the_file_with_a_reason() {
    let world = world();
    let _ = world
        .run(&["create", "configmap", "a", "--from-literal=k=old"])
        .ok();
    let old = snapshot(&world);
    let _ = world
        .run(&[
            "patch",
            "cm",
            "a",
            "-p",
            r#"{"data":{"k":"new"},"immutable":true}"#,
        ])
        .ok();
    snapshot(&world);
    let _ = git(&world, &["checkout", &old, "--", "default"]).ok();
    let said = look(&world);
    assert!(
        said.contains("it cannot be restored to revision "),
        "{said}"
    );
    assert!(
        said.contains("field is immutable when `immutable` is set"),
        "{said}"
    );
    let kept = world.path("default/configmaps/a.yaml.rejected");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(
        kept.contains("k: old") && kept.starts_with("# ctl rejected this edit: "),
        "{kept}"
    );
    world.fsck_without_remarks();
}

#[test]
fn restored_object_keeps_uid_owners_and_status() {
    let world = world();
    deployment(&world);
    let _ = world.run(&["settle"]).ok();
    let pod = world.run(&["get", "pods", "-o", "name"]).ok();
    let pod = pod
        .lines()
        .next()
        .unwrap()
        .strip_prefix("pod/")
        .unwrap()
        .to_owned();
    let file = format!("default/pods/{pod}.yaml");
    let old = snapshot(&world);
    let get = |world: &World| {
        let args = ["get", "pod", &pod, "-o", "json", "--show-managed-fields"];
        let mut object: Value = serde_json::from_str(&world.run(&args).ok()).unwrap();
        object["metadata"]
            .as_object_mut()
            .unwrap()
            .remove("resourceVersion");
        object
    };
    let before = get(&world);
    assert!(before["metadata"]["ownerReferences"].is_array());
    assert_eq!(before["status"]["phase"], "Running");
    drop(world.run(&["delete", "pod", &pod, "--force", "--grace-period=0"]));
    snapshot(&world);
    let _ = git(&world, &["checkout", &old, "--", &file]).ok();
    let said = look(&world);
    let told = format!("ctl: {file}: restored to revision ");
    assert!(
        said.contains(&told) && said.contains("had been deleted"),
        "{said}"
    );
    assert_eq!(
        get(&world),
        before,
        "with its owner, its status and its managed fields"
    );
}

/// Covers a virtual clock, on which commits share a second, and a third version that reuses the inode of the first.
#[test]
fn git_detects_changes_of_equal_size_and_second() {
    let world = world();
    deployment(&world);
    for round in 0..10 {
        snapshot(&world);
        for replicas in [3, [0, 2][round % 2]] {
            let replicas = format!("--replicas={replicas}");
            let _ = world.run(&["scale", "deployment", "web", &replicas]).ok();
        }
        let changed = git(&world, &["status", "--porcelain"]).ok();
        assert_eq!(changed, format!(" M {WEB}\n"), "round {round}");
    }
}

#[test]
fn edit_of_server_owned_fields_is_reverted_and_reported() {
    let world = world();
    deployment(&world);
    let path = world.path(WEB);
    let text = std::fs::read_to_string(&path).unwrap();
    let uid = text.lines().find(|l| l.starts_with("  uid: ")).unwrap();
    let edited = text
        .replace(uid, "  uid: 11111111-2222-4333-8444-555555555555")
        .replace(
            "  generation: 1",
            "  generation: 7\n  managedFields: []\n  selfLink: /x",
        );
    let created = text
        .lines()
        .find(|l| l.starts_with("  creationTimestamp: "))
        .unwrap();
    let edited = edited.replace(created, "  deletionTimestamp: \"2020-01-01T00:00:00Z\"");
    crate::support::race::write_file(&path, &edited);
    let said = look(&world);
    for (field, result) in [
        ("uid", "kept "),
        ("creationTimestamp", "kept "),
        ("generation", "kept 1"),
        ("deletionTimestamp", "removed"),
        ("selfLink", "removed"),
        ("managedFields", "the file's was ignored"),
    ] {
        let told = format!("ctl: {WEB}: metadata.{field} is owned by the server; {result}");
        assert!(said.contains(&told), "{field}: {said}");
    }
    assert_eq!(said.lines().count(), 6, "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    world.fsck_without_remarks();
}

/// A step of a history.
#[derive(Clone, Debug)]
enum Step {
    Put(u8, u8),
    Label(u8, u8),
    Delete(u8),
    Scale(u8),
    Image(u8),
    Edit(u8, u8),
    Settle,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..4u8, 0..5u8).prop_map(|(n, v)| Step::Put(n, v)),
        2 => (0..4u8, 0..3u8).prop_map(|(n, v)| Step::Label(n, v)),
        2 => (0..4u8).prop_map(Step::Delete),
        2 => (0..4u8).prop_map(Step::Scale),
        1 => (0..3u8).prop_map(Step::Image),
        2 => (0..4u8, 0..5u8).prop_map(|(n, v)| Step::Edit(n, v)),
        1 => Just(Step::Settle),
    ]
}

fn take(world: &World, step: &Step) {
    let name = |n: &u8| format!("c{n}");
    let ran = match step {
        Step::Put(n, v) => {
            let text = format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{n}\n  namespace: \
                 default\ndata:\n  k: v{v}\n"
            );
            world.run_with(&["apply", "-f", "-"], &text)
        }
        Step::Label(n, v) => {
            let label = format!("l=v{v}");
            world.run(&["label", "--overwrite", "cm", &name(n), &label])
        }
        Step::Delete(n) => world.run(&["delete", "cm", &name(n)]),
        Step::Scale(n) => {
            let replicas = format!("--replicas={n}");
            world.run(&["scale", "deployment", "web", &replicas])
        }
        Step::Image(n) => {
            let image = format!("nginx=nginx:{n}");
            world.run(&["set", "image", "deployment/web", &image])
        }
        Step::Edit(n, v) => {
            let path = world.path(&format!("default/configmaps/c{n}.yaml"));
            if let Ok(text) = std::fs::read_to_string(&path)
                && let Some(line) = text.lines().find(|l| l.starts_with("  k: "))
            {
                let edited = text.replace(line, &format!("  k: edited{v}"));
                crate::support::race::write_file(&path, edited);
            }
            return;
        }
        Step::Settle => world.run(&["settle"]),
    };
    drop(ran);
}

/// A way to restore an earlier state.
#[derive(Clone, Copy, Debug)]
enum Way {
    CheckoutFiles,
    CheckoutCommit,
    Stash,
    Revert,
    Copy,
}

const WAYS: [Way; 5] = [
    Way::CheckoutFiles,
    Way::CheckoutCommit,
    Way::Stash,
    Way::Revert,
    Way::Copy,
];

/// Runs the steps of `first`, records the state, runs the steps of `then`, and restores the state.
fn history_and_back(first: &[Step], then: &[Step], way: Way) -> Result<(), TestCaseError> {
    let world = world();
    deployment(&world);
    first.iter().for_each(|step| take(&world, step));
    let old = snapshot(&world);
    look(&world);
    let wanted = desired(&world);
    if matches!(way, Way::Copy) {
        let mut cp = world.command_for(Path::new("cp"));
        cp.args(["-r", "default"]).arg(world.outside("backup"));
        cp.current_dir(world.state());
        let _ = finish(cp, "").ok();
    }
    then.iter().for_each(|step| take(&world, step));
    if !matches!(way, Way::Stash) {
        snapshot(&world);
    }
    // The cluster imports the last edit before the tree changes.
    look(&world);
    let before = desired(&world);
    let whole = match way {
        Way::CheckoutFiles => {
            let _ = git(&world, &["checkout", &old, "--", "."]).ok();
            false
        }
        Way::CheckoutCommit => {
            let _ = git(&world, &["checkout", "-q", "-f", &old]).ok();
            true
        }
        Way::Stash => {
            drop(git(&world, &["stash", "-q", "-u"]));
            true
        }
        Way::Revert => {
            snapshot(&world);
            let range = format!("{old}..HEAD");
            let reverted = git(&world, &["revert", "--no-commit", &range]);
            prop_assert_eq!(reverted.code, 0, "{:?}", reverted);
            true
        }
        Way::Copy => {
            let mut cp = world.command_for(Path::new("cp"));
            cp.arg("-r")
                .arg(format!("{}/.", world.outside("backup").display()));
            cp.arg(world.path("default"));
            let _ = finish(cp, "").ok();
            false
        }
    };
    let said = look(&world);
    let found = desired(&world);
    let rejected = said.contains(".rejected");
    prop_assert!(!rejected, "{way:?}: {said}");
    for (key, object) in &wanted {
        if way_covers(way, key) {
            // An object that was deleted and recreated keeps its new uid; a missing one gets its old uid back.
            let is_another = before
                .get(key)
                .is_some_and(|b| b["metadata"]["uid"] != object["metadata"]["uid"]);
            let expected = without_identity(object, is_another);
            let got = found.get(key).map(|f| without_identity(f, is_another));
            prop_assert_eq!(Some(expected), got, "{:?} {}: {}", way, key, said);
        }
    }
    if whole {
        // As after `ctl delete`, a Pod on a node waits for its kubelet.
        let ends = |key: &String| found[key]["metadata"]["deletionTimestamp"].is_string();
        let keys: Vec<_> = found
            .keys()
            .filter(|key| !wanted.contains_key(*key) && !ends(key))
            .collect();
        prop_assert!(keys.is_empty(), "{way:?}: {keys:?} should be gone: {said}");
    }
    world.fsck_without_remarks();
    Ok(())
}

/// Returns an object. If `is_another` is true, the fields that identify it are removed.
fn without_identity(object: &Value, is_another: bool) -> Value {
    let mut object = object.clone();
    if is_another {
        let metadata = object["metadata"].as_object_mut().unwrap();
        for name in ["uid", "creationTimestamp"] {
            metadata.remove(name);
        }
    }
    object
}

/// Returns true if the file of an object was restored: a backup of one namespace contains no other.
fn way_covers(way: Way, key: &str) -> bool {
    !matches!(way, Way::Copy) || key.contains("/default/")
}

#[test]
fn git_checkout_restores_any_earlier_tree() {
    let mut runner = TestRunner::new(ProptestConfig {
        cases: u32::try_from(count(12, 400)).unwrap(),
        max_shrink_iters: 30,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let steps = || proptest::collection::vec(step(), 1..6);
    let mut number = 0;
    let strategy = (steps(), steps());
    let run = |(first, then): (Vec<Step>, Vec<Step>)| {
        for way in WAYS {
            history_and_back(&first, &then, way)?;
        }
        number += 1;
        Ok(())
    };
    let run = std::cell::RefCell::new(run);
    runner
        .run(&strategy, |history| (run.borrow_mut())(history))
        .unwrap();
}
