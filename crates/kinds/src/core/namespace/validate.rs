//! The rules of a Namespace.

use crate::api::json::Value;
use crate::tree::{as_text, field, has, text, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new Namespace.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_label, errors);
    let path = Path::root("spec");
    let path = path.child("finalizers");
    for name in texts(field(object, "spec"), "finalizers") {
        errors.invalid_each(&path, name, names::qualified_name(name));
        meta::standard_finalizer(&path, name, errors);
    }
    pod_security(object, errors);
}

/// Validates the labels for Pod Security, which its plugin reports as part of validation. All other labels are free.
fn pod_security(object: &Value, errors: &mut Errors) {
    const LEVELS: [&str; 3] = ["privileged", "baseline", "restricted"];
    let labels = field(field(object, "metadata"), "labels");
    let metadata = Path::root("metadata");
    let path = metadata.child("labels");
    for mode in ["enforce", "audit", "warn"] {
        let key = format!("pod-security.kubernetes.io/{mode}");
        let level = field(labels, &key);
        if !level.is_null() && !LEVELS.contains(&as_text(level)) {
            let detail = format!("must be one of {}", LEVELS.join(", "));
            errors.invalid(&path.key(&key), level, &detail);
        }
        let key = format!("{key}-version");
        let version = field(labels, &key);
        if !version.is_null() && !is_version(as_text(version)) {
            let detail = "must be \"latest\" or \"v1.x\"";
            errors.invalid(&path.key(&key), version, detail);
        }
    }
}

/// Returns true for `latest` and for `v1.N`.
fn is_version(text: &str) -> bool {
    let minor = text.strip_prefix("v1.");
    let number = |n: &str| n == "0" || !n.starts_with('0') && !n.is_empty();
    text == "latest" || minor.is_some_and(|n| number(n) && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Validates an update of a Namespace.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let mistakes = |object| {
        let mut errors = Errors::default();
        pod_security(object, &mut errors);
        errors.into_causes()
    };
    // Labels that predate the rule must not keep a namespace from being changed.
    if mistakes(object) != mistakes(old) {
        pod_security(object, errors);
    }
}

/// Validates a status update of a Namespace: the deletion timestamp determines the phase.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    // Only a deletion ends a namespace, never a status update.
    let (phase, empty) = match has(field(object, "metadata"), "deletionTimestamp") {
        true => ("Terminating", "not empty"),
        false => ("Active", "empty"),
    };
    let found = text(field(object, "status"), "phase");
    if found != phase {
        let path = Path::root("status");
        let detail = format!("may only be '{phase}' if `deletionTimestamp` is {empty}");
        // Upstream's path has a capital letter.
        errors.invalid_shown(&path.child("Phase"), &go::quoted(found), &detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn namespace(label: &str, value: &str) -> Value {
        let key = format!("pod-security.kubernetes.io/{label}");
        json!({"metadata": {"name": "n", "labels": {key: value}}})
    }

    #[test]
    fn the_phase_follows_from_the_deletion() {
        let told = |phase: &str, deleted: Option<&str>| {
            let object = json!({"metadata": {"name": "n", "deletionTimestamp": deleted}, "status": {"phase": phase}});
            let mut errors = Errors::default();
            status(&object, &object, &mut errors);
            let causes = errors.into_causes();
            causes.first().map(ToString::to_string).unwrap_or_default()
        };
        assert_eq!(told("Active", None), "");
        assert_eq!(told("Terminating", Some("2026-01-01T00:00:00Z")), "");
        assert_eq!(
            told("Foo", None),
            "status.Phase: Invalid value: \"Foo\": may only be 'Active' if `deletionTimestamp` is empty"
        );
    }

    #[test]
    fn the_labels_of_pod_security_are_checked_at_each_change() {
        let plain = json!({"metadata": {"name": "n"}});
        for (label, value, told) in [
            ("enforce", "baseline", ""),
            (
                "enforce",
                "odd",
                "must be one of privileged, baseline, restricted",
            ),
            ("warn-version", "latest", ""),
            ("warn-version", "v1.36", ""),
            ("warn-version", "v1.036", "must be \"latest\" or \"v1.x\""),
            ("audit-version", "v2.1", "must be \"latest\" or \"v1.x\""),
        ] {
            let new = namespace(label, value);
            let mut errors = Errors::default();
            update(&new, &plain, &mut errors);
            let causes = errors.into_causes();
            assert_eq!(
                causes.len(),
                usize::from(!told.is_empty()),
                "{label} {value}"
            );
            assert!(
                causes.iter().all(|c| c.message.ends_with(told)),
                "{causes:?}"
            );
            let mut errors = Errors::default();
            update(&new, &new, &mut errors);
            assert!(errors.is_empty(), "{label} {value}");
        }
    }
}
