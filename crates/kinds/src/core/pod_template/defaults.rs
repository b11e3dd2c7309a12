//! The defaults of a PodTemplate.

use crate::api::json::Value;
use crate::defaults::pod;
use crate::tree::ensure;

/// Sets the defaults of a PodTemplate.
pub(crate) fn apply(object: &mut Value) {
    pod::pod_spec(ensure(ensure(object, "template"), "spec"));
}
