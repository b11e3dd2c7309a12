//! The number of system calls of a small write, as `strace` counts them.
//!
//! The program starts itself again below `strace` and writes twice as often the second time. The difference is what the writes
//! cost, without the start of the process.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

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

#[test]
fn a_small_write_makes_few_system_calls() {
    if let Ok(order) = std::env::var(WORK) {
        return work(&order);
    }
    let mut found = Vec::new();
    for (what, most) in [("create", 40), ("update", 40)] {
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
