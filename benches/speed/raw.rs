//! Measures the cost of the same bytes without ctl, and the CPU time of processes.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use crate::scratch::Scratch;

/// Linux reports a process's time in hundredths of a second on every machine.
const TICK: Duration = Duration::from_millis(10);

fn journal(state: &Path) -> PathBuf {
    let dir = state.join(".ctl/journal");
    let mut generations: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    generations.sort();
    generations.pop().unwrap()
}

/// Returns the length of the journal.
pub(crate) fn journal_length(state: &Path) -> u64 {
    std::fs::metadata(journal(state)).unwrap().len()
}

/// Writes the bytes of a run again: the records after `before`, each synced, and every file of the tree, created and
/// renamed. Returns the time that the file system takes.
pub(crate) fn same_again(state: &Path, before: u64) -> Duration {
    let path = journal(state);
    let bytes = std::fs::read(&path).unwrap();
    let begin = usize::try_from(before).unwrap().min(bytes.len());
    let mut files = Vec::new();
    tree(state, &mut files);
    let dir = Scratch::new();
    let mut log = File::create(dir.path().join("log")).unwrap();
    let stopwatch = Stopwatch::start();
    for record in bytes[begin..].split_inclusive(|b| *b == b'\n') {
        log.write_all(record).unwrap();
        log.sync_data().unwrap();
    }
    for (number, content) in files.iter().enumerate() {
        let staged = dir.path().join("staged");
        File::create(&staged).unwrap().write_all(content).unwrap();
        std::fs::rename(staged, dir.path().join(number.to_string())).unwrap();
    }
    stopwatch.elapsed()
}

/// Creates and writes the files of a tree again, in one directory. Returns the time that the file system takes.
pub(crate) fn files_again(state: &Path) -> Duration {
    let mut files = Vec::new();
    tree(state, &mut files);
    let dir = Scratch::new();
    let stopwatch = Stopwatch::start();
    for (number, content) in files.iter().enumerate() {
        let path = dir.path().join(number.to_string());
        File::create(path).unwrap().write_all(content).unwrap();
    }
    stopwatch.elapsed()
}

/// Collects the contents of the YAML files.
fn tree(dir: &Path, files: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".ctl") {
            continue;
        }
        match path.is_dir() {
            true => tree(&path, files),
            false => files.push(std::fs::read(path).unwrap()),
        }
    }
}

/// Returns the CPU time of this process.
pub(crate) fn own_cpu() -> Duration {
    cpu_of(std::process::id())
}

/// Returns the CPU time of this process's main thread, in nanoseconds if the kernel reports them.
pub(crate) fn thread_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|n| n.parse().ok());
    nanos.map_or_else(own_cpu, Duration::from_nanos)
}

/// Returns the CPU time of a process's running threads, in nanoseconds if the kernel reports them.
pub(crate) fn cpu_of_threads(pid: u32) -> Duration {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let nanos = |task: std::fs::DirEntry| -> Option<u64> {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    let all: Option<u64> = tasks.map(|task| nanos(task.unwrap())).sum();
    all.map_or_else(|| cpu_of(pid), Duration::from_nanos)
}

/// Returns the CPU time of a process with all its threads.
pub(crate) fn cpu_of(pid: u32) -> Duration {
    fields(pid, 13, 14)
}

/// Returns the CPU time of the child processes that this one has waited for.
pub(crate) fn children_cpu() -> Duration {
    fields(std::process::id(), 15, 16)
}

/// Returns the sum of two counters of a process.
fn fields(pid: u32, first: usize, second: usize) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // The name in parentheses may contain any character.
    let (_, rest) = text.rsplit_once(')').unwrap();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |n: usize| fields[n - 2].parse::<u32>().unwrap();
    TICK * (ticks(first) + ticks(second))
}
