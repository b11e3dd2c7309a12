//! Crash tests of the threads and of the processes that share a sync: every acknowledged commit survives every crash, and
//! each batch is whole or absent.

use std::sync::Mutex;
use std::time::Duration;

use super::count;
use super::files::{Contents, contents, key, object, store};
use crate::contract::Store as _;
use crate::files::FileStore;
use crate::interface::{Batch, Cause, Expect, Op};
use crate::sys::fs::Fs as _;
use crate::sys::sim_fs::{Dice, Disk, SimFs};

/// So many threads commit a batch each.
const THREADS: usize = 6;

/// Returns the two objects of a thread's batch.
fn names(thread: usize) -> [String; 2] {
    [format!("a{thread}"), format!("b{thread}")]
}

fn commit(store: &FileStore, thread: usize) {
    let ops = names(thread).map(|name| Op::put(key(&name), object(&name, "1"), Expect::Absent));
    let batch = Batch::new(ops.to_vec());
    store.commit(&Cause::new("w", "r"), batch).unwrap();
}

/// Runs something in each thread.
fn each_thread(run: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        let run = &run;
        for thread in 0..THREADS {
            scope.spawn(move || run(thread));
        }
    });
}

/// Commits a batch of each thread in one group, as threads of a process or as processes. Returns the disk before each
/// call, and the number of calls when each thread was acknowledged.
fn run(fs: &SimFs, are_processes: bool) -> (Vec<Disk>, Vec<usize>) {
    let stores: Vec<FileStore> = (0..THREADS).map(|_| store(fs).unwrap()).collect();
    fs.record();
    let told = Mutex::new(vec![0; THREADS]);
    let tell = |thread: usize| told.lock().unwrap()[thread] = fs.recorded();
    if are_processes {
        fs.use_lock();
        let others = fs.lock(None, &mut |_| {}).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while fs.waiting() < THREADS as u64 {
                    std::thread::yield_now();
                }
                drop(others);
            });
            each_thread(|thread| {
                for _ in 0..2 {
                    stores[thread].sharing.note_sync(Duration::from_millis(10));
                }
                commit(&stores[thread], thread);
                tell(thread);
            });
        });
    } else {
        stores[0].line.all_at_once(THREADS, || {
            each_thread(|thread| {
                commit(&stores[0], thread);
                tell(thread);
            });
        });
    }
    let last = fs.disk();
    let mut disks = fs.take_recording();
    disks.push(last);
    (disks, told.into_inner().unwrap())
}

/// Returns the error in a state after a crash.
fn check(found: &Contents, must_be_there: impl Fn(usize) -> bool) -> Result<(), String> {
    for thread in 0..THREADS {
        let there = names(thread).map(|name| found.contains_key(key(&name).as_str()));
        match there {
            [true, true] => {}
            [false, false] if !must_be_there(thread) => {}
            _ => return Err(format!("thread {thread}: {there:?} of {found:?}")),
        }
    }
    Ok(())
}

#[test]
fn t01_an_acknowledged_member_of_a_group_survives_every_crash() {
    for (failing, are_processes) in [None, Some(1), Some(2)]
        .into_iter()
        .flat_map(|failing| [(failing, false), (failing, true)])
    {
        let fs = SimFs::new();
        drop(store(&fs).unwrap());
        fs.fail_sync(failing.map(|n| n + fs.syncs()));
        let (disks, told) = run(&fs, are_processes);
        let mut dice = Dice(31);
        let mut cuts = 0;
        for (at, disk) in disks.iter().enumerate() {
            let images = disk.power_images(count(25, 400), &mut dice);
            for image in std::iter::once(disk.clone()).chain(images) {
                cuts += 1;
                let fs = SimFs::on(image);
                let found = contents(&fs).unwrap();
                check(&found, |thread| told[thread] <= at)
                    .map_err(|e| {
                        format!("sync {failing:?} failed, {are_processes}, call {at}: {e}")
                    })
                    .unwrap();
            }
        }
        assert!(cuts > 100, "{cuts}");
    }
}
