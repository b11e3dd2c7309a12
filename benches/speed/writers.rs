//! Measures many writers at once, in threads and in processes, against the sync of each commit.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use ctl::store::{Batch, Expect, Op, Store as _};
use ctl::sys::clock::Stopwatch;

use crate::Size;
use crate::processes::worker;
use crate::sample::{cause, key, pod, store};
use crate::scratch::Scratch;
use crate::table::{Table, median, ms};

const WRITERS: usize = 16;

/// From this duration on the sync dominates, so sixteen writers should be eight times as fast as one.
const SLOW: Duration = Duration::from_millis(2);

/// Returns the median of an `fdatasync` after a write of one object.
fn bare_sync(dir: &Path) -> Duration {
    let mut plain = File::create(dir.join("plain")).unwrap();
    let syncs = (0..50).map(|n| {
        plain.write_all(&pod("a", n)).unwrap();
        let stopwatch = Stopwatch::start();
        plain.sync_data().unwrap();
        stopwatch.elapsed()
    });
    median(syncs.collect())
}

/// Returns the time of this number of threads for `rounds` commits each.
fn threads(state: &Path, writers: usize, rounds: usize) -> Duration {
    let store = store(state);
    let stopwatch = Stopwatch::start();
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let store = &store;
            scope.spawn(move || {
                let name = format!("w-{writer}");
                for round in 0..rounds {
                    let op = Op::put(key(&name), pod(&name, round), Expect::Any);
                    store.commit(&cause(), Batch::new(vec![op])).unwrap();
                }
            });
        }
    });
    stopwatch.elapsed()
}

/// Returns the time of this number of processes for `rounds` commits each, including their start.
fn processes(state: &Path, writers: usize, rounds: usize) -> Duration {
    drop(store(state));
    let (state, rounds) = (state.to_str().unwrap(), rounds.to_string());
    let stopwatch = Stopwatch::start();
    let workers: Vec<_> = (0..writers)
        .map(|writer| {
            let name = format!("p-{writer}");
            worker(&["commit", state, &name, &rounds]).spawn().unwrap()
        })
        .collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    stopwatch.elapsed()
}

/// Measures one writer, sixteen writers and the bare sync in the same directory.
#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn compare(table: &mut Table, size: Size, of: &str, run: fn(&Path, usize, usize) -> Duration) {
    let dir = Scratch::new();
    let bare = bare_sync(dir.path());
    let rate = |writers: usize, rounds: usize| {
        let state = dir.path().join(format!("state-{writers}"));
        let time = run(&state, writers, rounds);
        (writers * rounds) as f64 / time.as_secs_f64()
    };
    let (one, many) = (rate(1, size.rounds), rate(WRITERS, size.rounds / 4));
    let wanted = if bare >= SLOW { 8.0 } else { 1.0 };
    table.row(
        &format!("durable commits by {WRITERS} {of} at once, and by one"),
        &format!("{many:.0} /s, {one:.0} /s"),
        &ms(bare),
        "as many; 8 x if a sync takes 2 ms",
        many >= one * wanted,
    );
}

/// Measures threads and processes.
pub(crate) fn measure(table: &mut Table, size: Size) {
    compare(table, size, "threads", threads);
    compare(table, size, "processes", processes);
}
