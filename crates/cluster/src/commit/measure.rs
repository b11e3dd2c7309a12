//! Measures commits: their duration, and the number of requests that wait for one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::histogram::Histogram;
use crate::sys::clock::Stopwatch;
use crate::sys::threads::locked;

/// The upper bounds of the durations in seconds: a sync of a fast disk takes less than a millisecond, a busy one tens of them.
const BOUNDS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// The commits of a cluster value since it was opened.
#[derive(Debug)]
pub(crate) struct Commits {
    waiting: AtomicUsize,
    durations: Mutex<Histogram>,
}

impl Default for Commits {
    fn default() -> Self {
        Self {
            waiting: AtomicUsize::new(0),
            durations: Mutex::new(Histogram::new(&BOUNDS)),
        }
    }
}

/// A request that waits for a commit, until it is dropped.
pub(crate) struct Waiting<'c> {
    commits: &'c Commits,
    since: Stopwatch,
}

impl Commits {
    /// Notes that a request waits for a commit.
    pub(crate) fn wait(&self) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Waiting {
            commits: self,
            since: Stopwatch::start(),
        }
    }

    /// Writes the numbers in Prometheus' text format.
    pub(crate) fn write(&self, out: &mut String) {
        let waiting = self.waiting.load(Ordering::Relaxed);
        out.push_str(&format!(
            "# HELP ctl_commit_queue_depth Requests that wait for a commit.\n\
             # TYPE ctl_commit_queue_depth gauge\nctl_commit_queue_depth {waiting}\n"
        ));
        let name = "ctl_commit_duration_seconds";
        out.push_str(&format!(
            "# HELP {name} Time from the wait for the lock until a commit is durable.\n# TYPE {name} histogram\n"
        ));
        locked(&self.durations).write(out, name, "");
    }
}

impl Waiting<'_> {
    /// Notes that the commit is durable.
    pub(crate) fn committed(&self) {
        // A request that changes nothing makes no commit, and its time would distort the others.
        let took = self.since.elapsed().as_secs_f64();
        locked(&self.commits.durations).add(took, 1);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.commits.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
