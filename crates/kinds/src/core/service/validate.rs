//! The rules of a Service.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::strategy;
use crate::api::json::{Value, json};
use crate::tree::{as_text, at, field, has, int, len, list, opt_int, text, texts};
use crate::validate::common::{one_of, port_number, port_or_name, required_one_of};
use crate::validate::errors::Errors;
use crate::validate::load_balancer::balancer_point;
use crate::validate::path::Path;
use crate::validate::{addresses, go, meta, names};

const BALANCER_ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
const NOT_EXTERNAL: &str = "may not be set for ExternalName services";
const AFFINITY_MAX: i64 = 86_400;
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";
const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";

/// Validates a new Service.
pub(crate) fn create(service: &Value, errors: &mut Errors) {
    meta::create(service, true, names::dns1123_label, errors);
    topology(service, errors);
    let (path, spec) = (Path::root("spec"), field(service, "spec"));
    let kind = text(spec, "type");
    let headless = list(spec, "clusterIPs").first().map(as_text) == Some("None");
    // A headless Service and an ExternalName need no ports, because they only provide DNS records.
    if len(spec, "ports") == 0 && !headless && kind != "ExternalName" {
        errors.required(&path.child("ports"), "");
    }
    by_type(&path, spec, headless, errors);
    ports(&path.child("ports"), spec, errors);
    meta::labels(&path.child("selector"), spec, "selector", errors);
    required_one_of(
        &path,
        spec,
        "sessionAffinity",
        &["ClientIP", "None"],
        errors,
    );
    affinity_config(&path.child("sessionAffinityConfig"), spec, errors);
    cluster_ips(&path, spec, errors);
    external_ips(&path.child("externalIPs"), spec, errors);
    let types = &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    required_one_of(&path, spec, "type", types, errors);
    port_conflicts(&path.child("ports"), spec, errors);
    // Upstream's path has the name of the Go field, with a capital letter.
    source_ranges(&path.child("LoadBalancerSourceRanges"), service, errors);
    allocation(&path, spec, errors);
    balancer_class(&path, spec, errors);
    traffic_policies(&path, spec, errors);
    let supported = &["PreferClose", "PreferSameZone", "PreferSameNode"];
    one_of(&path, spec, "trafficDistribution", supported, errors);
}

/// Validates an update of a Service.
pub(crate) fn update(service: &Value, old: &Value, errors: &mut Errors) {
    meta::update(service, old, errors);
    let path = Path::root("spec");
    let (spec, before) = (field(service, "spec"), field(old, "spec"));
    // An ExternalName has no address, so a change from or to it may set or drop one.
    let external = |spec| text(spec, "type") == "ExternalName";
    if !external(spec) && !external(before) {
        let first = |spec| list(spec, "clusterIPs").first().map_or("", as_text);
        let (new, old) = (first(spec), first(before));
        // Clients would keep using the old address, and nothing would tell them about the change.
        if new != old && !new.is_empty() && !old.is_empty() {
            let list = path.child("clusterIPs");
            let value = field(spec, "clusterIPs");
            errors.invalid(&list.index(0), value, "may not change once set");
        }
    }
    // After a change of class, two controllers would work on the same load balancer.
    let both = text(spec, "type") == "LoadBalancer" && text(before, "type") == "LoadBalancer";
    if both && field(spec, "loadBalancerClass") != field(before, "loadBalancerClass") {
        errors.invalid(
            &path.child("loadBalancerClass"),
            field(spec, "loadBalancerClass"),
            "may not change once set",
        );
    }
    // The rules for a new Service check it a second time.
    balancer_class(&path, spec, errors);
    let probed = strategy::has_health_port(spec) && strategy::has_health_port(before);
    if probed && int(spec, "healthCheckNodePort") != int(before, "healthCheckNodePort") {
        errors.forbidden(&path.child("healthCheckNodePort"), "field is immutable");
    }
    // Upstream checks the rules for a new Service last.
    create(service, errors);
}

/// Validates an update of a Service's status.
pub(crate) fn status(service: &Value, old: &Value, errors: &mut Errors) {
    meta::update(service, old, errors);
    let path = Path::root("status");
    let path = path.child("loadBalancer");
    let path = path.child("ingress");
    let ingress = list(field(field(service, "status"), "loadBalancer"), "ingress");
    if text(field(service, "spec"), "type") != "LoadBalancer" && !ingress.is_empty() {
        let detail = "may only be used when `spec.type` is 'LoadBalancer'";
        return errors.forbidden(&path, detail);
    }
    for (index, point) in ingress.iter().enumerate() {
        let path = path.index(index);
        balancer_point(&path, point, errors);
        if has(point, "ipMode") && text(point, "ip").is_empty() {
            let detail = "may not be specified when `ip` is not set";
            errors.forbidden(&path.child("ipMode"), detail);
        }
        one_of(&path, point, "ipMode", &["Proxy", "VIP"], errors);
    }
}

/// Requires the two annotations for topology-aware routing to agree: the newer one replaces the older one.
fn topology(service: &Value, errors: &mut Errors) {
    let annotations = at(service, &["metadata", "annotations"]);
    let (mode, hints) = (
        field(annotations, TOPOLOGY_MODE),
        field(annotations, TOPOLOGY_HINTS),
    );
    if !mode.is_null() && !hints.is_null() && mode != hints {
        let path = Path::root("metadata");
        let path = path.child("annotations");
        let detail = format!("must match annotations[{TOPOLOGY_HINTS}] when both are specified");
        errors.invalid(&path.key(TOPOLOGY_MODE), mode, &detail);
    }
}

fn by_type(path: &Path<'_>, spec: &Value, headless: bool, errors: &mut Errors) {
    let kind = text(spec, "type");
    if headless && matches!(kind, "LoadBalancer" | "NodePort") {
        let list = path.child("clusterIPs");
        let detail = format!("may not be set to 'None' for {kind} services");
        errors.invalid_shown(&list.index(0), "\"None\"", &detail);
    }
    if kind != "ExternalName" {
        return;
    }
    for name in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        if has(spec, name) {
            errors.forbidden(&path.child(name), NOT_EXTERNAL);
        }
    }
    let path = path.child("externalName");
    let name = text(spec, "externalName");
    // A trailing dot is valid in DNS, but not in Kubernetes' rule for DNS names.
    match name.strip_suffix('.').unwrap_or(name) {
        "" => errors.required(&path, ""),
        host => errors.invalid_each(&path, host, names::dns1123_subdomain(host)),
    }
}

fn ports(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    let all = list(spec, "ports");
    for (index, port) in all.iter().enumerate() {
        let path = path.index(index);
        let name = text(port, "name");
        // Endpoints refer to ports by name, so only a single port may be unnamed.
        if name.is_empty() && all.len() > 1 {
            errors.required(&path.child("name"), "");
        } else if !name.is_empty() {
            errors.invalid_each(&path.child("name"), name, names::dns1123_label(name));
            if !seen.insert(name) {
                errors.duplicate(&path.child("name"), &go::quoted(name));
            }
        }
        port_number(&path.child("port"), int(port, "port"), errors);
        let protocols = &["SCTP", "TCP", "UDP"];
        required_one_of(&path, port, "protocol", protocols, errors);
        port_or_name(&path.child("targetPort"), field(port, "targetPort"), errors);
        let protocol = text(port, "appProtocol");
        if has(port, "appProtocol") {
            let wrong = names::qualified_name(protocol);
            errors.invalid_each(&path.child("appProtocol"), protocol, wrong);
        }
    }
}

fn affinity_config(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    match text(spec, "sessionAffinity") {
        "ClientIP" => {
            let client = field(field(spec, "sessionAffinityConfig"), "clientIP");
            // Defaulting has already set a missing timeout to three hours.
            let seconds = opt_int(client, "timeoutSeconds").unwrap_or(0);
            if !(1..=AFFINITY_MAX).contains(&seconds) {
                let detail = format!("must be greater than 0 and less than {AFFINITY_MAX}");
                let path = path.child("clientIP");
                errors.invalid(&path.child("timeoutSeconds"), &json!(seconds), &detail);
            }
        }
        "None" if has(spec, "sessionAffinityConfig") => {
            errors.forbidden(path, "must not be set when session affinity is None");
        }
        _ => {}
    }
}

/// Validates the addresses and their families, on which the allocation depends.
pub(crate) fn cluster_ips(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if text(spec, "type") == "ExternalName" {
        return;
    }
    let (ips, all) = (path.child("clusterIPs"), list(spec, "clusterIPs"));
    let value = field(spec, "clusterIPs");
    let mut wrong = |detail: &str| errors.invalid(&ips, value, detail);
    // The fields are two forms of one value. The singular field is older and must agree with the list.
    match all.first() {
        Some(_) if text(spec, "clusterIP").is_empty() => {
            wrong("must be empty when `clusterIP` is not specified");
        }
        Some(first) if first != text(spec, "clusterIP") => {
            wrong("first value must match `clusterIP`");
        }
        _ => {}
    }
    let families = path.child("ipFamilies");
    let mut seen = BTreeSet::new();
    for (index, family) in list(spec, "ipFamilies").iter().enumerate() {
        if !matches!(as_text(family), "IPv4" | "IPv6") {
            errors.not_supported(&families.index(index), family, &["IPv4", "IPv6"]);
        }
        if !seen.insert(as_text(family)) {
            errors.duplicate(&families.index(index), &go::shown(family));
        }
    }
    let policies = &["PreferDualStack", "RequireDualStack", "SingleStack"];
    one_of(path, spec, "ipFamilyPolicy", policies, errors);
    // Compare the families only if all addresses are valid; otherwise each error would appear twice.
    let before = errors.len();
    for (index, ip) in all.iter().map(as_text).enumerate() {
        match (index, ip) {
            (0, "None") if all.len() > 1 => {
                errors.invalid(&ips, value, "'None' must be the first and only value");
            }
            (0, "None") => {}
            _ => errors.invalid_each(&ips.index(index), ip, addresses::ip(ip, true)),
        }
    }
    let valid = errors.len() == before;
    if all.len() > 2 {
        errors.invalid(&ips, value, "may only hold up to 2 values");
    }
    if !valid || all.first().is_some_and(|first| first == "None") {
        return;
    }
    // A second address of the same family would serve no purpose.
    let is_v6 = |ip: &&Value| as_text(ip).contains(':');
    let second = all.iter().filter(is_v6).count();
    if all.len() > 1 && (second == 0 || second == all.len()) {
        let detail = "may specify no more than one IP for each IP family";
        errors.invalid(&ips, value, detail);
    }
    match_families(&ips, spec, errors);
}

fn match_families(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let pairs = texts(spec, "clusterIPs").zip(texts(spec, "ipFamilies"));
    for (index, (ip, family)) in pairs.enumerate() {
        let v4 = ip.parse::<IpAddr>().is_ok_and(|ip| ip.is_ipv4());
        let known = matches!(family, "IPv4" | "IPv6");
        if known && v4 != (family == "IPv4") {
            let detail =
                format!("expected an {family} value as indicated by `ipFamilies[{index}]`");
            errors.invalid_shown(&path.index(index), &go::quoted(ip), &detail);
        }
    }
}

fn external_ips(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    for (index, ip) in texts(spec, "externalIPs").enumerate() {
        let wrong = addresses::ip(ip, true);
        // An address such as 127.0.0.1 would capture the node's own traffic.
        if let Some(special) = addresses::special_address(ip).filter(|_| wrong.is_empty()) {
            errors.invalid_shown(&path.index(index), &go::quoted(ip), &special);
        }
        errors.invalid_each(&path.index(index), ip, wrong);
    }
}

fn port_conflicts(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let ports = list(spec, "ports");
    for (index, port) in ports.iter().enumerate() {
        if text(spec, "type") == "ClusterIP" && int(port, "nodePort") != 0 {
            let detail = "may not be used when `type` is 'ClusterIP'";
            errors.forbidden(&path.index(index).child("nodePort"), detail);
        }
    }
    // The allocation reports a node port that somebody else has, but not one that the Service itself repeats.
    let mut seen = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let number = int(port, "nodePort");
        if number != 0 && !seen.insert((text(port, "protocol"), number)) {
            let path = path.index(index);
            errors.duplicate(&path.child("nodePort"), &number.to_string());
        }
    }
    let mut seen = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        if !seen.insert((text(port, "protocol"), int(port, "port"))) {
            errors.duplicate(&path.index(index), &go::shown_as("ServicePortKey", port));
        }
    }
}

fn source_ranges(path: &Path<'_>, service: &Value, errors: &mut Errors) {
    let spec = field(service, "spec");
    if len(spec, "loadBalancerSourceRanges") == 0 {
        return annotated_ranges(service, errors);
    }
    if text(spec, "type") != "LoadBalancer" {
        errors.forbidden(path, BALANCER_ONLY);
    }
    for (index, range) in texts(spec, "loadBalancerSourceRanges").enumerate() {
        let range = range.trim();
        let wrong = addresses::cidr(range, true);
        errors.invalid_each(&path.index(index), range, wrong);
    }
}

/// Validates the ranges in the annotation, which predates the field and counts only if the field is not set.
fn annotated_ranges(service: &Value, errors: &mut Errors) {
    let annotations = at(service, &["metadata", "annotations"]);
    let Some(ranges) = field(annotations, SOURCE_RANGES).as_str() else {
        return;
    };
    let path = Path::root("metadata");
    let path = path.child("annotations");
    let path = path.key(SOURCE_RANGES);
    if text(field(service, "spec"), "type") != "LoadBalancer" {
        errors.forbidden(&path, BALANCER_ONLY);
    }
    if !ranges.trim().is_empty() {
        for range in ranges.split(',').map(str::trim) {
            errors.invalid_each(&path, range, addresses::cidr(range, true));
        }
    }
}

fn allocation(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let name = "allocateLoadBalancerNodePorts";
    // The default is already set for the type `LoadBalancer`, so a missing field is an error there. For other types,
    // a present field is an error.
    match (text(spec, "type") == "LoadBalancer", has(spec, name)) {
        (true, false) => errors.required(&path.child(name), ""),
        (false, true) => errors.forbidden(&path.child(name), BALANCER_ONLY),
        _ => {}
    }
}

fn traffic_policies(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let kind = text(spec, "type");
    let external = matches!(kind, "NodePort" | "LoadBalancer")
        || kind == "ClusterIP" && len(spec, "externalIPs") > 0;
    let policy = field(spec, "externalTrafficPolicy");
    if external {
        let policies = &["Cluster", "Local"];
        required_one_of(path, spec, "externalTrafficPolicy", policies, errors);
    } else if !policy.is_null() {
        let detail = "may only be set for externally-accessible services";
        errors.invalid(&path.child("externalTrafficPolicy"), policy, detail);
    }
    let port = int(spec, "healthCheckNodePort");
    if port != 0 && !(kind == "LoadBalancer" && policy == "Local") {
        errors.invalid(
            &path.child("healthCheckNodePort"),
            &json!(port),
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        );
    }
    one_of(
        path,
        spec,
        "internalTrafficPolicy",
        &["Cluster", "Local"],
        errors,
    );
}

fn balancer_class(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if !has(spec, "loadBalancerClass") {
        return;
    }
    let (path, class) = (
        path.child("loadBalancerClass"),
        text(spec, "loadBalancerClass"),
    );
    if text(spec, "type") != "LoadBalancer" {
        return errors.forbidden(&path, BALANCER_ONLY);
    }
    errors.invalid_each(&path, class, names::qualified_name(class));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(spec: Value) -> Vec<String> {
        let mut errors = Errors::default();
        let (path, spec) = (Path::root("spec"), &spec);
        cluster_ips(&path, spec, &mut errors);
        texts_of(errors)
    }

    fn texts_of(errors: Errors) -> Vec<String> {
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    /// Returns a valid load balancer with these fields.
    fn balancer(fields: &[(&str, Value)]) -> Value {
        let mut service = json!({"metadata": {"name": "s", "namespace": "d", "uid": "u", "resourceVersion": "1"},
            "spec": {"type": "LoadBalancer", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster",
                "externalTrafficPolicy": "Cluster", "allocateLoadBalancerNodePorts": true,
                "ports": [{"port": 10_250, "targetPort": 80, "protocol": "TCP"}]}});
        for (name, value) in fields {
            service["spec"][*name] = value.clone();
        }
        service
    }

    #[test]
    fn a_load_balancer_may_have_the_port_of_the_kubelet() {
        let mut errors = Errors::default();
        create(&balancer(&[]), &mut errors);
        assert_eq!(texts_of(errors), [""; 0]);
    }

    #[test]
    fn an_update_reports_a_wrong_class_twice() {
        let service = balancer(&[
            ("loadBalancerClass", json!("a b")),
            ("externalTrafficPolicy", json!("X")),
        ]);
        let mut errors = Errors::default();
        update(&service, &service, &mut errors);
        let class = "spec.loadBalancerClass: Invalid value: \"a b\"";
        let policy = "spec.externalTrafficPolicy: Unsupported value: \"X\"";
        let told = texts_of(errors);
        assert_eq!(told.len(), 3, "{told:#?}");
        for (told, wanted) in told.iter().zip([class, class, policy]) {
            assert!(told.starts_with(wanted), "{told}");
        }
    }

    #[test]
    fn annotations_for_topology_agree() {
        for (hints, told) in [
            ("Auto", None),
            (
                "Disabled",
                Some(
                    "metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: \"Auto\": must match \
                     annotations[service.kubernetes.io/topology-aware-hints] when both are specified",
                ),
            ),
        ] {
            let mut service = balancer(&[]);
            service["metadata"]["annotations"] =
                json!({TOPOLOGY_MODE: "Auto", TOPOLOGY_HINTS: hints});
            let mut errors = Errors::default();
            create(&service, &mut errors);
            let wanted: Vec<&str> = told.into_iter().collect();
            assert_eq!(texts_of(errors), wanted);
        }
    }

    #[test]
    fn two_cluster_addresses_have_two_families() {
        let spec =
            |second: &str| json!({"clusterIP": "10.96.1.3", "clusterIPs": ["10.96.1.3", second]});
        assert_eq!(told(spec("fd00::1")), [""; 0]);
        assert_eq!(
            told(spec("10.96.1.4")),
            [
                "spec.clusterIPs: Invalid value: [\"10.96.1.3\",\"10.96.1.4\"]: may specify no more than one IP for each \
                 IP family"
            ]
        );
    }

    #[test]
    fn errors_of_addresses_are_in_the_servers_order() {
        let spec = json!({"clusterIP": "1.2.3.4", "clusterIPs": ["None", "x"], "ipFamilyPolicy": "P",
            "ipFamilies": ["X", "X"]});
        let wanted = [
            "spec.clusterIPs: Invalid value: [\"None\",\"x\"]: first value must match `clusterIP`",
            "spec.ipFamilies[0]: Unsupported value: \"X\"",
            "spec.ipFamilies[1]: Unsupported value: \"X\"",
            "spec.ipFamilies[1]: Duplicate value: \"X\"",
            "spec.ipFamilyPolicy: Unsupported value: \"P\"",
            "spec.clusterIPs: Invalid value: [\"None\",\"x\"]: 'None' must be the first and only value",
            "spec.clusterIPs[1]: Invalid value: \"x\": must be a valid IP address",
        ];
        let told = told(spec);
        assert_eq!(told.len(), wanted.len(), "{told:#?}");
        for (told, wanted) in told.iter().zip(wanted) {
            assert!(told.starts_with(wanted), "{told} without {wanted}");
        }
    }

    #[test]
    fn a_service_has_a_node_port_once_for_each_protocol() {
        let port = |name: &str, number: i64, protocol: &str| json!({"name": name, "port": number, "targetPort": 80, "protocol": protocol, "nodePort": 30_080});
        let mut errors = Errors::default();
        let ports = json!([
            port("a", 1, "TCP"),
            port("b", 2, "UDP"),
            port("c", 3, "TCP")
        ]);
        create(&balancer(&[("ports", ports)]), &mut errors);
        assert_eq!(
            texts_of(errors),
            ["spec.ports[2].nodePort: Duplicate value: 30080"]
        );
    }
}
