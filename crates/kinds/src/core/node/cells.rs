//! The table cells of a Node.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, UNKNOWN, age, none_if_empty, or};
use crate::columns::name;
use crate::tree::{as_text, entries, field, flag, list, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let info = field(status, "nodeInfo");
    let address = |kind: &str| {
        let found = list(status, "addresses")
            .iter()
            .find(|address| text(address, "type") == kind);
        or(found.map_or("", |address| text(address, "address")), NONE)
    };
    vec![
        name(object),
        json!(state(object)),
        json!(roles(object)),
        json!(age(object, now)),
        json!(text(info, "kubeletVersion")),
        address("InternalIP"),
        address("ExternalIP"),
        or(text(info, "osImage"), UNKNOWN),
        json!(kernel(info)),
        or(text(info, "containerRuntimeVersion"), UNKNOWN),
    ]
}

/// Returns the kernel version, followed by the processor architecture if it is known.
fn kernel(info: &Value) -> String {
    match (text(info, "kernelVersion"), text(info, "architecture")) {
        ("", _) => UNKNOWN.to_owned(),
        (version, "") => version.to_owned(),
        (version, architecture) => format!("{version} ({architecture})"),
    }
}

fn state(object: &Value) -> String {
    let conditions = list(field(object, "status"), "conditions");
    let ready = conditions.iter().find(|c| text(c, "type") == "Ready");
    let state = match ready.map(|c| text(c, "status")) {
        // The node has never reported. A node that stopped reporting has a condition with the status `Unknown`, which
        // counts as not ready.
        None => "Unknown",
        Some("True") => "Ready",
        Some(_) => "NotReady",
    };
    match flag(field(object, "spec"), "unschedulable") {
        true => format!("{state},SchedulingDisabled"),
        false => state.to_owned(),
    }
}

fn roles(object: &Value) -> String {
    let roles: BTreeSet<&str> = entries(field(object, "metadata"), "labels")
        .filter_map(|(key, value)| match key {
            // An older form of the label has the role as its value.
            "kubernetes.io/role" => Some(as_text(value)),
            key => key.strip_prefix("node-role.kubernetes.io/"),
        })
        .filter(|role| !role.is_empty())
        .collect();
    none_if_empty(roles.into_iter().collect::<Vec<_>>().join(","))
}
