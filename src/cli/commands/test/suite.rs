//! Runs the cases in parallel, each on a cluster of its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::SignedDuration;

use super::case::Case;
use super::matrix::{PlannedFault, RunObservations};
use super::scripts::Scripts;
use super::update::Edit;
use super::world::{Failure, World, message};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::fork::{Fork, settle};
use crate::cli::run_on_fork;
use crate::cli::state_dir::Target;
use crate::cluster::{ClockMode, Cluster, Settings};
use crate::runtime::Until;
use crate::runtime::explore::Shared;
use crate::sys::entropy::Seed;
use crate::sys::threads::{locked, spread};

/// A run of a case.
pub(super) struct Run<'c> {
    pub(super) case: &'c Case,
    pub(super) seed: u64,
    /// True if several runs of the case differ in their seeds only, so that the name must include the seed.
    pub(super) show_seed: bool,
    /// The fault that is injected into the run, if any.
    pub(super) fault: Option<PlannedFault>,
    /// The schedule of the controllers; none for the schedule of `ctl settle`.
    pub(super) schedule: Option<Shared>,
}

impl Run<'_> {
    /// Returns the name of the run.
    pub(super) fn name(&self) -> String {
        let seed = self.show_seed.then(|| format!("seed {}", self.seed));
        let fault = self.fault.as_ref().map(|planned| planned.fault.shown());
        let all: Vec<String> = seed.into_iter().chain(fault).collect();
        match all.is_empty() {
            true => self.case.name.clone(),
            false => format!("{} ({})", self.case.name, all.join(", ")),
        }
    }
}

/// The outcome of a run.
pub(super) enum Ended {
    Passed,
    Skipped(String),
    Failed(Failure),
}

/// The outcome of a run, and the time that passed in its cluster.
pub(super) struct RunEnd {
    pub(super) ended: Ended,
    pub(super) simulated: SignedDuration,
    /// The observations from which `--matrix` derives its runs.
    pub(super) seen: RunObservations,
    /// The edits for `--update`.
    pub(super) updates: Vec<Edit>,
}

impl RunEnd {
    fn at_once(ended: Ended) -> Self {
        Self {
            ended,
            simulated: SignedDuration::ZERO,
            seen: RunObservations::default(),
            updates: Vec::new(),
        }
    }
}

/// The settings and state that all runs share.
pub(super) struct Suite<'a> {
    pub(super) context: &'a Context,
    /// The limit on the real time of each settling.
    pub(super) timeout: Duration,
    /// True to start on a copy of the current cluster instead of a new one.
    pub(super) current: bool,
    /// True to record observations for `--matrix`.
    pub(super) matrix: bool,
    /// True to collect edits for `--update` instead of failing.
    pub(super) update: bool,
    /// True once the command is asked to stop.
    pub(super) stop: Arc<AtomicBool>,
    /// The initial clusters by number of nodes and seed. Each is made once.
    pub(super) bases: Mutex<BTreeMap<(u32, u64), Arc<Cluster>>>,
}

/// Returns a run for each case and seed.
pub(super) fn runs(cases: &[Case], seeds: RangeInclusive<u64>) -> Vec<Run<'_>> {
    let show_seed = seeds.start() != seeds.end();
    let of = |case| {
        seeds.clone().map(move |seed| Run {
            case,
            seed,
            show_seed,
            fault: None,
            schedule: None,
        })
    };
    cases.iter().flat_map(of).collect()
}

/// Returns the runs of `--matrix faults`: each run that passed, once per fault.
pub(super) fn troubled<'c>(all: &[(&Run<'c>, &RunEnd)]) -> Vec<Run<'c>> {
    let passed = all
        .iter()
        .filter(|(_, done)| matches!(done.ended, Ended::Passed));
    let again = passed.flat_map(|(run, done)| {
        done.seen.faults().into_iter().map(|planned| Run {
            case: run.case,
            seed: run.seed,
            show_seed: run.show_seed,
            fault: Some(planned),
            schedule: None,
        })
    });
    again.collect()
}

impl Suite<'_> {
    /// Runs everything. The results are in the order of the runs.
    pub(super) fn run(&self, runs: &[Run<'_>], threads: usize) -> Vec<Option<RunEnd>> {
        let stopped = || self.stop.load(Ordering::Relaxed);
        let failed = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<RunEnd>>> = runs.iter().map(|_| Mutex::default()).collect();
        spread(threads, runs.len(), &|at| {
            if stopped() {
                return false;
            }
            let ended = self.one(&runs[at]);
            if matches!(ended.ended, Ended::Failed(_)) {
                // The failure may come from a script that was killed, so it says nothing about the case.
                if stopped() {
                    return false;
                }
                failed.fetch_add(1, Ordering::Relaxed);
            }
            *locked(&results[at]) = Some(ended);
            let (done, failed) = (at + 1, failed.load(Ordering::Relaxed));
            let text = format!("{done} of {} cases, {failed} failed", runs.len());
            self.context.ui.show_progress(Some(&text));
            true
        });
        self.context.ui.show_progress(None);
        let results = results.into_iter().map(Mutex::into_inner);
        results
            .map(|result| result.unwrap_or_else(PoisonError::into_inner))
            .collect()
    }

    fn one(&self, run: &Run<'_>) -> RunEnd {
        if let Some(why) = &run.case.skip {
            return RunEnd::at_once(Ended::Skipped(why.clone()));
        }
        let mut world = match self.world(run) {
            Ok(world) => world,
            Err(e) => {
                return RunEnd::at_once(Ended::Failed(Failure {
                    step: "cluster".to_owned(),
                    at: run.case.at.clone(),
                    text: message(&e),
                }));
            }
        };
        let now = |world: &World| world.fork.cluster.now().unwrap_or_default();
        let began = now(&world);
        let mut seen = RunObservations::default();
        let done = world.run(run.case, &mut |world, steps| match &run.fault {
            Some(planned) => planned.make(world, steps),
            None if self.matrix => seen.observe(world, steps),
            None => Ok(()),
        });
        RunEnd {
            ended: done.map_or_else(Ended::Failed, |()| Ended::Passed),
            simulated: now(&world).duration_since(began),
            seen,
            updates: world.updates.take().unwrap_or_default().into_inner(),
        }
    }

    /// Creates the cluster of a run.
    pub(super) fn world(&self, run: &Run<'_>) -> Result<World, CliError> {
        let case = run.case;
        let scripts = case
            .has_scripts()
            .then(|| Scripts::new(&case.namespace, self.timeout, &self.stop))
            .transpose()?;
        let cluster = match (&scripts, self.current) {
            (None, true) => self.context.forked(run_on_fork, None)?.cluster.fork(None)?,
            (None, false) => self.base(case.nodes, run.seed)?.fork(None)?,
            (Some(scripts), true) => {
                let current = self.context.open_as_administrator()?;
                let mut copy =
                    current
                        .files()
                        .copy_to(&scripts.cluster(), self.context.open()?, None)?;
                copy.configure().set_clock(ClockMode::Virtual)?;
                copy
            }
            (Some(scripts), false) => {
                let settings = settings(case.nodes, run.seed);
                let (cluster, _) =
                    Cluster::init(&scripts.cluster(), self.context.open()?, settings)?;
                self.context.fill(&cluster)?;
                cluster
            }
        };
        let mut global = self.context.global.clone();
        // A case must not depend on the user's current namespace.
        global.namespace = Some(case.namespace.clone());
        let fork = Fork {
            cluster,
            program: self.context.program.clone(),
            global,
            target: Target {
                directory: PathBuf::new(),
                namespace: case.namespace.clone(),
                user: "admin".to_owned(),
            },
            ui: self.context.ui.clone(),
            runner: run_on_fork,
            timeout: Some(self.timeout),
            input: Mutex::default(),
            refused: Mutex::default(),
            editor: None,
            schedule: run.schedule.clone(),
        };
        let fork = Arc::new(fork);
        // The initial cluster in memory has settled, so one in a directory must settle, too: cases start in the same
        // state.
        if scripts.is_some() {
            let _ = fork.settle(None)?;
        }
        let mut world = World::new(fork, scripts.map(Arc::new), &case.namespace);
        world.updates = self.update.then(RefCell::default);
        Ok(world)
    }

    /// Returns a new, settled cluster. Each case gets a fork of it.
    pub(super) fn base(&self, nodes: u32, seed: u64) -> Result<Arc<Cluster>, CliError> {
        let bases = || self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(base) = bases().get(&(nodes, seed)) {
            return Ok(Arc::clone(base));
        }
        // The cluster is made outside the lock, so that with many seeds the threads make clusters in parallel.
        let cluster = Cluster::in_memory(&self.context.open()?, settings(nodes, seed));
        self.context.fill(&cluster)?;
        let until = Until {
            pass: None,
            timeout: Some(self.timeout),
        };
        let _ = settle(&cluster, &until, &|| false)?;
        let cluster = Arc::new(cluster);
        Ok(Arc::clone(bases().entry((nodes, seed)).or_insert(cluster)))
    }
}

fn settings(nodes: u32, seed: u64) -> Settings {
    Settings {
        clock: ClockMode::Virtual,
        nodes,
        ..Settings::new(Seed(seed))
    }
}
