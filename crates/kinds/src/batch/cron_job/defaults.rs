//! The defaults of a CronJob.

use crate::api::json::Value;
use crate::batch::defaults::failure_policy;
use crate::defaults::workload::template;
use crate::tree::{ensure, set_default};

/// Sets the defaults of the spec of a CronJob. Its Jobs get their own defaults on creation.
pub(crate) fn spec(spec: &mut Value) {
    set_default(spec, "concurrencyPolicy", "Allow");
    set_default(spec, "suspend", false);
    set_default(spec, "successfulJobsHistoryLimit", 3);
    set_default(spec, "failedJobsHistoryLimit", 1);
    let job_spec = ensure(ensure(spec, "jobTemplate"), "spec");
    template(job_spec);
    failure_policy(job_spec);
}
