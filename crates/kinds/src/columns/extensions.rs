//! The kinds by which a cluster is extended and shared out.

use jiff::Timestamp;

use super::format::{NONE, UNSET, age, or};
use super::name;
use crate::api::duration::human;
use crate::api::json::{Value, json};
use crate::tree::{at, field, has, int, len, list, opt_int, text};

pub(super) fn webhooks(object: &Value, now: Timestamp) -> Vec<Value> {
    let count = len(object, "webhooks");
    vec![name(object), json!(count), json!(age(object, now))]
}

fn policy(object: &Value, rules: &str, now: Timestamp) -> Vec<Value> {
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

pub(super) fn validating_policy(object: &Value, now: Timestamp) -> Vec<Value> {
    policy(object, "validations", now)
}

pub(super) fn mutating_policy(object: &Value, now: Timestamp) -> Vec<Value> {
    policy(object, "mutations", now)
}

pub(super) fn policy_binding(object: &Value, now: Timestamp) -> Vec<Value> {
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

pub(super) fn api_service(object: &Value, now: Timestamp) -> Vec<Value> {
    let service = at(object, &["spec", "service"]);
    let service = match service.is_null() {
        true => "Local".to_owned(),
        false => format!("{}/{}", text(service, "namespace"), text(service, "name")),
    };
    let conditions = list(field(object, "status"), "conditions");
    let available = conditions.iter().find(|c| text(c, "type") == "Available");
    let available = available.map_or("Unknown".to_owned(), |c| match text(c, "status") {
        "True" => "True".to_owned(),
        status => format!("{status} ({})", text(c, "reason")),
    });
    vec![
        name(object),
        json!(service),
        json!(available),
        json!(age(object, now)),
    ]
}

pub(super) fn certificate_request(object: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let has_condition = |kind: &str| {
        list(status, "conditions")
            .iter()
            .any(|c| text(c, "type") == kind)
    };
    let mut state = match (has_condition("Denied"), has_condition("Approved")) {
        (true, _) => "Denied".to_owned(),
        (_, true) => "Approved".to_owned(),
        _ => "Pending".to_owned(),
    };
    if has_condition("Failed") {
        state.push_str(",Failed");
    }
    if !text(status, "certificate").is_empty() {
        state.push_str(",Issued");
    }
    let duration = opt_int(spec, "expirationSeconds").map_or(NONE.to_owned(), human);
    vec![
        name(object),
        json!(age(object, now)),
        json!(text(spec, "signerName")),
        json!(text(spec, "username")),
        json!(duration),
        json!(state),
    ]
}

pub(super) fn flow_schema(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let conditions = list(field(object, "status"), "conditions");
    let dangling = conditions.iter().find(|c| text(c, "type") == "Dangling");
    vec![
        name(object),
        json!(text(field(spec, "priorityLevelConfiguration"), "name")),
        json!(int(spec, "matchingPrecedence")),
        or(text(field(spec, "distinguisherMethod"), "type"), NONE),
        json!(age(object, now)),
        json!(dangling.map_or("?", |c| text(c, "status"))),
    ]
}

pub(super) fn priority_level(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let holder = match has(spec, "limited") {
        true => field(spec, "limited"),
        false => field(spec, "exempt"),
    };
    let queuing = at(holder, &["limitResponse", "queuing"]);
    let number = |holder: &Value, name: &str| match opt_int(holder, name) {
        Some(number) => json!(number),
        None => json!(NONE),
    };
    vec![
        name(object),
        json!(text(spec, "type")),
        number(holder, "nominalConcurrencyShares"),
        number(queuing, "queues"),
        number(queuing, "handSize"),
        number(queuing, "queueLengthLimit"),
        json!(age(object, now)),
    ]
}

pub(super) fn role_binding(object: &Value, now: Timestamp) -> Vec<Value> {
    let role = field(object, "roleRef");
    let subjects = |kind: &str| {
        let names: Vec<_> = list(object, "subjects")
            .iter()
            .filter(|s| text(s, "kind") == kind)
            .map(|s| match (kind, text(s, "namespace")) {
                ("ServiceAccount", namespace) if !namespace.is_empty() => {
                    format!("{namespace}/{}", text(s, "name"))
                }
                _ => text(s, "name").to_owned(),
            })
            .collect();
        json!(names.join(", "))
    };
    vec![
        name(object),
        json!(format!("{}/{}", text(role, "kind"), text(role, "name"))),
        json!(age(object, now)),
        subjects("User"),
        subjects("Group"),
        subjects("ServiceAccount"),
    ]
}

pub(super) fn resource_claim(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let mut states = Vec::new();
    if has(field(object, "metadata"), "deletionTimestamp") {
        states.push("deleted");
    }
    if has(status, "allocation") {
        states.push("allocated");
    } else if states.is_empty() {
        states.push("pending");
    }
    if len(status, "reservedFor") > 0 {
        states.push("reserved");
    }
    vec![
        name(object),
        json!(states.join(",")),
        json!(age(object, now)),
    ]
}

pub(super) fn resource_slice(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    vec![
        name(object),
        or(text(spec, "nodeName"), UNSET),
        json!(text(spec, "driver")),
        json!(text(field(spec, "pool"), "name")),
        json!(age(object, now)),
    ]
}
