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
    total(spec, which, &|container| {
        resource_list(field(container, "resources"), which)
    })
}

/// Returns the resources of a Pod as [`of_pod`] does, with those that its status reports: a resize counts as soon as it
/// is requested or until it is done, unless the node can never do it.
pub fn of_pod_with_status(pod: &Value, which: &str) -> ResourceList {
    let status = field(pod, "status");
    let mut conditions = list(status, "conditions").iter();
    let is_infeasible = conditions
        .any(|c| text(c, "type") == "PodResizePending" && text(c, "reason") == "Infeasible");
    let statuses = ["containerStatuses", "initContainerStatuses"];
    total(field(pod, "spec"), which, &|container| {
        let mut all = statuses.iter().flat_map(|name| list(status, name));
        let own = all.find(|own| text(own, "name") == text(container, "name"));
        let now = own.map_or(&Value::Null, |own| field(own, "resources"));
        let wanted = resource_list(field(container, "resources"), which);
        if now.is_null() {
            return wanted;
        }
        let mut most = match is_infeasible {
            true => ResourceList::new(),
            false => wanted,
        };
        raise(&mut most, &resource_list(now, which));
        if let ("requests", Some(own)) = (which, own) {
            raise(&mut most, &resource_list(own, "allocatedResources"));
        }
        most
    })
}

/// Adds up the resources of the containers of a Pod.
fn total(spec: &Value, which: &str, of: &dyn Fn(&Value) -> ResourceList) -> ResourceList {
    let mut sum = ResourceList::new();
    for container in list(spec, "containers") {
        add(&mut sum, of(container));
    }
    let (mut sidecars, mut peak) = (ResourceList::new(), ResourceList::new());
    for container in list(spec, "initContainers") {
        let own = of(container);
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

    #[test]
    fn an_infeasible_resize_leaves_the_resources_of_the_status() {
        let requests = |cpu: &str| json!({"requests": {"cpu": cpu}});
        let mut pod = json!({
            "spec": {"containers": [{"name": "c", "resources": requests("9")}]},
            "status": {"containerStatuses": [
                {"name": "c", "resources": requests("1"), "allocatedResources": {"cpu": "2"}},
            ]},
        });
        let cpu = |pod: &Value| of_pod_with_status(pod, "requests")["cpu"].to_string();
        assert_eq!(cpu(&pod), "9");
        pod["status"]["conditions"] = json!([{"type": "PodResizePending", "reason": "Infeasible"}]);
        assert_eq!(cpu(&pod), "2");
        assert!(of_pod_with_status(&pod, "limits").is_empty());
        pod["status"]["containerStatuses"] = json!([]);
        assert_eq!(cpu(&pod), "9");
    }
}
