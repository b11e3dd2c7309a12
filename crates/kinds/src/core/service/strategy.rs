//! Prepares a Service for storage: its addresses and node ports follow its type.

use crate::api::json::{Value, json};
use crate::hooks::Fields;
use crate::strategy::{Outside, keep};
use crate::tree::{as_text, at, ensure, field, has, int, items, list, set, take, text};

/// Sets `clusterIPs` from `clusterIP` if only the old field is set.
pub(super) fn prepare_create(object: &mut Value, _: &Outside<'_>) {
    let spec = ensure(object, "spec");
    let address = text(spec, "clusterIP").to_owned();
    // Clients older than dual-stack support only use the singular field (`NormalizeClusterIPs`).
    if !address.is_empty() && list(spec, "clusterIPs").is_empty() {
        set(spec, "clusterIPs", json!([address]));
    }
}

/// Updates whichever of `clusterIP` and `clusterIPs` the writer did not change to match the other.
pub(super) fn prepare_update(object: &mut Value, old: &Value) {
    let before = field(old, "spec");
    let spec = ensure(object, "spec");
    if text(spec, "type") == "ExternalName" {
        release_addresses(spec, before);
        release_node_ports(spec, before);
        return;
    }
    let same_type = text(spec, "type") == text(before, "type");
    for name in ["clusterIP", "clusterIPs"] {
        // An update without the allocated values keeps them (`patchAllocatedValues`), so that a manifest without
        // addresses can be applied again.
        if same_type && !has(spec, name) {
            keep(spec, before, name);
        }
    }
    let same_list = field(spec, "clusterIPs") == field(before, "clusterIPs");
    if text(spec, "clusterIP") != text(before, "clusterIP") && same_list {
        let address = text(spec, "clusterIP").to_owned();
        set(spec, "clusterIPs", json!([address]));
    }
    if list(spec, "ipFamilies").is_empty() {
        keep(spec, before, "ipFamilies");
    }
    release_node_ports(spec, before);
}

/// Releases the addresses of a Service that becomes an `ExternalName`, unless the writer changed them.
fn release_addresses(spec: &mut Value, before: &Value) {
    if text(before, "type") == "ExternalName" {
        return;
    }
    // Only unchanged fields are dropped (`dropTypeDependentFields`). A changed one is the writer's
    // mistake, and validation reports it.
    if field(spec, "clusterIP") == field(before, "clusterIP")
        && field(spec, "clusterIPs") == field(before, "clusterIPs")
    {
        take(spec, "clusterIP");
        take(spec, "clusterIPs");
    }
    for name in ["ipFamilies", "ipFamilyPolicy"] {
        if field(spec, name) == field(before, name) {
            take(spec, name);
        }
    }
}

/// Releases the node ports of a Service that is no longer reachable from outside.
fn release_node_ports(spec: &mut Value, before: &Value) {
    let external = |spec: &Value| matches!(text(spec, "type"), "NodePort" | "LoadBalancer");
    if external(spec) || !external(before) {
        return;
    }
    let ports: Vec<i64> = list(before, "ports")
        .iter()
        .map(|p| int(p, "nodePort"))
        .collect();
    for port in items(spec, "ports") {
        // Unchanged ports were the old type's; a new number is an error that validation reports.
        if ports.contains(&int(port, "nodePort")) {
            take(port, "nodePort");
        }
    }
    if field(spec, "externalTrafficPolicy") == field(before, "externalTrafficPolicy")
        // Traffic to external addresses still follows the policy.
        && list(spec, "externalIPs").is_empty()
    {
        take(spec, "externalTrafficPolicy");
    }
    if field(spec, "allocateLoadBalancerNodePorts")
        == field(before, "allocateLoadBalancerNodePorts")
    {
        take(spec, "allocateLoadBalancerNodePorts");
    }
}

/// Returns the fields that a restore keeps: the addresses, if the Service had some then and has some now.
pub(super) fn assigned(object: &Value, current: &Value) -> Fields {
    match keeps_address(object, current) {
        true => &["clusterIP", "clusterIPs"],
        false => &[],
    }
}

/// Returns true if a Service had an address then and has one now, even a different one.
fn keeps_address(object: &Value, current: &Value) -> bool {
    let has_address = |service: &Value| {
        let address = as_text(at(service, &["spec", "clusterIP"]));
        !address.is_empty() && address != "None"
    };
    has_address(object) && has_address(current)
}
