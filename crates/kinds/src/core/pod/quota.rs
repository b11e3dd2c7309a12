//! The quota usage of a Pod, and the limit ranges that bound it.

use crate::admission::limits;
use crate::admission::quota::{COMPUTE, count};
use crate::admission::scope::Scope;
use crate::api::json::Value;
use crate::pod::qos;
use crate::pod::resources::{ResourceList, of_pod, resource_list};
use crate::tree::{field, has, list, text};

/// Counts a Pod that has not terminated, with its requests and limits.
pub(super) fn usage(pod: &Value, used: &mut ResourceList) {
    let phase = text(field(pod, "status"), "phase");
    // A terminated Pod releases its share, although its object still exists.
    if matches!(phase, "Succeeded" | "Failed") {
        return;
    }
    count(used, "pods");
    let spec = field(pod, "spec");
    for (name, amount) in of_pod(spec, "requests") {
        // In a quota, `cpu` is short for `requests.cpu`. Huge pages also have two names, and both count.
        if COMPUTE.contains(&name.as_str()) || name.starts_with("hugepages-") {
            used.insert(name.clone(), amount);
        }
        used.insert(format!("requests.{name}"), amount);
    }
    for (name, amount) in of_pod(spec, "limits") {
        if COMPUTE.contains(&name.as_str()) {
            used.insert(format!("limits.{name}"), amount);
        }
    }
}

/// Returns true if a scope of a quota includes a Pod.
pub(super) fn is_in(scope: &Scope<'_>, pod: &Value) -> bool {
    let spec = field(pod, "spec");
    match scope.name {
        "Terminating" => has(spec, "activeDeadlineSeconds"),
        "NotTerminating" => !has(spec, "activeDeadlineSeconds"),
        "BestEffort" => qos::class(pod) == "BestEffort",
        "NotBestEffort" => qos::class(pod) != "BestEffort",
        "PriorityClass" => {
            let class = text(spec, "priorityClassName");
            scope.has_any(&[class][usize::from(class.is_empty())..])
        }
        "CrossNamespacePodAffinity" => crosses_namespaces(spec),
        _ => false,
    }
}

/// Returns true if a Pod affinity term selects namespaces.
fn crosses_namespaces(spec: &Value) -> bool {
    let affinity = field(spec, "affinity");
    let crosses =
        |term: &Value| !list(term, "namespaces").is_empty() || has(term, "namespaceSelector");
    ["podAffinity", "podAntiAffinity"].iter().any(|name| {
        let terms = field(affinity, name);
        list(terms, "requiredDuringSchedulingIgnoredDuringExecution")
            .iter()
            .any(crosses)
            || list(terms, "preferredDuringSchedulingIgnoredDuringExecution")
                .iter()
                .any(|preferred| crosses(field(preferred, "podAffinityTerm")))
    })
}

/// Checks a new Pod, or each of its containers, against an item of a LimitRange.
pub(super) fn check_limits(item: &Value, pod: &Value, wrong: &mut Vec<String>) {
    let spec = field(pod, "spec");
    match text(item, "type") {
        "Container" => {
            let containers = list(spec, "containers").iter();
            for container in containers.chain(list(spec, "initContainers")) {
                let resources = field(container, "resources");
                let (requests, limits) = (
                    resource_list(resources, "requests"),
                    resource_list(resources, "limits"),
                );
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
