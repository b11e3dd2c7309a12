//! Applies plans: commits them together and feeds the results into the cache, the events and the
//! queue.

use jiff::Timestamp;

use super::backoff::Class;
use super::batch_plan::{BatchPlan, Planned, Responses};
use super::controller::{CompletedWrite, Failure};
use super::events::{PendingEvent, Reporter};
use super::manager::{Manager, RecordedWrite};
use super::object::Object;
use super::queue::{Due, Lane, change_of};
use super::report::Reconciled;
use super::runner::ChangeSource;
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::{ApiError, Kind, Request, Response, Revision, StoreError};

/// The number of writes of a pass kept for cycle detection.
const WRITES: usize = 1024;

impl Manager<'_> {
    /// Commits requests.
    pub(super) fn commit(
        &mut self,
        index: usize,
        batch_plan: &BatchPlan,
    ) -> Result<Responses, ApiError> {
        let done = self.send(index, batch_plan);
        self.record_commit(index, batch_plan, done)
    }

    /// Counts the committed requests. If the directory cannot be written, all requests count as rejected
    /// and are retried.
    pub(super) fn record_commit(
        &mut self,
        index: usize,
        batch_plan: &BatchPlan,
        done: Result<Responses, StoreError>,
    ) -> Result<Responses, ApiError> {
        let requests = &batch_plan.requests;
        match done {
            Ok(responses) => {
                let runner = &mut self.runners[index];
                runner.metrics.wrote(requests.len());
                runner.pace.count(requests.len());
                Ok(responses)
            }
            // Another process leads now: all state of this process is stale, so the loop must end.
            Err(e @ StoreError::Fenced { .. }) => Err(e.into()),
            Err(e) => {
                // An internal error is of the class that is retried: a full disk or a removed lock
                // file may pass.
                let refuse = |_: &Request| Some(Err(Status::internal(e.to_string()).into()));
                Ok(requests.iter().map(refuse).collect())
            }
        }
    }

    /// Applies the results of a tick's requests to the cache, the queues and the events.
    pub(super) fn apply_responses(
        &mut self,
        index: usize,
        mut planned: Vec<Planned>,
        batch_plan: &BatchPlan,
        responses: Responses,
    ) -> Result<(), ApiError> {
        // Observations are reported before the writes that follow from them.
        let reporter = Reporter::from_controller(&*self.runners[index].controller);
        for planned in &mut planned {
            let cause = planned.due.cause();
            let notes = std::mem::take(&mut planned.plan.events);
            self.events.extend(
                notes
                    .into_iter()
                    .map(|note| PendingEvent::new(reporter, note, cause.clone())),
            );
        }
        let mut failures: Vec<Vec<Failure>> = planned.iter().map(|_| Vec::new()).collect();
        let left_out =
            self.update_cache(index, &mut planned, batch_plan, responses, &mut failures)?;
        let mut again = Vec::new();
        for (number, (planned, failures)) in planned.into_iter().zip(failures).enumerate() {
            self.settle_key(index, &planned, &failures);
            let refused = failures.iter().any(|f| f.index.is_some());
            // The status was computed for writes that did not happen: plan again on the updated cache.
            if refused || left_out.contains(&number) {
                let cause = planned.due.cause();
                let mut second = self.plan(index, planned.due, &failures);
                let notes = std::mem::take(&mut second.plan.events);
                self.events.extend(
                    notes
                        .into_iter()
                        .map(|note| PendingEvent::new(reporter, note, cause.clone())),
                );
                again.push(second);
            }
        }
        if again.is_empty() {
            return Ok(());
        }
        // Only the status is written this time; the next reconcile retries the rest after the back-off.
        let batch_plan = BatchPlan::status_only(&mut again);
        let responses = self.commit(index, &batch_plan)?;
        let mut ignored: Vec<Vec<Failure>> = again.iter().map(|_| Vec::new()).collect();
        self.update_cache(index, &mut again, &batch_plan, responses, &mut ignored)?;
        for (planned, failures) in again.iter().zip(ignored) {
            self.add_times(index, planned);
            if let Some(class) = failures.iter().map(Failure::class).max() {
                let count = self.runners[index].queue.failures(&planned.due.key);
                self.retry(index, &planned.due, class, count);
            }
        }
        Ok(())
    }

    /// Updates the cache with the results and collects rejections; returns the plans whose status was skipped.
    fn update_cache(
        &mut self,
        index: usize,
        planned: &mut [Planned],
        batch_plan: &BatchPlan,
        responses: Responses,
        failures: &mut [Vec<Failure>],
    ) -> Result<Vec<usize>, ApiError> {
        // Most reconciles write nothing and need no news: two reads of the head for each were 3,800 system calls in a
        // simulated hour with 120 Jobs. The next write or the end of the pass reads what others did in between.
        if batch_plan.requests.is_empty() {
            return Ok(Vec::new());
        }
        // Own commits are known. On etcd, a look at those of others costs a request, and the next pass makes one anyway.
        let (last, now) = self.cluster.stored().known_moment()?;
        // The system clock may be set back; times of a controller's plans must not.
        self.now = now.max(self.now);
        let mut own = Vec::new();
        let mut changes = Vec::new();
        let mut left_out = Vec::new();
        let reporter = Reporter::from_controller(&*self.runners[index].controller);
        // Prepared for all results at once, so that a second thread can do half of them.
        let ready = self.cache.ready(&written(&responses, batch_plan));
        let responses = responses.into_iter().zip(ready);
        let asked = batch_plan.origins.iter().zip(&batch_plan.requests);
        for ((response, ready), (origin, request)) in responses.zip(asked) {
            let Planned { plan, due, .. } = &mut planned[origin.plan];
            let write = match origin.change {
                Some(_) => &mut plan.changes[origin.place],
                None => &mut plan.status[origin.place],
            };
            match response {
                Some(Ok(response)) => {
                    let kind = request.place.kind;
                    let object = ready.unwrap_or_else(|| Object::new(kind, response.object));
                    for note in std::mem::take(&mut write.on_success) {
                        let note = note.expand(object.name(), "");
                        // The event is about the write itself, unless the object was deleted.
                        let cause = match response.changed && !response.gone {
                            true => Some(change_of(object.kind(), object.key(), object.revision())),
                            false => due.cause(),
                        };
                        self.events.push(PendingEvent::new(reporter, note, cause));
                    }
                    // A write of equal content creates no revision and triggers nothing.
                    if !response.changed {
                        continue;
                    }
                    // Collected to distinguish own revisions from those of other writers, who may have committed in
                    // between.
                    own.push(object.revision());
                    self.runners[index].controller.on_written(&CompletedWrite {
                        at: self.now,
                        rule: &write.rule,
                        object: &object,
                    });
                    let key = object.key().clone();
                    let change = match response.gone {
                        true => self.cache.remove(kind, &key, object.revision().max(1)),
                        false => self.cache.take(object),
                    };
                    self.wrote(RecordedWrite {
                        controller: self.runners[index].controller.name(),
                        rule: write.rule.clone(),
                        kind,
                        key,
                        object: change.as_ref().and_then(|c| c.after.clone()),
                    });
                    changes.extend(change);
                }
                Some(Err(error)) => {
                    let status = refusal(error);
                    // The object is deleted already, which is the desired state.
                    if write.is_delete() && status.reason == "NotFound" {
                        continue;
                    }
                    if let Some(note) = write.on_failure.take() {
                        let note = note.expand(&write.name, &status.message);
                        let cause = due.cause();
                        self.events.push(PendingEvent::new(reporter, note, cause));
                    }
                    failures[origin.plan].push(Failure {
                        rule: write.rule.clone(),
                        index: origin.change,
                        status,
                    });
                }
                None => left_out.push(origin.plan),
            }
        }
        // Own writes are routed before those of others that `advance` reads, which may build on them.
        let by = ChangeSource::Controller(self.runners[index].controller.name());
        self.route(&changes, by);
        self.advance(own, last)?;
        Ok(left_out)
    }

    /// Records a write for cycle detection. The last writes of a pass are enough: a cycle is among them each time, and
    /// all of them would keep every version of every object in memory.
    fn wrote(&mut self, written: RecordedWrite) {
        self.written.push(written);
        if self.written.len() == 2 * WRITES {
            self.written.drain(..WRITES);
        }
    }

    /// Advances the cache's revision over this process's own writes, which the cache contains already, up to the first
    /// revision of another writer; `last` is the revision of the cluster after the writes.
    pub(super) fn advance(
        &mut self,
        mut own: Vec<Revision>,
        last: Revision,
    ) -> Result<(), ApiError> {
        own.sort_unstable();
        let mut next = self.cache.revision() + 1;
        for revision in own {
            if revision == next {
                next += 1;
            }
        }
        self.cache.set_revision(next - 1);
        // Another writer committed in between: read from the first revision that the cache lacks.
        if last >= next {
            self.refresh()?;
        }
        Ok(())
    }

    /// Schedules the next reconcile of a key.
    fn settle_key(&mut self, index: usize, planned: &Planned, failures: &[Failure]) {
        let key = &planned.due.key;
        self.add_times(index, planned);
        let (now, runner) = (self.now, &mut self.runners[index]);
        let error = planned.plan.error.clone();
        let error = error.or_else(|| failures.first().map(|f| f.status.message.clone()));
        // The worst class decides: a plan with a conflict and a temporary failure backs off.
        let class = failures
            .iter()
            .map(Failure::class)
            .chain(planned.plan.error.iter().map(|_| Class::Passing))
            .max();
        if let Some(observer) = &mut self.observer {
            observer(&Reconciled {
                controller: runner.controller.name(),
                key,
                trigger: planned.due.revision(),
                plan: &planned.plan,
                error: error.as_deref(),
                now,
                cache: &self.cache,
            });
        }
        let Some(class) = class else {
            runner.queue.succeeded(key);
            runner.errors.remove(key);
            runner.metrics.succeeded();
            return;
        };
        // A key that made progress is not yet stuck: only fruitless failures count toward that.
        let wanted = planned.plan.changes.len() + planned.plan.status.len();
        let count = runner.queue.failed(key, failures.len() < wanted);
        runner.metrics.failed(class);
        runner.errors.insert(key.clone(), error.unwrap_or_default());
        self.retry(index, &planned.due, class, count);
    }

    /// Schedules the retry of a key that has failed this many times in a row.
    fn retry(&mut self, index: usize, due: &Due, class: Class, count: u32) {
        let (now, runner) = (self.now, &mut self.runners[index]);
        let (lane, backoff) = match class {
            Class::Refused => (Lane::Refused, runner.refusal_backoff()),
            Class::Conflict | Class::Passing => (Lane::Retry, runner.config.backoff),
        };
        if let Some(wait) = backoff.wait(class, count) {
            let at = now.checked_add(wait).unwrap_or(Timestamp::MAX);
            runner.queue.add_at(&due.key, lane, at, due.trigger.clone());
        }
    }

    fn add_times(&mut self, index: usize, planned: &Planned) {
        let runner = &mut self.runners[index];
        let (queue, resync) = (&mut runner.queue, runner.config.resync);
        let waits = [
            (Lane::Wanted, planned.plan.requeue_after),
            (Lane::Idle, planned.plan.idle_requeue_after),
            (Lane::Repeat, planned.plan.repeat_after),
            // A resync must not keep the cluster from settling, so it uses the idle lane.
            (Lane::Idle, resync),
        ];
        let (key, trigger) = (&planned.due.key, &planned.due.trigger);
        for (lane, wait) in waits {
            if let Some(wait) = wait {
                let at = self.now.checked_add(wait).unwrap_or(Timestamp::MAX);
                queue.add_at(key, lane, at, trigger.clone());
            }
        }
    }
}

/// Returns the objects that requests changed without deleting them, by the position of the request. New Pods are left
/// out, because their next version follows at once.
fn written<'a>(
    responses: &'a Responses,
    batch_plan: &BatchPlan,
) -> Vec<Option<(&'static Kind, &'a Value)>> {
    let there = |(response, request): (&'a Option<_>, &Request)| match response {
        Some(Ok(Response {
            object,
            changed: true,
            created,
            gone: false,
            ..
        })) if !created || !request.place.kind.is_pod() => Some((request.place.kind, object)),
        _ => None,
    };
    responses
        .iter()
        .zip(&batch_plan.requests)
        .map(there)
        .collect()
}

/// Returns the status of a failed request; errors of the directory count as temporary.
fn refusal(error: ApiError) -> Status {
    match error {
        ApiError::Status(status) => *status,
        ApiError::Store(e) => Status::internal(e.to_string()),
    }
}
