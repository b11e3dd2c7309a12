//! The small kinds of the core group.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::json::{Map, Value, json};
use crate::tree::{
    as_text, at, child, ensure, entries, field, has, items, len, set, set_default, take, text,
};

/// An Endpoints object.
pub(super) fn endpoints(object: &mut Value) {
    for subset in items(object, "subsets") {
        items(subset, "ports").for_each(|port| set_default(port, "protocol", "TCP"));
    }
}

/// A LimitRange: for containers, limits come from the maximum and requests from limits or the minimum.
pub(super) fn limit_range(object: &mut Value) {
    for item in items(ensure(object, "spec"), "limits") {
        if text(item, "type") != "Container" {
            continue;
        }
        fill(item, "default", "max");
        fill(item, "defaultRequest", "default");
        fill(item, "defaultRequest", "min");
    }
}

fn fill(item: &mut Value, to: &str, from: &str) {
    let source: Map = entries(item, from)
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect();
    if !source.is_empty() {
        let target = ensure(item, to);
        source
            .into_iter()
            .for_each(|(key, value)| set_default(target, &key, value));
    }
}

/// A Namespace carries its name as a label.
pub(super) fn namespace(object: &mut Value) {
    let name = text(field(object, "metadata"), "name").to_owned();
    if !name.is_empty() {
        let labels = ensure(ensure(object, "metadata"), "labels");
        set(labels, "kubernetes.io/metadata.name", name);
    }
}

/// A Node: both spellings of its address ranges, and allocatable where only capacity is known.
pub(super) fn node(object: &mut Value) {
    let spec = ensure(object, "spec");
    if has(spec, "podCIDR") && len(spec, "podCIDRs") == 0 {
        let ranges = json!([text(spec, "podCIDR")]);
        set(spec, "podCIDRs", ranges);
    } else if let Some(first) = at(spec, &["podCIDRs"]).get(0) {
        let first = first.clone();
        set(spec, "podCIDR", first);
    }
    if let Some(status) = child(object, "status") {
        fill(status, "allocatable", "capacity");
    }
}

/// A Secret: plain texts join the data, encoded, and win.
pub(super) fn secret(object: &mut Value) {
    set_default(object, "type", "Opaque");
    let Some(Value::Object(plain)) = take(object, "stringData") else {
        return;
    };
    let data = ensure(object, "data");
    for (key, value) in plain {
        set(data, &key, STANDARD.encode(as_text(&value)));
    }
}
