//! The defaults of a Pod.

use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::defaults::pod::pod_spec;
use crate::pod::resources;
use crate::tree::{
    child, ensure, entries, field, flag, has, int, items, list, set, set_default, text,
};

/// Sets the defaults of the spec of a Pod: those of a template, and those that a template leaves to its Pods.
pub(crate) fn spec(spec: &mut Value) {
    pod_spec(spec);
    // Only in Pods: a template stays as written, and each Pod gets these defaults on creation.
    for name in ["containers", "initContainers"] {
        items(spec, name).for_each(request_what_is_limited);
    }
    if has(spec, "resources") {
        pod_level_requests(spec);
    }
    set_default(spec, "enableServiceLinks", true);
    // Without a network namespace of its own, the container uses its port on the node.
    if flag(spec, "hostNetwork") {
        for name in ["containers", "initContainers"] {
            items(spec, name).for_each(|c| items(c, "ports").for_each(host_port));
        }
    }
}

/// Sets the defaults of the status of a Pod.
pub(crate) fn status(object: &mut Value) {
    if let Some(status) = child(object, "status") {
        addresses(status);
    }
}

/// Makes `podIP` and `podIPs` agree. A single address that differs from the first of the list is newer: a client that
/// does not know the list has written it.
fn addresses(status: &mut Value) {
    let single = text(status, "podIP").to_owned();
    let first = list(status, "podIPs").first();
    let first = first.map(|first| text(first, "ip").to_owned());
    match first {
        Some(first) if single.is_empty() => set(status, "podIP", first),
        Some(first) if first == single => {}
        None if single.is_empty() => {}
        _ => set(status, "podIPs", json!([{"ip": single}])),
    }
}

fn host_port(port: &mut Value) {
    let container_port = int(port, "containerPort");
    if container_port != 0 {
        set_default(port, "hostPort", container_port);
    }
}

/// Sets missing requests to the limits of the container.
fn request_what_is_limited(container: &mut Value) {
    let Some(needs) = child(container, "resources") else {
        return;
    };
    let limits = field(needs, "limits").clone();
    if let Value::Object(limits) = limits
        && !limits.is_empty()
    {
        let requests = ensure(needs, "requests");
        for (name, limit) in limits {
            // Otherwise the scheduler would count nothing for a container that may use its limit.
            set_default(requests, &name, limit);
        }
    }
}

/// Sets missing requests of the whole Pod, for each of its limits: to the sum of the containers' requests if there is
/// one, otherwise to the limit.
fn pod_level_requests(spec: &mut Value) {
    let mut sums: std::collections::BTreeMap<String, Quantity> = std::collections::BTreeMap::new();
    for container in list(spec, "containers") {
        for (name, amount) in entries(field(container, "resources"), "requests") {
            let sum = sums.entry(name.to_owned()).or_insert(Quantity::ZERO);
            sum.add(&resources::quantity(amount));
        }
    }
    let Some(needs) = child(spec, "resources") else {
        return;
    };
    let limits = field(needs, "limits").clone();
    let Value::Object(limits) = limits else {
        return;
    };
    let requests = ensure(needs, "requests");
    // No other resources can be set for a whole Pod.
    let supported = |name: &str| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-");
    for (name, limit) in limits.into_iter().filter(|(name, _)| supported(name)) {
        let request = sums
            .get(name.as_str())
            .map_or(limit, |sum| Value::from(sum.to_string()));
        set_default(requests, &name, request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_an_address_agree() {
        for (sent, kept) in [
            (
                json!({"podIP": "10.0.0.1"}),
                json!({"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}),
            ),
            (
                json!({"podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]}),
                json!({"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]}),
            ),
            (
                json!({"podIP": "10.0.0.2", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]}),
                json!({"podIP": "10.0.0.2", "podIPs": [{"ip": "10.0.0.2"}]}),
            ),
        ] {
            let mut status = sent;
            addresses(&mut status);
            assert_eq!(status, kept);
        }
    }
}
