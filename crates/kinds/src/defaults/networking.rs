//! Network policies, ingress classes and endpoint slices.

use crate::api::json::{Value, json};
use crate::tree::{child, ensure, items, len, set, set_default};

/// A NetworkPolicy: what it does not say it isolates, it isolates for ingress.
pub(super) fn network_policy(object: &mut Value) {
    let spec = ensure(object, "spec");
    for rule in items(spec, "ingress") {
        items(rule, "ports").for_each(|port| set_default(port, "protocol", "TCP"));
    }
    for rule in items(spec, "egress") {
        items(rule, "ports").for_each(|port| set_default(port, "protocol", "TCP"));
    }
    if len(spec, "policyTypes") == 0 {
        let types = match len(spec, "egress") {
            0 => json!(["Ingress"]),
            _ => json!(["Ingress", "Egress"]),
        };
        set(spec, "policyTypes", types);
    }
}

/// An IngressClass.
pub(super) fn ingress_class(object: &mut Value) {
    if let Some(parameters) = child(ensure(object, "spec"), "parameters") {
        set_default(parameters, "scope", "Cluster");
    }
}

/// An EndpointSlice.
pub(super) fn endpoint_slice(object: &mut Value) {
    for port in items(object, "ports") {
        set_default(port, "name", "");
        set_default(port, "protocol", "TCP");
    }
}
