//! Jobs: run Pods until enough of them have succeeded.
//!
//! A Pod that has ended is counted exactly once: its uid is noted in the status, then its finalizer is
//! removed, then it is counted.
//!
//! Rules:
//! - `adopt`, `release`: Pods follow the selector.
//! - `start`: missing Pods are created, at most 500 at a time, in waves of 1, 2, 4 ...; after a failure only
//!   when the back-off is over (10 s, doubling to 10 min).
//! - `stop`: surplus Pods and all Pods of a suspended Job are deleted and do not count; all Pods of a failed Job
//!   count as failed; the other Pods of a Job that succeeded early are deleted.
//! - `count`: the status counts a Pod, or it has no Job any more; the Pod's finalizer is removed.
//! - `status`: counters and conditions; the verdict first as SuccessCriteriaMet or FailureTarget, and as
//!   Complete or Failed once every Pod is counted. A suspended Job that has enough successes is complete,
//!   not suspended.

mod count;
mod indexes;
mod marks;
mod pods;
mod policy;
mod status;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::workload::{adopt_first, claim, condition, selector_of, selects};
use super::{views, watched};
use crate::api::json::{Value, json};
use crate::cluster::Verb;
use crate::kinds::Kind;
use crate::kinds::tree::list;
use crate::runtime::backoff::Backoff;
use crate::runtime::{
    Cache, Change, CompletedWrite, Controller, Index, Key, Object, Plan, PlannedWrite,
    ReconcileContext, Watch,
};
use count::JobSync;
use marks::TRACKING;

/// The index of Pods that are not counted yet by the name of their Job.
const TRACKED: &str = "tracked-by-job";

/// The most Pods that are made or deleted at a time.
pub(super) const BURST: usize = 500;

/// The controller of Jobs.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    /// The failures of each Job, by uid. The Pods that failed may be gone.
    failures: HashMap<String, Failures>,
}

/// Returns the number of failed Pods in a status, those that are only noted among them.
pub(super) fn all_failed(status: views::Job<'_>) -> i64 {
    status.failed() + noted(status, "failed")
}

/// Returns the number of succeeded Pods in a status, those that are only noted among them.
pub(super) fn all_succeeded(status: views::Job<'_>) -> i64 {
    status.succeeded() + noted(status, "succeeded")
}

fn noted(status: views::Job<'_>, name: &str) -> i64 {
    i64::try_from(list(status.uncounted_pods(), name).len()).unwrap_or(i64::MAX)
}

/// The failures of a Job as its status counted them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failures {
    failed: i64,
    succeeded: i64,
    /// Those since the last success.
    pub(super) in_a_row: i64,
    /// The time at which the last one was counted.
    pub(super) last: Timestamp,
}

impl Failures {
    /// Takes over the counts of a status that was written at a time.
    fn take(&mut self, status: views::Job<'_>, at: Timestamp) {
        let (failed, succeeded) = (all_failed(status), all_succeeded(status));
        // As upstream, a failure that is counted together with a success is forgiven.
        if succeeded > self.succeeded {
            self.in_a_row = 0;
        } else if failed > self.failed {
            self.in_a_row += failed - self.failed;
            self.last = at;
        }
        (self.failed, self.succeeded) = (failed, succeeded);
    }
}

impl Controller for Jobs {
    fn name(&self) -> &'static str {
        "job"
    }

    fn component(&self) -> &'static str {
        "job-controller"
    }

    fn refusal_backoff(&self) -> Backoff {
        // Upstream's Job controller has its own queue, which is slower than the others.
        Backoff {
            base: SignedDuration::from_secs(1),
            most: SignedDuration::from_mins(1),
            tries: 0,
        }
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(watched::jobs()),
            Watch::adoptable(watched::pods(), watched::jobs(), selects),
            Watch::new(watched::pods(), |change, _| {
                let orphans = change.after.iter().filter(|pod| is_orphan(pod));
                orphans.map(|pod| Key::new(pod.namespace(), "")).collect()
            }),
        ]
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index {
            kind: watched::pods(),
            name: TRACKED,
            reads: &["/metadata/finalizers", "/metadata/ownerReferences"],
            // A deleted Job cannot name its Pods, so the index finds those that are not counted yet without reading all
            // Pods.
            values: tracked,
        }]
    }

    fn observe(&mut self, change: &Change, _: &Cache) {
        if let (Some(gone), None) = (&change.before, &change.after) {
            self.failures.remove(gone.uid());
        }
    }

    fn replay_kinds(&self, cache: &Cache) -> Vec<&'static Kind> {
        // The back-off of a Job whose failed Pods were deleted is only in the history of its status.
        let waits = |job: &&Object| views::job(job).failed() > 0 && !is_finished(job);
        let any = cache.list(watched::jobs(), "").find(waits);
        any.map(Object::kind).into_iter().collect()
    }

    fn on_written(&mut self, write: &CompletedWrite<'_>) {
        if write.object.kind() == watched::jobs() {
            let none = Failures {
                failed: 0,
                succeeded: 0,
                in_a_row: 0,
                last: write.at,
            };
            let uid = write.object.uid().to_owned();
            let failures = self.failures.entry(uid).or_insert(none);
            failures.take(views::job(write.object), write.at);
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let job = context.cache.by_key(watched::jobs(), context.key);
        // `spec.managedBy` with any other value leaves the Job and its status to an external controller.
        let own = ["", "kubernetes.io/job-controller"];
        let mut plan = match job {
            Some(job) if own.contains(&views::job(job).managed_by()) => {
                plan(job, self.failures.get(job.uid()).copied(), context)
            }
            _ => Plan::done(),
        };
        plan.changes.extend(let_go(job, context));
        plan
    }
}

fn tracked(pod: &Value) -> Vec<String> {
    let metadata = &pod["metadata"];
    let finalizers = metadata["finalizers"].as_array();
    let held = finalizers.is_some_and(|f| f.iter().any(|f| f == TRACKING));
    let owners = metadata["ownerReferences"].as_array();
    let owner = owners
        .into_iter()
        .flatten()
        .find(|o| o["controller"] == true);
    let name = match owner {
        _ if !held => return Vec::new(),
        Some(owner) if owner["kind"] == "Job" => owner["name"].as_str().unwrap_or_default(),
        Some(_) => return Vec::new(),
        // No Job has this name.
        None => "",
    };
    let namespace = metadata["namespace"].as_str().unwrap_or_default();
    vec![in_index(namespace, name)]
}

fn in_index(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

/// Returns true if a Pod without a controller is still tracked.
fn is_orphan(pod: &Object) -> bool {
    pod.controller().is_none() && pod.has_finalizer(TRACKING)
}

/// Returns true if a Job of the cache will adopt a Pod.
fn is_wanted(pod: &Object, cache: &Cache) -> bool {
    let adopts = |job: &Object| !job.is_terminating() && !is_finished(job) && selects(job, pod);
    cache.list(watched::jobs(), pod.namespace()).any(adopts)
}

/// Releases the Pods of a deleted Job, and those that lost their owner; they are no longer counted.
fn let_go(job: Option<&Object>, context: &ReconcileContext<'_>) -> Vec<PlannedWrite> {
    let left = context.cache.indexed(
        watched::pods(),
        TRACKED,
        &in_index(&context.key.namespace, &context.key.name),
    );
    // The index knows the name alone, which a Job that was deleted and created again has too.
    let is_other = |pod: &&Object| job.is_none_or(|job| !pod.is_controlled_by(job));
    let is_free = |pod: &&Object| !is_orphan(pod) || !is_wanted(pod, context.cache);
    left.filter(is_other)
        .filter(is_free)
        .map(|pod| pods::without_finalizer(pod, "count: its Job no longer exists"))
        .collect()
}

/// Returns true if a Job has ended.
pub(super) fn is_finished(job: &Value) -> bool {
    ["Complete", "Failed"]
        .iter()
        .any(|kind| condition(job, kind).is_some_and(|c| views::condition(c).status() == "True"))
}

fn plan(job: &Object, failures: Option<Failures>, context: &ReconcileContext<'_>) -> Plan {
    // A finished Job only releases the finalizers of its Pods; its counters are final.
    if is_finished(job) {
        let own = context.cache.controlled_by(watched::pods(), job.uid());
        let own: Vec<&Object> = own.collect();
        return Plan {
            changes: JobSync::new(job, &own, context).take_finalizers(),
            ..Plan::default()
        };
    }
    let mut claimed = claim(job, watched::pods(), &selector_of(job), context.cache);
    for write in &mut claimed.writes {
        if let Verb::Patch { patch, .. } = &mut write.verb {
            // An adopted Pod must be counted too, so it gets the finalizer in the same write as its owner. A released
            // one that kept it could never be deleted.
            let name = match write.rule.starts_with("adopt") {
                true => "finalizers",
                false => "$deleteFromPrimitiveList/finalizers",
            };
            patch["metadata"][name] = json!([TRACKING]);
        }
    }
    let mut plan = Plan {
        changes: claimed.writes,
        ..Plan::default()
    };
    let mut sync = JobSync::new(job, &claimed.own, context);
    sync.earlier = failures;
    let view = views::job(job);
    let suspended = view.is_suspended();
    if !suspended {
        sync.begin(&mut plan);
    }
    sync.judge();
    if sync.verdict.is_some() {
        sync.stop_all(&mut plan);
    } else {
        match suspended {
            // The garbage collector deletes the Pods of a terminating Job, and new ones would only be deleted too.
            _ if job.is_terminating() => {}
            true => sync.stop_all(&mut plan),
            false => sync.manage(&mut plan),
        }
        sync.complete();
        if sync.verdict.is_none() && !job.is_terminating() {
            sync.say_suspended(suspended, &mut plan);
        }
    }
    plan.changes.extend(sync.take_finalizers());
    sync.conclude(&mut plan);
    let write = PlannedWrite::status(
        job,
        sync.into_status(),
        "status: Pod counts or conditions have changed",
    );
    plan.status.extend(write.map(|mut write| {
        // The events about the Job follow those about its Pods.
        write.on_success = std::mem::take(&mut plan.events);
        write
    }));
    // Nothing else wakes the Job at its deadline.
    if let Some(left) = deadline_left(job, context) {
        plan.requeue_in(left);
    }
    adopt_first(&mut plan);
    plan
}

/// Returns the time until the Job's deadline, if it is in the future.
pub(super) fn deadline_left(
    job: &Object,
    context: &ReconcileContext<'_>,
) -> Option<SignedDuration> {
    let seconds = views::job(job).active_deadline_seconds()?;
    let start = views::job(job).started()?;
    let end = start.checked_add(SignedDuration::from_secs(seconds)).ok()?;
    let left = end.duration_since(context.now);
    left.is_positive().then_some(left)
}
