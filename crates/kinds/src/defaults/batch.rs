//! Jobs and cron jobs.

use super::workload::{labels_from_template, template};
use crate::api::json::Value;
use crate::tree::{child, ensure, has, items, set, set_default};

/// A Job: one completion, six retries.
pub(super) fn job(object: &mut Value) {
    let spec = ensure(object, "spec");
    template(spec);
    if !has(spec, "completions") && !has(spec, "parallelism") {
        set(spec, "completions", 1);
    }
    set_default(spec, "parallelism", 1);
    let retries = match has(spec, "backoffLimitPerIndex") {
        true => i32::MAX,
        false => 6,
    };
    set_default(spec, "backoffLimit", retries);
    set_default(spec, "completionMode", "NonIndexed");
    set_default(spec, "suspend", false);
    set_default(spec, "manualSelector", false);
    let replacement = match has(spec, "podFailurePolicy") {
        true => "Failed",
        false => "TerminatingOrFailed",
    };
    set_default(spec, "podReplacementPolicy", replacement);
    failure_policy(spec);
    labels_from_template(object);
}

/// A CronJob; its Jobs get their own defaults when they are made.
pub(super) fn cron_job(object: &mut Value) {
    let spec = ensure(object, "spec");
    set_default(spec, "concurrencyPolicy", "Allow");
    set_default(spec, "suspend", false);
    set_default(spec, "successfulJobsHistoryLimit", 3);
    set_default(spec, "failedJobsHistoryLimit", 1);
    let job_spec = ensure(ensure(spec, "jobTemplate"), "spec");
    template(job_spec);
    failure_policy(job_spec);
}

fn failure_policy(spec: &mut Value) {
    let Some(policy) = child(spec, "podFailurePolicy") else {
        return;
    };
    for rule in items(policy, "rules") {
        for pattern in items(rule, "onPodConditions") {
            set_default(pattern, "status", "True");
        }
    }
}
