//! Exploring: runs a scenario under many schedules, and finds those that end differently.
//!
//! A schedule determines which controller waits, which of its due keys it takes, where the process crashes and which
//! request fails. Everything else is the same in every run: the seed and the clock of the cluster, the commands, the
//! controllers. So equal schedules give equal bytes, and a schedule can be shortened decision by decision until every
//! remaining one matters.
//!
//! A user's controller starts with [`Fixture`].

mod canonical;
mod controllers;
mod fixture;
mod schedule;
pub(crate) mod scheduled;
mod shortest;
mod state;

pub use fixture::{Change, Check, Fixture};
pub use schedule::{Act, Decision, Kinds, Shared, Traced, TracedTurn};
pub use scheduled::{Make, SharedObjects};
pub use state::{Baseline, State};

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::sys::threads::{alone, locked, spread};
use shortest::shortest;

/// The most problems whose shortest schedule is searched: the first ones explain most others.
const SHORTENED: usize = 4;

/// The end of one run.
#[derive(Clone, Debug)]
pub struct End {
    /// The final state.
    pub state: State,
    /// The violated assertion, and on further lines the details of this run.
    pub violation: Option<String>,
    /// True if the run was stopped because its time was over.
    pub is_late: bool,
}

/// A scenario that can be run any number of times from the same start.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_cluster::Cluster;
/// use ctl_runtime::explore::{Baseline, End, SharedObjects, Make, Scenario, Shared, State};
/// use ctl_runtime::{Manager, Until};
///
/// /// Controllers on forks of a cluster.
/// struct Settles {
///     cluster: Cluster,
///     known: Arc<SharedObjects>,
///     make: Make,
/// }
///
/// impl Settles {
///     fn end(&self, schedule: &Shared) -> Result<End, ctl_cluster::ApiError> {
///         let fork = self.cluster.fork(None)?;
///         let schedule = schedule.knowing(&self.known);
///         let mut manager = Manager::under(&fork, self.make.clone(), schedule)?;
///         manager.load_scheduled()?;
///         let outcome = manager.settle(&Until::default(), &|| false)?;
///         let state = State::read(&fork, &Baseline::read(&self.cluster)?, &outcome)?;
///         Ok(End { state, violation: None, is_late: false })
///     }
/// }
///
/// impl Scenario for Settles {
///     fn run(&self, schedule: &Shared) -> Result<End, String> {
///         self.end(schedule).map_err(|error| error.to_string())
///     }
/// }
/// ```
pub trait Scenario: std::marker::Sync {
    /// Runs it under a schedule.
    ///
    /// # Errors
    /// The reason why it cannot be run.
    fn run(&self, schedule: &Shared) -> Result<End, String>;
}

/// The extent of an exploration.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seeds of the schedules.
    pub seeds: Range<u64>,
    /// The deviations besides the order.
    pub kinds: Kinds,
    /// The number of runs at a time.
    pub threads: usize,
}

/// Called after each run with the number of ended runs and of those with a problem; returns false to stop.
pub type OnRun<'h> = &'h (dyn Fn(usize, usize) -> bool + std::marker::Sync);

/// The problem of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It ends in another state than without any deviation.
    Differs(Vec<String>),
    /// An assertion is violated: the first line names it.
    Violates(String),
}

impl Problem {
    /// Returns true if the other problem is the same, although the details may differ.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Violates(own), Self::Violates(other)) => {
                own.lines().next() == other.lines().next()
            }
            (own, other) => own == other,
        }
    }
}

/// A problem, with the seeds that have it.
#[derive(Clone, Debug)]
pub struct FoundProblem {
    /// The problem, of the shortest schedule.
    pub problem: Problem,
    /// The seeds with this problem, ascending.
    pub seeds: Vec<u64>,
    /// The number of decisions of the first seed.
    pub drawn: usize,
    /// The shortest schedule that still fails; of the first problems only, and all decisions of the others.
    pub shortest: Vec<Decision>,
    /// True if the shortest schedule was searched.
    pub shortened: bool,
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Report {
    /// The number of schedules that were run.
    pub runs: usize,
    /// The number of runs that exceeded the time limit; their final states are unknown.
    pub late: usize,
    /// The assertion that is violated even without any deviation.
    pub violation: Option<String>,
    /// The problems, in the order of their first seeds.
    pub found: Vec<FoundProblem>,
}

/// A run with a problem.
struct Failing {
    seed: u64,
    problem: Problem,
    decisions: Vec<Decision>,
}

/// Runs a scenario under the schedules of all seeds.
///
/// # Errors
/// The reason why the scenario cannot be run.
pub fn explore(
    scenario: &dyn Scenario,
    options: &Options,
    heard: OnRun<'_>,
) -> Result<Report, String> {
    let reference = scenario.run(&Shared::listed(&[]))?;
    if reference.is_late {
        return Err("the run without deviations exceeded the time limit".to_owned());
    }
    if let Some(violation) = &reference.violation {
        // Every other run would have the same violation.
        return Ok(Report {
            runs: 1,
            late: 0,
            violation: Some(violation.clone()),
            found: Vec::new(),
        });
    }
    let (failing, error) = (Mutex::new(Vec::new()), Mutex::new(None));
    let [ended, failed, late] = [const { AtomicUsize::new(0) }; 3];
    let count = usize::try_from(options.seeds.end.saturating_sub(options.seeds.start));
    spread(options.threads, count.unwrap_or(usize::MAX), &|at| {
        let seed = options.seeds.start + at as u64;
        let schedule = Shared::drawn(seed, options.kinds);
        // Each run has its own processor, so none of them starts helper threads.
        match alone(|| scenario.run(&schedule)) {
            Ok(end) => {
                late.fetch_add(usize::from(end.is_late), Ordering::Relaxed);
                if let Some(problem) = problem(&end, &reference) {
                    failed.fetch_add(1, Ordering::Relaxed);
                    locked(&failing).push(Failing {
                        seed,
                        problem,
                        decisions: schedule.made(),
                    });
                }
            }
            Err(e) => *locked(&error) = Some(format!("seed {seed}: {e}")),
        }
        let ended = 1 + ended.fetch_add(1, Ordering::Relaxed);
        heard(ended, failed.load(Ordering::Relaxed)) && locked(&error).is_none()
    });
    if let Some(error) = locked(&error).take() {
        return Err(error);
    }
    let mut failing = std::mem::take(&mut *locked(&failing));
    // The threads finish in any order, and the report must not depend on it.
    failing.sort_by_cached_key(|one| one.seed);
    Ok(Report {
        runs: ended.load(Ordering::Relaxed),
        late: late.load(Ordering::Relaxed),
        violation: None,
        found: shortened(scenario, &reference, failing),
    })
}

/// Returns the problem of a run, compared with the run without any deviation.
pub fn problem(end: &End, reference: &End) -> Option<Problem> {
    if end.is_late {
        return None;
    }
    if let Some(violation) = &end.violation {
        return Some(Problem::Violates(violation.clone()));
    }
    (end.state != reference.state)
        .then(|| Problem::Differs(end.state.differences_from(&reference.state)))
}

/// Groups the runs by their problems, and shortens the schedules of the first ones.
fn shortened(scenario: &dyn Scenario, reference: &End, failing: Vec<Failing>) -> Vec<FoundProblem> {
    let mut found: Vec<(Problem, FoundProblem)> = Vec::new();
    for one in failing {
        if let Some((_, known)) = found
            .iter_mut()
            .find(|(drawn, _)| drawn.is_like(&one.problem))
        {
            known.seeds.push(one.seed);
            continue;
        }
        let new = FoundProblem {
            problem: one.problem.clone(),
            seeds: vec![one.seed],
            drawn: one.decisions.len(),
            shortest: one.decisions,
            shortened: false,
        };
        found.push((one.problem, new));
    }
    let mut merged: Vec<FoundProblem> = Vec::new();
    for (number, (_, mut new)) in found.into_iter().enumerate() {
        if number < SHORTENED {
            shorten(scenario, reference, &mut new);
        }
        // The problem of several crashes may differ from that of one alone.
        match merged
            .iter_mut()
            .find(|old| old.problem.is_like(&new.problem))
        {
            Some(old) => old.seeds.append(&mut new.seeds),
            None => merged.push(new),
        }
    }
    merged
        .iter_mut()
        .for_each(|found| found.seeds.sort_unstable());
    merged
}

fn shorten(scenario: &dyn Scenario, reference: &End, found: &mut FoundProblem) {
    let mut last = None;
    let decisions = std::mem::take(&mut found.shortest);
    found.shortest = shortest(decisions, &mut |part| {
        let end = scenario.run(&Shared::listed(part)).ok();
        let problem = end.and_then(|end| problem(&end, reference));
        let fails = problem.is_some();
        if fails {
            last = problem;
        }
        fails
    });
    found.shortened = true;
    if let Some(last) = last {
        found.problem = last;
    }
}
