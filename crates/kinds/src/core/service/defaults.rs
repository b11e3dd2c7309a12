//! The defaults of a Service.

use crate::api::json::{Value, json};
use crate::tree::{child, ensure, field, has, int, items, len, set, set_default, take, text};

/// Sets the defaults of a Service. Addresses and node ports are not defaults; the cluster allocates them.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    set_default(spec, "sessionAffinity", "None");
    match text(spec, "sessionAffinity") {
        "None" => drop(take(spec, "sessionAffinityConfig")),
        "ClientIP" => {
            let client = ensure(ensure(spec, "sessionAffinityConfig"), "clientIP");
            set_default(client, "timeoutSeconds", 10800);
        }
        _ => {}
    }
    set_default(spec, "type", "ClusterIP");
    items(spec, "ports").for_each(port);
    traffic_policies(spec);
    if text(spec, "type") == "LoadBalancer" {
        set_default(spec, "allocateLoadBalancerNodePorts", true);
        ingress_modes(object);
    }
}

fn port(port: &mut Value) {
    set_default(port, "protocol", "TCP");
    let target = field(port, "targetPort");
    // The zero values of `IntOrString`, which both mean that no target is set.
    if target.is_null() || *target == json!(0) || *target == json!("") {
        let number = int(port, "port");
        set(port, "targetPort", number);
    }
}

fn traffic_policies(spec: &mut Value) {
    let kind = text(spec, "type");
    let routed = matches!(kind, "ClusterIP" | "NodePort" | "LoadBalancer");
    let external = matches!(kind, "NodePort" | "LoadBalancer")
        || kind == "ClusterIP" && len(spec, "externalIPs") > 0;
    if routed {
        set_default(spec, "internalTrafficPolicy", "Cluster");
    }
    if external {
        set_default(spec, "externalTrafficPolicy", "Cluster");
    }
}

fn ingress_modes(object: &mut Value) {
    let balancer = child(object, "status").and_then(|status| child(status, "loadBalancer"));
    let Some(balancer) = balancer else { return };
    for ingress in items(balancer, "ingress") {
        // The mode defines how packets reach an address, so it does not apply to a host name.
        if has(ingress, "ip") {
            set_default(ingress, "ipMode", "VIP");
        }
    }
}
