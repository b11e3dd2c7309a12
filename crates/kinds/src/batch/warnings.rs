//! The warnings about the spec of a Job.

use crate::api::json::Value;
use crate::pod::warnings::pod_template;
use crate::tree::{field, int, text};
use crate::validate::Path;

/// Adds the warnings for the spec of a Job, which may be part of a CronJob.
pub(super) fn of_spec(path: &Path<'_>, spec: &Value, warnings: &mut Vec<String>) {
    // The status lists the indexes in a string of limited length.
    let indexed = text(spec, "completionMode") == "Indexed";
    if indexed && int(spec, "completions") > 100_000 && int(spec, "parallelism") > 10_000 {
        warnings.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher \
             than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes \
             fail"
        ));
    }
    pod_template(&path.child("template"), field(spec, "template"), warnings);
}
