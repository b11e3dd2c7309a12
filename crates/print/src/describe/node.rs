//! Nodes: their state, their Pods, and the resources that the Pods request.

use std::collections::{BTreeMap, BTreeSet};

use super::events::events;
use super::meta::{created, name, since, time};
use super::related::{Related, RelatedKind, UNSET};
use super::writer::Writer;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kinds::pod::resources::{
    ResourceList, of_pod, of_pod_with_status, quantity, resource_list,
};
use crate::kinds::tree::{as_text, entries, field, flag, has, len, list, text, texts};

pub(super) fn node(w: &mut Writer, node: &Value, related: &Related) {
    let (spec, status) = (field(node, "spec"), field(node, "status"));
    w.field(0, "Name", name(node));
    let roles = roles(node);
    w.field(0, "Roles", super::meta::or_none(&roles));
    super::meta::labels_and_annotations(w, node);
    created(w, node, related);
    taints(w, spec);
    w.field(0, "Unschedulable", flag(spec, "unschedulable"));
    lease(w, related);
    conditions(w, status, related);
    w.line(0, "Addresses:");
    for address in list(status, "addresses") {
        w.field(1, text(address, "type"), text(address, "address"));
    }
    for (title, name) in [("Capacity:", "capacity"), ("Allocatable:", "allocatable")] {
        if len(status, name) > 0 {
            w.line(0, title);
        }
        for (resource, amount) in entries(status, name) {
            w.field(1, resource, quantity(amount));
        }
    }
    slices(w, &related.resource_slices);
    system(w, field(status, "nodeInfo"));
    for (title, name) in [("PodCIDR", "podCIDR"), ("ProviderID", "providerID")] {
        if !text(spec, name).is_empty() {
            w.field(0, title, text(spec, name));
        }
        // kubectl prints this list between the two fields.
        if name == "podCIDR" && len(spec, "podCIDRs") > 0 {
            w.field(
                0,
                "PodCIDRs",
                texts(spec, "podCIDRs").collect::<Vec<_>>().join(","),
            );
        }
    }
    pods(w, status, related);
    events(w, related);
}

fn roles(node: &Value) -> String {
    // Both labels are in use: kubeadm puts the role into the key, older installers into the value.
    let role = |(key, value): (&str, &Value)| match key.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => role.to_owned(),
        None if key == "kubernetes.io/role" => as_text(value).to_owned(),
        None => String::new(),
    };
    // The set sorts the roles. All other labels yield empty names, which are dropped below.
    let roles: BTreeSet<String> = entries(field(node, "metadata"), "labels")
        .map(role)
        .collect();
    let roles: Vec<String> = roles.into_iter().filter(|role| !role.is_empty()).collect();
    roles.join(",")
}

fn taints(w: &mut Writer, spec: &Value) {
    let mut sorted: Vec<&Value> = list(spec, "taints").iter().collect();
    // As in kubectl, sorted by effect first, which groups the taints that evict.
    sorted.sort_by_cached_key(|taint| format!("{},{}", text(taint, "effect"), text(taint, "key")));
    let shown = |taint: &Value| {
        let key = text(taint, "key");
        match (text(taint, "value"), text(taint, "effect")) {
            ("", "") => key.to_owned(),
            ("", effect) => format!("{key}:{effect}"),
            (value, effect) => format!("{key}={value}:{effect}"),
        }
    };
    w.values(0, "Taints", sorted.into_iter().map(shown));
}

fn lease(w: &mut Writer, related: &Related) {
    let lease = match &related.lease {
        Ok(lease) => field(lease, "spec"),
        // A missing Lease does not fail the description; the rest of the node is still shown.
        Err(error) => return w.field(0, "Lease", format!("Failed to get lease: {error}")),
    };
    w.line(0, "Lease:");
    let holder = if has(lease, "holderIdentity") {
        text(lease, "holderIdentity")
    } else {
        UNSET
    };
    w.field(1, "HolderIdentity", holder);
    for (title, name) in [("AcquireTime", "acquireTime"), ("RenewTime", "renewTime")] {
        match field(lease, name) {
            Value::Null => w.field(1, title, UNSET),
            stamp => w.field(1, title, time(stamp, related)),
        }
    }
}

fn conditions(w: &mut Writer, status: &Value, related: &Related) {
    let conditions = list(status, "conditions");
    if conditions.is_empty() {
        return;
    }
    w.line(0, "Conditions:");
    let row = |c: &Value| {
        format!(
            "{} \t{} \t{} \t{} \t{} \t{}",
            text(c, "type"),
            text(c, "status"),
            time(field(c, "lastHeartbeatTime"), related),
            time(field(c, "lastTransitionTime"), related),
            text(c, "reason"),
            text(c, "message")
        )
    };
    let headers = "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage";
    w.table(1, headers, conditions.iter().map(row));
}

/// Writes the number of ResourceSlices per driver and pool.
fn slices(w: &mut Writer, slices: &[Value]) {
    // kubectl's limit. Without it, a node with many devices would fill the screen.
    const MOST: usize = 10;
    let mut pools: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    for slice in slices {
        let spec = field(slice, "spec");
        let pool = (
            text(spec, "driver").to_owned(),
            text(field(spec, "pool"), "name").to_owned(),
        );
        let counts = pools.entry(pool).or_default();
        counts.0 += 1;
        counts.1 += len(spec, "devices");
    }
    if pools.is_empty() {
        return;
    }
    w.line(0, "Node-Local ResourceSlices:");
    let row = |((driver, pool), (slices, devices)): (&(String, String), &(usize, usize))| {
        format!("{driver}\t{pool}\t{slices}\t{devices}")
    };
    w.table(
        1,
        "Driver\tPool\tSlices\tDevices",
        pools.iter().take(MOST).map(row),
    );
    if pools.len() > MOST {
        w.line(1, format!("...and {} more pools", pools.len() - MOST));
    }
}

fn system(w: &mut Writer, info: &Value) {
    w.line(0, "System Info:");
    for (title, name) in [
        ("Machine ID", "machineID"),
        ("System UUID", "systemUUID"),
        ("Boot ID", "bootID"),
        ("Kernel Version", "kernelVersion"),
        ("OS Image", "osImage"),
        ("Operating System", "operatingSystem"),
        ("Architecture", "architecture"),
        ("Container Runtime Version", "containerRuntimeVersion"),
        ("Kubelet Version", "kubeletVersion"),
    ] {
        w.field(1, title, text(info, name));
    }
}

/// Returns a part of a resource as a percentage of the whole, rounded down.
fn percent(resource: &str, part: &Quantity, of: &Quantity) -> i64 {
    // kubectl divides floating-point numbers, whose unit decides on the last digit: 7 % may be 6.999.
    let units = |quantity: &Quantity| match resource {
        "cpu" => quantity.milli() as f64,
        _ => quantity.ceil() as f64,
    };
    // kubectl prints 0 for a node without capacity.
    match units(of) {
        0.0 => 0,
        whole => (units(part) / whole * 100.0) as i64,
    }
}

fn amount(amounts: &ResourceList, name: &str) -> Quantity {
    amounts.get(name).copied().unwrap_or(Quantity::ZERO)
}

/// Formats an amount with its share of the node's allocatable resources.
fn with_percent(wanted: &ResourceList, allocatable: &ResourceList, name: &str) -> String {
    let part = amount(wanted, name);
    let share = percent(name, &part, &amount(allocatable, name));
    format!("{part} ({share}%)")
}

fn pods(w: &mut Writer, status: &Value, related: &Related) {
    // Without the Pods, the sum of their resources is unknown as well.
    if related.refusal(RelatedKind::PodsOfNode).is_some() {
        w.field(0, "Pods", "not authorized");
        return;
    }
    // A node that has just registered has no `allocatable` yet; kubectl then uses the capacity.
    let which = if len(status, "allocatable") > 0 {
        "allocatable"
    } else {
        "capacity"
    };
    let allocatable = resource_list(status, which);
    w.field(
        0,
        "Non-terminated Pods",
        format!("({} in total)", related.pods.len()),
    );
    w.line(
        1,
        "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge",
    );
    w.line(
        1,
        "---------\t----\t\t------------\t----------\t---------------\t-------------\t---",
    );
    let (mut requests, mut limits) = (ResourceList::new(), ResourceList::new());
    for pod in &related.pods {
        let metadata = field(pod, "metadata");
        let [asks, may] = ["requests", "limits"].map(|which| of_pod_with_status(pod, which));
        let cell = |of: &ResourceList, name: &str| with_percent(of, &allocatable, name);
        w.line(
            1,
            format!(
                "{}\t{}\t\t{}\t{}\t{}\t{}\t{}",
                text(metadata, "namespace"),
                name(pod),
                cell(&asks, "cpu"),
                cell(&may, "cpu"),
                cell(&asks, "memory"),
                cell(&may, "memory"),
                since(field(metadata, "creationTimestamp"), related)
            ),
        );
        // Unlike the rows, kubectl's sums ignore the status.
        add(&mut requests, of_pod(field(pod, "spec"), "requests"));
        add(&mut limits, of_pod(field(pod, "spec"), "limits"));
    }
    w.line(0, "Allocated resources:");
    w.line(
        1,
        "(Total limits may be over 100 percent, i.e., overcommitted.)",
    );
    w.line(1, "Resource\tRequests\tLimits");
    w.line(1, "--------\t--------\t------");
    let standard = ["cpu", "memory", "ephemeral-storage"];
    let huge = allocatable
        .keys()
        .map(String::as_str)
        .filter(|name| name.starts_with("hugepages-"));
    for name in standard.into_iter().chain(huge) {
        let cell = |of: &ResourceList| with_percent(of, &allocatable, name);
        w.line(1, format!("{name}\t{}\t{}", cell(&requests), cell(&limits)));
    }
    let is_other = |name: &&String| {
        !standard.contains(&name.as_str())
            && !name.starts_with("hugepages-")
            && name.as_str() != "pods"
    };
    // kubectl prints no percentages for extended resources.
    for name in allocatable.keys().filter(is_other) {
        w.line(
            1,
            format!(
                "{name}\t{}\t{}",
                amount(&requests, name),
                amount(&limits, name)
            ),
        );
    }
}

fn add(sum: &mut ResourceList, more: ResourceList) {
    for (name, amount) in more {
        match sum.get_mut(&name) {
            Some(sum) => sum.add(&amount),
            None => {
                sum.insert(name, amount);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_a_cpu_is_computed_in_thousandths() {
        let quantity = |text: &str| Quantity::parse(text).unwrap();
        for (resource, part, of, share) in [
            ("cpu", "105m", "1500m", 7),
            ("cpu", "290m", "1", 28),
            ("cpu", "1", "0", 0),
            ("memory", "1Gi", "3Gi", 33),
        ] {
            assert_eq!(
                percent(resource, &quantity(part), &quantity(of)),
                share,
                "{part}"
            );
        }
    }
}
