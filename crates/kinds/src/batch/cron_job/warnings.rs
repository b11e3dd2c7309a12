//! The warnings about a CronJob.

use crate::api::json::Value;
use crate::pod::warnings::pod_template;
use crate::tree::at;
use crate::validate::Path;

/// Adds the warnings for the Pod template of the Jobs.
pub(super) fn of(object: &Value, warnings: &mut Vec<String>) {
    let template = at(object, &["spec", "jobTemplate", "spec", "template"]);
    let path = Path::root("spec.jobTemplate.spec.template");
    pod_template(&path, template, warnings);
}
