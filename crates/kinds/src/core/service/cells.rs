//! The table cells of a Service.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age, labels, none_if_empty, or};
use crate::columns::load_balancer::balancer_points;
use crate::columns::name;
use crate::tree::{field, int, list, text, texts};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
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
                // The load balancer is still being created. No other type has addresses to wait for.
                true => "<pending>".to_owned(),
                false => all.join(","),
            }
        }
        _ => none_if_empty(own.join(",")),
    }
}
