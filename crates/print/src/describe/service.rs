//! Services, Endpoints and EndpointSlices.

use super::events::events;
use super::meta::{head, or, or_none, plain};
use super::related::{NONE, Related, UNSET};
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::columns;
use crate::kinds::tree::{at, field, has, int, len, list, opt_int, text, texts};

pub(super) fn service(w: &mut Writer, service: &Value, related: &Related) {
    let spec = field(service, "spec");
    head(w, service);
    w.field(0, "Selector", columns::labels(spec, "selector"));
    w.field(0, "Type", text(spec, "type"));
    // kubectl checks the pointer of this field, but prints the families regardless.
    if has(spec, "ipFamilyPolicy") {
        w.field(0, "IP Family Policy", text(spec, "ipFamilyPolicy"));
    }
    w.field(0, "IP Families", joined_or_none(spec, "ipFamilies"));
    w.field(0, "IP", text(spec, "clusterIP"));
    w.field(0, "IPs", joined_or_none(spec, "clusterIPs"));
    if len(spec, "externalIPs") > 0 {
        w.field(0, "External IPs", joined_or_none(spec, "externalIPs"));
    }
    for (title, name) in [
        ("Desired LoadBalancer IP", "loadBalancerIP"),
        ("External Name", "externalName"),
    ] {
        if !text(spec, name).is_empty() {
            w.field(0, title, text(spec, name));
        }
    }
    let ingress = list(at(service, &["status", "loadBalancer"]), "ingress");
    if !ingress.is_empty() {
        let all: Vec<String> = ingress.iter().map(load_balancer).collect();
        w.field(0, "LoadBalancer Ingress", all.join(", "));
    }
    for port in list(spec, "ports") {
        one_port(w, port, service, related);
    }
    w.field(0, "Session Affinity", text(spec, "sessionAffinity"));
    for (title, name) in [
        ("External Traffic Policy", "externalTrafficPolicy"),
        ("Internal Traffic Policy", "internalTrafficPolicy"),
    ] {
        if !text(spec, name).is_empty() {
            w.field(0, title, text(spec, name));
        }
    }
    if int(spec, "healthCheckNodePort") != 0 {
        w.field(0, "HealthCheck NodePort", int(spec, "healthCheckNodePort"));
    }
    if len(spec, "loadBalancerSourceRanges") > 0 {
        w.field(
            0,
            "LoadBalancer Source Ranges",
            joined_or_none(spec, "loadBalancerSourceRanges"),
        );
    }
    if has(spec, "trafficDistribution") {
        w.field(0, "Traffic Distribution", text(spec, "trafficDistribution"));
    }
    events(w, related);
}

fn joined_or_none(holder: &Value, name: &str) -> String {
    or_none(&texts(holder, name).collect::<Vec<_>>().join(",")).to_owned()
}

fn load_balancer(ingress: &Value) -> String {
    match (text(ingress, "ip"), text(ingress, "ipMode")) {
        // Some load balancers provide a host name rather than an address; `ipMode` applies only to addresses.
        ("", _) => text(ingress, "hostname").to_owned(),
        (ip, "") => ip.to_owned(),
        (ip, mode) => format!("{ip} ({mode})"),
    }
}

fn one_port(w: &mut Writer, port: &Value, service: &Value, related: &Related) {
    // A Service with a single port may leave it unnamed.
    let (name, protocol) = (or(text(port, "name"), UNSET), text(port, "protocol"));
    w.field(
        0,
        "Port",
        format!("{name}\t{}/{protocol}", int(port, "port")),
    );
    w.field(
        0,
        "TargetPort",
        format!("{}/{protocol}", plain(field(port, "targetPort"))),
    );
    if has(port, "appProtocol") {
        w.field(0, "AppProtocol", text(port, "appProtocol"));
    }
    if int(port, "nodePort") != 0 {
        w.field(
            0,
            "NodePort",
            format!("{name}\t{}/{protocol}", int(port, "nodePort")),
        );
    }
    let slices = slices_of(super::meta::name(service), related);
    w.field(0, "Endpoints", addresses(&slices, text(port, "name")));
}

/// Returns the EndpointSlices of a Service.
pub(super) fn slices_of<'a>(service: &str, related: &'a Related) -> Vec<&'a Value> {
    // Only the label links them: names of slices are generated, and manually written slices may lack owners.
    let of = |slice: &Value| {
        text(
            at(slice, &["metadata", "labels"]),
            "kubernetes.io/service-name",
        ) == service
    };
    related
        .endpoint_slices
        .iter()
        .filter(|slice| of(slice))
        .collect()
}

/// Formats the first three ready addresses for a port.
pub(super) fn addresses(slices: &[&Value], port: &str) -> String {
    const MOST: usize = 3;
    if slices.is_empty() {
        return NONE.to_owned();
    }
    let mut shown: Vec<String> = Vec::new();
    let (mut count, mut more) = (0_usize, false);
    for slice in slices {
        let numbers: Vec<Option<i64>> = match len(slice, "ports") {
            // A headless Service may have no ports.
            0 => vec![None],
            _ => list(slice, "ports")
                .iter()
                .filter(|one| text(one, "name") == port)
                .map(|one| Some(int(one, "port")))
                .collect(),
        };
        for number in numbers {
            for endpoint in list(slice, "endpoints") {
                // kubectl sets this before it checks for readiness, so three ready endpoints and one that is not ready
                // print "+ 0 more...".
                more |= shown.len() == MOST;
                // A missing `ready` means ready, because the API requires clients to treat unknown as true.
                if field(endpoint, "conditions").get("ready") == Some(&Value::Bool(false)) {
                    continue;
                }
                if !more {
                    // Further addresses belong to the same endpoint; the API requires clients to use the first one.
                    let address = texts(endpoint, "addresses").next().unwrap_or_default();
                    shown.push(
                        number.map_or(address.to_owned(), |number| host_and_port(address, number)),
                    );
                }
                count += 1;
            }
        }
    }
    let list = shown.join(",");
    match more {
        true => format!("{list} + {} more...", count.saturating_sub(MOST)),
        false => list,
    }
}

fn host_and_port(host: &str, port: i64) -> String {
    // An IPv6 address before a port needs brackets.
    match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    }
}

pub(super) fn endpoints(w: &mut Writer, endpoints: &Value, related: &Related) {
    head(w, endpoints);
    w.line(0, "Subsets:");
    for subset in list(endpoints, "subsets") {
        for (title, name) in [
            ("Addresses", "addresses"),
            ("NotReadyAddresses", "notReadyAddresses"),
        ] {
            let all: Vec<&str> = list(subset, name)
                .iter()
                .map(|address| text(address, "ip"))
                .collect();
            w.field(1, title, or_none(&all.join(",")));
        }
        if len(subset, "ports") > 0 {
            w.line(1, "Ports:");
            let row = |port: &Value| {
                let (name, protocol) = (or(text(port, "name"), UNSET), text(port, "protocol"));
                format!("{name}\t{}\t{protocol}", int(port, "port"))
            };
            w.table(
                2,
                "Name\tPort\tProtocol",
                list(subset, "ports").iter().map(row),
            );
        }
        // kubectl ends each subset with an empty line.
        w.line(0, "");
    }
    events(w, related);
}

pub(super) fn endpoint_slice(w: &mut Writer, slice: &Value, related: &Related) {
    head(w, slice);
    w.field(0, "AddressType", text(slice, "addressType"));
    if len(slice, "ports") == 0 {
        // In the API, a slice without ports means all ports, so kubectl does not print `<none>`.
        w.line(0, "Ports: <unset>");
    } else {
        w.line(0, "Ports:");
        let row = |port: &Value| {
            let number =
                opt_int(port, "port").map_or(UNSET.to_owned(), |number| number.to_string());
            format!(
                "{}\t{number}\t{}",
                or(text(port, "name"), UNSET),
                text(port, "protocol")
            )
        };
        w.table(
            1,
            "Name\tPort\tProtocol",
            list(slice, "ports").iter().map(row),
        );
    }
    if len(slice, "endpoints") == 0 {
        w.line(0, "Endpoints: <none>");
    } else {
        w.line(0, "Endpoints:");
    }
    for endpoint in list(slice, "endpoints") {
        one_endpoint(w, endpoint);
    }
    events(w, related);
}

fn one_endpoint(w: &mut Writer, endpoint: &Value) {
    let addresses = texts(endpoint, "addresses").collect::<Vec<_>>().join(", ");
    w.field(1, "- Addresses", or_none(&addresses));
    w.line(2, "Conditions:");
    // There are three states, because a controller may not know yet.
    let ready = field(field(endpoint, "conditions"), "ready").as_bool();
    w.field(
        3,
        "Ready",
        ready.map_or(UNSET.to_owned(), |ready| ready.to_string()),
    );
    let field_or_unset = |name: &str| match has(endpoint, name) {
        true => text(endpoint, name),
        false => UNSET,
    };
    w.field(2, "Hostname", field_or_unset("hostname"));
    let target = field(endpoint, "targetRef");
    if !target.is_null() {
        w.field(
            2,
            "TargetRef",
            format!("{}/{}", text(target, "kind"), text(target, "name")),
        );
    }
    w.field(2, "NodeName", field_or_unset("nodeName"));
    w.field(2, "Zone", field_or_unset("zone"));
}
