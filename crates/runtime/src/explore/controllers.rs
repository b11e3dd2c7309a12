//! Running controllers under a schedule.

use super::schedule::{Act, Shared, Traced, TracedTurn};
use super::scheduled::{Make, Scheduled, SharedObjects};
use crate::api::status::Status;
use crate::batch_plan::{BatchPlan, Planned, Responses};
use crate::cluster::{ApiError, Cluster, Revision};
use crate::limits::Config;
use crate::manager::Manager;
use crate::queue::Due;

impl<'c> Manager<'c> {
    /// Creates the controllers of a process under a schedule, before they read anything.
    ///
    /// # Errors
    /// Fails if the controllers cannot be created.
    pub fn under(cluster: &'c Cluster, make: Make, schedule: Shared) -> Result<Self, ApiError> {
        let mut manager = Self::new(cluster, make(cluster)?, &|_| Config::default());
        manager.scheduled = Some(Scheduled {
            schedule,
            make,
            crashed: false,
        });
        Ok(manager)
    }

    /// Returns true if the process counts as crashed.
    pub(crate) fn has_crashed(&self) -> bool {
        self.scheduled.as_ref().is_some_and(|own| own.crashed)
    }

    /// Restarts the process if it has crashed: queues, caches and the memory of the controllers are empty.
    pub(crate) fn restart_after_crash(&mut self) -> Result<bool, ApiError> {
        let Some(scheduled) = self.scheduled.take_if(|own| own.crashed) else {
            return Ok(false);
        };
        let controllers = (scheduled.make)(self.cluster)?;
        // Taken before the cache is dropped: parsing the objects again would be most of the time of a restart.
        let known = self.known();
        let mut fresh = Self::new(self.cluster, controllers, &|_| Config::default());
        // The new process is the same leader with the same observers.
        fresh.epoch = self.epoch;
        fresh.observer = self.observer.take();
        fresh.take_stop_flag_of(self);
        fresh.scheduled = Some(Scheduled {
            crashed: false,
            ..scheduled
        });
        *self = fresh;
        self.load_known(&known)?;
        Ok(true)
    }

    /// Lists all watched kinds as [`Manager::load`] does. Under a schedule, they may be known from the beginning of the
    /// run, and only later changes are read.
    ///
    /// # Errors
    /// As for [`Manager::load`].
    pub fn load_scheduled(&mut self) -> Result<(), ApiError> {
        let known = self.scheduled.as_ref().and_then(|own| own.schedule.known());
        match known {
            Some(known) => self.load_known(&known),
            None => self.load(),
        }
    }

    fn load_known(&mut self, known: &SharedObjects) -> Result<(), ApiError> {
        self.load_with(Some(known))?;
        // An older process has missed changes.
        self.refresh()?;
        Ok(())
    }

    /// Returns the objects that the process has read.
    pub fn known(&self) -> SharedObjects {
        // Every manager keeps the same part of an event, so those need not be parsed again either.
        let kinds = self.kinds.iter();
        let objects = kinds.map(|kind| (*kind, self.cache.list(kind, "").cloned().collect()));
        SharedObjects::new(self.cache.revision(), objects.collect())
    }

    /// Takes the due keys of a controller that the schedule allows.
    pub(crate) fn take_scheduled(&mut self, index: usize) -> Option<Vec<Due>> {
        let scheduled = self.scheduled.as_ref()?;
        let (now, runner) = (self.now, &mut self.runners[index]);
        runner.queue.promote(now);
        let due = runner.queue.depth();
        if due == 0 {
            return Some(Vec::new());
        }
        Some(
            match scheduled.schedule.turn(runner.controller.name(), due) {
                Some(Act::Wait) => Vec::new(),
                Some(Act::Keys { first, count }) => {
                    runner.queue.rotate(first);
                    runner.take(now, false, count)
                }
                _ => runner.take(now, false, usize::MAX),
            },
        )
    }

    /// Commits requests as the schedule has it.
    pub(crate) fn send(
        &mut self,
        index: usize,
        batch_plan: &BatchPlan,
    ) -> Result<Responses, crate::cluster::StoreError> {
        let writer = self.runners[index].controller.name();
        let count = batch_plan.requests.len();
        let act = self
            .scheduled
            .as_ref()
            .and_then(|own| own.schedule.commit(writer, count));
        let all = |request: &dyn Fn(usize) -> bool| (0..count).map(request).collect::<Vec<bool>>();
        match act {
            Some(Act::Crash { after }) => {
                let first = batch_plan.only(&all(&|at| at < after));
                first.send(self.cluster, writer, self.epoch)?;
                if let Some(scheduled) = &mut self.scheduled {
                    scheduled.crashed = true;
                }
                // The controllers do not receive the results.
                Ok((0..count).map(|_| None).collect())
            }
            Some(Act::Lose { write }) if write < count => {
                let mut responses = batch_plan.send(self.cluster, writer, self.epoch)?;
                responses[write] = Some(Err(failed(504, batch_plan, write)));
                Ok(responses)
            }
            Some(Act::Refuse { write } | Act::Conflict { write }) if write < count => {
                let code = match act {
                    Some(Act::Conflict { .. }) => 409,
                    _ => 500,
                };
                let left = batch_plan.without(write);
                let part = batch_plan.only(&left);
                let mut sent = part.send(self.cluster, writer, self.epoch)?.into_iter();
                let response = |at: usize| match left[at] {
                    true => sent.next().flatten(),
                    false => (at == write).then(|| Err(failed(code, batch_plan, write))),
                };
                Ok((0..count).map(response).collect())
            }
            _ => batch_plan.send(self.cluster, writer, self.epoch),
        }
    }

    /// Returns the reconciles that write something, if turns are recorded.
    pub(crate) fn traced(&self, planned: &[Planned]) -> Option<(Vec<Traced>, Revision)> {
        let scheduled = self.scheduled.as_ref()?;
        if !scheduled.schedule.is_traced() {
            return None;
        }
        let keys = planned.iter().filter_map(|planned| {
            let plan = &planned.plan;
            let writes = plan.changes.iter().chain(&plan.status);
            let mut rules: Vec<String> = writes.map(|write| write.rule.clone()).collect();
            rules.dedup();
            (!rules.is_empty()).then(|| Traced {
                key: planned.due.key.clone(),
                trigger: planned.due.revision(),
                rules,
            })
        });
        let keys: Vec<Traced> = keys.collect();
        // A turn without writes has nothing to step through.
        let before = self.cluster.stored().revision().ok()?;
        (!keys.is_empty()).then_some((keys, before))
    }

    /// Records a turn after its commit.
    pub(crate) fn record_turn(
        &self,
        index: usize,
        traced: Option<(Vec<Traced>, Revision)>,
    ) -> Result<(), ApiError> {
        let (Some(scheduled), Some((keys, before))) = (&self.scheduled, traced) else {
            return Ok(());
        };
        scheduled.schedule.record(TracedTurn {
            controller: self.runners[index].controller.name(),
            now: self.now,
            keys,
            decisions: Vec::new(),
            before,
            after: self.cluster.stored().revision()?,
        });
        Ok(())
    }
}

/// Returns the error of a request that the schedule makes fail.
fn failed(code: u16, batch_plan: &BatchPlan, write: usize) -> ApiError {
    let request = &batch_plan.requests[write];
    let resource = request.place.kind.qualified_resource();
    let name = request.target().unwrap_or_default();
    let why = "a fault of the schedule";
    let status = Status::trouble(code, &resource, name, why);
    status.unwrap_or_else(|| Status::internal(why)).into()
}
