//! The defaults of a Node.

use crate::api::json::{Value, json};
use crate::core::defaults::fill;
use crate::tree::{at, child, ensure, set, text};

/// Sets the defaults of a Node: both `podCIDR` and `podCIDRs`, and `allocatable` if only the capacity is known.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    let (range, first) = (text(spec, "podCIDR"), at(spec, &["podCIDRs"]).get(0));
    // The older field takes precedence. Otherwise, clients that know only this field could not change the range.
    if !range.is_empty() && first.is_none_or(|first| first != range) {
        let ranges = json!([range]);
        set(spec, "podCIDRs", ranges);
    } else if let Some(first) = at(spec, &["podCIDRs"]).get(0) {
        let first = first.clone();
        set(spec, "podCIDR", first);
    }
    if let Some(status) = child(object, "status") {
        // `SetDefaults_NodeStatus`: unless something is reserved, all of the capacity is allocatable.
        fill(status, "allocatable", "capacity");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_range_is_in_both_spellings() {
        for (spec, one, all) in [
            (
                json!({"podCIDR": "10.3.0.0/24"}),
                "10.3.0.0/24",
                json!(["10.3.0.0/24"]),
            ),
            (
                json!({"podCIDRs": ["10.2.0.0/24", "fd00::/64"]}),
                "10.2.0.0/24",
                json!(["10.2.0.0/24", "fd00::/64"]),
            ),
            (
                json!({"podCIDR": "10.3.0.0/24", "podCIDRs": ["10.2.0.0/24"]}),
                "10.3.0.0/24",
                json!(["10.3.0.0/24"]),
            ),
        ] {
            let mut node = json!({"spec": spec});
            apply(&mut node);
            assert_eq!(
                (&node["spec"]["podCIDR"], &node["spec"]["podCIDRs"]),
                (&json!(one), &all)
            );
        }
    }
}
