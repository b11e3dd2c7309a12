//! The table cells of an Ingress.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age, at_most, or};
use crate::columns::load_balancer::balancer_points;
use crate::columns::name;
use crate::tree::{field, len, list, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
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
        // The ports are fixed: an Ingress serves HTTP, and also HTTPS if it has certificates.
        json!(if len(spec, "tls") > 0 {
            "80, 443"
        } else {
            "80"
        }),
        json!(age(object, now)),
    ]
}
