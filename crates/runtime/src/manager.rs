//! The one loop of all controllers: reads changes, plans, commits, and updates the cache.
//!
//! One thread takes controllers in the order of their list and keys in the order of their queues, so that the same
//! cluster with the same seed on a virtual clock always ends in the same history. All due keys of a controller are
//! planned on the same cache and committed together. A second thread does parts of a step whose outcome does not depend
//! on the thread (`docs/design/0007-second-thread.md`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::{SignedDuration, Timestamp};

use super::backoff::Class;
use super::batch_plan::{self, BatchPlan, Planned, Responses};
use super::cache::Cache;
use super::controller::{Controller, Failure, ReconcileContext};
use super::events::{self, PendingEvent};
use super::explore::scheduled::Scheduled;
use super::limits::Config;
use super::metrics;
use super::object::{Key, Object};
use super::plan::Plan;
use super::queue::{Due, Queue};
use super::report::Observer;
use super::runner::Runner;
use crate::cluster::{ApiError, ClockMode, Cluster, Division, Identity, Kind, PodMode, Shares};
use crate::sys::clock::Stopwatch;
use crate::sys::entropy::Seed;
use crate::sys::threads::{WORTH_A_THREAD, map, run_while_mapping};

/// The number of keys that are planned before the plans are committed. Plans contain whole objects, so larger batches
/// would only need more memory.
const TOGETHER: usize = 256;

/// The most partial plans in a row that a controller may make before other controllers run.
const PARTS: usize = 10;

/// The number of writes in one commit, but at least one plan's. The stop flag is checked between commits.
const WRITES_TOGETHER: usize = 5000;

/// Splits off the plans whose writes exceed the limit of one commit.
fn beyond(planned: &mut Vec<Planned>, most: usize) -> Vec<Planned> {
    let mut writes = 0;
    let fits = planned.iter().take_while(|planned| {
        writes += planned.plan.changes.len() + planned.plan.status.len();
        writes <= most
    });
    let count = fits.count().max(1);
    planned.split_off(count.min(planned.len()))
}

/// All controllers of a process on one cluster.
///
/// ```
/// use ctl_runtime::{Config, Manager, Outcome, Until};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// # let controllers = Vec::new();
/// let mut manager = Manager::new(&cluster, controllers, &|_| Config::default());
/// manager.load()?;
/// // Until nothing is left to do; a virtual clock jumps from timer to timer.
/// let outcome = manager.settle(&Until::default(), &|| false)?;
/// assert_eq!(outcome, Outcome::Settled);
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
pub struct Manager<'c> {
    pub(crate) cluster: &'c Cluster,
    pub(crate) cache: Cache,
    pub(crate) runners: Vec<Runner>,
    pub(crate) now: Timestamp,
    pub(crate) epoch: Option<u64>,
    pub(crate) observer: Option<Observer>,
    pub(crate) written: Vec<RecordedWrite>,
    pub(super) kinds: Vec<&'static Kind>,
    pub(super) events: Vec<PendingEvent>,
    pub(super) repeated: events::Repeated,
    stop: Option<Arc<AtomicBool>>,
    /// The shares of this process, if several hosts divide the namespaces.
    division: Option<&'c dyn Division>,
    /// The schedule, if there is one.
    pub(crate) scheduled: Option<Scheduled>,
}

/// The input of all plans at one time.
struct Snapshot<'m> {
    cache: &'m Cache,
    queue: &'m Queue,
    now: Timestamp,
    seed: Seed,
    pods: PodMode,
    identity: &'m Identity,
}

impl<'m> Snapshot<'m> {
    fn new(cluster: &'m Cluster, cache: &'m Cache, queue: &'m Queue, now: Timestamp) -> Self {
        let settings = cluster.settings();
        Self {
            cache,
            queue,
            now,
            seed: settings.seed(),
            pods: settings.pods,
            identity: cluster.rights().keys(),
        }
    }

    fn of<'d>(&self, due: &'d Due) -> ReconcileContext<'d>
    where
        'm: 'd,
    {
        ReconcileContext {
            key: &due.key,
            cache: self.cache,
            now: self.now,
            failures: self.queue.failures(&due.key),
            refused: &[],
            seed: self.seed,
            pods: self.pods,
            identity: self.identity,
        }
    }
}

/// Runs a plan function. A panic fails only this key: the other controllers of the process continue.
fn unless_it_panics(plan: impl FnOnce() -> Plan) -> Plan {
    let plan = catch_unwind(AssertUnwindSafe(plan));
    plan.unwrap_or_else(|_| Plan {
        error: Some("the controller panicked".to_owned()),
        ..Plan::default()
    })
}

/// Returns true if most of the tried requests were rejected for temporary reasons.
fn is_failure(responses: &Responses) -> bool {
    let tried = responses.iter().flatten();
    let passing = |e: &ApiError| {
        e.status()
            .is_none_or(|s| Class::from_status(s) == Class::Passing)
    };
    let refused = responses
        .iter()
        .flatten()
        .filter(|a| a.as_ref().is_err_and(passing));
    // A few rejections are normal while others write; a majority indicates trouble with the store.
    2 * refused.count() > tried.count()
}

/// A write recorded for cycle detection.
#[derive(Clone, Debug)]
pub(crate) struct RecordedWrite {
    pub(crate) controller: &'static str,
    pub(crate) rule: String,
    pub(crate) kind: &'static Kind,
    pub(crate) key: Key,
    pub(crate) object: Option<Object>,
}

impl<'c> Manager<'c> {
    /// Creates the controllers of a process that are not paused, before they read anything.
    pub fn new(
        cluster: &'c Cluster,
        controllers: Vec<Box<dyn Controller>>,
        config: &dyn Fn(&str) -> Config,
    ) -> Self {
        let paused = cluster.election().paused();
        let mut controllers = controllers;
        controllers.retain(|c| paused.iter().all(|name| name != c.name()));
        let mut indexes: Vec<_> = controllers.iter().flat_map(|c| c.indexes()).collect();
        // Every process counts repeated events, regardless of its controllers.
        indexes.extend(events::index());
        let tallies: Vec<_> = controllers.iter().flat_map(|c| c.tallies()).collect();
        let mut cache = Cache::new(indexes).with_tallies(tallies);
        if let Some(index) = events::index() {
            cache = cache.with_projection(index.kind, events::brief);
        }
        let runners: Vec<Runner> = controllers
            .into_iter()
            .map(|mut controller| {
                controller.configure(cluster.settings());
                let config = config(controller.name());
                Runner::new(controller, config)
            })
            .collect();
        Self {
            cluster,
            cache,
            runners,
            now: Timestamp::UNIX_EPOCH,
            epoch: None,
            observer: None,
            written: Vec::new(),
            kinds: Vec::new(),
            events: Vec::new(),
            repeated: events::Repeated::default(),
            stop: None,
            division: None,
            scheduled: None,
        }
    }

    /// Takes over the stop flag of another manager.
    pub(super) fn take_stop_flag_of(&mut self, other: &mut Self) {
        self.stop = other.stop.take();
    }

    /// Sets the flag that ends a pass early; keys that were not reconciled stay in the queues.
    pub fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// Returns true if the loop must stop.
    pub(super) fn is_stopped(&self) -> bool {
        let raised = |stop: &Arc<AtomicBool>| stop.load(Ordering::Relaxed);
        self.stop.as_ref().is_some_and(raised)
    }

    /// Sets the leader's epoch of all writes, which are rejected as soon as another process leads.
    pub fn set_epoch(&mut self, epoch: u64) {
        self.epoch = Some(epoch);
    }

    /// Sets the division of the namespaces, by which this process works on its shares only.
    pub fn set_division(&mut self, division: &'c dyn Division) {
        self.division = Some(division);
        // Nothing belongs to a host before its first turn.
        division.begin();
        let none = Shares::new([], 1);
        self.runners.iter_mut().for_each(|r| r.set_shares(&none));
    }

    /// Returns true if the shares of this process may have changed.
    pub(super) fn is_division_due(&self) -> bool {
        self.division.is_some_and(Division::is_due)
    }

    /// Releases and acquires shares as hosts join and leave. Runs between passes, because no key may be in work.
    pub(super) fn divide(&mut self) -> Result<(), ApiError> {
        let Some(division) = self.division else {
            return Ok(());
        };
        let Some(shares) = division.renew()? else {
            return Ok(());
        };
        // The host before may have written until the moment at which its shares were free.
        self.refresh()?;
        self.runners.iter_mut().for_each(|r| r.set_shares(&shares));
        self.enqueue_known();
        Ok(())
    }

    /// Sets the observer of every reconcile.
    pub fn observe(&mut self, observer: Observer) {
        self.observer = Some(observer);
    }

    pub(super) fn controllers(&self) -> usize {
        self.runners.len()
    }

    pub(super) fn controller_name(&self, index: usize) -> &'static str {
        self.runners[index].controller.name()
    }

    pub(super) fn time(&self) -> Timestamp {
        self.now
    }

    /// Plans up to `most` due keys of a controller, which leave its queue.
    pub(super) fn plan_due(&mut self, index: usize, most: usize) -> Vec<Planned> {
        let due = self.runners[index].queue.take(self.now, most);
        self.plan_all(index, due)
    }

    /// Returns the cache.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Returns the metrics in Prometheus' text format.
    pub fn metrics(&self) -> String {
        let shown = self
            .runners
            .iter()
            .map(|runner| metrics::ControllerMetrics {
                name: runner.controller.name(),
                metrics: runner.metrics.clone(),
                depth: runner.queue.depth(),
                adds: runner.queue.adds(),
            })
            .collect();
        metrics::text(shown)
    }

    /// Reconciles the due keys of every controller once; returns the number of reconciled keys.
    ///
    /// # Errors
    /// Fails if nothing can be written; [`crate::cluster::StoreError::Fenced`] if
    /// another process leads.
    pub fn pass(&mut self) -> Result<usize, ApiError> {
        let mut looked = 0;
        for index in 0..self.runners.len() {
            // A controller that plans in parts continues before others observe half of its work; the bound keeps it
            // fair.
            for _ in 0..PARTS {
                if self.is_stopped() {
                    break;
                }
                looked += self.tick(index)?;
                // The events that it had yet to write are lost, as in a real crash.
                if self.restart_after_crash()? {
                    return Ok(looked);
                }
                if !std::mem::take(&mut self.runners[index].partial) {
                    break;
                }
            }
        }
        // Events of all controllers are written in one commit at the end of a pass: one sync of the disk instead of one
        // each.
        self.emit_events()?;
        Ok(looked)
    }

    /// Reconciles the due keys of one controller.
    ///
    /// # Errors
    /// As for [`Manager::pass`].
    pub fn tick(&mut self, index: usize) -> Result<usize, ApiError> {
        // Rate limits apply in real time only.
        let real_time = self.cluster.settings().clock == ClockMode::System;
        let due = match self.take_scheduled(index) {
            Some(due) => due,
            None => self.runners[index].take(self.now, real_time, usize::MAX),
        };
        if due.is_empty() {
            return Ok(0);
        }
        let count = due.len();
        let mut due = due.into_iter();
        let mut next = || -> Vec<Due> { due.by_ref().take(TOGETHER).collect() };
        let mut planned = self.plan_all(index, next());
        while !planned.is_empty() && !self.is_stopped() {
            let rest = beyond(&mut planned, WRITES_TOGETHER);
            planned = match rest.is_empty() {
                true => self.work(index, planned, next())?,
                false => {
                    self.work(index, planned, Vec::new())?;
                    rest
                }
            };
        }
        // Stopped early: planned but uncommitted keys return to the queue.
        let (now, queue) = (self.now, &mut self.runners[index].queue);
        for due in planned.into_iter().map(|planned| planned.due).chain(due) {
            queue.add(&due.key, due.trigger, now);
        }
        Ok(count)
    }

    /// Commits plans together and applies the results; returns the plans of the next keys. A second thread
    /// computes them during the commit, on the same cache, if the controller has a planner.
    pub(super) fn work(
        &mut self,
        index: usize,
        mut planned: Vec<Planned>,
        next: Vec<Due>,
    ) -> Result<Vec<Planned>, ApiError> {
        let stopwatch = Stopwatch::start();
        let count = planned.len();
        let partial = planned.iter().any(|p| p.plan.partial);
        // The limit cuts writes rather than keys: one key may plan thousands of Pods.
        let cut = self.restrict(index, &mut planned);
        let mut batch_plan = BatchPlan::new(&mut planned);
        // After the cut, so that no object is copied for a write that is not made.
        batch_plan.attach_cached(&self.cache);
        let began = self.now;
        let traced = self.traced(&planned);
        let (responses, ahead) = self.commit_and_plan(index, &batch_plan, &next)?;
        self.record_turn(index, traced)?;
        if self.has_crashed() {
            return Ok(Vec::new());
        }
        let failed = is_failure(&responses);
        self.apply_responses(index, planned, &batch_plan, responses)?;
        let spent = stopwatch.elapsed();
        // On a virtual clock, rests must not depend on the speed of the machine: the history would differ.
        let taken = match self.cluster.settings().clock {
            ClockMode::Virtual => self.now.duration_since(began),
            ClockMode::System => SignedDuration::try_from(spent).unwrap_or(SignedDuration::MAX),
        };
        let now = self.now;
        let runner = &mut self.runners[index];
        for due in cut {
            runner.queue.add(&due.key, due.trigger, now);
        }
        // After a failure the rest of the work waits for the back-off.
        runner.partial |= partial && !failed;
        runner.metrics.worked(spent, count);
        runner.learn(now, taken, failed);
        Ok(match ahead {
            Some(plans) => self.of_due(index, next, plans),
            None => self.plan_all(index, next),
        })
    }

    /// Cuts plans to the writes that the controller may make now; returns the keys to plan again.
    fn restrict(&self, index: usize, planned: &mut [Planned]) -> Vec<Due> {
        let runner = &self.runners[index];
        let limited = self.cluster.settings().clock == ClockMode::System;
        let allowed = runner.pace.allowed(&runner.config).filter(|_| limited);
        allowed.map_or_else(Vec::new, |most| batch_plan::restrict(planned, most))
    }

    /// Commits requests and, if possible, plans the next keys during the commit.
    fn commit_and_plan(
        &mut self,
        index: usize,
        batch_plan: &BatchPlan,
        next: &[Due],
    ) -> Result<(Responses, Option<Vec<Plan>>), ApiError> {
        // Starting a thread costs more than planning a few keys.
        let few = batch_plan.requests.is_empty() || next.len() < WORTH_A_THREAD;
        if few || self.scheduled.is_some() {
            return Ok((self.commit(index, batch_plan)?, None));
        }
        // Both threads read the cache before this commit, so the plans do not depend on its speed.
        let keys: Vec<&Key> = next.iter().map(|due| &due.key).collect();
        let (cluster, epoch) = (self.cluster, self.epoch);
        let Runner {
            controller, queue, ..
        } = &mut self.runners[index];
        let writer = controller.name();
        let view = Snapshot::new(cluster, &self.cache, queue, self.now);
        let (done, ahead) = match controller.planner(&keys, &self.cache) {
            None => (batch_plan.send(cluster, writer, epoch), None),
            Some(planner) => {
                let plan = |due| unless_it_panics(|| planner(&view.of(due)));
                let send = || batch_plan.send(cluster, writer, epoch);
                let (done, plans) = run_while_mapping(send, next, &plan);
                (done, Some(plans))
            }
        };
        Ok((self.record_commit(index, batch_plan, done)?, ahead))
    }

    /// Plans keys on one cache.
    pub(super) fn plan_all(&mut self, index: usize, due: Vec<Due>) -> Vec<Planned> {
        match self.plan_by_two(index, &due) {
            Some(plans) => self.of_due(index, due, plans),
            None => {
                let plan = |due| self.plan(index, due, &[]);
                due.into_iter().map(plan).collect()
            }
        }
    }

    /// Plans many keys by two threads, if the controller has a planner.
    fn plan_by_two(&mut self, index: usize, due: &[Due]) -> Option<Vec<Plan>> {
        if due.len() < WORTH_A_THREAD {
            return None;
        }
        let keys: Vec<&Key> = due.iter().map(|due| &due.key).collect();
        let Runner {
            controller, queue, ..
        } = &mut self.runners[index];
        let view = Snapshot::new(self.cluster, &self.cache, queue, self.now);
        let planner = controller.planner(&keys, &self.cache)?;
        let plan = |_, due| unless_it_panics(|| planner(&view.of(due)));
        Some(map(due, WORTH_A_THREAD, &plan))
    }

    /// Plans with the keys that they are for.
    fn of_due(&self, index: usize, due: Vec<Due>, plans: Vec<Plan>) -> Vec<Planned> {
        let field_manager = self.runners[index].controller.field_manager();
        let planned = due.into_iter().zip(plans).map(|(due, plan)| Planned {
            due,
            plan,
            field_manager,
        });
        planned.collect()
    }

    /// Computes the plan of a key.
    pub(super) fn plan(&mut self, index: usize, due: Due, refused: &[Failure]) -> Planned {
        let runner = &mut self.runners[index];
        let view = Snapshot::new(self.cluster, &self.cache, &runner.queue, self.now);
        let context = ReconcileContext {
            // The second plan of a tick receives the rejected writes, so that the status can report them.
            refused,
            ..view.of(&due)
        };
        let controller = &mut runner.controller;
        let plan = unless_it_panics(|| controller.plan(&context));
        Planned {
            due,
            plan,
            field_manager: self.runners[index].controller.field_manager(),
        }
    }
}
