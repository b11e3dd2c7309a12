//! Crash tests of the journal protocol, after `model/crash.py` of the design: the process dies at every call to the
//! file system, and every possible state after a power cut is opened and compared with the guarantees.

mod edits;
mod explore;
pub(crate) mod files;
mod groups;
mod mutants;
mod processes;
mod rot;

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::interface::Result;
use super::mutant::{self, Mutant};
use super::retention::Retention;
use crate::sys::sim_fs::{Dice, Disk, SimFs};

pub(super) use super::fuzz::{
    Plan, State, commit, commit_together, open, read_state as state, write,
};

/// A workload: commits of one to five objects, with occasional compactions.
#[derive(Clone, Debug)]
pub(super) struct Workload {
    pub(super) steps: Vec<Plan>,
    /// So many commits share a sync.
    pub(super) together: usize,
    /// So many processes that leave their commits to each other, if there is more than one.
    pub(super) processes: usize,
    /// The commits that are followed by compactions.
    pub(super) compactions: Vec<usize>,
    /// The part of the past that they keep.
    pub(super) keep: Retention,
    /// The state after each number of commits.
    pub(super) models: Vec<State>,
}

impl Workload {
    /// `commits` commits with `compactions` compactions spread over them.
    pub(super) fn new(commits: usize, compactions: usize, seed: u64) -> Self {
        let mut dice = Dice(seed);
        let mut models: Vec<State> = vec![(1, BTreeMap::new())];
        let mut steps = Vec::new();
        for number in 0..commits {
            let (mut revision, mut state) = models[number].clone();
            let mut step = Plan::new();
            for slot in 0..=dice.roll(5) {
                let key = format!("c/d/{}", (slot * 3 + dice.roll(3)) % 15);
                let value = if dice.roll(4) == 0 && state.contains_key(&key) {
                    state.remove(&key);
                    None
                } else {
                    let value = format!("{{\"n\":{number}}}");
                    state.insert(key.clone(), value.clone());
                    Some(value)
                };
                step.push((key, value));
                revision += 1;
            }
            models.push((revision, state));
            steps.push(step);
        }
        let compactions = (1..=compactions)
            .map(|n| n * commits / (compactions + 1))
            .collect();
        Self {
            steps,
            together: 1,
            processes: 1,
            compactions,
            keep: Retention::Size(0),
            models,
        }
    }

    /// Returns the workload with a history that goes by its age.
    pub(super) fn by_age(self) -> Self {
        // A negative age, because all commits have the same time, which any other age would reach.
        let keep = Retention::Age(SignedDuration::from_nanos(-1));
        Self { keep, ..self }
    }

    /// Returns the workload of processes that take turns at random, with at most five commits in a group.
    pub(super) fn in_processes(self, processes: usize) -> Self {
        let together = 5;
        Self {
            together,
            processes,
            ..self
        }
    }

    /// Returns the workload with groups of so many commits.
    pub(super) fn in_groups_of(self, together: usize) -> Self {
        Self { together, ..self }
    }
}

/// Runs a workload; returns the disk before each call with the number of acknowledged commits.
pub(super) fn run(workload: &Workload, failing_sync: Option<u64>) -> Result<Vec<(Disk, usize)>> {
    let fs = SimFs::new();
    drop(open(&fs)?);
    fs.record();
    fs.fail_sync(failing_sync.map(|n| n + fs.syncs()));
    let acknowledged_at = match workload.processes {
        1 => run_one_by_one(&fs, workload),
        _ => processes::run(&fs, workload)?,
    };
    let last = fs.disk();
    let mut snapshots = fs.take_recording();
    snapshots.push(last);
    let acknowledged = |index: usize| acknowledged_at.iter().filter(|at| **at <= index).count() - 1;
    Ok(snapshots
        .into_iter()
        .enumerate()
        .map(|(i, disk)| (disk, acknowledged(i)))
        .collect())
}

/// Runs a workload with one process after the other; returns the number of recorded states at each acknowledgment.
fn run_one_by_one(fs: &SimFs, workload: &Workload) -> Vec<usize> {
    let mut acknowledged_at = vec![0];
    let mut done = 0;
    for steps in workload.steps.chunks(workload.together) {
        // A failed sync is reported and retried as new commits, as a user would.
        for _ in 0..3 {
            if commit_together(fs, steps).is_ok() {
                break;
            }
        }
        // All of them at once, and none before the sync.
        acknowledged_at.extend(steps.iter().map(|_| fs.recorded()));
        let now = done + steps.len();
        if workload
            .compactions
            .iter()
            .any(|at| (done + 1..=now).contains(at))
        {
            let _ = open(fs).and_then(|mut journal| journal.compact(workload.keep));
        }
        done = now;
    }
    acknowledged_at
}

/// Opens an image and returns its error, if any.
pub(super) fn check(image: &Disk, models: &[State]) -> std::result::Result<(), String> {
    let fs = SimFs::on(image.clone());
    let found = open(&fs).and_then(|journal| state(&journal));
    match found {
        Err(e) => Err(format!("refused: {e}")),
        Ok(found) if models.iter().any(|model| is_same(model, &found)) => Ok(()),
        Ok(found) => Err(format!("lost or partial: {found:?}, not one of {models:?}")),
    }
}

/// Returns true if two states are the same. Without the undo of a failed commit its retry is a separate commit, with
/// the same content and a later revision.
fn is_same(model: &State, found: &State) -> bool {
    model.1 == found.1 && (model.0 == found.0 || mutant::is(Mutant::NoUndo))
}

/// Returns the number of repetitions of a sweep: the full counts with `CTL_TEST_FULL=1`.
pub(super) fn count(quick: usize, full: usize) -> usize {
    if std::env::var_os("CTL_TEST_FULL").is_some_and(|v| v == "1") {
        full
    } else {
        quick
    }
}
