//! The defaults of a PriorityClass.

use crate::api::json::Value;
use crate::tree::set_default;

/// Sets the defaults of a PriorityClass.
pub(crate) fn apply(object: &mut Value) {
    set_default(object, "preemptionPolicy", "PreemptLowerPriority");
}
