//! The defaults of a Job.

use crate::api::json::Value;
use crate::batch::defaults::failure_policy;
use crate::defaults::workload::template;
use crate::tree::{has, set, set_default};

/// Sets the defaults of the spec of a Job: one completion, six retries.
pub(crate) fn spec(spec: &mut Value) {
    template(spec);
    // If only the parallelism is set, the Job is a work queue: one success lets it complete.
    if !has(spec, "completions") && !has(spec, "parallelism") {
        set(spec, "completions", 1);
    }
    set_default(spec, "parallelism", 1);
    let retries = match has(spec, "backoffLimitPerIndex") {
        // With a limit per index, the total must not end the Job earlier.
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
}
