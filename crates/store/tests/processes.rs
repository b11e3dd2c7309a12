//! Processes that write to one directory on a slow disk: they share its syncs, and lose nothing if some are killed.
//!
//! The program starts itself again as each process. A delay of every `fdatasync` makes the disk slow.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ctl_store::{
    Batch, Cause, Expect, FileStore, Key, Op, Options, Range, Settings, Store as _, View,
};
use ctl_sys::entropy::Seed;
use ctl_sys::fault;
use ctl_sys::real_fs::RealFs;

/// Tells a process the directory, its name and the number of its commits.
const WORK: &str = "CTL_TEST_PROCESSES";

/// The test that a process runs instead of its work.
const WORKER: &str = "works_as_one_of_the_processes";

fn key(name: &str) -> Key {
    Key::new("configmaps", Some("default"), name).unwrap()
}

fn config_map(name: &str, value: u64) -> Vec<u8> {
    format!(
        r#"{{"apiVersion":"v1","data":{{"v":"{value}"}},"kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"default"}}}}"#
    )
    .into_bytes()
}

fn value(json: &[u8]) -> u64 {
    let json: serde_json::Value = serde_json::from_slice(json).unwrap();
    json["data"]["v"].as_str().unwrap().parse().unwrap()
}

fn open(path: &Path) -> FileStore {
    let fs = fault::from_env(Arc::new(RealFs::create(path).unwrap()));
    FileStore::open_or_create(fs, Options::default(), Settings::new(Seed(1))).unwrap()
}

/// Adds one to the shared counter, and sets the own object to the number of the round.
fn increment(store: &FileStore, name: &str, round: u64) -> u64 {
    let mut decide = |view: &(dyn View + Sync)| {
        let before = view.get(&key("all"))?;
        let all = before.map_or(0, |stored| value(&stored.json)) + 1;
        let put = |name: &str, value| Op::put(key(name), config_map(name, value), Expect::Any);
        Ok(Some(Batch::new(vec![put("all", all), put(name, round)])))
    };
    let done = store.transact(&Cause::new("w", "r"), &mut decide).unwrap();
    done.unwrap().revision
}

#[test]
fn works_as_one_of_the_processes() {
    let Ok(order) = std::env::var(WORK) else {
        return;
    };
    let mut words = order.split(' ');
    let mut next = || words.next().unwrap();
    let (store, name) = (open(Path::new(next())), next());
    let rounds: u64 = next().parse().unwrap();
    for round in 1..=rounds {
        let revision = increment(&store, name, round);
        // A reader of the same process sees the commit, and its file is there.
        assert_eq!(value(&store.get(&key(name)).unwrap().unwrap().json), round);
        // One write, so that a kill leaves no half of a line.
        let line = format!("\ntold {revision} {round}\n");
        std::io::stdout().write_all(line.as_bytes()).unwrap();
    }
}

/// A running process.
struct Worker {
    name: String,
    child: Child,
}

impl Worker {
    fn start(state: &Path, name: &str, rounds: u64, delay: Duration) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([WORKER, "--exact", "--nocapture", "--test-threads=1"])
            .env(WORK, format!("{} {name} {rounds}", state.display()))
            .env(
                "CTL_FAULT",
                format!("delay={}:fdatasync:1+", delay.as_micros()),
            )
            .env("CTL_FAULT_COUNT", state.with_extension("calls"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let name = name.to_owned();
        Self { name, child }
    }

    /// Waits for its end; returns what was acknowledged, and true if it was not killed.
    fn finish(mut self) -> (BTreeMap<u64, u64>, bool) {
        let mut told = BTreeMap::new();
        for line in BufReader::new(self.child.stdout.take().unwrap()).lines() {
            if let Some(numbers) = line.unwrap().strip_prefix("told ") {
                let (revision, round) = numbers.split_once(' ').unwrap();
                told.insert(revision.parse().unwrap(), round.parse().unwrap());
            }
        }
        (told, self.child.wait().unwrap().success())
    }
}

/// The end of a run.
struct Ran {
    store: FileStore,
    /// The commits that were acknowledged to each process.
    told: Vec<(String, BTreeMap<u64, u64>)>,
    syncs: usize,
}

/// Runs processes with a commit in each round. One after the other of the first `killed` is killed.
fn run(directory: &Path, processes: usize, rounds: u64, delay: Duration, killed: usize) -> Ran {
    let state = directory.join("s");
    drop(open(&state));
    let mut workers: Vec<Worker> = (0..processes)
        .map(|n| Worker::start(&state, &format!("p{n}"), rounds, delay))
        .collect();
    for worker in workers.iter_mut().take(killed) {
        std::thread::sleep(Duration::from_millis(150));
        worker.child.kill().unwrap();
    }
    let mut told = Vec::new();
    for (number, worker) in workers.into_iter().enumerate() {
        let name = worker.name.clone();
        let (revisions, is_whole) = worker.finish();
        assert!(is_whole || number < killed, "{name} failed");
        told.push((name, revisions));
    }
    let calls = std::fs::read_to_string(state.with_extension("calls")).unwrap();
    let syncs = calls.lines().filter(|call| *call == "fdatasync").count();
    let store = open(&state);
    Ran { store, told, syncs }
}

impl Ran {
    /// Checks that everything acknowledged is there, once, and returns the number of commits.
    fn check(&self) -> usize {
        let mut revisions = BTreeSet::new();
        for (name, told) in &self.told {
            for revision in told.keys() {
                assert!(revisions.insert(*revision), "{revision} was given twice");
            }
            if let Some((_, last)) = told.last_key_value() {
                let stored = self.store.get(&key(name)).unwrap().unwrap();
                // The last commit of a killed process may be there without an acknowledgment.
                let found = value(&stored.json);
                assert!(
                    (*last..=last + 1).contains(&found),
                    "{name}: {found} after {last}"
                );
            }
        }
        let all = self.store.get(&key("all")).unwrap().unwrap();
        let rounds = self.store.list(&Range::all()).unwrap().items.into_iter();
        let rounds = rounds.filter(|stored| stored.key != key("all"));
        let sum: u64 = rounds.map(|stored| value(&stored.json)).sum();
        assert_eq!(value(&all.json), sum, "an increment is lost");
        let report = self.store.directory().unwrap().fsck(true).unwrap();
        assert!(report.problems.is_empty(), "{report:?}");
        revisions.len()
    }
}

#[test]
fn processes_on_a_slow_disk_share_its_syncs() {
    const PROCESSES: usize = 6;
    const ROUNDS: usize = 30;
    let share = |milliseconds: u64| {
        let directory = tempfile::tempdir().unwrap();
        let delay = Duration::from_millis(milliseconds);
        let ran = run(directory.path(), PROCESSES, ROUNDS as u64, delay, 0);
        let commits = ran.check();
        assert_eq!(commits, PROCESSES * ROUNDS);
        eprintln!(
            "{commits} commits of {PROCESSES} processes on a disk of {delay:?}: {} syncs",
            ran.syncs
        );
        // One for each commit without sharing. Far from the best, because a busy machine delays processes.
        ran.syncs <= commits * 3 / 4
    };
    // Processes that get the processor one after the other meet only during longer syncs.
    assert!([8, 8, 30, 100, 300].into_iter().any(share));
}

#[test]
fn killed_processes_lose_no_commit_of_themselves_and_of_others() {
    let directory = tempfile::tempdir().unwrap();
    let ran = run(directory.path(), 6, 60, Duration::from_millis(3), 4);
    let commits = ran.check();
    assert!(commits >= 2 * 60, "{commits} commits");
}
