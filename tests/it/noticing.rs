//! Tests `ctl raw watch`: hand edits are noticed immediately, even if the system's notifications overflow or are
//! unavailable.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::Duration;

use ctl::cluster::{Cluster, Range};
use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;

use crate::support::edits::{file_of, rename_over, save_slowly, with_token};
use crate::support::race::{eventually, open, signal, wait_until_stopped};
use crate::support::{
    CommandOutput, World, collect, config_map, count, finish, in_time, key, quiet,
};

/// Returns the content of a file.
fn text(value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  t: \"{value}\"\nzzz: end\n")
}

/// Starts a watcher and returns when it is ready.
fn watcher(world: &World) -> Child {
    let mut command = world.command();
    command.args(["raw", "watch", "--timeout", "100"]);
    // An unread output pipe would stop the watcher after 64 KiB of changes.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    // The watcher imports existing files before it waits for changes.
    rename_over(&file_of(world, "first"), text("first").as_bytes());
    let mut values = Values::new(world);
    assert!(eventually(Duration::from_secs(20), || values
        .look()
        .contains_key(&key("first"))));
    // After the commit, the file is rewritten with the fields that the cluster added.
    let written =
        || std::fs::read_to_string(file_of(world, "first")).is_ok_and(|t| t.contains("uid:"));
    assert!(eventually(Duration::from_secs(20), written));
    child
}

fn end(child: Child) -> CommandOutput {
    signal(&child, Signal::KILL);
    collect(child)
}

/// Returns a watcher's messages, except those about imported edits.
fn complaints(ran: &CommandOutput) -> Vec<&str> {
    let is_report = |line: &&str| {
        let actions = [
            ".yaml: created",
            ".yaml: edited",
            ".yaml: removed",
            " more hand edits",
        ];
        actions.iter().any(|action| line.contains(action))
    };
    ran.err.lines().filter(|line| !is_report(line)).collect()
}

/// The values in the history, from a reader that opens no object file.
struct Values {
    cluster: Cluster,
    at: u64,
    known: BTreeMap<String, String>,
}

impl Values {
    fn new(world: &World) -> Self {
        Self {
            cluster: open(world, "onlooker"),
            at: 1,
            known: BTreeMap::new(),
        }
    }

    fn look(&mut self) -> &BTreeMap<String, String> {
        let (events, now) = self
            .cluster
            .stored()
            .events(&Range::all(), self.at)
            .unwrap();
        self.at = now;
        for event in events {
            let value = event.after.map(|json| {
                let json: ctl::api::json::Value = serde_json::from_slice(&json).unwrap();
                json["data"]["t"].as_str().unwrap_or_default().to_owned()
            });
            match value {
                Some(value) => drop(self.known.insert(event.key.to_string(), value)),
                None => drop(self.known.remove(event.key.as_str())),
            }
        }
        &self.known
    }
}

/// Returns a cluster with enough objects that one or two missing files are not a mass loss.
fn world_with_a_tree() -> World {
    let world = World::cluster();
    let names = ["a", "b", "c"].map(str::to_owned).into_iter();
    let put = |name: String| format!("put {} {}\n", key(&name), config_map("x"));
    let lines: String = names
        .chain((0..40).map(|n| format!("o{n}")))
        .map(put)
        .collect();
    let _ = world.run_with(&["raw", "batch"], &lines).ok();
    world
}

#[test]
fn watcher_imports_hand_edits_promptly() {
    quiet::alone();
    let world = world_with_a_tree();
    let child = watcher(&world);
    let mut values = Values::new(&world);
    let mut slowest = Duration::ZERO;
    let mut noticed = |name: &str, resource: &str, value: &str| {
        let watch = Stopwatch::start();
        let key = format!("{resource}/{name}");
        let done = eventually(in_time(Duration::from_secs(2)), || {
            values.look().get(&key).is_some_and(|v| v == value)
        });
        assert!(done, "{key} is not {value}");
        slowest = slowest.max(watch.elapsed());
    };
    for round in 0..count(20, 200) {
        let value = format!("v{round}");
        rename_over(&file_of(&world, "a"), text(&value).as_bytes());
        noticed("default/a", "configmaps", &value);
        // A namespace is new, and another one is removed and added again.
        let directory = world.path(&format!("ns{}/configmaps", round % 3));
        std::fs::create_dir_all(&directory).unwrap();
        rename_over(&directory.join("n.yaml"), text(&value).as_bytes());
        noticed(&format!("ns{}/n", round % 3), "configmaps", &value);
        // The watcher may be writing to the directory at the same time.
        let removed = eventually(in_time(Duration::from_secs(2)), || {
            std::fs::remove_dir_all(directory.parent().unwrap()).is_ok()
        });
        assert!(removed);
    }
    // A file that is still being written is read again until it is complete.
    let path = file_of(&world, "b");
    let whole = with_token(&text("none"), "slow");
    let is_in_time = save_slowly(&path, &whole, Duration::from_millis(300));
    noticed("default/b", "configmaps", "slow");
    std::fs::remove_file(file_of(&world, "a")).unwrap();
    let gone = eventually(in_time(Duration::from_secs(2)), || {
        !values.look().contains_key(&key("a"))
    });
    assert!(gone, "a removed file is a removed object");
    eprintln!("the slowest edit took {slowest:?}");
    let ran = end(child);
    assert!(complaints(&ran).is_empty() || !is_in_time, "{ran:?}");
    let _ = world.fsck();
}

#[test]
fn watcher_converges_after_an_inotify_overflow() {
    quiet::alone();
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    // Each save makes about five events.
    let saves = count(4000, 9000).max(limit / 4);
    let names = count(150, 9000);
    let world = world_with_a_tree();
    let child = watcher(&world);
    signal(&child, Signal::STOP);
    wait_until_stopped(&child);
    let mut last = BTreeMap::new();
    for save in 0..saves {
        let name = format!("f{}", save % names);
        rename_over(&file_of(&world, &name), text(&save.to_string()).as_bytes());
        last.insert(key(&name), save.to_string());
    }
    let mut values = Values::new(&world);
    assert!(values.look().len() < 50, "nobody but the watcher imports");
    signal(&child, Signal::CONT);
    let watch = Stopwatch::start();
    let converged = eventually(Duration::from_secs(30), || {
        let known = values.look();
        last.iter()
            .all(|(key, value)| known.get(key) == Some(value))
    });
    let took = watch.elapsed();
    eprintln!("{saves} saves of {names} files: converged after {took:?}");
    assert!(converged);
    // Thousands of files are parsed at once, and the limit is meant for an optimized program.
    let limit = if cfg!(debug_assertions) && names > 1000 {
        15
    } else {
        2
    };
    assert!(
        took <= in_time(Duration::from_secs(limit)),
        "it took {took:?}"
    );
    let ran = end(child);
    assert_eq!(complaints(&ran), [""; 0]);
    let _ = world.fsck();
}

#[test]
fn watcher_without_inotify_polls_after_one_warning() {
    quiet::alone();
    let mut world = world_with_a_tree();
    world.set("CTL_TEST_NO_NOTIFY", "1");
    let child = watcher(&world);
    let mut values = Values::new(&world);
    for round in 0..count(3, 20) {
        let value = format!("v{round}");
        rename_over(&file_of(&world, "a"), text(&value).as_bytes());
        let watch = Stopwatch::start();
        let known = || values.look().get(&key("a")).is_some_and(|v| *v == value);
        assert!(eventually(in_time(Duration::from_secs(3)), known));
        let took = watch.elapsed();
        assert!(took <= in_time(Duration::from_secs(1)), "it took {took:?}");
    }
    let ran = end(child);
    let said = complaints(&ran);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("hand edits every 500 ms"), "{said:?}");
    let _ = world.fsck();
}

#[test]
fn watcher_reports_a_lost_tree_once_and_deletes_nothing() {
    quiet::alone();
    let world = world_with_a_tree();
    let child = watcher(&world);
    std::fs::rename(world.path("default"), world.outside("away")).unwrap();
    // This is longer than a full read of all files takes.
    std::thread::sleep(Duration::from_millis(5500));
    std::fs::rename(world.outside("away"), world.path("default")).unwrap();
    let mut put = world.command();
    put.args(["raw", "put", &key("a")]);
    let _ = finish(put, &config_map("y")).ok();
    let said = end(child).err;
    assert_eq!(said.matches("have lost their files").count(), 1, "{said}");
    assert_eq!(Values::new(&world).look().len(), 44);
    let _ = world.fsck();
}
