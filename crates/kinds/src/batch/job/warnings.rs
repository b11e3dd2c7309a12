//! The warnings about a Job.

use crate::api::json::Value;
use crate::pod::warnings::pod_template;
use crate::tree::at;
use crate::validate::Path;
use crate::warnings::name;

/// Adds the warnings for a Job, whose name is the prefix of those of its Pods.
pub(super) fn of(object: &Value, warnings: &mut Vec<String>) {
    name(object, "Pod names and hostnames", warnings);
    let template = at(object, &["spec", "template"]);
    pod_template(&Path::root("spec.template"), template, warnings);
}
