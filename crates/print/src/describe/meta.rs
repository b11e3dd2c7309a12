//! The parts that all descriptions have in common: names, labels, annotations and times.

use jiff::Timestamp;

use super::related::{NONE, Related, UNSET};
use super::writer::Writer;
use crate::api::duration;
use crate::api::json::Value;
use crate::kinds::tree::{as_text, entries, field, flag, int, list, text};

/// The annotation that kubectl hides, because it contains the whole object on one line.
const HIDDEN: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The maximum length of an annotation with its key that kubectl prints on one line.
const LONGEST: usize = 140;

pub(super) fn name(object: &Value) -> &str {
    text(field(object, "metadata"), "name")
}

/// Writes the name, namespace, labels and annotations.
pub(super) fn head(w: &mut Writer, object: &Value) {
    name_and_namespace(w, object);
    labels_and_annotations(w, object);
}

pub(super) fn name_and_namespace(w: &mut Writer, object: &Value) {
    w.field(0, "Name", name(object));
    w.field(0, "Namespace", text(field(object, "metadata"), "namespace"));
}

/// Writes the head of a cluster-scoped object.
pub(super) fn cluster_head(w: &mut Writer, object: &Value) {
    w.field(0, "Name", name(object));
    labels_and_annotations(w, object);
}

pub(super) fn labels_and_annotations(w: &mut Writer, object: &Value) {
    let metadata = field(object, "metadata");
    labels(w, 0, "Labels", metadata, "labels");
    annotations(w, 0, "Annotations", metadata);
}

/// Writes a map of strings, one entry per line.
pub(super) fn labels(w: &mut Writer, level: usize, title: &str, holder: &Value, name: &str) {
    let pairs = entries(holder, name).map(|(key, value)| format!("{key}={}", as_text(value)));
    w.values(level, title, pairs);
}

pub(super) fn annotations(w: &mut Writer, level: usize, title: &str, metadata: &Value) {
    let mut lines = Vec::new();
    for (key, value) in entries(metadata, "annotations").filter(|(key, _)| *key != HIDDEN) {
        let value = as_text(value);
        // An annotation from a file often ends in a line break, which would print an empty line.
        let value = value.strip_suffix('\n').unwrap_or(value);
        if key.len() + value.len() + 2 <= LONGEST && !value.contains('\n') {
            lines.push(format!("{key}: {value}"));
            continue;
        }
        lines.push(format!("{key}:"));
        let parts = value.split('\n');
        lines.extend(parts.map(|line| format!("  {}", shortened(line, LONGEST - 2))));
    }
    w.values(level, title, lines);
}

/// Truncates the text after a number of bytes.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    match text.len() > longest {
        false => text.to_owned(),
        true => {
            // kubectl counts bytes. Unlike there, no character is split here, because the result would not be valid
            // UTF-8.
            let end = (0..=longest)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            format!("{}...", &text[..end])
        }
    }
}

/// Formats a time like `Fri, 20 Nov 2026 22:35:29 +0000`.
pub(super) fn time(stamp: &Value, related: &Related) -> String {
    match parse(stamp) {
        Some(stamp) => {
            let zoned = stamp.to_zoned(related.zone.clone());
            zoned.strftime("%a, %d %b %Y %H:%M:%S %z").to_string()
        }
        // Go's zero time, which kubectl prints if there is no time.
        None => "Mon, 01 Jan 0001 00:00:00 +0000".to_owned(),
    }
}

/// Writes the creation time.
pub(super) fn created(w: &mut Writer, object: &Value, related: &Related) {
    let stamp = field(field(object, "metadata"), "creationTimestamp");
    w.field(0, "CreationTimestamp", time(stamp, related));
}

pub(super) fn parse(stamp: &Value) -> Option<Timestamp> {
    stamp.as_str()?.parse().ok()
}

/// Returns the time since a timestamp, or `<unknown>`.
pub(super) fn since(stamp: &Value, related: &Related) -> String {
    parse(stamp).map_or_else(
        || "<unknown>".to_owned(),
        |stamp| between(stamp, related.now),
    )
}

/// Formats the time between two timestamps as kubectl does.
pub(super) fn between(from: Timestamp, to: Timestamp) -> String {
    let nanos = to.as_nanosecond() - from.as_nanosecond();
    // Rounds down times in the future as well, which a virtual clock makes common.
    duration::human(i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i64::MAX))
}

/// Returns the kind and name of the object's controller.
pub(super) fn controller(object: &Value) -> Option<String> {
    let owners = list(field(object, "metadata"), "ownerReferences");
    let owner = owners.iter().find(|owner| flag(owner, "controller"))?;
    Some(format!("{}/{}", text(owner, "kind"), text(owner, "name")))
}

pub(super) fn controlled_by(w: &mut Writer, object: &Value) {
    if let Some(controller) = controller(object) {
        w.field(0, "Controlled By", controller);
    }
}

pub(super) fn true_or_false(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// Formats a boolean that may be unset.
pub(super) fn flag_or_unset(value: &Value) -> &'static str {
    value.as_bool().map_or(UNSET, true_or_false)
}

/// Formats a number or a string, such as an `IntOrString`.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// Formats the number in a field; `<unset>` if there is none.
pub(super) fn int_or_unset(holder: &Value, name: &str) -> String {
    match field(holder, name) {
        Value::Null => UNSET.to_owned(),
        _ => int(holder, name).to_string(),
    }
}

pub(super) fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

pub(super) fn or_none(text: &str) -> &str {
    or(text, NONE)
}

/// Formats a list of strings as Go does: `[a b]`.
pub(super) fn go_list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(" "))
}

/// Writes the conditions with type, status and reason.
pub(super) fn short_conditions(w: &mut Writer, object: &Value) {
    let conditions = list(field(object, "status"), "conditions");
    if conditions.is_empty() {
        return;
    }
    w.line(0, "Conditions:");
    let row = |c: &Value| {
        format!(
            "{} \t{}\t{}",
            text(c, "type"),
            text(c, "status"),
            text(c, "reason")
        )
    };
    w.table(1, "Type\tStatus\tReason", conditions.iter().map(row));
}

/// Writes the conditions with their times and messages.
pub(super) fn long_conditions(w: &mut Writer, object: &Value, related: &Related) {
    let row = |c: &Value| {
        format!(
            "{}\t{}\t{}\t{}\t{}",
            text(c, "type"),
            text(c, "status"),
            time(field(c, "lastTransitionTime"), related),
            text(c, "reason"),
            text(c, "message")
        )
    };
    let conditions = list(field(object, "status"), "conditions");
    w.table(
        1,
        "Type\tStatus\tLastTransitionTime\tReason\tMessage",
        conditions.iter().map(row),
    );
}
