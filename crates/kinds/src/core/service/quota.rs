//! The quota usage of a Service.

use crate::admission::quota::count;
use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::pod::resources::ResourceList;
use crate::tree::{field, int, list, text};

/// Counts a Service, its node ports and its load balancer.
pub(super) fn usage(service: &Value, used: &mut ResourceList) {
    count(used, "services");
    let spec = field(service, "spec");
    let ports = list(spec, "ports");
    let balancer = text(spec, "type") == "LoadBalancer";
    let given = ports
        .iter()
        .filter(|port| int(port, "nodePort") != 0)
        .count();
    // Count by type, because ports have no numbers yet at admission.
    let wanted = match text(spec, "type") {
        "NodePort" => ports.len(),
        "LoadBalancer" if field(spec, "allocateLoadBalancerNodePorts") != &json!(false) => {
            ports.len()
        }
        _ => given,
    };
    if wanted > 0 {
        let number = i64::try_from(wanted).unwrap_or(i64::MAX);
        used.insert("services.nodeports".to_owned(), Quantity::from_int(number));
    }
    if balancer {
        count(used, "services.loadbalancers");
    }
}
