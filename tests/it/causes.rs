//! Checks that every commit of every controller has a rule and a chain of causes that ends at a command, a file or the
//! clock. `answers.rs` and `snapshots.rs` check the commits of commands.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use ctl::cluster::{Cluster, HistoryQuery, Open};
use ctl::history::{Change, End, History, Origin};
use serde_json::{Value, json};

use crate::support::World;
use crate::support::race::write_file;

/// Controllers that write only events, which have the writer `events`.
const WRITE_EVENTS: &[&str] = &["kubelet-stages"];

/// The rule of writes by a process in a container, which `exec` and `cp` start: the user starts them, but the kubelet
/// makes them.
const IN_CONTAINER: &str = "container-writes";

/// Returns the names of all controllers.
fn controllers() -> BTreeSet<String> {
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    let names = all.iter().map(|controller| controller.name().to_owned());
    names.collect()
}

/// Opens the cluster of a world; none if a command deleted it.
pub(crate) fn opened(world: &World) -> Option<Cluster> {
    let exists = world.state().join(".ctl").is_dir();
    exists.then(|| Cluster::open(&world.state(), Open::as_writer("test")).unwrap())
}

/// Returns the writer and the rule of every retained commit.
pub(crate) fn commits(world: &World) -> Vec<(String, String)> {
    let Some(cluster) = opened(world) else {
        return Vec::new();
    };
    let past = HistoryQuery {
        after: cluster.stored().oldest().unwrap(),
        ..HistoryQuery::default()
    };
    let mut all = Vec::new();
    let visit = cluster.stored().visit(&past, &mut |commit| {
        all.push((commit.writer.to_owned(), commit.rule.to_owned()));
        Ok(true)
    });
    visit.unwrap();
    all
}

/// Returns the changes in a cluster that have no rule, or whose chain of causes ends at something other than a user, a
/// file or the clock.
pub(crate) fn unexplained(cluster: &Cluster) -> Vec<String> {
    let history = History::read(cluster).unwrap();
    let controllers = controllers();
    // Chains that lead beyond the beginning of a truncated history cannot be complete.
    let is_cut = history.begins().revision > 1;
    let is_explained = |change: &Change<'_>| {
        let chain = history.why_at(change.revision, change.key);
        // A controller that loses its trigger would look like a program that begins a chain.
        let mut origins = chain.steps.iter().filter(|step| step.origin.is_first());
        if origins.any(|step| step.rule != IN_CONTAINER && controllers.contains(&step.writer)) {
            return false;
        }
        !change.rule.is_empty() && (chain.is_complete() || (is_cut && chain.end != End::Origin))
    };
    let changes = history.changes().filter(|change| !is_explained(change));
    changes.map(|change| format!("{change:?}")).collect()
}

/// Runs a command that may find stuck objects, or Pods that take longer than its timeout.
fn tried(world: &World, args: &[&str]) {
    let ran = world.run(args);
    assert!(ran.code <= 1, "{ran:?}");
}

/// Returns a world in which every controller has work. Hours pass while objects are created, changed and deleted.
fn busy_world() -> World {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let init = [
        "cluster", "init", "busy", "--clock", "virtual", "--seed", "7",
    ];
    let _ = world.run(&init).ok();
    for name in ["busy.yaml", "rare.yaml"] {
        let manifest = format!("{}/testdata/{name}", env!("CARGO_MANIFEST_DIR"));
        let _ = world.run(&["apply", "-f", &manifest]).ok();
    }
    tried(&world, &["settle", "--for", "30m"]);
    // This is the event of the controller that writes only events. It expires after an hour.
    let events = world.run(&["get", "events", "-n", "kube-system"]).ok();
    assert!(events.contains("InvalidStages"), "{events}");
    let _ = world.run(&["certificate", "approve", "ann"]).ok();
    for object in [
        "pod/reader",
        "lease/node-2",
        "service/kubernetes",
        "volumeattributesclass/gold",
    ] {
        let delete = ["delete", object, "--wait=false"];
        let namespace = ["-n", "kube-node-lease"];
        let is_lease = object.starts_with("lease");
        let _ = world
            .run(&[&delete[..], &namespace[..if is_lease { 2 } else { 0 }]].concat())
            .ok();
    }
    tried(&world, &["settle", "--for", "10m"]);
    let _ = world
        .run(&["create", "deployment", "web", "--image=i", "--replicas=4"])
        .ok();
    tried(&world, &["settle"]);
    let _ = world.run(&["set", "image", "deployment/web", "i=j"]).ok();
    tried(&world, &["settle"]);
    // A hand edit begins a chain as a command does. Its first changed field is in the spec.
    let file = world.state().join("default/deployments.apps/web.yaml");
    let text = fs::read_to_string(&file).unwrap();
    write_file(&file, text.replacen("replicas: 4", "replicas: 2", 1));
    tried(&world, &["settle"]);
    let drain = ["drain", "node-0", "--ignore-daemonsets", "--force"];
    // The drain waits for Pods that only the controllers remove.
    tried(&world, &[&drain[..], &["--timeout=1s"]].concat());
    tried(&world, &["fault", "node", "node-1", "--down"]);
    tried(&world, &["settle", "--for", "10m"]);
    let _ = world.run(&["clock", "advance", "2h"]).ok();
    tried(&world, &["settle"]);
    let _ = world.run(&["delete", "deployment", "web"]).ok();
    let _ = world
        .run(&["delete", "namespace", "busy", "--wait=false"])
        .ok();
    tried(&world, &["settle", "--for", "2h"]);
    world
}

#[test]
fn every_commit_has_a_rule_and_an_origin() {
    let world = busy_world();
    let cluster = Cluster::open(&world.state(), Open::as_writer("test")).unwrap();
    let past = HistoryQuery {
        after: cluster.stored().oldest().unwrap(),
        ..HistoryQuery::default()
    };
    let (mut wrong, mut controllers, mut commits) = (Vec::new(), BTreeSet::new(), 0);
    cluster
        .stored()
        .visit(&past, &mut |commit| {
            commits += 1;
            let writer = commit.writer;
            // A command line contains a space; all other writers except these two are controllers.
            let is_first = writer.contains(' ') || writer == "hand-edit" || writer == "clock";
            for change in &commit.changes {
                let caused = change.trigger.is_some_and(|t| t < change.revision);
                if change.rule.is_empty() || (!is_first && !caused) {
                    wrong.push(format!(
                        "{} {writer}: {:?}: {}",
                        change.revision, change.rule, change.key
                    ));
                }
            }
            if commit.rule.is_empty() || (commit.changes.is_empty() && !is_first) {
                wrong.push(format!("{} {writer}: {:?}", commit.revision, commit.rule));
            }
            if !is_first {
                controllers.insert(writer.to_owned());
            }
            Ok(true)
        })
        .unwrap();
    assert!(wrong.is_empty(), "{} of {commits}: {wrong:#?}", wrong.len());
    // The list is the program's own, so that a new controller needs work in this world, too.
    let mut idle = self::controllers();
    idle.retain(|name| !controllers.contains(name) && !WRITE_EVENTS.contains(&name.as_str()));
    assert!(idle.is_empty(), "without a commit: {idle:?}");
    let history = History::read(&cluster).unwrap();
    let mut origins = BTreeSet::new();
    for change in history.changes() {
        let chain = history.why_at(change.revision, change.key);
        assert!(chain.is_complete(), "{chain:#?}");
        let last = chain.steps.last().unwrap();
        let is_known = last.writer.contains(' ') || last.writer == "hand-edit";
        assert!(is_known, "{last:?}");
        origins.insert(last.origin == Origin::File);
    }
    assert_eq!(origins.len(), 2, "commands and files both begin chains");
}

/// Returns the log as structured output.
fn log(world: &World, state: &str) -> String {
    world.run(&["log", "-o", "json", "--state", state]).ok()
}

fn commits_in(log: &str) -> Vec<Value> {
    let log: Value = serde_json::from_str(log).unwrap();
    log["commits"].as_array().unwrap().clone()
}

/// Replaces a large object until the journal was compacted twice, and returns the newest generation.
fn fill_generations(world: &World) -> PathBuf {
    let journal = world.state().join(".ctl/journal");
    let generations = || {
        let mut all: Vec<PathBuf> = fs::read_dir(&journal)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        all.sort();
        all
    };
    for round in 0..60 {
        let all = generations();
        if all.len() > 2 {
            return all.last().unwrap().clone();
        }
        let data = char::from(b'a' + round % 26).to_string().repeat(900_000);
        let manifest = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "large", "namespace": "default"},
            "data": {"round": round.to_string(), "large": data},
        });
        let command = match round {
            0 => ["create", "-f", "-"],
            _ => ["replace", "-f", "-"],
        };
        let _ = world.run_with(&command, &manifest.to_string()).ok();
    }
    panic!("60 commits of 900 kB made {:?}", generations());
}

#[test]
fn the_log_survives_crashes_compactions_forks_and_copies() {
    let world = World::fresh();
    let state = world.state().to_str().unwrap().to_owned();
    let at = |name: &str| world.outside(name).to_str().unwrap().to_owned();
    let done = |args: &[&str]| drop(world.run(args).ok());
    done(&["create", "deployment", "web", "--image=i:1", "--replicas=2"]);
    done(&["settle"]);
    done(&["set", "image", "deployment/web", "i=i:2"]);
    done(&["settle"]);
    let settled = log(&world, &state);
    let newest = fill_generations(&world);
    let before = log(&world, &state);
    let (earlier, all) = (commits_in(&settled), commits_in(&before));
    assert!(all.starts_with(&earlier), "after two compactions");
    let why = world.run(&["why", "deployment/web"]).ok();
    assert!(
        why.ends_with("ctl set image deployment/web i=i:2\n"),
        "{why}"
    );
    // A process that died in the middle of a commit, before it published anything.
    let journal = fs::read(&newest).unwrap();
    let torn = journal.len() - journal.len() / 9;
    write_file(&newest, [&journal[..], &journal[torn..]].concat());
    assert_eq!(log(&world, &state), before, "after a torn commit");
    // `ctl` rebuilds from the journal all other files that a crash may lose.
    for name in ["head", "seen"] {
        fs::remove_file(world.state().join(".ctl").join(name)).unwrap();
    }
    assert_eq!(log(&world, &state), before, "without the published head");
    let _ = world.run(&["cluster", "set", "--history", "1GiB"]).ok();
    assert_eq!(log(&world, &state), before, "after a change of the limit");
    let (fork, copy, export) = (at("fork"), at("copy"), at("run.tgz"));
    done(&["cluster", "fork", &fork]);
    assert_eq!(log(&world, &fork), before, "in a fork");
    let copied = std::process::Command::new("cp")
        .args(["-r", &state, &copy])
        .status();
    assert!(copied.unwrap().success());
    assert_eq!(log(&world, &copy), before, "in a copied directory");
    done(&["export", &export]);
    let imported = at("imported");
    done(&["import", &export, "--state", &imported]);
    assert_eq!(log(&world, &imported), before, "in an imported run");
    for state in [&state, &fork, &copy, &imported] {
        let _ = world.run(&["fsck", "--history", "--state", state]).ok();
        let why = world.run(&["why", "deployment/web", "--state", state]).ok();
        assert!(
            why.ends_with("ctl set image deployment/web i=i:2\n"),
            "{why}"
        );
    }
}
