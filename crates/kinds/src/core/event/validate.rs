//! The rules of an Event.

use crate::api::json::{Value, json};
use crate::tree::{field, has, text};
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new Event, of either group.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let new_group = text(object, "apiVersion").starts_with("events.k8s.io/");
    let about = match new_group {
        true => field(object, "regarding"),
        false => field(object, "involvedObject"),
    };
    let namespace = text(field(object, "metadata"), "namespace");
    let other = text(about, "namespace");
    // Events about objects without a namespace are in one of these two.
    let cluster_wide = other.is_empty() && matches!(namespace, "default" | "kube-system");
    if other != namespace && !cluster_wide {
        let path = Path::root("involvedObject");
        let detail = "does not match event.namespace";
        errors.invalid_shown(&path.child("namespace"), &go::quoted(other), detail);
    }
    // The stricter rules apply to core events only if they have the field that was introduced with them.
    if !has(object, "eventTime") {
        if new_group {
            errors.required(&Path::root("eventTime"), "");
            known_type(object, errors);
        }
        return;
    }
    new_event(object, new_group, errors);
}

fn known_type(object: &Value, errors: &mut Errors) {
    let kind = text(object, "type");
    if !matches!(kind, "Normal" | "Warning") {
        let detail = format!("has invalid value: {kind}");
        // Upstream passes an empty text as the value.
        errors.invalid(&Path::root("type"), &json!(""), &detail);
    }
}

fn new_event(object: &Value, new_group: bool, errors: &mut Errors) {
    let root = Path::root("");
    let (controller, note) = match new_group {
        true => ("reportingController", "note"),
        false => ("reportingComponent", "message"),
    };
    let name = text(object, controller);
    // Both versions are validated as the internal one: paths have its names.
    let path = Path::root("reportingController");
    match name {
        "" => errors.required(&path, ""),
        name => errors.invalid_each(&path, name, names::qualified_name(name)),
    }
    required_text(&root, object, "reportingInstance", errors);
    required_text(&root, object, "action", errors);
    required_text(&root, object, "reason", errors);
    for (name, shown, max) in [
        ("reportingInstance", "reportingInstance", 128),
        ("action", "action", 128),
        ("reason", "reason", 128),
        (note, "message", 1024),
    ] {
        if text(object, name).len() > max {
            let detail = format!("can have at most {max} characters");
            errors.invalid(&Path::root(shown), &json!(""), &detail);
        }
    }
    if new_group {
        known_type(object, errors);
    }
}

/// Validates an update of an Event.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    if !text(object, "apiVersion").starts_with("events.k8s.io/") {
        // Recorders of the core group update count and time, so no field of such an event is immutable.
        return create(object, errors);
    }
    for (name, shown) in [
        ("regarding", "involvedObject"),
        ("reason", "reason"),
        ("note", "message"),
        ("type", "type"),
        ("eventTime", "eventTime"),
        ("reportingController", "reportingController"),
        ("reportingInstance", "reportingInstance"),
        ("action", "action"),
        ("related", "related"),
    ] {
        meta::immutable(
            &Path::root(shown),
            field(object, name),
            field(old, name),
            errors,
        );
    }
}
