//! Resource quantities: reading them, and the requests and limits of a whole Pod.

use std::collections::BTreeMap;

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::tree::{entries, field, list, text};

/// Quantities by resource name.
pub type ResourceList = BTreeMap<String, Quantity>;

/// Returns the quantity in a decoded field, or zero if there is none.
pub fn quantity(value: &Value) -> Quantity {
    let parsed = match value {
        Value::String(text) => Quantity::parse(text.trim()),
        Value::Number(number) => Quantity::parse(&number.to_string()),
        _ => Ok(Quantity::ZERO),
    };
    parsed.unwrap_or(Quantity::ZERO)
}

/// Returns the quantities in `resources.limits` or `resources.requests` of a container or Pod.
pub fn resource_list(resources: &Value, which: &str) -> ResourceList {
    entries(resources, which)
        .map(|(name, amount)| (name.to_owned(), quantity(amount)))
        .collect()
}

/// Returns the resources that the scheduler reserves for a Pod; `which` is `requests` or `limits`.
///
/// Containers and sidecars add up. An init container counts if it needs more than the containers that run later.
/// Pod-level resources replace the sum, and overhead is added.
pub fn of_pod(spec: &Value, which: &str) -> ResourceList {
    let mut sum = ResourceList::new();
    for container in list(spec, "containers") {
        add(
            &mut sum,
            resource_list(field(container, "resources"), which),
        );
    }
    let (mut sidecars, mut peak) = (ResourceList::new(), ResourceList::new());
    for container in list(spec, "initContainers") {
        let own = resource_list(field(container, "resources"), which);
        let mut running = sidecars.clone();
        add(&mut running, own.clone());
        if text(container, "restartPolicy") == "Always" {
            add(&mut sum, own);
            // Init containers run one after another, each next to the sidecars started before it.
            sidecars = running.clone();
        }
        raise(&mut peak, &running);
    }
    // The two phases follow each other, so the Pod needs the larger of the two.
    raise(&mut sum, &peak);
    for (name, amount) in resource_list(field(spec, "resources"), which) {
        sum.insert(name, amount);
    }
    for (name, amount) in entries(spec, "overhead") {
        // Overhead does not limit a resource that the Pod itself leaves unlimited.
        if which == "requests" || sum.contains_key(name) {
            let overhead = ResourceList::from([(name.to_owned(), quantity(amount))]);
            add(&mut sum, overhead);
        }
    }
    sum
}

fn add(sum: &mut ResourceList, more: ResourceList) {
    // Most Pods have one container, whose quantities are the sum.
    if sum.is_empty() {
        *sum = more;
        return;
    }
    for (name, amount) in more {
        let total = sum.entry(name).or_insert(Quantity::ZERO);
        total.add(&amount);
    }
}

fn raise(to: &mut ResourceList, at_least: &ResourceList) {
    for (name, amount) in at_least {
        let now = to.entry(name.clone()).or_insert(*amount);
        if *now < *amount {
            *now = *amount;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn pod_request_includes_init_peak_and_sidecars() {
        let cpu = |n: u32| json!({"requests": {"cpu": n.to_string()}});
        let spec = json!({
            "containers": [{"resources": cpu(1)}, {"resources": cpu(2)}],
            "initContainers": [
                {"resources": cpu(1), "restartPolicy": "Always"},
                {"resources": cpu(7)},
            ],
        });
        assert_eq!(of_pod(&spec, "requests")["cpu"].to_string(), "8");
    }
}
