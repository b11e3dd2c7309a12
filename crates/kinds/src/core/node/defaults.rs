//! The defaults of a Node.

use crate::api::json::{Value, json};
use crate::core::defaults::fill;
use crate::tree::{at, child, ensure, has, len, set, text};

/// Sets the defaults of a Node: both spellings of its address ranges, and allocatable if only capacity is known.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    if has(spec, "podCIDR") && len(spec, "podCIDRs") == 0 {
        let ranges = json!([text(spec, "podCIDR")]);
        set(spec, "podCIDRs", ranges);
    } else if let Some(first) = at(spec, &["podCIDRs"]).get(0) {
        let first = first.clone();
        set(spec, "podCIDR", first);
    }
    if let Some(status) = child(object, "status") {
        // `SetDefaults_NodeStatus`: without reservations all of the capacity is allocatable.
        fill(status, "allocatable", "capacity");
    }
}
