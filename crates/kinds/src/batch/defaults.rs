//! The defaults that the kinds of this group share.

use crate::api::json::Value;
use crate::tree::{child, items, set_default};

pub(crate) fn failure_policy(spec: &mut Value) {
    let Some(policy) = child(spec, "podFailurePolicy") else {
        return;
    };
    for rule in items(policy, "rules") {
        for pattern in items(rule, "onPodConditions") {
            set_default(pattern, "status", "True");
        }
    }
}
