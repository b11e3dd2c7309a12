//! Prepares a Service for storage: its addresses and node ports depend on its type.

use crate::api::json::{Value, json};
use crate::hooks::Fields;
use crate::strategy::{WriteContext, keep};
use crate::tree::{as_text, at, ensure, field, has, int, items, list, set, take, text};

/// Sets `clusterIPs` from `clusterIP` if only the singular field is set.
pub(super) fn prepare_create(object: &mut Value, _: &WriteContext<'_>) {
    let spec = ensure(object, "spec");
    let address = text(spec, "clusterIP").to_owned();
    // Clients that predate dual-stack set only the singular field (`NormalizeClusterIPs`).
    if !address.is_empty() && list(spec, "clusterIPs").is_empty() {
        set(spec, "clusterIPs", json!([address]));
    }
    drop_unused_policy(spec);
}

/// Drops the policy for traffic within the cluster from an external name, which has none. An invalid one is left to
/// validation.
// Kubernetes stores it for the sake of early versions, and leaves it out of every response.
fn drop_unused_policy(spec: &mut Value) {
    let is_valid = matches!(text(spec, "internalTrafficPolicy"), "Cluster" | "Local");
    if !has_address(spec) && is_valid {
        take(spec, "internalTrafficPolicy");
    }
}

/// Keeps the allocated values that the writer did not set, and drops the fields that only the old type had. If the
/// writer changed only one of `clusterIP` and `clusterIPs`, adapts the other.
pub(super) fn prepare_update(object: &mut Value, old: &Value) {
    let before = field(old, "spec");
    let spec = ensure(object, "spec");
    keep_allocated(spec, before);
    let same = |name| field(spec, name) == field(before, name);
    let address = text(spec, "clusterIP").to_owned();
    match (address == text(before, "clusterIP"), same("clusterIPs")) {
        // A cleared address is not needed by the new type.
        (false, true) if address.is_empty() => drop(take(spec, "clusterIPs")),
        (false, true) => set(spec, "clusterIPs", json!([address])),
        (true, false) if list(spec, "clusterIPs").is_empty() => keep(spec, before, "clusterIPs"),
        _ => {}
    }
    if has_address(spec) && list(spec, "ipFamilies").is_empty() {
        keep(spec, before, "ipFamilies");
    }
    release(spec, before);
    drop_unused_policy(spec);
    if text(spec, "type") != "LoadBalancer" && has(field(object, "status"), "loadBalancer") {
        set(ensure(object, "status"), "loadBalancer", json!({}));
    }
}

/// Returns true if the type of the Service has an address, which may be `None`.
fn has_address(spec: &Value) -> bool {
    text(spec, "type") != "ExternalName"
}

/// Returns true if the type of the Service has node ports.
fn has_node_ports(spec: &Value) -> bool {
    matches!(text(spec, "type"), "NodePort" | "LoadBalancer")
}

/// Returns true if load balancers probe the nodes for local endpoints of the Service.
pub(super) fn has_health_port(spec: &Value) -> bool {
    is_balancer(spec) && text(spec, "externalTrafficPolicy") == "Local"
}

fn is_balancer(spec: &Value) -> bool {
    text(spec, "type") == "LoadBalancer"
}

/// Returns true if the Service can be reached from outside the cluster, so that `externalTrafficPolicy` applies.
fn is_external(spec: &Value) -> bool {
    let addressed = text(spec, "type") == "ClusterIP" && !list(spec, "externalIPs").is_empty();
    has_node_ports(spec) || addressed
}

/// Keeps the allocated values that are missing in an update, so that a manifest without them can be applied again.
fn keep_allocated(spec: &mut Value, before: &Value) {
    let both = |needs: FieldTest, spec: &Value| needs(before) && needs(spec);
    if both(has_address, spec) {
        for name in ["clusterIP", "clusterIPs"] {
            if text(spec, name).is_empty() && list(spec, name).is_empty() {
                keep(spec, before, name);
            }
        }
    }
    if both(has_node_ports, spec) {
        let used = node_ports(spec);
        // Match ports by name, because all numbers of a port may change.
        let known: Vec<(&str, i64)> = list(before, "ports")
            .iter()
            .map(|port| (text(port, "name"), int(port, "nodePort")))
            .collect();
        for port in items(spec, "ports") {
            let own = known.iter().find(|(name, _)| *name == text(port, "name"));
            // The writer may have assigned the number to another port.
            if let Some((_, number)) = own.filter(|(_, n)| *n != 0 && !used.contains(n))
                && int(port, "nodePort") == 0
            {
                set(port, "nodePort", *number);
            }
        }
    }
    if both(has_health_port, spec) && int(spec, "healthCheckNodePort") == 0 {
        keep(spec, before, "healthCheckNodePort");
    }
}

fn node_ports(spec: &Value) -> Vec<i64> {
    let numbers = list(spec, "ports").iter().map(|port| int(port, "nodePort"));
    numbers.filter(|number| *number != 0).collect()
}

/// A test that returns true if a Service of this type has a certain field.
type FieldTest = fn(&Value) -> bool;

/// The fields that only some types have, each with its test.
const DEPENDENT: &[(&str, FieldTest)] = &[
    ("ipFamilies", has_address),
    ("ipFamilyPolicy", has_address),
    ("healthCheckNodePort", has_health_port),
    ("allocateLoadBalancerNodePorts", is_balancer),
    ("loadBalancerClass", is_balancer),
    ("externalTrafficPolicy", is_external),
];

/// Drops the fields that the new type does not have. Keeps a changed one, which is a mistake of the writer, so that
/// validation reports it.
fn release(spec: &mut Value, before: &Value) {
    let lost = |needs: FieldTest, spec: &Value| needs(before) && !needs(spec);
    let same = |name: &str, spec: &Value| field(spec, name) == field(before, name);
    if lost(has_address, spec) && same("clusterIP", spec) && same("clusterIPs", spec) {
        take(spec, "clusterIP");
        take(spec, "clusterIPs");
    }
    if lost(has_node_ports, spec) {
        let numbers = node_ports(before);
        // If the writer set a new number, keep them all, so that validation reports each.
        if node_ports(spec).iter().all(|n| numbers.contains(n)) {
            for port in items(spec, "ports") {
                take(port, "nodePort");
            }
        }
    }
    // Collect the fields before removing any, because the health check port depends on the traffic policy.
    let gone: Vec<&str> = DEPENDENT
        .iter()
        .filter(|(name, needs)| lost(*needs, spec) && same(name, spec))
        .map(|(name, _)| *name)
        .collect();
    for name in gone {
        take(spec, name);
    }
}

/// Returns the fields that a restore keeps: the addresses, if both versions of the Service have one.
pub(super) fn assigned(object: &Value, current: &Value) -> Fields {
    match keeps_address(object, current) {
        true => &["clusterIP", "clusterIPs"],
        false => &[],
    }
}

/// Returns true if both versions of a Service have an address, even if they differ.
fn keeps_address(object: &Value, current: &Value) -> bool {
    let has_address = |service: &Value| {
        let address = as_text(at(service, &["spec", "clusterIP"]));
        !address.is_empty() && address != "None"
    };
    has_address(object) && has_address(current)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(spec: Value) -> Value {
        let status = json!({"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}});
        json!({"spec": spec, "status": status})
    }

    fn balancer() -> Value {
        service(json!({
            "type": "LoadBalancer", "clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"],
            "externalTrafficPolicy": "Local", "healthCheckNodePort": 30_009, "loadBalancerClass": "a.b/c",
            "allocateLoadBalancerNodePorts": true,
            "ports": [{"name": "a", "port": 80, "nodePort": 30_001}, {"name": "b", "port": 81, "nodePort": 30_002}],
        }))
    }

    #[test]
    fn a_service_loses_the_fields_that_only_its_old_type_has() {
        let fields = [
            "allocateLoadBalancerNodePorts",
            "clusterIP",
            "externalTrafficPolicy",
            "healthCheckNodePort",
            "loadBalancerClass",
        ];
        for (kind, kept, ingress) in [
            ("LoadBalancer", &fields[..], true),
            (
                "NodePort",
                &["clusterIP", "externalTrafficPolicy"][..],
                false,
            ),
            ("ClusterIP", &["clusterIP"][..], false),
            ("ExternalName", &[][..], false),
        ] {
            let (old, mut new) = (balancer(), balancer());
            new["spec"]["type"] = json!(kind);
            prepare_update(&mut new, &old);
            let there = fields.into_iter().filter(|f| has(&new["spec"], f));
            assert_eq!(there.collect::<Vec<_>>(), kept, "{kind}");
            let numbered = matches!(kind, "LoadBalancer" | "NodePort");
            assert_eq!(!node_ports(&new["spec"]).is_empty(), numbered, "{kind}");
            let shown = !new["status"]["loadBalancer"]["ingress"].is_null();
            assert_eq!(shown, ingress, "{kind}");
        }
    }

    #[test]
    fn an_external_name_has_no_internal_traffic_policy() {
        for (kind, policy, kept) in [
            ("ExternalName", "Local", false),
            ("ExternalName", "odd", true),
            ("ClusterIP", "Local", true),
        ] {
            let old = service(json!({"type": "ClusterIP", "internalTrafficPolicy": policy}));
            let mut new = old.clone();
            new["spec"]["type"] = json!(kind);
            prepare_update(&mut new, &old);
            assert_eq!(
                has(&new["spec"], "internalTrafficPolicy"),
                kept,
                "{kind} {policy}"
            );
        }
    }

    #[test]
    fn a_changed_field_of_another_type_stays_for_validation() {
        let (old, mut new) = (balancer(), balancer());
        new["spec"]["type"] = json!("ClusterIP");
        new["spec"]["loadBalancerClass"] = json!("other.class/a");
        new["spec"]["ports"][0]["nodePort"] = json!(30_003);
        prepare_update(&mut new, &old);
        assert_eq!(new["spec"]["loadBalancerClass"], "other.class/a");
        assert_eq!(node_ports(&new["spec"]), [30_003, 30_002]);
        assert!(!has(&new["spec"], "healthCheckNodePort"));
    }

    #[test]
    fn a_cleared_address_clears_the_list_of_addresses() {
        for cleared in ["clusterIP", "clusterIPs"] {
            let (old, mut new) = (balancer(), balancer());
            new["spec"]["type"] = json!("ExternalName");
            new["spec"][cleared] = match cleared {
                "clusterIP" => json!(""),
                _ => json!([]),
            };
            prepare_update(&mut new, &old);
            assert_eq!(text(&new["spec"], "clusterIP"), "", "{cleared}");
            assert!(!has(&new["spec"], "clusterIPs"), "{cleared}");
        }
    }

    #[test]
    fn a_policy_for_the_cluster_needs_no_health_port() {
        let (old, mut new) = (balancer(), balancer());
        new["spec"]["externalTrafficPolicy"] = json!("Cluster");
        prepare_update(&mut new, &old);
        assert!(!has(&new["spec"], "healthCheckNodePort"));
        // The policy applied only because of the external addresses.
        let spec = json!({"type": "ClusterIP", "externalIPs": ["1.2.3.4"], "externalTrafficPolicy": "Cluster"});
        let (old, mut new) = (service(spec.clone()), service(spec));
        new["spec"]["externalIPs"] = json!([]);
        prepare_update(&mut new, &old);
        assert!(!has(&new["spec"], "externalTrafficPolicy"));
    }

    #[test]
    fn an_update_without_allocated_values_keeps_them() {
        let old = balancer();
        let mut new = service(json!({
            "type": "LoadBalancer", "externalTrafficPolicy": "Local",
            "ports": [{"name": "b", "port": 8081}, {"name": "new", "port": 82}, {"name": "a", "port": 80}],
        }));
        prepare_update(&mut new, &old);
        assert_eq!(new["spec"]["clusterIP"], "10.96.0.9");
        assert_eq!(new["spec"]["clusterIPs"], json!(["10.96.0.9"]));
        assert_eq!(new["spec"]["healthCheckNodePort"], 30_009);
        assert_eq!(node_ports(&new["spec"]), [30_002, 30_001]);
        // A number that the writer gave to another port is not assigned a second time.
        let mut moved = service(json!({"type": "NodePort",
            "ports": [{"name": "a", "port": 80}, {"name": "c", "port": 82, "nodePort": 30_001}]}));
        prepare_update(&mut moved, &old);
        assert_eq!(node_ports(&moved["spec"]), [30_001]);
    }
}
