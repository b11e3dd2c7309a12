//! Services, ingresses, policies and endpoints.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::format::{NONE, UNSET, age, at_most, label_selector, labels, none_if_empty, or};
use super::name;
use crate::api::json::{Value, json};
use crate::tree::{at, field, has, int, len, list, text, texts};

pub(super) fn service(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let ip = texts(spec, "clusterIPs").next().unwrap_or("");
    let ports: Vec<_> = list(spec, "ports").iter().map(port).collect();
    vec![
        name(object),
        json!(text(spec, "type")),
        or(ip, NONE),
        json!(external_ip(object)),
        json!(none_if_empty(ports.join(","))),
        json!(age(object, now)),
        json!(labels(spec, "selector")),
    ]
}

fn port(port: &Value) -> String {
    let (number, protocol) = (int(port, "port"), text(port, "protocol"));
    match int(port, "nodePort") {
        0 => format!("{number}/{protocol}"),
        node => format!("{number}:{node}/{protocol}"),
    }
}

fn external_ip(object: &Value) -> String {
    let spec = field(object, "spec");
    let own: Vec<&str> = texts(spec, "externalIPs").collect();
    match text(spec, "type") {
        "ExternalName" => text(spec, "externalName").to_owned(),
        "LoadBalancer" => {
            let mut all = balancer_points(object);
            all.extend(own.iter().map(|ip| (*ip).to_owned()));
            match all.is_empty() {
                true => "<pending>".to_owned(),
                false => all.join(","),
            }
        }
        _ => none_if_empty(own.join(",")),
    }
}

fn balancer_points(object: &Value) -> Vec<String> {
    let points = list(at(object, &["status", "loadBalancer"]), "ingress");
    let names: BTreeSet<&str> = points
        .iter()
        .map(|point| match text(point, "ip") {
            "" => text(point, "hostname"),
            ip => ip,
        })
        .filter(|name| !name.is_empty())
        .collect();
    names.into_iter().map(str::to_owned).collect()
}

pub(super) fn ingress(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let hosts: Vec<String> = list(spec, "rules")
        .iter()
        .map(|rule| text(rule, "host").to_owned())
        .filter(|host| !host.is_empty())
        .collect();
    let hosts = match hosts.is_empty() {
        true => "*".to_owned(),
        false => at_most(&hosts, 3, ","),
    };
    vec![
        name(object),
        or(text(spec, "ingressClassName"), NONE),
        json!(hosts),
        json!(balancer_points(object).join(",")),
        json!(if len(spec, "tls") > 0 {
            "80, 443"
        } else {
            "80"
        }),
        json!(age(object, now)),
    ]
}

pub(super) fn ingress_class(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let parameters = field(spec, "parameters");
    let shown = match (parameters.is_null(), text(parameters, "apiGroup")) {
        (true, _) => NONE.to_owned(),
        (false, "") => format!("{}/{}", text(parameters, "kind"), text(parameters, "name")),
        (false, group) => format!(
            "{}.{group}/{}",
            text(parameters, "kind"),
            text(parameters, "name")
        ),
    };
    let annotations = at(object, &["metadata", "annotations"]);
    let mut shown_name = text(field(object, "metadata"), "name").to_owned();
    if text(annotations, "ingressclass.kubernetes.io/is-default-class") == "true" {
        shown_name.push_str(" (default)");
    }
    vec![
        json!(shown_name),
        json!(text(spec, "controller")),
        json!(shown),
        json!(age(object, now)),
    ]
}

pub(super) fn network_policy(object: &Value, now: Timestamp) -> Vec<Value> {
    let selector = at(object, &["spec", "podSelector"]);
    vec![
        name(object),
        json!(label_selector(selector)),
        json!(age(object, now)),
    ]
}

pub(super) fn service_cidr(object: &Value, now: Timestamp) -> Vec<Value> {
    let ranges: Vec<_> = texts(field(object, "spec"), "cidrs").collect();
    vec![
        name(object),
        json!(ranges.join(",")),
        json!(age(object, now)),
    ]
}

pub(super) fn ip_address(object: &Value, _now: Timestamp) -> Vec<Value> {
    let parent = at(object, &["spec", "parentRef"]);
    let resource = match text(parent, "group") {
        "" => text(parent, "resource").to_owned(),
        group => format!("{}.{group}", text(parent, "resource")),
    };
    let shown = match text(parent, "namespace") {
        "" => format!("{resource}/{}", text(parent, "name")),
        namespace => format!("{resource}/{namespace}/{}", text(parent, "name")),
    };
    vec![name(object), json!(shown)]
}

pub(super) fn endpoints(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut all = Vec::new();
    for subset in list(object, "subsets") {
        let addresses = list(subset, "addresses");
        let ports = list(subset, "ports");
        if ports.is_empty() {
            all.extend(addresses.iter().map(|a| text(a, "ip").to_owned()));
        }
        for port in ports {
            let number = int(port, "port");
            all.extend(addresses.iter().map(|a| host_port(text(a, "ip"), number)));
        }
    }
    vec![
        name(object),
        json!(none_if_empty(at_most(&all, 3, ","))),
        json!(age(object, now)),
    ]
}

fn host_port(ip: &str, port: i64) -> String {
    match ip.contains(':') {
        true => format!("[{ip}]:{port}"),
        false => format!("{ip}:{port}"),
    }
}

pub(super) fn endpoint_slice(object: &Value, now: Timestamp) -> Vec<Value> {
    let unset_if_empty = |text: String| match text.is_empty() {
        true => json!(UNSET),
        false => json!(text),
    };
    let ports: Vec<String> = list(object, "ports").iter().map(slice_port).collect();
    let addresses: Vec<String> = list(object, "endpoints")
        .iter()
        .flat_map(|endpoint| texts(endpoint, "addresses"))
        .map(str::to_owned)
        .collect();
    vec![
        name(object),
        json!(text(object, "addressType")),
        unset_if_empty(at_most(&ports, 3, ",")),
        unset_if_empty(at_most(&addresses, 3, ",")),
        json!(age(object, now)),
    ]
}

fn slice_port(port: &Value) -> String {
    match (has(port, "port"), text(port, "name")) {
        (true, _) => int(port, "port").to_string(),
        (false, "") => "*".to_owned(),
        (false, name) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_class_says_so() {
        let class = |default: &str| {
            let annotations = json!({"ingressclass.kubernetes.io/is-default-class": default});
            let object = json!({"metadata": {"name": "public", "annotations": annotations}});
            ingress_class(&object, Timestamp::UNIX_EPOCH).remove(0)
        };
        assert_eq!(class("true"), "public (default)");
        assert_eq!(class("false"), "public");
    }
}
