//! Tests a full disk: exactly the acknowledged writes remain, deleting works, and the cluster recovers by itself when
//! space is available again.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::support::mount::Mount;
use crate::support::state::{journal_of, leftovers};
use crate::support::{CommandOutput, World, config_map, count, finish, key, note};

/// The acknowledged writes by name, with their values.
type Acked = BTreeMap<String, String>;

/// Returns the names and values in the cluster.
fn stored(world: &World) -> Acked {
    let list = world.list();
    let items = list.lines().skip(1).map(|line| {
        let (_, rest) = line.split_once('\t').unwrap();
        let (key, json) = rest.split_once('\t').unwrap();
        let json: ctl::api::json::Value = serde_json::from_str(json).unwrap();
        let name = key.rsplit('/').next().unwrap().to_owned();
        (name, json["data"]["v"].as_str().unwrap().to_owned())
    });
    items.collect()
}

#[track_caller]
fn must_be_exact(world: &World, acked: &Acked, place: &str) {
    let found = stored(world);
    let names = |map: &Acked| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(acked), "{place}");
    assert!(
        found == *acked,
        "{place}: a value is not the one acknowledged"
    );
}

/// Writes objects until a write is rejected. Returns the number of accepted ones.
fn fill(world: &World, acked: &mut Acked, cycle: usize) -> usize {
    for number in 0..400 {
        let name = format!("o{number:03}");
        let value = format!("{cycle}-{}", "x".repeat(500 + number * 97 % 3000));
        let ran = world.put(&name, &value);
        if ran.code != 0 {
            must_say_full(&ran);
            return number;
        }
        acked.insert(name, value);
    }
    panic!("the disk never became full");
}

#[track_caller]
fn must_say_full(ran: &CommandOutput) {
    let said = ran.clone().fails();
    assert!(
        said.contains("No space left") && said.contains("not applied"),
        "{said}"
    );
    assert_eq!(ran.out, "");
}

/// Deletes every other object. Each deletion must succeed.
fn delete_half(world: &World, acked: &mut Acked, place: &str) {
    for name in acked.keys().step_by(2).cloned().collect::<Vec<_>>() {
        let ran = world.run(&["raw", "delete", &key(&name)]);
        assert_eq!(ran.code, 0, "{place}, deleting {name}: {ran:?}");
        acked.remove(&name);
    }
}

/// Checks the cluster once space is available again.
fn must_be_well(world: &World, acked: &mut Acked, place: &str) {
    let ran = world.put("after", place);
    assert_eq!(ran.code, 0, "{place}: {ran:?}");
    acked.insert("after".to_owned(), place.to_owned());
    must_be_exact(world, acked, place);
    let left = leftovers(&world.state());
    assert!(left.is_empty(), "{place}: {left:?}");
    world.fsck_without_remarks();
}

fn init(world: &World) {
    let args = ["cluster", "init", "--clock", "virtual", "--seed", "7"];
    let _ = world.run(&args).ok();
}

#[test]
fn acknowledged_writes_survive_repeated_full_disks() {
    let world = World::new();
    let Some(_disk) = Mount::tmpfs(&world.state(), "size=256k") else {
        return fill_below_a_size_limit();
    };
    init(&world);
    let mut acked = Acked::new();
    for cycle in 0..count(6, 200) {
        let taken = fill(&world, &mut acked, cycle);
        let place = format!("cycle {cycle}, full after {taken}");
        must_be_exact(&world, &acked, &place);
        delete_half(&world, &mut acked, &place);
        must_be_well(&world, &mut acked, &place);
    }
}

/// Fills the journal up to a size limit instead, for machines that cannot mount anything.
fn fill_below_a_size_limit() {
    note("no tmpfs could be mounted: the journal is held below a file-size limit instead");
    let world = World::cluster();
    let mut acked = Acked::new();
    for cycle in 0..count(3, 20) {
        let (_, size) = journal_of(&world.state());
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", size / 512 + 20);
        let mut refused = false;
        for number in 0..200 {
            let name = format!("o{number:03}");
            let mut command = world.command_for(Path::new("sh"));
            command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_ctl")]);
            command.args(["raw", "put", &key(&name)]);
            let value = format!("{cycle}-{}", "x".repeat(700));
            let ran = finish(command, &config_map(&value));
            if ran.code != 0 {
                assert!(ran.fails().contains("not applied"));
                refused = true;
                break;
            }
            acked.insert(name, value);
        }
        assert!(refused);
        let place = format!("cycle {cycle}");
        must_be_exact(&world, &acked, &place);
        delete_half(&world, &mut acked, &place);
        must_be_well(&world, &mut acked, &place);
    }
}

/// Returns the inode of the reserve, which changes if the reserve was released and created again.
fn reserve(world: &World) -> Option<u64> {
    let meta = world.path(".ctl/reserve").metadata().ok()?;
    assert_eq!(meta.len(), 65_536);
    Some(meta.ino())
}

#[test]
fn deletes_succeed_on_a_full_disk() {
    let world = World::new();
    let Some(_disk) = Mount::tmpfs(&world.state(), "size=512k") else {
        return fill_below_a_size_limit();
    };
    init(&world);
    let mut acked = Acked::new();
    for number in 0..12 {
        let name = format!("o{number}");
        let _ = world.put(&name, "value").ok();
        acked.insert(name, "value".to_owned());
    }
    let mut needed = 0;
    for cycle in 0..count(5, 20) {
        let ballast = world.path("ballast");
        let script = r#"head -c 10000000 /dev/zero > "$1""#;
        let mut command = world.command_for(Path::new("sh"));
        command.args(["-c", script, "sh"]).arg(&ballast);
        assert_ne!(finish(command, "").code, 0);
        let place = format!("cycle {cycle}");
        let mut taken = 0;
        loop {
            // Data that fits into the last page of a file is still accepted.
            let name = format!("tiny{taken}");
            let ran = world.put(&name, &place);
            if ran.code != 0 {
                must_say_full(&ran);
                break;
            }
            acked.insert(name, place.clone());
            taken += 1;
            assert!(taken < 100, "the disk never became full");
        }
        must_be_exact(&world, &acked, &place);
        let kept = reserve(&world);
        for name in acked.keys().take(8).cloned().collect::<Vec<_>>() {
            let ran = world.run(&["raw", "delete", &key(&name)]);
            assert_eq!(ran.code, 0, "{place}: {ran:?}");
            acked.remove(&name);
            must_be_exact(&world, &acked, &place);
            needed += usize::from(reserve(&world) != kept);
        }
        std::fs::remove_file(&ballast).unwrap();
        must_be_well(&world, &mut acked, &place);
        assert!(
            reserve(&world).is_some(),
            "{place}: the reserve is not kept again"
        );
    }
    assert!(needed > 0, "the reserve was never needed");
}

#[test]
fn commits_succeed_without_inodes_and_files_follow_later() {
    let world = World::new();
    let Some(_disk) = Mount::tmpfs(&world.state(), "size=2m,nr_inodes=40") else {
        return without_inodes_by_fault();
    };
    init(&world);
    let mut acked = Acked::new();
    for cycle in 0..count(4, 50) {
        let place = format!("cycle {cycle}");
        let mut waiting = 0;
        for number in 0..45 {
            let name = format!("o{number:03}");
            let ran = world.put(&name, &place);
            assert_eq!(ran.code, 0, "{place}: {ran:?}");
            waiting += usize::from(ran.err.contains("YAML files not updated"));
            acked.insert(name, place.clone());
        }
        assert!(waiting > 0, "{place}: there were inodes enough");
        must_be_exact(&world, &acked, &place);
        for name in acked.keys().skip(10).cloned().collect::<Vec<_>>() {
            let ran = world.run(&["raw", "delete", &key(&name)]);
            assert_eq!(ran.code, 0, "{place}: {ran:?}");
            acked.remove(&name);
        }
        must_be_well(&world, &mut acked, &place);
    }
}

/// Simulates a disk without inodes by fault injection: no file can be created.
fn without_inodes_by_fault() {
    let world = World::cluster();
    let _ = world.put("b", "old").ok();
    let full = [("CTL_FAULT", "enospc:create:1+")];
    let args = ["raw", "put", &key("a")];
    let ran = world.run_env(&full, &args, &config_map("new"));
    assert!(
        ran.code == 0 && ran.err.contains("YAML files not updated"),
        "{ran:?}"
    );
    let ran = world.run_env(&full, &["raw", "delete", &key("b")], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!world.path("default/configmaps/b.yaml").exists());
    let mut acked = Acked::from([("a".to_owned(), "new".to_owned())]);
    must_be_exact(&world, &acked, "no inodes");
    must_be_well(&world, &mut acked, "no inodes");
}

#[test]
fn deleted_object_loses_its_file_without_free_inodes() {
    without_inodes_by_fault();
}

/// Returns the file names in the journal's directory.
fn generations(world: &World) -> Vec<String> {
    let entries = world.path(".ctl/journal").read_dir().unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Returns a cluster with a few generations, each with a version of one large object.
fn with_history(world: &World) {
    init(world);
    for number in 0..4 {
        let value: String = (0..100_000)
            .map(|n| char::from(b'a' + ((n * 7 + number) % 26) as u8))
            .collect();
        let _ = world.put("large", &value).ok();
        let _ = world.run(&["raw", "compact"]).ok();
    }
}

#[test]
fn transient_enospc_removes_no_history() {
    let world = World::new();
    with_history(&world);
    let before = generations(&world);
    let mut failed = 0;
    for operation in ["write", "fdatasync"] {
        for n in 1..8 {
            let order = format!("{}:{operation}:{n}", "enospc");
            let args = ["raw", "put", &key("a")];
            let ran = world.run_env(&[("CTL_FAULT", &order)], &args, &config_map(&order));
            assert_eq!(ran.code, 0, "{order}: {ran:?}");
            assert!(!ran.err.contains("given up"), "{order}: {ran:?}");
            assert_eq!(generations(&world), before, "{order}");
            assert_eq!(world.value("a").as_deref(), Some(order.as_str()));
            failed += 1;
        }
    }
    assert_eq!(failed, 14);
    world.fsck();
}

#[test]
fn full_disk_removes_only_the_oldest_history() {
    let world = World::new();
    let Some(_disk) = Mount::tmpfs(&world.state(), "size=2m") else {
        return note("no tmpfs could be mounted: the disk cannot be filled");
    };
    with_history(&world);
    let before = generations(&world);
    let mut command = world.command_for(Path::new("sh"));
    command
        .args(["-c", r#"head -c 10000000 /dev/zero > "$1""#, "sh"])
        .arg(world.path("ballast"));
    assert_ne!(finish(command, "").code, 0);
    let ran = world.put("a", &"x".repeat(20_000));
    assert_eq!(ran.code, 0, "{ran:?}");
    let after = generations(&world);
    assert!(
        before.ends_with(&after) && after.len() == before.len() - 1,
        "{before:?} {after:?}"
    );
    let log = world.run(&["fsck", "--history"]).ok();
    let (_, since) = log.split_once("history since ").unwrap();
    let (since, _) = since.split_once(':').unwrap();
    let told =
        format!("the disk is full: history before revision {since} was removed to free space");
    assert!(ran.err.contains(&told), "{ran:?} {log}");
}
