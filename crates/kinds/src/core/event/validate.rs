//! The rules of an Event.

use crate::api::json::{Value, json};
use crate::tree::{field, has, int, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// The field names in one of the two groups. Both groups are validated as the internal type, whose names appear in
/// errors.
struct Names {
    /// True for `events.k8s.io`, whose rules are stricter.
    strict: bool,
    about: &'static str,
    note: &'static str,
    controller: &'static str,
    /// The name of the controller field in errors.
    shown_controller: &'static str,
    source: &'static str,
    first: &'static str,
    last: &'static str,
    count: &'static str,
}

impl Names {
    fn from_object(object: &Value) -> &'static Self {
        match text(object, "apiVersion").starts_with("events.k8s.io/") {
            true => &Self {
                strict: true,
                about: "regarding",
                note: "note",
                controller: "reportingController",
                shown_controller: "reportingController",
                source: "deprecatedSource",
                first: "deprecatedFirstTimestamp",
                last: "deprecatedLastTimestamp",
                count: "deprecatedCount",
            },
            false => &Self {
                strict: false,
                about: "involvedObject",
                note: "message",
                controller: "reportingComponent",
                shown_controller: "reportingComponent",
                source: "source",
                first: "firstTimestamp",
                last: "lastTimestamp",
                count: "count",
            },
        }
    }
}

/// Validates a new Event of either group.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    let fields = Names::from_object(object);
    every(object, fields, errors);
    if !fields.strict {
        // The rules that all kinds share come last.
        return meta::create(object, true, names::path_segment, errors);
    }
    meta::create(object, true, names::dns1123_subdomain, errors);
    series(object, errors);
    if !has(object, "eventTime") {
        errors.required(&Path::root("eventTime"), "");
    }
    let kind = text(object, "type");
    let mut wrong = |name: &str, detail: &str| {
        // Upstream passes an empty string as the value.
        errors.invalid(&Path::root(name), &json!(""), detail);
    };
    if !matches!(kind, "Normal" | "Warning") {
        wrong("type", &format!("has invalid value: {kind}"));
    }
    let source = field(object, fields.source);
    for (name, is_set) in [
        ("firstTimestamp", has(object, fields.first)),
        ("lastTimestamp", has(object, fields.last)),
        ("count", int(object, fields.count) != 0),
        (
            "source",
            !text(source, "component").is_empty() || !text(source, "host").is_empty(),
        ),
    ] {
        if is_set {
            wrong(name, "needs to be unset");
        }
    }
}

/// Validates the rules that both groups share.
fn every(object: &Value, fields: &Names, errors: &mut Errors) {
    let namespace = text(field(object, "metadata"), "namespace");
    let other = text(field(object, fields.about), "namespace");
    let is_new = has(object, "eventTime");
    // An event with `eventTime` may be in any namespace unless its object has none.
    let agrees = match (is_new, other) {
        (false, "") => namespace == "default",
        (false, other) => namespace == other,
        (true, "") => matches!(namespace, "default" | "kube-system"),
        (true, _) => true,
    };
    if !agrees {
        let path = Path::root("involvedObject");
        let detail = "does not match event.namespace";
        errors.invalid_shown(&path.child("namespace"), &go::quoted(other), detail);
    }
    if is_new {
        new_event(object, fields, errors);
    }
}

fn new_event(object: &Value, fields: &Names, errors: &mut Errors) {
    let name = text(object, fields.controller);
    let path = Path::root(fields.shown_controller);
    if name.is_empty() {
        errors.required(&path, "");
    }
    errors.invalid_each(&path, name, names::qualified_name(name));
    for (name, shown, max) in [
        ("reportingInstance", "reportingInstance", 128),
        ("action", "action", 128),
        ("reason", "reason", 128),
        (fields.note, "message", 1024),
    ] {
        let length = text(object, name).len();
        if length == 0 && shown != "message" {
            errors.required(&Path::root(shown), "");
        }
        if length > max {
            let detail = format!("can have at most {max} characters");
            errors.invalid(&Path::root(shown), &json!(""), &detail);
        }
    }
}

fn series(object: &Value, errors: &mut Errors) {
    if !has(object, "series") {
        return;
    }
    let series = field(object, "series");
    let path = Path::root("series");
    if int(series, "count") < 2 {
        errors.invalid(&path.child("count"), &json!(""), "should be at least 2");
    }
    if !has(series, "lastObservedTime") {
        errors.required(&path.child("lastObservedTime"), "");
    }
}

/// Validates an update of an Event.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    let fields = Names::from_object(object);
    meta::update(object, old, errors);
    every(object, fields, errors);
    if !fields.strict {
        // Recorders of the core group update the count and the time, so no field of their events is immutable.
        return;
    }
    if field(object, "series") != field(old, "series") {
        series(object, errors);
    }
    for (name, shown) in [
        (fields.about, "involvedObject"),
        ("reason", "reason"),
        (fields.note, "message"),
        (fields.source, "source"),
        (fields.first, "firstTimestamp"),
        (fields.last, "lastTimestamp"),
        (fields.count, "count"),
        // Upstream compares this field a second time.
        ("reason", "reason"),
        ("type", "type"),
        ("eventTime", "eventTime"),
        ("action", "action"),
        ("related", "related"),
        (fields.controller, "reportingController"),
        ("reportingInstance", "reportingInstance"),
    ] {
        meta::immutable(
            &Path::root(shown),
            field(object, name),
            field(old, name),
            errors,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(check: impl Fn(&mut Errors)) -> Vec<String> {
        let mut errors = Errors::default();
        check(&mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    fn strict(extra: Value) -> Value {
        let mut event = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
            "regarding": {"namespace": "other"}, "eventTime": "2026-01-02T12:00:00.000000Z", "type": "Normal",
            "reportingController": "c", "reportingInstance": "c-0", "action": "a", "reason": "R",
        });
        crate::api::patch::merge::apply(&mut event, &extra);
        event
    }

    #[test]
    fn new_group_rejects_half_a_series_and_deprecated_fields() {
        let created = |extra: Value| told(|errors| create(&strict(extra.clone()), errors));
        assert_eq!(created(json!({})), Vec::<String>::new());
        assert_eq!(
            created(
                json!({"series": {"count": 1}, "deprecatedCount": 2, "deprecatedSource": {"host": "n"}})
            ),
            [
                "series.count: Invalid value: \"\": should be at least 2",
                "series.lastObservedTime: Required value",
                "count: Invalid value: \"\": needs to be unset",
                "source: Invalid value: \"\": needs to be unset",
            ]
        );
        let changed = json!({"reason": "S", "deprecatedCount": 9});
        let updated = told(|errors| update(&strict(changed.clone()), &strict(json!({})), errors));
        assert_eq!(
            updated,
            [
                "reason: Invalid value: \"S\": field is immutable",
                "count: Invalid value: 9: field is immutable",
                "reason: Invalid value: \"S\": field is immutable",
            ]
        );
    }

    #[test]
    fn old_group_requires_the_objects_namespace_without_a_time() {
        let created = |namespace: &str, other: &str, extra: Value| {
            let mut event = json!({"apiVersion": "v1", "metadata": {"name": "e", "namespace": namespace},
                "involvedObject": {"namespace": other}});
            crate::api::patch::merge::apply(&mut event, &extra);
            told(|errors| create(&event, errors))
        };
        let none = json!({});
        assert!(created("default", "", none.clone()).is_empty());
        assert_eq!(created("kube-system", "", none.clone()).len(), 1);
        assert_eq!(created("default", "other", none).len(), 1);
        let timed = json!({"eventTime": "2026-01-02T12:00:00.000000Z", "reportingInstance": "c-0",
            "action": "a", "reason": "R"});
        let found = created("default", "other", timed);
        assert!(
            found
                .iter()
                .all(|one| one.starts_with("reportingComponent: ")),
            "{found:?}"
        );
        assert_eq!(
            (found.len(), found[0].as_str()),
            (3, "reportingComponent: Required value")
        );
    }
}
