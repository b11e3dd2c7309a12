//! The number of system calls of small reads and writes, as `strace` counts them.
//!
//! The program starts itself again below `strace` and works twice as often the second time. The difference is what the
//! work costs, without the start of the process.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use ctl_store::{Batch, Cause, Expect, FileStore, Key, Op, Options, Range, Settings, Store as _};
use ctl_sys::entropy::Seed;
use ctl_sys::real_fs::RealFs;

/// Tells the program below `strace` the directory, and how often and what it writes.
const WORK: &str = "CTL_TEST_SYSTEM_CALLS";

const WRITES: usize = 20;

/// The number of measurements, of which the least counts: a write compares the text of its file if the clock of the file
/// system has not ticked since the write before it, and about half of the runs make a few calls more.
const TRIES: usize = 20;

/// The calls that the standard library makes in debug builds alone, before each `close`.
const DEBUG_ONLY: &str = "F_GETFD";

fn key(name: &str) -> Key {
    Key::new("configmaps", Some("default"), name).unwrap()
}

fn write(store: &FileStore, name: &str, value: usize) {
    let key = key(name);
    let json = format!(
        r#"{{"apiVersion":"v1","data":{{"v":"{value}"}},"kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"default"}}}}"#
    );
    let batch = Batch::new(vec![Op::put(key.clone(), json.into_bytes(), Expect::Any)]);
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
    let (path, what, count) = (next(), next(), next().parse::<usize>().unwrap());
    let fs = RealFs::create(Path::new(path)).unwrap();
    let settings = Settings::new(Seed(1));
    let store = FileStore::open_or_create(Arc::new(fs), Options::default(), settings).unwrap();
    // The first ones make directories and files that stay.
    (0..5).for_each(|number| write(&store, &format!("a{number}"), number));
    let (key, range) = (key("a0"), Range::resource("boats", Some("default")));
    for number in 5..5 + count {
        match what {
            "create" => write(&store, &format!("a{number}"), number),
            "update" => write(&store, "a0", number),
            "get" => assert!(store.get(&key).unwrap().is_some()),
            "revision" => assert!(store.revision().unwrap() > 0),
            _ => assert!(store.mark(&range).unwrap().is_some()),
        }
    }
}

/// The calls of a process that writes so often; `None` without a `strace` that works.
fn calls(what: &str, count: usize) -> Option<Vec<String>> {
    let directory = tempfile::tempdir().unwrap();
    let (state, trace) = (directory.path().join("s"), directory.path().join("t"));
    let order = format!("{} {what} {count}", state.display());
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o"]).arg(&trace);
    let test = "small_reads_and_writes_make_few_system_calls";
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
fn small_reads_and_writes_make_few_system_calls() {
    if let Ok(order) = std::env::var(WORK) {
        return work(&order);
    }
    let mut found = Vec::new();
    let compare = if has_fine_clock() { 0 } else { 5 };
    let limits = [
        ("create", 40),
        ("update", 40 + compare),
        // Those of a server's request for one object: a look for files that editors hold, two for the head, the
        // object's file, its bytes.
        ("get", 5 + compare),
        ("revision", 2),
        ("mark", 4),
    ];
    for (what, most) in limits {
        let mut least = usize::MAX;
        for _ in 0..TRIES {
            let (Some(few), Some(many)) = (calls(what, WRITES), calls(what, 2 * WRITES)) else {
                eprintln!("skipped: there is no strace that works here");
                return;
            };
            least = least.min(many.len().saturating_sub(few.len()) / WRITES);
            if least <= most {
                break;
            }
        }
        let each = least;
        eprintln!("{what}: {each} system calls");
        found.push((what, each, most));
    }
    assert!(
        found.iter().all(|(_, each, most)| each <= most),
        "{found:?}: these are the calls and the limits"
    );
}
