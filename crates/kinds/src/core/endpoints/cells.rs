//! The table cells of an Endpoints object.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{age, at_most, none_if_empty};
use crate::columns::name;
use crate::tree::{int, list, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
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
    // In front of a port, an IPv6 address needs brackets.
    match ip.contains(':') {
        true => format!("[{ip}]:{port}"),
        false => format!("{ip}:{port}"),
    }
}
