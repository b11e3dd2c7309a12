//! The table of events at the end of a description.

use super::meta::parse;
use super::related::{NONE, Related};
use super::writer::Writer;
use crate::api::json::Value;
use crate::event::last_seen;
use crate::go_sort::by_key;
use crate::kinds::tree::{field, text};

/// Writes the events, the oldest first, unless they are hidden.
pub(super) fn events(w: &mut Writer, related: &Related) {
    let Some(events) = &related.events else {
        return;
    };
    if events.is_empty() {
        return w.field(0, "Events", NONE);
    }
    // Events of one second are in the order of Go's sort, as in `kubectl events`.
    let sorted: Vec<&Value> = by_key(events.iter().collect(), |event: &&Value| {
        parse(field(event, "lastTimestamp"))
    });
    w.line(0, "Events:");
    w.line(1, "Type\tReason\tAge\tFrom\tMessage");
    w.line(1, "----\t------\t----\t----\t-------");
    for event in sorted {
        w.line(1, row(event, related));
    }
}

fn row(event: &Value, related: &Related) -> String {
    let source = text(field(event, "source"), "component");
    let source = if source.is_empty() {
        text(event, "reportingComponent")
    } else {
        source
    };
    let path = text(field(event, "involvedObject"), "fieldPath");
    let message = text(event, "message").trim();
    let message = match path {
        "" => message.to_owned(),
        path => format!("{path}: {message}"),
    };
    format!(
        "{}\t{}\t{}\t{source}\t{message}",
        text(event, "type"),
        text(event, "reason"),
        last_seen(event, related.now)
    )
}
