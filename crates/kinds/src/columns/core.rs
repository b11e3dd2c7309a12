//! The small kinds of the core group and its neighbours.

use jiff::Timestamp;

use super::format::{age, since};
use super::name;
use crate::api::json::{Value, json};
use crate::pod::resources::amounts;
use crate::tree::{at, field, flag, has, int, len, text};

pub(super) fn config_map(object: &Value, now: Timestamp) -> Vec<Value> {
    let count = len(object, "data") + len(object, "binaryData");
    vec![name(object), json!(count), json!(age(object, now))]
}

pub(super) fn secret(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        name(object),
        json!(text(object, "type")),
        json!(len(object, "data")),
        json!(age(object, now)),
    ]
}

pub(super) fn namespace(object: &Value, now: Timestamp) -> Vec<Value> {
    let phase = text(field(object, "status"), "phase");
    vec![name(object), json!(phase), json!(age(object, now))]
}

pub(super) fn lease(object: &Value, now: Timestamp) -> Vec<Value> {
    let holder = text(field(object, "spec"), "holderIdentity");
    vec![name(object), json!(holder), json!(age(object, now))]
}

pub(super) fn runtime_class(object: &Value, now: Timestamp) -> Vec<Value> {
    let handler = text(object, "handler");
    vec![name(object), json!(handler), json!(age(object, now))]
}

pub(super) fn priority_class(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        name(object),
        json!(int(object, "value")),
        json!(flag(object, "globalDefault")),
        json!(age(object, now)),
        json!(text(object, "preemptionPolicy")),
    ]
}

pub(super) fn resource_quota(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let used = amounts(status, "used");
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (resource, hard) in amounts(status, "hard") {
        let used = used
            .get(&resource)
            .map_or("0".to_owned(), ToString::to_string);
        let list = match resource.starts_with("limits") {
            true => &mut limits,
            false => &mut requests,
        };
        list.push(format!("{resource}: {used}/{hard}"));
    }
    vec![
        name(object),
        json!(requests.join(", ")),
        json!(limits.join(", ")),
        json!(age(object, now)),
    ]
}

/// The fields of an event under their two names.
struct Names {
    about: &'static str,
    message: &'static str,
    first: &'static str,
    last: &'static str,
    count: &'static str,
    source: &'static str,
    controller: &'static str,
}

const OLD: Names = Names {
    about: "involvedObject",
    message: "message",
    first: "firstTimestamp",
    last: "lastTimestamp",
    count: "count",
    source: "source",
    controller: "reportingComponent",
};
const NEW: Names = Names {
    about: "regarding",
    message: "note",
    first: "deprecatedFirstTimestamp",
    last: "deprecatedLastTimestamp",
    count: "deprecatedCount",
    source: "deprecatedSource",
    controller: "reportingController",
};

pub(super) fn event(object: &Value, now: Timestamp) -> Vec<Value> {
    let new = text(object, "apiVersion").starts_with("events.k8s.io/");
    let names = if new { &NEW } else { &OLD };
    let first = match has(object, names.first) {
        true => since(field(object, names.first), now),
        false => since(field(object, "eventTime"), now),
    };
    let mut last = match has(object, names.last) {
        true => since(field(object, names.last), now),
        false => first.clone(),
    };
    let mut count = int(object, names.count).max(1);
    if has(object, "series") {
        last = since(at(object, &["series", "lastObservedTime"]), now);
        count = int(field(object, "series"), "count");
    }
    let about = field(object, names.about);
    let kind = text(about, "kind").to_lowercase();
    let target = match text(about, "name") {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    vec![
        json!(last),
        json!(text(object, "type")),
        json!(text(object, "reason")),
        json!(target),
        json!(text(about, "fieldPath")),
        json!(source(object, names)),
        json!(text(object, names.message).trim()),
        json!(first),
        json!(count),
        name(object),
    ]
}

fn source(object: &Value, names: &Names) -> String {
    let source = field(object, names.source);
    let either = |own: &'static str, other: &'static str| match text(source, own) {
        "" => text(object, other).to_owned(),
        name => name.to_owned(),
    };
    let component = either("component", names.controller);
    match either("host", "reportingInstance") {
        host if host.is_empty() => component,
        host => format!("{component}, {host}"),
    }
}
