//! The warnings about a Job.

use crate::api::json::Value;
use crate::batch::warnings::of_spec;
use crate::tree::field;
use crate::validate::Path;
use crate::warnings::name;

/// Adds the warnings for a Job, whose name is the prefix of its Pods' names.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    name(object, "Pod names and hostnames", warnings);
    of_spec(&Path::root("spec"), field(object, "spec"), warnings);
}
