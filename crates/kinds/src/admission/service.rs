//! The fields that the cluster assigns to a Service: address families, cluster IPs, node ports.

use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::core::service::cluster_ips;
use crate::tree::{
    as_text, ensure, field, flag, int, items, len, list, push, set, set_default, text,
};
use crate::validate::{Errors, Path};

/// The cluster's ranges, as functions that allocate the requested value or the next free one.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::admission::service::{Ranges, allocate};
///
/// let mut service = json!({"spec": {"type": "ClusterIP", "ports": [{"port": 80}]}});
/// let mut ranges = Ranges {
///     address: &mut |wanted| Ok(wanted.unwrap_or("10.96.0.9").to_owned()),
///     port: &mut |wanted| Ok(if wanted == 0 { 30_001 } else { wanted }),
/// };
/// allocate(&mut service, &mut ranges).unwrap();
/// assert_eq!(service["spec"]["clusterIP"], "10.96.0.9");
/// ```
pub struct Ranges<'a> {
    /// Allocates the given address, or any address for `None`; returns an error if it is not available.
    pub address: &'a mut dyn FnMut(Option<&str>) -> Result<String, String>,
    /// Allocates the given node port, or any port for 0.
    pub port: &'a mut dyn FnMut(u16) -> Result<u16, String>,
}

/// Allocates the values that a new Service does not set, before it is validated. The cluster supports only IPv4.
///
/// # Errors
/// Returns the API's error if a requested value is not available: 422, or 500 for a value that is not in the request
/// or belongs to health checks.
pub fn allocate(service: &mut Value, ranges: &mut Ranges<'_>) -> Result<(), Status> {
    give(service, &Value::Null, ranges, true)
}

/// Allocates the values that an updated Service lacks. Keeps existing values without allocating them again.
///
/// The caller releases the addresses and ports of `old` that `service` no longer has.
///
/// # Errors
/// See [`allocate`].
pub fn reallocate(service: &mut Value, old: &Value, ranges: &mut Ranges<'_>) -> Result<(), Status> {
    let before = field(old, "spec");
    let kept_address = text(before, "clusterIP");
    let kept_ports: Vec<i64> = list(before, "ports")
        .iter()
        .map(|port| int(port, "nodePort"))
        .filter(|port| *port != 0)
        .collect();
    // The ranges would report values that this Service already holds as taken, so do not ask for them.
    let mut address = |wanted: Option<&str>| match wanted {
        Some(wanted) if wanted == kept_address => Ok(wanted.to_owned()),
        wanted => (ranges.address)(wanted),
    };
    let mut port = |wanted: u16| match kept_ports.contains(&i64::from(wanted)) {
        true => Ok(wanted),
        false => (ranges.port)(wanted),
    };
    let mut kept = Ranges {
        address: &mut address,
        port: &mut port,
    };
    give(service, before, &mut kept, false)
}

/// Allocates the missing values. With `shares`, ports with the same number share a node port, such as DNS over TCP
/// and UDP.
fn give(
    service: &mut Value,
    before: &Value,
    ranges: &mut Ranges<'_>,
    shares: bool,
) -> Result<(), Status> {
    let name = text(field(service, "metadata"), "name").to_owned();
    let spec = ensure(service, "spec");
    if text(spec, "type") == "ExternalName" {
        return Ok(());
    }
    let mut errors = Errors::default();
    // The rest relies on valid addresses and families. All other rules are checked afterwards.
    cluster_ips(&Path::root("spec"), spec, &mut errors);
    if errors.is_empty() {
        families(spec, before, &mut errors);
    }
    let given = match errors.is_empty() {
        true => addresses(spec, before, ranges)
            .and_then(|()| node_ports(spec, ranges, shares))
            .and_then(|()| health_port(spec, before, ranges)),
        // Do not allocate anything after an error, because the caller would have to release it.
        false => Err(Refusal::Invalid(errors)),
    };
    given.map_err(|refusal| match refusal {
        Refusal::Invalid(errors) => Status::invalid("", "Service", &name, errors.into_causes()),
        Refusal::Internal(why) => Status::internal_error(why),
        Refusal::Untyped(why) => Status::internal(why),
    })
}

/// The reason why a value is not allocated.
enum Refusal {
    /// A field of the request has it.
    Invalid(Errors),
    /// Upstream reports all else as an error of the server.
    Internal(String),
    /// An error without a type.
    Untyped(String),
}

impl Refusal {
    fn of_field(path: &Path<'_>, value: &Value, why: &str) -> Self {
        let mut errors = Errors::default();
        errors.invalid(path, value, why);
        Self::Invalid(errors)
    }
}

/// Sets the policy and the families of the addresses; `before` is the spec that an update replaces.
fn families(spec: &mut Value, before: &Value, errors: &mut Errors) {
    // A headless Service without a selector may point anywhere, so the families of the cluster do not limit it.
    let selectorless = text(spec, "clusterIP") == "None" && len(spec, "selector") == 0;
    // A client that does not know policies keeps the old one in an update.
    let policy = match text(before, "ipFamilyPolicy") {
        "" if selectorless => "RequireDualStack",
        "" => "SingleStack",
        old => old,
    };
    set_default(spec, "ipFamilyPolicy", policy);
    if text(spec, "ipFamilyPolicy") == "SingleStack" {
        one_of_each(spec, before, errors);
    }
    infer_families(spec, errors);
    if !errors.is_empty() {
        return;
    }
    if !selectorless {
        configured_families(spec, errors);
    }
    if len(spec, "ipFamilies") == 0 {
        set(spec, "ipFamilies", json!(["IPv4"]));
    }
    if selectorless && text(spec, "ipFamilyPolicy") != "SingleStack" {
        let first = list(spec, "ipFamilies").first().cloned();
        let both = match first.is_some_and(|first| first == "IPv6") {
            true => json!(["IPv6", "IPv4"]),
            false => json!(["IPv4", "IPv6"]),
        };
        set(spec, "ipFamilies", both);
    }
}

/// Requires at most one address and one family. An update that changes only the policy drops the second ones.
fn one_of_each(spec: &mut Value, before: &Value, errors: &mut Errors) {
    let path = Path::root("spec");
    for name in ["clusterIPs", "ipFamilies"] {
        if len(spec, name) != 2 {
            continue;
        }
        if field(spec, name) == field(before, name) {
            let first = list(spec, name)[0].clone();
            set(spec, name, json!([first]));
            continue;
        }
        let detail = format!(
            "must be RequireDualStack or PreferDualStack when multiple {name} are specified"
        );
        let policy = field(spec, "ipFamilyPolicy");
        errors.invalid(&path.child("ipFamilyPolicy"), policy, &detail);
    }
}

/// Adds the families of requested addresses for which the list has no family.
fn infer_families(spec: &mut Value, errors: &mut Errors) {
    let path = Path::root("spec");
    let path = path.child("clusterIPs");
    let chosen = list(spec, "clusterIPs").to_vec();
    let known = len(spec, "ipFamilies");
    for (index, address) in chosen.iter().enumerate().skip(known) {
        match as_text(address) {
            "None" => break,
            address if address.contains(':') => errors.invalid(
                &path.index(index),
                field(spec, "clusterIPs"),
                "IPv6 is not configured on this cluster",
            ),
            _ => push(spec, "ipFamilies", "IPv4"),
        }
    }
}

/// Rejects anything that needs IPv6, because the cluster supports only IPv4.
fn configured_families(spec: &Value, errors: &mut Errors) {
    let path = Path::root("spec");
    if text(spec, "ipFamilyPolicy") == "RequireDualStack" {
        errors.invalid(
            &path.child("ipFamilyPolicy"),
            field(spec, "ipFamilyPolicy"),
            "this cluster is not configured for dual-stack services",
        );
    }
    let families = path.child("ipFamilies");
    for (index, family) in list(spec, "ipFamilies").iter().enumerate() {
        if family == "IPv6" {
            let detail = "not configured on this cluster";
            errors.invalid(&families.index(index), family, detail);
        }
    }
}

fn addresses(spec: &mut Value, before: &Value, ranges: &mut Ranges<'_>) -> Result<(), Refusal> {
    // The address of an existing Service stays, and validation rejects another one.
    if !before.is_null() && text(before, "type") != "ExternalName" {
        return Ok(());
    }
    let wanted = text(spec, "clusterIP").to_owned();
    if wanted == "None" {
        set_default(spec, "clusterIPs", json!(["None"]));
        return Ok(());
    }
    let address = match wanted.as_str() {
        "" => (ranges.address)(None)
            .map_err(|why| Refusal::Internal(format!("failed to allocate a serviceIP: {why}")))?,
        wanted => (ranges.address)(Some(wanted)).map_err(|why| {
            let path = Path::root("spec");
            let why = format!("failed to allocate IP {wanted}: {why}");
            Refusal::of_field(&path.child("clusterIPs"), field(spec, "clusterIPs"), &why)
        })?,
    };
    set(spec, "clusterIPs", json!([address]));
    set(spec, "clusterIP", address);
    Ok(())
}

fn node_ports(spec: &mut Value, ranges: &mut Ranges<'_>, shares: bool) -> Result<(), Refusal> {
    let kind = text(spec, "type").to_owned();
    if !matches!(kind.as_str(), "LoadBalancer" | "NodePort") {
        return Ok(());
    }
    let allocates = kind == "NodePort" || flag(spec, "allocateLoadBalancerNodePorts");
    let both = |port: &Value| (int(port, "port"), int(port, "nodePort"));
    let all: Vec<(i64, i64)> = list(spec, "ports").iter().map(both).collect();
    let mut allocated: Vec<(i64, i64)> = Vec::new();
    let mut seen: Vec<(String, i64)> = Vec::new();
    for (index, port) in items(spec, "ports").enumerate() {
        let (number, mut wanted) = both(port);
        // Without allocation, the numbers that the writer has set are still reserved.
        if wanted == 0 && !allocates {
            continue;
        }
        let own = (text(port, "protocol").to_owned(), wanted);
        if !shares && wanted != 0 && seen.contains(&own) {
            let (protocol, number) = own;
            let why = format!("duplicate nodePort: {{{protocol} {number}}}");
            return Err(Refusal::Untyped(why));
        }
        seen.push(own);
        let own = allocated.iter().find(|(n, _)| shares && *n == number);
        match own {
            Some((_, own)) if wanted == 0 || wanted == *own => {
                set(port, "nodePort", *own);
                continue;
            }
            // The writer may have set the number at a later port.
            None if shares && wanted == 0 => {
                let chosen = all.iter().find(|(n, chosen)| *n == number && *chosen != 0);
                wanted = chosen.map_or(0, |(_, chosen)| *chosen);
            }
            // In an update, a number that is already allocated may be used twice.
            None if !shares && allocated.iter().any(|(_, given)| *given == wanted) => continue,
            _ => {}
        }
        let given = (ranges.port)(as_port(wanted)).map_err(|why| match wanted {
            0 => Refusal::Internal(format!("failed to allocate a nodePort: {why}")),
            wanted => {
                let spec = Path::root("spec");
                let ports = spec.child("ports");
                let path = ports.index(index);
                Refusal::of_field(&path.child("nodePort"), &json!(wanted), &why)
            }
        })?;
        set(port, "nodePort", given);
        allocated.push((number, i64::from(given)));
    }
    Ok(())
}

/// Returns a number as a port. One that is not a port is in no range.
fn as_port(number: i64) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// Allocates the port that load balancers probe to find the nodes with endpoints. An update keeps the port of `before`.
fn health_port(spec: &mut Value, before: &Value, ranges: &mut Ranges<'_>) -> Result<(), Refusal> {
    let name = "healthCheckNodePort";
    let is_probed = |spec: &Value| {
        text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local"
    };
    let keeps = is_probed(before) && int(before, name) != 0;
    if !is_probed(spec) || keeps && int(spec, name) != 0 {
        return Ok(());
    }
    let wanted = int(spec, name);
    let given = (ranges.port)(as_port(wanted)).map_err(|why| {
        let which = match wanted {
            0 => "a",
            _ => "requested",
        };
        Refusal::Internal(format!(
            "failed to allocate {which} HealthCheck NodePort {wanted}: {why}"
        ))
    })?;
    set(spec, name, given);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_allocates_only_new_values() {
        let old = json!({"spec": {"type": "ClusterIP", "clusterIP": "10.96.0.9",
            "clusterIPs": ["10.96.0.9"], "ports": [{"port": 80}]}});
        let mut new = old.clone();
        new["spec"]["type"] = json!("NodePort");
        let mut address = |wanted: Option<&str>| Err(format!("asked for {wanted:?}"));
        let mut port = |wanted: u16| {
            if wanted == 0 {
                Ok(30_001)
            } else {
                Err(String::new())
            }
        };
        let mut ranges = Ranges {
            address: &mut address,
            port: &mut port,
        };
        reallocate(&mut new, &old, &mut ranges).unwrap();
        assert_eq!(new["spec"]["ports"][0]["nodePort"], 30_001);
        assert_eq!(new["spec"]["clusterIP"], "10.96.0.9");
    }

    #[test]
    fn families_follow_the_policy_and_the_addresses() {
        let told = |spec: Value, before: Value| {
            let (mut spec, mut errors) = (spec, Errors::default());
            families(&mut spec, &before, &mut errors);
            match errors.into_causes().first() {
                Some(cause) => cause.to_string(),
                None => format!("{} {}", text(&spec, "ipFamilyPolicy"), spec["ipFamilies"]),
            }
        };
        let two = "must be RequireDualStack or PreferDualStack when multiple";
        let of_policy = "spec.ipFamilyPolicy: Invalid value: \"SingleStack\":";
        for (spec, wanted) in [
            (json!({}), "SingleStack [\"IPv4\"]".to_owned()),
            (
                json!({"clusterIP": "None"}),
                "RequireDualStack [\"IPv4\",\"IPv6\"]".to_owned(),
            ),
            (
                json!({"ipFamilies": ["IPv4", "IPv6"]}),
                format!("{of_policy} {two} ipFamilies are specified"),
            ),
            (
                json!({"clusterIPs": ["10.96.1.3", "fd00::1"]}),
                format!("{of_policy} {two} clusterIPs are specified"),
            ),
            (
                json!({"clusterIPs": ["10.96.1.3", "fd00::1"], "ipFamilyPolicy": "PreferDualStack"}),
                "spec.clusterIPs[1]: Invalid value: [\"10.96.1.3\",\"fd00::1\"]: IPv6 is not configured on this cluster"
                    .to_owned(),
            ),
            (
                json!({"ipFamilyPolicy": "RequireDualStack"}),
                "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for dual-stack \
                 services"
                    .to_owned(),
            ),
        ] {
            assert_eq!(told(spec, Value::Null), wanted);
        }
        let old = json!({"clusterIP": "None", "ipFamilyPolicy": "RequireDualStack", "ipFamilies": ["IPv4", "IPv6"]});
        let mut new = old.clone();
        new["ipFamilyPolicy"] = json!("SingleStack");
        assert_eq!(told(new, old.clone()), "SingleStack [\"IPv4\"]");
        let silent = json!({"clusterIP": "None", "ipFamilies": ["IPv4", "IPv6"]});
        assert_eq!(told(silent, old), "RequireDualStack [\"IPv4\",\"IPv6\"]");
    }

    #[test]
    fn ports_of_one_number_share_a_node_port() {
        let dns = |tcp: i64, udp: i64| {
            json!({"spec": {"type": "NodePort", "ports": [
                {"name": "a", "port": 53, "protocol": "TCP", "nodePort": tcp},
                {"name": "b", "port": 53, "protocol": "UDP", "nodePort": udp},
                {"name": "m", "port": 9153, "protocol": "TCP"},
            ]}})
        };
        let given = |service: &mut Value, old: Option<&Value>| {
            let (mut next, mut taken) = (30_000, Vec::new());
            let mut address = |_: Option<&str>| Ok("10.96.0.9".to_owned());
            let mut port = |wanted: u16| {
                next += 1;
                let port = if wanted == 0 { next } else { wanted };
                if taken.contains(&port) {
                    return Err("taken".to_owned());
                }
                taken.push(port);
                Ok(port)
            };
            let mut ranges = Ranges {
                address: &mut address,
                port: &mut port,
            };
            match old {
                None => allocate(service, &mut ranges).unwrap(),
                Some(old) => reallocate(service, old, &mut ranges).unwrap(),
            }
            let ports = list(field(service, "spec"), "ports").iter();
            ports.map(|port| int(port, "nodePort")).collect::<Vec<_>>()
        };
        assert_eq!(given(&mut dns(0, 0), None), [30_001, 30_001, 30_002]);
        assert_eq!(given(&mut dns(0, 30_053), None), [30_053, 30_053, 30_002]);
        assert_eq!(
            given(&mut dns(30_090, 30_090), None),
            [30_090, 30_090, 30_002]
        );
        // In an update, ports do not share a number unless the writer sets it.
        let old = json!({"spec": {"type": "ClusterIP", "ports": [{"port": 80}]}});
        assert_eq!(given(&mut dns(0, 0), Some(&old)), [30_001, 30_002, 30_003]);
        assert_eq!(
            given(&mut dns(30_090, 30_090), Some(&old)),
            [30_090, 30_090, 30_002]
        );
    }

    #[test]
    fn numbers_that_the_writer_sets_are_reserved() {
        let mut address = |_: Option<&str>| Ok("10.96.0.9".to_owned());
        let mut port = |wanted: u16| match wanted {
            80 => Err("not in the range".to_owned()),
            wanted => Ok(wanted),
        };
        let mut ranges = Ranges {
            address: &mut address,
            port: &mut port,
        };
        let mut balancer = json!({"metadata": {"name": "s"}, "spec": {"type": "LoadBalancer",
            "allocateLoadBalancerNodePorts": false, "ports": [{"port": 80}, {"port": 81, "nodePort": 80}]}});
        let refused = allocate(&mut balancer, &mut ranges).unwrap_err();
        assert_eq!(
            refused.message,
            "Service \"s\" is invalid: spec.ports[1].nodePort: Invalid value: 80: not in the range"
        );
        let old = json!({"spec": {"type": "ClusterIP", "ports": [{"port": 80}]}});
        let port = json!({"port": 80, "protocol": "TCP", "nodePort": 30_001});
        let mut twice = json!({"spec": {"type": "NodePort", "ports": [port, port]}});
        let refused = reallocate(&mut twice, &old, &mut ranges).unwrap_err();
        assert_eq!(
            (refused.code, &*refused.message),
            (500, "duplicate nodePort: {TCP 30001}")
        );
    }

    #[test]
    fn invalid_node_port_is_rejected_instead_of_reallocated() {
        let old = json!({"spec": {"type": "ClusterIP", "ports": [{"port": 80}]}});
        for wanted in [-1, 65_536, 70_000] {
            let mut new = old.clone();
            new["spec"]["type"] = json!("NodePort");
            new["spec"]["ports"][0]["nodePort"] = json!(wanted);
            let mut address = |_: Option<&str>| Ok("10.96.0.9".to_owned());
            let mut port = |wanted: u16| match wanted {
                0 => Ok(30_001),
                _ => Err("not in the range".to_owned()),
            };
            let mut ranges = Ranges {
                address: &mut address,
                port: &mut port,
            };
            let refused = reallocate(&mut new, &old, &mut ranges);
            assert!(refused.is_err(), "{wanted}: {new}");
        }
    }

    #[test]
    fn a_health_port_is_allocated_like_a_node_port() {
        let balancer = |port: i64| {
            json!({"spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": port,
                "ports": [{"port": 80}]}})
        };
        let given = |service: &mut Value, old: Option<&Value>| {
            let mut address = |_: Option<&str>| Ok("10.96.0.9".to_owned());
            let mut port = |wanted: u16| match wanted {
                0 => Ok(30_001),
                30_002 => Ok(wanted),
                _ => Err("taken".to_owned()),
            };
            let mut ranges = Ranges {
                address: &mut address,
                port: &mut port,
            };
            let given = match old {
                None => allocate(service, &mut ranges),
                Some(old) => reallocate(service, old, &mut ranges),
            };
            match given {
                Ok(()) => int(&service["spec"], "healthCheckNodePort").to_string(),
                Err(status) => format!("{} {}", status.reason, status.message),
            }
        };
        assert_eq!(given(&mut balancer(0), None), "30001");
        assert_eq!(given(&mut balancer(30_002), None), "30002");
        for wanted in [31_111, -5, 70_000] {
            let told = format!(
                "InternalError Internal error occurred: failed to allocate requested HealthCheck NodePort {wanted}: taken"
            );
            assert_eq!(given(&mut balancer(wanted), None), told);
        }
        // Validation rejects the change of a port, so nothing is allocated for it.
        let old = balancer(31_111);
        assert_eq!(given(&mut balancer(31_111), Some(&old)), "31111");
        assert_eq!(given(&mut balancer(31_112), Some(&old)), "31112");
    }

    #[test]
    fn a_full_range_is_an_error_of_the_server() {
        let told = |kind: &str, full_addresses: bool| {
            let mut service =
                json!({"metadata": {"name": "s"}, "spec": {"type": kind, "ports": [{"port": 80}]}});
            let mut address = |_: Option<&str>| match full_addresses {
                true => Err("range is full".to_owned()),
                false => Ok("10.96.0.9".to_owned()),
            };
            let mut port = |_: u16| Err("range is full".to_owned());
            let mut ranges = Ranges {
                address: &mut address,
                port: &mut port,
            };
            allocate(&mut service, &mut ranges).unwrap_err().message
        };
        assert_eq!(
            told("ClusterIP", true),
            "Internal error occurred: failed to allocate a serviceIP: range is full"
        );
        assert_eq!(
            told("NodePort", false),
            "Internal error occurred: failed to allocate a nodePort: range is full"
        );
    }
}
