//! Measures the store within one process.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use ctl::store::{Batch, Expect, Key, Op, Range, Store as _};
use ctl::sys::clock::Stopwatch;

use crate::sample::{cause, fill, key, pod, store};
use crate::scratch::Scratch;
use crate::table::{Table, median, ms};
use crate::{Size, processes};

fn time(mut work: impl FnMut()) -> Duration {
    let stopwatch = Stopwatch::start();
    work();
    stopwatch.elapsed()
}

/// Measures a durable commit of one object against an fdatasync of the same bytes. They alternate, because the
/// machine's speed drifts.
pub(crate) fn commits(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let store = store(&dir.path().join("state"));
    let mut plain = File::create(dir.path().join("plain")).unwrap();
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for n in 0..size.rounds {
        let object = pod("a", n);
        let line = vec![b'x'; object.len() + 300];
        bare.push(time(|| {
            plain.write_all(&line).unwrap();
            plain.sync_data().unwrap();
        }));
        ours.push(time(|| {
            let batch = Batch::new(vec![Op::put(key("a"), object.clone(), Expect::Any)]);
            store.commit(&cause(), batch).unwrap();
        }));
    }
    let (ours, bare) = (median(ours), median(bare));
    let limit = bare + Duration::from_micros(150);
    let what = "commit one object of 2.5 KB";
    table.row(what, &ms(ours), &ms(bare), "bare + 0.15 ms", ours <= limit);
}

/// Measures a commit of a thousand objects against creating and renaming a thousand such files.
pub(crate) fn batches(table: &mut Table) {
    let dir = Scratch::new();
    let store = store(&dir.path().join("state"));
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for round in 0..5 {
        let names: Vec<String> = (0..1000).map(|n| format!("w{round}-{n}")).collect();
        let plain = dir.path().join(format!("plain-{round}"));
        std::fs::create_dir(&plain).unwrap();
        let ops = names
            .iter()
            .map(|n| Op::put(key(n), pod(n, 0), Expect::Any))
            .collect();
        let batch = Batch::new(ops);
        let contents: Vec<Vec<u8>> = names.iter().map(|name| pod(name, 0)).collect();
        bare.push(time(|| create_and_rename(&plain, &names, &contents)));
        ours.push(time(|| {
            drop(store.commit(&cause(), batch.clone()).unwrap())
        }));
    }
    let (ours, bare) = (median(ours), median(bare));
    let what = "commit 1,000 objects of 2.5 KB in one batch, YAML files included";
    table.row(what, &ms(ours), &ms(bare), "3 x bare", ours <= bare * 3);
}

fn create_and_rename(dir: &Path, names: &[String], contents: &[Vec<u8>]) {
    for (name, content) in names.iter().zip(contents) {
        let staged = dir.join(format!("{name}.tmp"));
        File::create(&staged).unwrap().write_all(content).unwrap();
        std::fs::rename(staged, dir.join(format!("{name}.yaml"))).unwrap();
    }
}

/// Measures reads in a cluster of many objects, with nothing in memory at the start.
pub(crate) fn big_cluster(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    fill(&store(&state), size.objects);
    let gets = (0..20).map(|n| {
        time(|| {
            let found = store(&state)
                .get(&key(&format!("web-{:06}", n * 7)))
                .unwrap();
            assert!(found.is_some());
        })
    });
    let gets = median(gets.collect());
    let what = format!("open and get one object of {}", size.objects);
    let memory = processes::peak_memory(&["get", state.to_str().unwrap(), "web-000007"]);
    let met = gets <= Duration::from_millis(10) && memory <= 30.0;
    let measured = format!("{}, {memory:.1} MB", ms(gets));
    table.row(&what, &measured, "", "10 ms, 30 MB", met);
    let lists = (0..7).map(|_| {
        time(|| {
            let list = store(&state).list(&Range::resource("pods", None)).unwrap();
            assert_eq!(list.items.len(), size.objects);
        })
    });
    let lists = median(lists.collect());
    let what = format!("open and list {} objects", size.objects);
    table.row(
        &what,
        &ms(lists),
        "",
        "120 ms",
        lists <= Duration::from_millis(120),
    );
}

/// Measures the delay between the acknowledgment of a commit and its arrival at a watcher.
pub(crate) fn wake_up(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    let writer = store(&state);
    let mut delays = Vec::new();
    for n in 0..size.rounds.min(100) {
        let after = writer.revision().unwrap();
        let watched = state.clone();
        let waiter = std::thread::spawn(move || {
            let reader = store(&watched);
            // The subscription must exist before the commit.
            reader.wait(after, Duration::from_millis(1)).unwrap();
            let seen = reader.wait(after, Duration::from_secs(5)).unwrap();
            assert!(seen > after);
            Stopwatch::start()
        });
        std::thread::sleep(Duration::from_millis(20));
        let op = Op::put(
            Key::parse("pods/default/a").unwrap(),
            pod("a", n),
            Expect::Any,
        );
        let begin = Stopwatch::start();
        writer.commit(&cause(), Batch::new(vec![op])).unwrap();
        let answered = begin.elapsed();
        let woken = waiter.join().unwrap();
        delays.push((begin.elapsed() - woken.elapsed()).saturating_sub(answered));
    }
    let delay = median(delays);
    let what = "wake a watcher after a commit";
    table.row(
        what,
        &ms(delay),
        "",
        "5 ms",
        delay <= Duration::from_millis(5),
    );
}
