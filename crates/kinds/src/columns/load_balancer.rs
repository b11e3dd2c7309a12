//! The addresses of load balancers, as Services and Ingresses show them.

use std::collections::BTreeSet;

use crate::api::json::Value;
use crate::tree::{at, list, text};

pub(crate) fn balancer_points(object: &Value) -> Vec<String> {
    let points = list(at(object, &["status", "loadBalancer"]), "ingress");
    // Like upstream, collect the names in a set: sorted and without repetitions.
    let names: BTreeSet<&str> = points
        .iter()
        .map(|point| match text(point, "ip") {
            "" => text(point, "hostname"),
            ip => ip,
        })
        .filter(|name| !name.is_empty())
        .collect();
    names.into_iter().map(str::to_owned).collect()
}
