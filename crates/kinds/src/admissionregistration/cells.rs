//! The table cells that the kinds of this group share.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{UNSET, age};
use crate::columns::name;
use crate::tree::{field, len, text};

pub(crate) fn webhooks(object: &Value, now: Timestamp) -> Vec<Value> {
    let count = len(object, "webhooks");
    vec![name(object), json!(count), json!(age(object, now))]
}

pub(crate) fn policy(object: &Value, rules: &str, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let kind = field(spec, "paramKind");
    let kind = match kind.is_null() {
        true => UNSET.to_owned(),
        false => format!("{}/{}", text(kind, "apiVersion"), text(kind, "kind")),
    };
    vec![
        name(object),
        json!(len(spec, rules)),
        json!(kind),
        json!(age(object, now)),
    ]
}

pub(crate) fn policy_binding(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let reference = field(spec, "paramRef");
    let shown = match (text(reference, "namespace"), text(reference, "name")) {
        ("", "") => UNSET.to_owned(),
        ("", name) => format!("*/{name}"),
        (namespace, name) => format!("{namespace}/{name}"),
    };
    vec![
        name(object),
        json!(text(spec, "policyName")),
        json!(shown),
        json!(age(object, now)),
    ]
}
