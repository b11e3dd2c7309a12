//! The warnings about a CronJob.

use crate::api::json::Value;
use crate::batch::warnings::of_spec;
use crate::tree::at;
use crate::validate::Path;
use crate::warnings::name;

/// Adds the warnings for a CronJob, whose name is the prefix of the names of its Jobs and Pods.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    name(object, "Pod names and hostnames", warnings);
    let spec = at(object, &["spec", "jobTemplate", "spec"]);
    of_spec(&Path::root("spec.jobTemplate.spec"), spec, warnings);
}
