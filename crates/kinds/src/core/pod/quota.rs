//! The usage of a quota by a Pod, and the limit ranges that bound it.

use crate::admission::limits;
use crate::admission::quota::{COMPUTE, count};
use crate::api::json::Value;
use crate::pod::resources::{Amounts, amounts, of_pod};
use crate::tree::{field, list, text};

/// Adds a Pod that has not ended, and its requests and limits.
pub(super) fn usage(pod: &Value, used: &mut Amounts) {
    let phase = text(field(pod, "status"), "phase");
    // A Pod that has ended releases its share although the object is still there.
    if matches!(phase, "Succeeded" | "Failed") {
        return;
    }
    count(used, "pods");
    let spec = field(pod, "spec");
    for (name, amount) in of_pod(spec, "requests") {
        // In a quota `cpu` is short for `requests.cpu`, and huge pages have two names likewise; both count.
        if COMPUTE.contains(&name.as_str()) || name.starts_with("hugepages-") {
            used.insert(name.clone(), amount);
        }
        used.insert(format!("requests.{name}"), amount);
    }
    for (name, amount) in of_pod(spec, "limits") {
        used.insert(format!("limits.{name}"), amount);
    }
}

/// Checks a new Pod, or each of its containers, against an item of a limit range.
pub(super) fn check_limits(item: &Value, pod: &Value, wrong: &mut Vec<String>) {
    let spec = field(pod, "spec");
    match text(item, "type") {
        "Container" => {
            let containers = list(spec, "containers").iter();
            for container in containers.chain(list(spec, "initContainers")) {
                let resources = field(container, "resources");
                let (requests, limits) =
                    (amounts(resources, "requests"), amounts(resources, "limits"));
                limits::check(item, &requests, &limits, wrong);
            }
        }
        "Pod" => {
            let (requests, limits) = (of_pod(spec, "requests"), of_pod(spec, "limits"));
            limits::check(item, &requests, &limits, wrong);
        }
        _ => {}
    }
}
