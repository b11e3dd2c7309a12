//! A scenario of the library: a cluster, a change, and controllers.

use std::sync::Arc;

use super::schedule::Shared;
use super::scheduled::{Make, SharedObjects};
use super::state::{Baseline, State};
use super::{End, Scenario};
use crate::cluster::{ApiError, Cluster};
use crate::manager::Manager;
use crate::settle::{Outcome, Until};

/// Changes a cluster: the beginning of a scenario.
pub type Change<'f> = &'f (dyn Fn(&Cluster) -> Result<(), ApiError> + std::marker::Sync);

/// Checks the final cluster; returns the reason if it is wrong.
pub type Check<'f> = &'f (dyn Fn(&Cluster) -> Result<Option<String>, ApiError> + std::marker::Sync);

/// A change of a cluster, and the controllers that run afterwards until the cluster is settled.
///
/// Each run has a fork of the cluster in memory.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_runtime::explore::{Fixture, FoundProblem, Kinds, Make, Options, Problem, Report, explore};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let make: Make = Arc::new(|_| Ok(Vec::new())); // the controllers
/// let scenario = Fixture::new(&cluster, make, &|_| Ok(()), &|_| Ok(None))?;
/// let options = Options {
///     seeds: 0..4,
///     kinds: Kinds { crash: true, faults: true },
///     threads: 1,
/// };
/// let report: Report = explore(&scenario, &options, &|_, _| true)?;
/// for FoundProblem { problem, shortest, .. } in &report.found {
///     match problem {
///         Problem::Differs(lines) => println!("{} differences", lines.len()),
///         Problem::Violates(assertion) => println!("{assertion}"),
///     }
///     println!("after {} decisions", shortest.len());
/// }
/// assert!(report.found.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Fixture<'f> {
    cluster: &'f Cluster,
    before: Baseline,
    known: Arc<SharedObjects>,
    make: Make,
    change: Change<'f>,
    check: Check<'f>,
}

impl<'f> Fixture<'f> {
    /// Returns the scenario of a change.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn new(
        cluster: &'f Cluster,
        make: Make,
        change: Change<'f>,
        check: Check<'f>,
    ) -> Result<Self, ApiError> {
        let mut manager = Manager::under(cluster, make.clone(), Shared::listed(&[]))?;
        manager.load()?;
        Ok(Self {
            known: Arc::new(manager.known()),
            before: Baseline::read(cluster)?,
            cluster,
            make,
            change,
            check,
        })
    }

    fn end(&self, schedule: &Shared) -> Result<End, ApiError> {
        let fork = self.cluster.fork(None)?;
        (self.change)(&fork)?;
        let schedule = schedule.knowing(&self.known);
        let outcome = settle(&fork, &self.make, &schedule)?;
        Ok(End {
            violation: (self.check)(&fork)?,
            is_late: matches!(outcome, Outcome::Stopped),
            state: State::read(&fork, &self.before, &outcome)?,
        })
    }
}

impl Scenario for Fixture<'_> {
    fn run(&self, schedule: &Shared) -> Result<End, String> {
        self.end(schedule).map_err(|e| e.to_string())
    }
}

fn settle(cluster: &Cluster, make: &Make, schedule: &Shared) -> Result<Outcome, ApiError> {
    let mut manager = Manager::under(cluster, make.clone(), schedule.clone())?;
    manager.load_scheduled()?;
    let until = Until {
        pass: None,
        timeout: None,
    };
    manager.settle(&until, &|| false)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::explore::{Kinds, Options, explore};

    /// A scenario of which only the first run has enough time.
    struct SlowScenario<'f> {
        whole: Fixture<'f>,
        is_next: AtomicBool,
    }

    impl Scenario for SlowScenario<'_> {
        fn run(&self, schedule: &Shared) -> Result<End, String> {
            let end = self.whole.run(schedule)?;
            let is_late = self.is_next.swap(true, Ordering::Relaxed);
            // A run that is stopped early has not done everything, so its end differs.
            let violation = is_late.then(|| "not all is done".to_owned());
            Ok(End {
                is_late,
                violation,
                ..end
            })
        }
    }

    #[test]
    fn runs_out_of_time_are_counted_and_not_compared() {
        let cluster = crate::cluster::testing::in_memory();
        let make: Make = Arc::new(|_| Ok(Vec::new()));
        let late = SlowScenario {
            whole: Fixture::new(&cluster, make, &|_| Ok(()), &|_| Ok(None)).unwrap(),
            is_next: AtomicBool::new(false),
        };
        let options = Options {
            seeds: 0..3,
            kinds: Kinds {
                crash: false,
                faults: false,
            },
            threads: 1,
        };
        let report = explore(&late, &options, &|_, _| true).unwrap();
        assert_eq!((report.runs, report.late), (3, 3));
        assert!(report.found.is_empty(), "{report:?}");
        let again = explore(&late, &options, &|_, _| true).unwrap_err();
        assert_eq!(again, "the run without deviations exceeded the time limit");
    }
}
