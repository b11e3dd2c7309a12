//! The number of system calls of a small write, as `strace` counts them.
//!
//! The program starts itself again below `strace` and writes twice as often the second time. The difference is what the writes
//! cost, without the start of the process.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use ctl_store::{Batch, Cause, Expect, FileStore, Key, Op, Options, Settings, Store as _};
use ctl_sys::entropy::Seed;
use ctl_sys::real_fs::RealFs;

/// Tells the program below `strace` the directory, and how often and what it writes.
const WORK: &str = "CTL_TEST_SYSTEM_CALLS";

const WRITES: usize = 20;

/// The calls that the standard library makes in debug builds alone, before each `close`.
const DEBUG_ONLY: &str = "F_GETFD";

fn write(store: &FileStore, name: &str, value: usize) {
    let key = Key::new("configmaps", Some("default"), name).unwrap();
    let json = format!(
        r#"{{"apiVersion":"v1","data":{{"v":"{value}"}},"kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"default"}}}}"#
    );
    let batch = Batch::of(vec![Op::put(key.clone(), json.into_bytes(), Expect::Any)]);
    store
        .transact(&Cause::new("w", "r"), &mut |view| {
            let _ = view.get(&key)?;
            Ok(Some(batch.clone()))
        })
        .unwrap();
}

fn work(order: &str) {
    let mut words = order.split(' ');
    let mut next = || words.next().unwrap();
    let (path, creates, count) = (next(), next() == "create", next().parse::<usize>().unwrap());
    let fs = RealFs::create(Path::new(path)).unwrap();
    let settings = Settings::new(Seed(1));
    let store = FileStore::open_or_create(Arc::new(fs), Options::default(), settings).unwrap();
    // The first ones make directories and files that stay.
    for number in 0..5 + count {
        let name = if creates {
            format!("a{number}")
        } else {
            "a".to_owned()
        };
        write(&store, &name, number);
    }
}

/// The calls of a process that writes so often; `None` without a `strace` that works.
fn calls(what: &str, count: usize) -> Option<Vec<String>> {
    let directory = tempfile::tempdir().unwrap();
    let (state, trace) = (directory.path().join("s"), directory.path().join("t"));
    let order = format!("{} {what} {count}", state.display());
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o"]).arg(&trace);
    let test = "a_small_write_makes_few_system_calls";
    strace
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--test-threads=1"]);
    let output = strace.env(WORK, order).output().ok()?;
    let text = std::fs::read_to_string(trace).ok()?;
    assert!(output.status.success(), "{output:?}");
    let calls = text.lines().filter(|line| !line.contains(DEBUG_ONLY));
    Some(calls.map(str::to_owned).collect())
}

/// Returns true if the clock of this file system tells two changes in a row apart.
///
/// With a coarse clock, a second change within its tick is invisible to `stat`, so each write compares the text of the
/// file that the write before it left: five calls more.
fn has_fine_clock() -> bool {
    let mut file = tempfile::tempfile().unwrap();
    let change_time = |file: &File| {
        let stat = file.metadata().unwrap();
        stat.ctime() * 1_000_000_000 + stat.ctime_nsec()
    };
    (0..100).any(|_| {
        file.write_all(b"a").unwrap();
        let before = change_time(&file);
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        (1..500_000).contains(&(change_time(&file) - before))
    })
}

#[test]
fn a_small_write_makes_few_system_calls() {
    if let Ok(order) = std::env::var(WORK) {
        return work(&order);
    }
    let mut found = Vec::new();
    let compare = if has_fine_clock() { 0 } else { 5 };
    for (what, most) in [("create", 40), ("update", 40 + compare)] {
        let (Some(few), Some(many)) = (calls(what, WRITES), calls(what, 2 * WRITES)) else {
            eprintln!("skipped: there is no strace that works here");
            return;
        };
        let each = (many.len() - few.len()) / WRITES;
        eprintln!("{what}: {each} system calls for each small write");
        found.push((what, each, most));
    }
    assert!(
        found.iter().all(|(_, each, most)| each <= most),
        "{found:?}: these are the calls and the limits"
    );
}
