//! The table cells of an Event.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::since;
use crate::columns::name;
use crate::tree::{at, field, has, int, text};

/// The field names of an Event in one of the two groups.
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

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let new = text(object, "apiVersion").starts_with("events.k8s.io/");
    let names = if new { &NEW } else { &OLD };
    // Recorders of the new group do not set the old timestamps.
    let first = match has(object, names.first) {
        true => since(field(object, names.first), now),
        false => since(field(object, "eventTime"), now),
    };
    let mut last = match has(object, names.last) {
        true => since(field(object, names.last), now),
        false => first.clone(),
    };
    // An event without a count happened once.
    let mut count = int(object, names.count).max(1);
    // A series counts the repetitions of new events and takes precedence over the old fields.
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
