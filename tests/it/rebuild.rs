//! Tests a cluster without its `.ctl`, and copies made during writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ctl::cluster::Key;

use crate::support::race::{eventually, open};
use crate::support::{CommandOutput, World, count, finish, in_time, key};
use ctl::api::json::{Value, json};

/// Runs the program on another directory of the world.
fn run_at(world: &World, state: &Path, args: &[&str]) -> CommandOutput {
    let mut command = world.command();
    command.env("CTL_STATE", state).args(args);
    finish(command, "")
}

/// Returns the revision and the objects of a cluster, as JSON by key.
fn objects(world: &World, state: &Path) -> (u64, BTreeMap<String, Value>) {
    let list = run_at(world, state, &["raw", "list"]).ok();
    let (head, items) = list.split_once('\n').unwrap();
    let item = |line: &str| {
        let mut words = line.splitn(3, '\t').skip(1);
        let key = words.next().unwrap().to_owned();
        (key, serde_json::from_str(words.next().unwrap()).unwrap())
    };
    (
        head[2..].parse().unwrap(),
        items.lines().map(item).collect(),
    )
}

fn assert_sound(world: &World, state: &Path) {
    let ran = run_at(world, state, &["fsck", "--history"]);
    assert!(ran.out.contains("no problem"), "{ran:?}");
    let _ = ran.ok();
}

fn populated() -> World {
    let world = World::cluster();
    for n in 0..30 {
        let _ = world.put(&format!("m{n}"), &n.to_string()).ok();
    }
    world
}

#[test]
fn lost_journal_is_rebuilt_from_the_yaml_files() {
    let world = populated();
    for round in 0..count(3, 20) {
        let _ = world.put("m3", &format!("again {round}")).ok();
        let epoch = world.run(&["raw", "lead"]).ok();
        let (revision, before) = objects(&world, &world.state());
        std::fs::remove_dir_all(world.path(".ctl")).unwrap();
        let (rebuilt, after) = objects(&world, &world.state());
        // The JSON includes the uids, so they are kept.
        assert_eq!(before, after);
        assert!(rebuilt > revision, "{rebuilt} must be above {revision}");
        let put = world.put("m4", &format!("new {round}")).ok();
        assert!(put.trim().parse::<u64>().unwrap() > rebuilt);
        let next = world.run(&["raw", "lead"]).ok();
        let number = |text: &str| text.trim().parse::<u64>().unwrap();
        assert!(
            number(&next) > number(&epoch),
            "leaders of before are fenced off"
        );
        assert_eq!(world.fsck().lines().count(), 1);
    }
}

/// Copies the state directory in some way while one object changes constantly.
fn copies_while_writing(copies: usize, copy: impl Fn(&World, &Path)) {
    let world = populated();
    let (acknowledged, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let uids = |objects: &BTreeMap<String, Value>| -> Vec<Value> {
        objects
            .values()
            .map(|o| o["metadata"]["uid"].clone())
            .collect()
    };
    let (_, before) = objects(&world, &world.state());
    let made: Vec<(PathBuf, u64)> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let cluster = open(&world, "writer");
            let key = Key::parse(&key("m0")).unwrap();
            for n in 1.. {
                cluster
                    .stored()
                    .merge(&key, &json!({"data": {"v": n.to_string()}}))
                    .unwrap();
                acknowledged.store(n, Ordering::Relaxed);
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        });
        assert!(eventually(
            in_time(std::time::Duration::from_secs(5)),
            || { acknowledged.load(Ordering::Relaxed) > 3 }
        ));
        let made = (0..copies)
            .map(|number| {
                let to = world.outside(&format!("copy{number}"));
                let known = acknowledged.load(Ordering::Relaxed);
                copy(&world, &to);
                (to, known)
            })
            .collect();
        stop.store(true, Ordering::Relaxed);
        made
    });
    for (state, known) in made {
        let (_, after) = objects(&world, &state);
        assert_eq!(uids(&before), uids(&after), "{}", state.display());
        let value = after[&key("m0")]["data"]["v"].as_str().unwrap().to_owned();
        let value = value.parse::<u64>().unwrap();
        assert!(
            value >= known,
            "{value} was copied, {known} was there before the copy began"
        );
        assert_sound(&world, &state);
        let put = run_at(&world, &state, &["raw", "delete", &key("m1")]);
        assert!(put.ok().trim().parse::<u64>().is_ok());
    }
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn directory_copied_during_writes_opens() {
    copies_while_writing(count(15, 100), |world, to| {
        let mut cp = world.command_for(Path::new("cp"));
        cp.arg("-r").arg(world.state()).arg(to);
        let ran = finish(cp, "");
        // `cp` reports files that were replaced between its listing and its copy.
        let harmless = |line: &str| line.contains("No such file") || line.contains("as it was");
        assert!(ran.err.lines().all(harmless), "{ran:?}");
    });
}

#[test]
fn directory_cloned_with_git_during_writes_opens() {
    copies_while_writing(count(5, 40), |world, to| {
        let git = |args: &[&str]| {
            let mut git = world.command_for(Path::new("git"));
            git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
            git.args(args).current_dir(world.state());
            finish(git, "")
        };
        if !world.path(".git").exists() {
            let _ = git(&["init", "-q"]).ok();
        }
        // git compares modification times to the second, so it may miss a change in the same second that keeps the
        // size. Without its index it reads every file.
        drop(std::fs::remove_file(world.path(".git/index")));
        // git rejects a file that is replaced while it reads, so the test tries again.
        let patience = std::time::Duration::from_secs(20);
        assert!(eventually(patience, || git(&["add", "-A"]).code == 0));
        let _ = git(&["commit", "-q", "--allow-empty", "-m", "x"]).ok();
        let _ = git(&["clone", "-q", ".", to.to_str().unwrap()]).ok();
        assert!(
            !to.join(".ctl").exists(),
            "the memory is not under version control"
        );
    });
}

#[test]
fn rebuild_keeps_the_clock_and_most_field_managers() {
    let world = World::fresh();
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  a: b\n";
    let _ = world
        .run(&["create", "deployment", "web", "--image", "nginx"])
        .ok();
    let _ = world.run(&["settle"]).ok();
    let _ = world.run(&["clock", "advance", "3h"]).ok();
    let _ = world.run_with(&["apply", "-f", "-"], manifest).ok();
    let _ = world.run(&["label", "configmap", "m", "by=hand"]).ok();
    let created = |name: &str| {
        let path = "jsonpath={.metadata.creationTimestamp}";
        world.run(&["get", "configmap", name, "-o", path]).ok()
    };
    let last = created("m");
    std::fs::remove_dir_all(world.path(".ctl")).unwrap();
    let pods = world.run(&["get", "pods,configmaps,nodes,events"]).ok();
    assert!(!pods.contains("<invalid>"), "{pods}");
    let _ = world.run(&["create", "configmap", "later"]).ok();
    assert!(created("later") >= last, "time goes on at {last}");
    let args = [
        "get",
        "configmap",
        "m",
        "-o",
        "json",
        "--show-managed-fields",
    ];
    let object: Value = serde_json::from_str(&world.run(&args).ok()).unwrap();
    let owners: BTreeMap<String, String> = object["metadata"]["managedFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let manager = entry["manager"].as_str().unwrap().to_owned();
            (manager, entry["fieldsV1"].to_string())
        })
        .collect();
    assert!(
        owners["kubectl-client-side-apply"].contains("f:a"),
        "{owners:?}"
    );
    assert!(owners["before-first-apply"].contains("f:by"), "{owners:?}");
    assert_eq!(owners.len(), 2, "{owners:?}");
    world.fsck_without_remarks();
}

#[test]
fn rebuild_ignores_impossible_resource_versions() {
    for absurd in [
        "18014398509481984",
        "18446744073709551615",
        "4503599627370497",
    ] {
        let world = World::cluster();
        let _ = world.put("a", "1").ok();
        std::fs::remove_dir_all(world.path(".ctl")).unwrap();
        let path = world.path("default/configmaps/a.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        let line = text
            .lines()
            .find(|l| l.contains("resourceVersion"))
            .unwrap();
        let forged = text.replace(line, &format!("  resourceVersion: \"{absurd}\""));
        crate::support::race::write_file(&path, forged);
        let ran = world.run(&["raw", "list"]);
        let told = format!("revision {absurd} is out of range");
        assert!(ran.code == 0 && ran.err.contains(&told), "{ran:?}");
        let put = world.put("a", "2").ok();
        assert!(put.trim().parse::<u64>().unwrap() < 100, "{put}");
        let epoch = world.run(&["raw", "lead"]).ok();
        assert!(epoch.trim().parse::<u64>().unwrap() < 1 << 20, "{epoch}");
        assert_eq!(world.fsck().lines().count(), 1);
    }
}

#[test]
fn older_files_in_a_copied_directory_are_no_restore() {
    let world = World::cluster();
    for name in ["a", "b", "c"] {
        let _ = world.put(name, "1").ok();
    }
    let file = |name: &str| format!("default/configmaps/{name}.yaml");
    let read = |name: &str| std::fs::read_to_string(world.path(&file(name))).unwrap();
    let (a, b) = (read("a"), read("b"));
    let _ = world.put("a", "2").ok();
    let _ = world.run(&["raw", "delete", &key("b")]).ok();
    // The copy has the files from before these changes and the journal from after them, but no modification times.
    let copy = world.outside("copy");
    let mut cp = world.command_for(Path::new("cp"));
    cp.arg("-r").arg(world.state()).arg(&copy);
    let _ = finish(cp, "").ok();
    crate::support::race::write_file(&copy.join(file("a")), a);
    crate::support::race::write_file(&copy.join(file("b")), b);
    let edited = read("c").replace("v: \"1\"", "v: \"mine\"");
    crate::support::race::write_file(&copy.join(file("c")), edited);
    let ran = run_at(&world, &copy, &["raw", "list"]);
    assert!(!ran.err.contains("restored") && ran.code == 0, "{ran:?}");
    let (_, found) = objects(&world, &copy);
    assert_eq!(found[&key("a")]["data"]["v"], "2");
    assert!(!found.contains_key(&key("b")), "{found:?}");
    assert_eq!(
        found[&key("c")]["data"]["v"],
        "mine",
        "an edit is one there too"
    );
    assert!(!copy.join(".ctl/copied").exists());
    assert_sound(&world, &copy);
}
