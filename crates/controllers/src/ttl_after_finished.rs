//! Deletes finished Jobs after their `ttlSecondsAfterFinished`.
//!
//! Rules:
//! - `expired`: the Job has finished longer ago than `ttlSecondsAfterFinished`; it is deleted in the
//!   foreground, its Pods first.

use jiff::SignedDuration;

use super::workload::{condition, time};
use super::{views, watched};
use crate::cluster::{DeleteOptions, Propagation};
use crate::kinds::tree::{field, text};
use crate::runtime::{Controller, Object, Plan, PlannedWrite, ReconcileContext, Watch};

/// The controller of the time to live of Jobs.
pub(crate) struct TtlAfterFinished;

impl Controller for TtlAfterFinished {
    fn name(&self) -> &'static str {
        "ttl-after-finished"
    }

    fn component(&self) -> &'static str {
        "ttl-after-finished-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(watched::jobs())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let Some(job) = context.cache.by_key(watched::jobs(), context.key) else {
            return plan;
        };
        let ttl = views::job(job).ttl_seconds_after_finished();
        let (Some(ttl), Some(ended)) = (ttl, ended(job)) else {
            return plan;
        };
        if job.is_terminating() {
            return plan;
        }
        let end = ended
            .checked_add(SignedDuration::from_secs(ttl))
            .unwrap_or(jiff::Timestamp::MAX);
        let left = end.duration_since(context.now);
        if left.is_positive() {
            // Idle: a cluster counts as settled although a finished Job will expire one day.
            plan.idle_requeue_in(left);
            return plan;
        }
        let options = DeleteOptions {
            // A TTL that was raised after this reconcile read the Job must win over the deletion.
            resource_version: Some(job.revision().to_string()),
            propagation: Some(Propagation::Foreground),
            ..DeleteOptions::default()
        };
        let rule = format!("expired: finished at {ended}, ttlSecondsAfterFinished is {ttl}");
        plan.changes
            .push(PlannedWrite::delete_with(job, options, rule));
        plan
    }
}

/// Returns the time at which a Job finished.
fn ended(job: &Object) -> Option<jiff::Timestamp> {
    let told = ["Complete", "Failed"]
        .into_iter()
        .filter_map(|kind| condition(job, kind))
        .find(|c| text(c, "status") == "True")?;
    time(field(told, "lastTransitionTime"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::testing::{Table, lines, noon};
    use crate::workload::stamp;

    #[test]
    fn a_job_is_deleted_after_its_time_to_live() {
        let mut controller = TtlAfterFinished;
        let mut table = Table::new(&controller);
        let job = json!({"spec": {"ttlSecondsAfterFinished": 60}, "status": {"conditions": [
            {"type": "Complete", "status": "True", "lastTransitionTime": stamp(noon())}]}});
        table.put(watched::jobs(), "sum", &job);
        table.put(
            watched::jobs(),
            "open",
            &json!({"spec": {"ttlSecondsAfterFinished": 0}}),
        );
        let plan = table.plan(&mut controller, "sum");
        assert!(plan.is_empty());
        assert_eq!(plan.idle_requeue_after, Some(SignedDuration::from_secs(60)));
        let later = noon() + SignedDuration::from_secs(60);
        let plan = table.plan_at(&mut controller, "sum", later);
        assert_eq!(
            lines(&plan),
            [
                "delete sum: expired: finished at 2026-01-02T12:00:00Z, ttlSecondsAfterFinished is 60"
            ]
        );
        assert!(table.plan_at(&mut controller, "open", later).is_empty());
    }
}
