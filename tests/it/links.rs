//! Tests symbolic and hard links in the tree: their targets are neither read nor written.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ctl::cluster::Key;
use notify::Watcher as _;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::edits::file_of;
use crate::support::race::{open_listening, write_file};
use crate::support::{World, config_map, count, key};
use ctl::api::json::json;

const EVIL: &str = "apiVersion: v1\nkind: ConfigMap\ndata:\n  v: evil\n";

/// A directory outside the tree with an object in it, and a watcher that records every access to it.
struct Canary {
    directory: PathBuf,
    heard: Receiver<notify::Result<notify::Event>>,
    _watcher: notify::RecommendedWatcher,
}

impl Canary {
    fn new(world: &World) -> Self {
        let directory = world.outside("canary");
        std::fs::create_dir(&directory).unwrap();
        write_file(&directory.join("a.yaml"), EVIL);
        let (send, heard) = channel();
        let mut watcher = notify::recommended_watcher(move |event| {
            drop(send.send(event));
        })
        .unwrap();
        watcher
            .watch(&directory, notify::RecursiveMode::NonRecursive)
            .unwrap();
        Self {
            directory,
            heard,
            _watcher: watcher,
        }
    }

    fn file(&self) -> PathBuf {
        self.directory.join("a.yaml")
    }

    /// Checks that nothing has accessed the directory, and that the watcher works.
    fn assert_untouched(&self) {
        let names: Vec<_> = self.directory.read_dir().unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "{names:?}");
        // The read above is recorded as an event of the directory itself.
        let of_file = |e: &notify::Event| e.paths.iter().any(|p| *p != self.directory);
        std::thread::sleep(Duration::from_millis(50));
        let early: Vec<_> = self.heard.try_iter().flatten().filter(of_file).collect();
        assert!(early.is_empty(), "{early:?}");
        assert_eq!(std::fs::read_to_string(self.file()).unwrap(), EVIL);
        let heard = self.heard.recv_timeout(Duration::from_secs(5));
        assert!(heard.is_ok(), "the canary is dead");
    }
}

/// Returns a cluster with enough objects that one missing file is not a mass loss.
fn populated() -> World {
    let world = World::cluster();
    let put = |name: &str, n: usize| format!("put {name} {}\n", config_map(&n.to_string()));
    let mut lines: String = (0..40)
        .map(|n| put(&format!("secrets/other/s{n}"), n))
        .collect();
    lines += &put(&key("a"), 1);
    let _ = world.run_with(&["raw", "batch"], &lines).ok();
    world
}

fn removals(world: &World) -> usize {
    world
        .run(&["raw", "log"])
        .ok()
        .lines()
        .filter(|l| l.contains("\tremove\t"))
        .count()
}

#[test]
fn symlink_replacing_a_file_is_kept_aside() {
    let world = populated();
    let canary = Canary::new(&world);
    for target in [
        canary.file(),
        PathBuf::from("/etc/passwd"),
        world.outside("nowhere"),
    ] {
        for name in ["a", "new"] {
            let file = file_of(&world, name);
            drop(std::fs::remove_file(&file));
            symlink(&target, &file).unwrap();
            let ran = world.run(&["raw", "list", "configmaps/"]);
            assert!(
                ran.err
                    .contains("it is not a regular file; the file is kept as"),
                "{ran:?}"
            );
            assert_eq!(ran.ok().lines().count(), 2);
        }
        assert_eq!(world.value("a").as_deref(), Some("1"));
        assert!(file_of(&world, "a").symlink_metadata().unwrap().is_file());
    }
    canary.assert_untouched();
    assert_eq!(removals(&world), 0);
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn symlink_replacing_a_directory_deletes_no_objects() {
    let world = populated();
    let canary = Canary::new(&world);
    for place in ["default/configmaps", "default"] {
        let (path, aside) = (world.path(place), world.outside("aside"));
        std::fs::rename(&path, &aside).unwrap();
        if place == "default" {
            // The canary is in the target of the link, one directory deeper.
            std::fs::create_dir(world.outside("leads")).unwrap();
            symlink(&canary.directory, world.outside("leads/configmaps")).unwrap();
            symlink(world.outside("leads"), &path).unwrap();
        } else {
            symlink(&canary.directory, &path).unwrap();
        }
        assert_eq!(world.value("a").as_deref(), Some("1"));
        assert_eq!(world.run(&["raw", "list"]).ok().lines().count(), 42);
        let put = world.run(&["raw", "merge", &key("a"), r#"{"data":{"w":"x"}}"#]);
        assert!(put.code == 0, "{put:?}");
        std::fs::remove_file(&path).unwrap();
        std::fs::rename(&aside, &path).unwrap();
        let back = world.run(&["raw", "merge", &key("a"), r#"{"data":{"w":null}}"#]);
        assert!(back.code == 0, "{back:?}");
        assert_eq!(world.value("a").as_deref(), Some("1"));
    }
    canary.assert_untouched();
    assert_eq!(removals(&world), 0);
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn hard_link_outside_keeps_its_content() {
    let world = populated();
    let (file, outside) = (file_of(&world, "a"), world.outside("hard"));
    std::fs::hard_link(&file, &outside).unwrap();
    let before = std::fs::read(&outside).unwrap();
    let _ = world.put("a", "2").ok();
    assert_eq!(
        std::fs::read(&outside).unwrap(),
        before,
        "our own file, linked from outside"
    );
    write_file(&outside, EVIL);
    std::fs::remove_file(&file).unwrap();
    std::fs::hard_link(&outside, &file).unwrap();
    assert_eq!(
        world.value("a").as_deref(),
        Some("evil"),
        "its content is the edit"
    );
    let _ = world.put("a", "3").ok();
    assert_eq!(
        std::fs::read_to_string(&outside).unwrap(),
        EVIL,
        "a foreign file, linked inside"
    );
    assert_eq!(world.fsck().lines().count(), 1);
}

/// Exchanges two names.
fn exchange(a: &Path, b: &Path) {
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
}

#[test]
fn writer_follows_no_symlink_during_directory_swaps() {
    let swaps = count(600, 10_000);
    let world = populated();
    let canary = Canary::new(&world);
    let (directory, link) = (world.path("default/configmaps"), world.outside("link"));
    symlink(&canary.directory, &link).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..swaps {
                exchange(&directory, &link);
                std::thread::sleep(Duration::from_micros(300));
                exchange(&directory, &link);
                std::thread::sleep(Duration::from_micros(300));
            }
            stop.store(true, Ordering::Relaxed);
        });
        let (cluster, _) = open_listening(&world, "writer");
        let a = Key::parse(&key("a")).unwrap();
        let mut n = 0;
        while !stop.load(Ordering::Relaxed) {
            n += 1;
            cluster
                .stored()
                .merge(&a, &json!({"data": {"w": n.to_string()}}))
                .unwrap();
            let got = cluster.stored().get(&a).unwrap().unwrap();
            let text = String::from_utf8_lossy(&got.json);
            assert!(
                text.contains(&format!(r#""w":"{n}""#)) && !text.contains("evil"),
                "{text}"
            );
        }
        eprintln!("{swaps} swaps, {n} writes");
        assert!(n > swaps / 100);
    });
    world.put("b", "x").must_not_crash();
    canary.assert_untouched();
    assert_eq!(removals(&world), 0);
    let _ = world.run(&["raw", "list"]).ok();
    assert_eq!(world.fsck().lines().count(), 1);
}
