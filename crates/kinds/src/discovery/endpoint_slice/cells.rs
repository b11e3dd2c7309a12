//! The table cells of an EndpointSlice.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{UNSET, age, at_most};
use crate::columns::name;
use crate::tree::{has, int, list, text, texts};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
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
        // A port without a number and a name means all ports.
        (false, "") => "*".to_owned(),
        (false, name) => name.to_owned(),
    }
}
