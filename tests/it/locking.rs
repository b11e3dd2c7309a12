//! Tests misuse of the lock and of the files around it: there are never two holders, no acknowledged write is lost, and
//! no process inherits the lock.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;

use crate::support::race::{
    Messages, Random, assert_gap_free, logged_revisions, seed, signal, wait_until_stopped,
    write_file,
};
use crate::support::{World, collect, config_map, count, finish, key};

/// The limit on waiting for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The acknowledged writes: object name and revision.
type Answered = Mutex<Vec<(String, u64)>>;

/// Runs writers until they are stopped; each write creates a new object. Returns the number of refused writes.
fn write_until(world: &World, paths: &[PathBuf], stop: &AtomicBool, answered: &Answered) -> usize {
    let refused = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for (who, path) in paths.iter().enumerate() {
            let refused = &refused;
            scope.spawn(move || {
                for n in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let name = format!("w{who}-{n}");
                    let mut command = world.command();
                    command
                        .env("CTL_STATE", path)
                        .args(["raw", "put", &key(&name)]);
                    let ran = finish(command, &config_map("x"));
                    match ran.code {
                        // The journal may disappear before the YAML file is written, which the command reports.
                        0 if ran.err.contains("YAML files not updated") => {}
                        0 => {
                            let revision = ran.out.trim().parse().unwrap();
                            answered.lock().unwrap().push((name, revision));
                        }
                        _ => {
                            let _ = ran.fails();
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    refused.into_inner()
}

/// Checks that every acknowledged write exists.
fn assert_all_there(world: &World, answered: &[(String, u64)]) {
    let list = world.run(&["raw", "list"]).ok();
    let there: BTreeSet<&str> = list
        .lines()
        .skip(1)
        .map(|l| l.split('\t').nth(1).unwrap())
        .collect();
    for (name, revision) in answered {
        assert!(
            there.contains(key(name).as_str()),
            "{name} of revision {revision} is lost"
        );
    }
}

/// Checks that no revision was assigned twice, as a forked history would do in its two branches.
fn assert_no_fork(answered: &[(String, u64)]) {
    let revisions: BTreeSet<u64> = answered.iter().map(|(_, r)| *r).collect();
    assert_eq!(
        revisions.len(),
        answered.len(),
        "two holders gave the same revision"
    );
}

#[test]
fn lock_stays_exclusive_when_internal_files_are_replaced() {
    let attempts = count(150, 10_000);
    let world = World::cluster();
    let _ = world.put("first", "x").ok();
    let (answered, stop) = (Answered::default(), AtomicBool::new(false));
    let refused = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random::new(seed(19));
            let started = Stopwatch::start();
            let few = |done: usize| done <= attempts / 10 && started.elapsed() < PATIENCE;
            let files = [
                "head",
                "holder",
                "index",
                "reserve",
                "tmp",
                "format",
                ".gitignore",
            ];
            let mut tried = 0;
            // A machine that is busy with other tests completes few writes during these attempts.
            while tried < attempts || few(answered.lock().unwrap().len()) {
                tried += 1;
                let file = world.path(".ctl").join(files[random.below(files.len())]);
                match random.below(3) {
                    // Replaces the file with a copy of itself: equal content, but another inode.
                    0 => {
                        if let Ok(content) = std::fs::read(&file) {
                            let copy = world.outside("copy");
                            write_file(&copy, content);
                            drop(std::fs::rename(&copy, &file));
                        }
                    }
                    1 => drop(std::fs::remove_dir(&file)),
                    _ => drop(std::fs::remove_file(&file)),
                }
                random.pause(Duration::from_millis(8));
            }
            stop.store(true, Ordering::Relaxed);
        });
        write_until(&world, &vec![world.state(); 4], &stop, &answered)
    });
    let answered = answered.into_inner().unwrap();
    eprintln!(
        "{attempts} attempts, {} writes answered, {refused} refused",
        answered.len()
    );
    assert!(answered.len() > attempts / 10);
    assert_no_fork(&answered);
    assert_all_there(&world, &answered);
    let _ = world.fsck();
}

#[test]
fn acknowledged_writes_survive_moves_of_the_internal_directory() {
    let attempts = count(40, 1000);
    let world = World::cluster();
    let _ = world.put("first", "x").ok();
    let (answered, stop) = (Answered::default(), AtomicBool::new(false));
    let refused = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random::new(seed(20));
            let (memory, away) = (world.path(".ctl"), world.outside("away"));
            let started = Stopwatch::start();
            let few = |done: usize| done <= attempts / 4 && started.elapsed() < PATIENCE;
            let mut moves = 0;
            // A machine that is busy with other tests completes few writes during these moves.
            while moves < attempts || few(answered.lock().unwrap().len()) {
                moves += 1;
                std::fs::rename(&memory, &away).unwrap();
                random.pause(Duration::from_millis(6));
                // A writer may have created a new one in the meantime, which blocks the rename.
                while std::fs::rename(&away, &memory).is_err() {
                    drop(std::fs::remove_dir_all(&memory));
                }
                random.pause(Duration::from_millis(20));
            }
            stop.store(true, Ordering::Relaxed);
        });
        write_until(&world, &vec![world.state(); 4], &stop, &answered)
    });
    let answered = answered.into_inner().unwrap();
    eprintln!(
        "{attempts} moves, {} writes answered, {refused} refused",
        answered.len()
    );
    assert!(answered.len() > attempts / 4);
    assert_all_there(&world, &answered);
    let _ = world.fsck();
}

#[test]
fn lock_is_shared_across_paths_to_one_directory() {
    let world = World::cluster();
    let _ = world.put("n", "0").ok();
    let (link, mount) = (world.outside("link"), world.outside("mount"));
    std::os::unix::fs::symlink(world.state(), &link).unwrap();
    std::fs::create_dir(&mount).unwrap();
    let mut paths = vec![world.state(), link, world.state().join("../state")];
    let bound = Command::new("mount")
        .arg("--bind")
        .arg(world.state())
        .arg(&mount)
        .output();
    let bound = bound.is_ok_and(|done| done.status.success());
    if bound {
        paths.push(mount.clone());
    }
    let (each, answered) = (count(25, 300), Answered::default());
    std::thread::scope(|scope| {
        for (who, path) in paths.iter().enumerate() {
            let (world, answered) = (&world, &answered);
            scope.spawn(move || {
                for n in 0..each {
                    let name = format!("p{who}-{n}");
                    let patch = format!(r#"{{"data":{{"{name}":"x"}}}}"#);
                    let mut command = world.command();
                    command
                        .env("CTL_STATE", path)
                        .args(["raw", "merge", &key("n"), &patch]);
                    let revision = finish(command, "").ok().trim().parse().unwrap();
                    answered.lock().unwrap().push((name, revision));
                }
            });
        }
    });
    if bound {
        assert!(
            Command::new("umount")
                .arg(&mount)
                .status()
                .unwrap()
                .success()
        );
    }
    let answered = answered.into_inner().unwrap();
    let object = world.run(&["raw", "get", &key("n")]).ok();
    assert!(
        answered
            .iter()
            .all(|(name, _)| object.contains(&format!("\"{name}\":")))
    );
    assert_no_fork(&answered);
    assert_gap_free(&logged_revisions(&world));
    eprintln!(
        "{} paths, {} merges, bind mount: {bound}",
        paths.len(),
        answered.len()
    );
    let _ = world.fsck();
}

/// Returns the flags of each open file of a process by its number, except the standard three.
fn flags_of(pid: u32) -> Vec<(u32, u32)> {
    let directory = PathBuf::from(format!("/proc/{pid}/fdinfo"));
    let mut found = Vec::new();
    for file in directory.read_dir().unwrap().flatten() {
        let number: u32 = file.file_name().to_str().unwrap().parse().unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let flags = text.lines().find_map(|l| l.strip_prefix("flags:")).unwrap();
        if number > 2 {
            found.push((number, u32::from_str_radix(flags.trim(), 8).unwrap()));
        }
    }
    found
}

#[test]
fn a_child_of_the_holder_inherits_neither_lock_nor_file() {
    const CLOSE_ON_EXEC: u32 = 0o2_000_000;
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    for at in ["write:1", "fdatasync:1", "exchange:1"] {
        let mut command = world.command();
        let patch = format!(r#"{{"data":{{"w":"{at}"}}}}"#);
        command
            .args(["raw", "merge", &key("a"), &patch])
            .env("CTL_FAULT", format!("stop:{at}"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        wait_until_stopped(&child);
        let open = flags_of(child.id());
        assert!(
            open.len() >= 2,
            "the directory and its lock at least: {open:?}"
        );
        // Descriptors that were inherited from this test do not refer to the state directory.
        for (number, flags) in open {
            let target = std::fs::read_link(format!("/proc/{}/fd/{number}", child.id())).unwrap();
            let inside = target.starts_with(world.state());
            let closes = flags & CLOSE_ON_EXEC != 0;
            assert!(
                closes || !inside,
                "{number} -> {} at {at}",
                target.display()
            );
        }
        signal(&child, Signal::CONT);
        let _ = collect(child).ok();
    }
    let _ = world.fsck();
}

#[test]
fn waiting_writer_fails_when_its_directory_is_replaced() {
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let mut holder = world.command();
    holder
        .args(["raw", "put", &key("held")])
        .env("CTL_FAULT", "stop:fdatasync:1");
    holder
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut holder = holder.spawn().unwrap();
    let input = config_map("x");
    std::io::Write::write_all(&mut holder.stdin.take().unwrap(), input.as_bytes()).unwrap();
    wait_until_stopped(&holder);
    let mut waiter = world.command();
    waiter.args(["raw", "merge", &key("a"), r#"{"data":{"w":"x"}}"#]);
    waiter
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut waiter = waiter.spawn().unwrap();
    // A command that starts after the rename would find the copy.
    let mut messages = Messages::from_child(&mut waiter);
    messages.until("waiting for ");
    let old = world.outside("old");
    std::fs::rename(world.state(), &old).unwrap();
    let mut copy = world.command_for(Path::new("cp"));
    copy.arg("-r").arg(&old).arg(world.state());
    let _ = finish(copy, "").ok();
    signal(&holder, Signal::KILL);
    assert_eq!(collect(holder).code, 137);
    let refused = messages.all();
    let _ = collect(waiter).fails();
    assert!(
        refused.contains("another directory has taken the place"),
        "{refused}"
    );
    for place in [&world.state(), &old] {
        let shown = std::fs::read_to_string(place.join("default/configmaps/a.yaml")).unwrap();
        assert!(!shown.contains("w: x"), "{shown}");
    }
    let _ = world
        .run(&["raw", "merge", &key("a"), r#"{"data":{"w":"x"}}"#])
        .ok();
    let _ = world.fsck();
}
