//! Single-step reconciles for users who watch controllers work.

use jiff::Timestamp;

use super::manager::Manager;
use super::object::Key;
use super::queue::Lane;
use super::settle::HORIZON;
use crate::cluster::{ApiError, ClockMode, Revision};

/// A reconcile that wrote something or failed.
///
/// ```
/// use ctl_runtime::{Config, Manager, OneStep};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// # let controllers = Vec::new();
/// let mut manager = Manager::new(&cluster, controllers, &|_| Config::default());
/// manager.load()?;
/// while let Some(OneStep { controller, key, rules, .. }) = manager.step_one(manager.horizon())? {
///     println!("{controller} {key}: {}", rules.join(", "));
/// }
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneStep {
    /// The controller.
    pub controller: &'static str,
    /// The reconciled key.
    pub key: Key,
    /// The revision of the change that made the key due.
    pub trigger: Option<Revision>,
    /// The rules of the planned writes, in order, without repetition.
    pub rules: Vec<String>,
    /// The reason why it failed.
    pub error: Option<String>,
    /// The revision before it; its commits have later ones.
    pub before: Revision,
    /// The time to which the virtual clock was moved first, because nothing was due.
    pub moved: Option<Timestamp>,
}

impl Manager<'_> {
    /// Reconciles one key that has something to write, and skips keys that do not. If nothing is due on a virtual
    /// clock, the clock is moved to the next timer up to `horizon`. Returns `None` if the cluster is settled, or if the
    /// next timer is later or requires waiting.
    ///
    /// # Errors
    /// As for [`Manager::pass`].
    pub fn step_one(&mut self, horizon: Timestamp) -> Result<Option<OneStep>, ApiError> {
        let mut moved = None;
        while !self.is_stopped() {
            for index in 0..self.controllers() {
                if let Some(step) = self.step_of(index)? {
                    // Without them a step would have no trace that `ctl events` shows.
                    self.emit_events()?;
                    return Ok(Some(OneStep { moved, ..step }));
                }
            }
            // Plans may have led to timers that are over already, and other processes may have written.
            if self.refresh()? {
                continue;
            }
            match self.next_due(false) {
                Some(at) if at <= horizon && self.is_virtual() => {
                    self.sleep_until(at, None)?;
                    moved = Some(self.now);
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Reconciles the keys of a controller up to the first one that has something to write.
    fn step_of(&mut self, index: usize) -> Result<Option<OneStep>, ApiError> {
        loop {
            let due = self.runners[index].queue.take(self.now, 1);
            let planned = self.plan_all(index, due);
            let Some(first) = planned.first() else {
                return Ok(None);
            };
            let plan = &first.plan;
            let writes = plan.changes.iter().chain(&plan.status);
            let mut rules: Vec<String> = writes.map(|write| write.rule.clone()).collect();
            rules.dedup();
            let step = OneStep {
                controller: self.controller_name(index),
                key: first.due.key.clone(),
                trigger: first.due.revision(),
                rules,
                error: None,
                before: self.cluster.stored().revision()?,
                moved: None,
            };
            let is_idle = plan.is_empty() && plan.events.is_empty() && plan.error.is_none();
            self.work(index, planned, Vec::new())?;
            if !is_idle {
                let error = self.runners[index].errors.get(&step.key).cloned();
                return Ok(Some(OneStep { error, ..step }));
            }
        }
    }

    fn is_virtual(&self) -> bool {
        self.cluster.settings().clock == ClockMode::Virtual
    }

    /// Returns the latest time to which a run moves the clock by itself: a later timer does not keep a cluster from
    /// being settled.
    pub fn horizon(&self) -> Timestamp {
        self.now.checked_add(HORIZON).unwrap_or(Timestamp::MAX)
    }

    /// Returns the keys that wait for a time, the earliest first.
    pub fn timers(&self) -> Vec<(Timestamp, &'static str, Key)> {
        const LANES: &[Lane] = &[Lane::Wanted, Lane::Retry, Lane::Refused, Lane::Idle];
        let mut all: Vec<_> = self
            .runners
            .iter()
            .flat_map(|runner| {
                let name = runner.controller.name();
                let later = runner.queue.later_in(LANES);
                later.map(move |(at, key)| (at, name, key.clone()))
            })
            .collect();
        all.sort();
        all
    }
}
