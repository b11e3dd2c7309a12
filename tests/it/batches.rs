//! Tests that a reader sees a batch completely or not at all, even if its writer is killed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ctl::cluster::{Cluster, Expect, Key, Range, RawOp};

use crate::support::race::{Random, assert_gap_free, logged_revisions, open, seed};
use crate::support::{World, config_map, count, finish, key};

fn op(name: &str, value: &str) -> RawOp {
    RawOp {
        key: Key::parse(&key(name)).unwrap(),
        object: Some(serde_json::from_str(&config_map(value)).unwrap()),
        expect: Expect::Any,
    }
}

/// Checks that all objects in a list have the same value.
fn the_one_value(cluster: &Cluster, objects: usize) {
    let list = cluster
        .stored()
        .list(&Range::resource("configmaps", None), None)
        .unwrap();
    assert_eq!(list.items.len(), objects);
    let value = |json: &[u8]| {
        let json: ctl::api::json::Value = serde_json::from_slice(json).unwrap();
        json["data"]["v"].as_str().unwrap().to_owned()
    };
    let values: Vec<String> = list.items.iter().map(|item| value(&item.json)).collect();
    assert!(
        values.iter().all(|v| *v == values[0]),
        "torn at {}: {values:?}",
        list.revision
    );
    assert!(list.items.iter().all(|item| item.revision <= list.revision));
}

#[test]
fn readers_never_see_half_of_a_batch() {
    let (flips, lists) = (count(400, 5000), count(2000, 50_000));
    let world = World::cluster();
    let writer = open(&world, "flipper");
    writer
        .stored()
        .commit(&[op("a", "0"), op("b", "0")], None, "flip")
        .unwrap();
    let (done, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for reader in 0..4 {
            let (world, done, seen) = (&world, &done, &seen);
            scope.spawn(move || {
                let cluster = open(world, &format!("reader {reader}"));
                while !done.load(Ordering::Relaxed) || seen.load(Ordering::Relaxed) < lists {
                    the_one_value(&cluster, 2);
                    seen.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for flip in 1..=flips {
            let value = flip.to_string();
            writer
                .stored()
                .commit(&[op("a", &value), op("b", &value)], None, "flip")
                .unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    eprintln!("{flips} flips, {} lists", seen.load(Ordering::Relaxed));
    assert_eq!(world.value("a"), Some(flips.to_string()));
    assert_gap_free(&logged_revisions(&world));
    let _ = world.fsck();
}

/// Returns the file-system calls of one batch, in order.
fn calls_of_a_batch(world: &World, lines: &str) -> Vec<String> {
    let file = world.outside("calls");
    let mut command = world.command();
    command.args(["raw", "batch"]).env("CTL_FAULT_COUNT", &file);
    let _ = finish(command, lines).ok();
    std::fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn batch_of_a_killed_writer_is_atomic() {
    let rounds = count(40, 300);
    let world = World::cluster();
    let lines = |value: &str| -> String {
        (0..50)
            .map(|n| format!("put {} {}\n", key(&format!("m{n}")), config_map(value)))
            .collect()
    };
    let _ = world.run_with(&["raw", "batch"], &lines("first")).ok();
    let (mut before, mut applied, mut refused) = ("second".to_owned(), 0, 0);
    let calls = calls_of_a_batch(&world, &lines("second"));
    let sync = calls.iter().position(|call| call == "fdatasync").unwrap() + 1;
    let mut random = Random::new(seed(15));
    for round in 0..rounds {
        let value = format!("r{round}");
        let mut command = world.command();
        let fault = match round % 4 {
            // The first write stores the name of the lock's holder, so no part of the batch precedes it. The number of
            // calls before the sync varies, so kills near it may all come too late.
            0 => "kill:write:1".to_owned(),
            1 => format!("kill:any:{}", (sync - 3 + random.below(6)).max(1)),
            _ => format!("kill:any:{}", 1 + random.below(calls.len())),
        };
        command.args(["raw", "batch"]).env("CTL_FAULT", fault);
        let ran = finish(command, &lines(&value));
        let cluster = open(&world, "reader");
        the_one_value(&cluster, 50);
        // The next writer completes or discards what a killed one left.
        let _ = world.run(&["raw", "lead"]).ok();
        the_one_value(&cluster, 50);
        let now = world.value("m0").unwrap();
        assert!(
            now == value || now == before,
            "{now} is neither {before} nor {value}"
        );
        assert!(
            ran.code != 0 || now == value,
            "a batch that was answered is gone"
        );
        assert!(
            ran.out.is_empty() || now == value,
            "a batch that was told is gone"
        );
        if now == value {
            applied += 1
        } else {
            refused += 1
        }
        before = now;
    }
    eprintln!("{rounds} kills: {applied} applied, {refused} not");
    assert!(
        applied > 0 && refused > 0,
        "every kill came at the same side of the commit"
    );
    assert_gap_free(&logged_revisions(&world));
    let _ = world.fsck();
}
