//! The defaults of a NetworkPolicy.

use crate::api::json::{Value, json};
use crate::tree::{ensure, items, len, set, set_default};

/// Sets the defaults of a NetworkPolicy. Without `policyTypes`, it isolates ingress, and also egress if it has egress
/// rules.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    for rule in items(spec, "ingress") {
        items(rule, "ports").for_each(|port| set_default(port, "protocol", "TCP"));
    }
    for rule in items(spec, "egress") {
        items(rule, "ports").for_each(|port| set_default(port, "protocol", "TCP"));
    }
    if len(spec, "policyTypes") == 0 {
        let types = match len(spec, "egress") {
            // Without egress rules, the policy does not restrict egress. That isolation must be requested explicitly.
            0 => json!(["Ingress"]),
            _ => json!(["Ingress", "Egress"]),
        };
        set(spec, "policyTypes", types);
    }
}
