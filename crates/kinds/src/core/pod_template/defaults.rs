//! The defaults of a PodTemplate.

use crate::api::json::Value;
use crate::defaults::pod;
use crate::tree::ensure;

/// A PodTemplate.
pub(crate) fn apply(object: &mut Value) {
    pod::pod_spec(ensure(ensure(object, "template"), "spec"));
}
