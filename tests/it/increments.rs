//! Tests for lost updates: many processes increment one object, and every increment must count.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use crate::support::race::{Random, assert_gap_free, logged_revisions, seed};
use crate::support::{World, config_map, count, finish, in_time, key, quiet};
use ctl::api::json::Value;

/// The longest time that a commit may wait, with any number of writers.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The combined results of all counters.
#[derive(Default)]
struct Tally {
    revisions: Mutex<BTreeSet<u64>>,
    longest: Mutex<Duration>,
}

impl Tally {
    fn committed(&self, revision: &str, took: Duration) {
        let revision = revision.trim().parse().unwrap();
        assert!(
            self.revisions.lock().unwrap().insert(revision),
            "{revision} was given twice"
        );
        let mut longest = self.longest.lock().unwrap();
        *longest = longest.max(took);
    }

    /// Checks that every revision from the first to the last was assigned once, and that no commit waited too long.
    fn check(&self, world: &World, commits: usize) {
        let given: Vec<u64> = self.revisions.lock().unwrap().iter().copied().collect();
        assert_eq!(given.len(), commits);
        let (_, last) = assert_gap_free(&given);
        assert_eq!(world.run(&["raw", "revision"]).ok(), format!("{last}\n"));
        let logged = logged_revisions(world);
        assert_eq!(assert_gap_free(&logged).1, last);
        let longest = *self.longest.lock().unwrap();
        assert!(
            longest <= in_time(LONGEST_WAIT),
            "a commit waited {longest:?}"
        );
        eprintln!("{commits} commits, longest wait {longest:?}");
    }
}

/// Reads the value and writes it plus one, but only if no other process has written since.
fn increment(world: &World, tally: &Tally, random: &mut Random) {
    for attempt in 1.. {
        let got = world.run(&["raw", "get", &key("n")]).ok();
        let (revision, json) = got.split_once('\t').unwrap();
        let json: Value = serde_json::from_str(json).unwrap();
        let number: u64 = json["data"]["v"].as_str().unwrap().parse().unwrap();
        let mut command = world.command();
        command.args(["raw", "put", &key("n"), "--revision", revision]);
        let watch = Stopwatch::start();
        let put = finish(command, &config_map(&(number + 1).to_string()));
        if put.code == 0 {
            return tally.committed(&put.out, watch.elapsed());
        }
        assert!(put.fails().contains("is at revision"));
        random.pause(Duration::from_millis(10) * attempt.min(60));
    }
}

#[test]
fn concurrent_compare_and_swap_increments_are_not_lost() {
    quiet::alone();
    let (processes, each) = (count(8, 64), count(6, 20));
    let world = World::cluster();
    let _ = world.put("n", "0").ok();
    let (tally, seed) = (Tally::default(), seed(13));
    std::thread::scope(|scope| {
        for process in 0..processes {
            let (world, tally) = (&world, &tally);
            scope.spawn(move || {
                let mut random = Random::new(seed + process as u64);
                for _ in 0..each {
                    increment(world, tally, &mut random);
                }
            });
        }
    });
    let total = processes * each;
    assert_eq!(world.value("n"), Some(total.to_string()));
    tally.check(&world, total);
    let _ = world.fsck();
}

#[test]
fn concurrent_merges_without_a_revision_are_not_lost() {
    quiet::alone();
    let (processes, each) = (count(16, 64), count(8, 50));
    let world = World::cluster();
    let _ = world.put("n", "0").ok();
    let tally = Tally::default();
    std::thread::scope(|scope| {
        for process in 0..processes {
            let (world, tally) = (&world, &tally);
            scope.spawn(move || {
                for n in 0..each {
                    let patch = format!(r#"{{"data":{{"p{process}-{n}":"x"}}}}"#);
                    let watch = Stopwatch::start();
                    let merged = world.run(&["raw", "merge", &key("n"), &patch]).ok();
                    tally.committed(&merged, watch.elapsed());
                }
            });
        }
    });
    let total = processes * each;
    let got = world.run(&["raw", "get", &key("n")]).ok();
    let json: Value = serde_json::from_str(got.split_once('\t').unwrap().1).unwrap();
    assert_eq!(json["data"].as_object().unwrap().len(), total + 1);
    tally.check(&world, total);
    let _ = world.fsck();
}
