//! Services, ingresses, policies and endpoints.

use std::collections::BTreeSet;

use crate::api::json::Value;
use crate::tree::{at, list, text};

pub(crate) fn balancer_points(object: &Value) -> Vec<String> {
    let points = list(at(object, &["status", "loadBalancer"]), "ingress");
    // A set, as upstream: sorted and without repetitions.
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
