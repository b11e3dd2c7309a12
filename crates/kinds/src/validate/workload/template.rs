//! The validation that workloads share: templates, selectors, status counters.

use crate::api::json::{Value, json};
use crate::tree::{field, has, int, len, opt_int};
use crate::validate::common::{is_empty_selector, label_selector, one_of, selects, shown_selector};
use crate::validate::errors::Errors;
use crate::validate::meta;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::pod::{annotations, spec};

pub(crate) const MISMATCH: &str = "`selector` does not match template `labels`";

/// Validates the template of a workload at `path`.
pub(crate) fn template(path: &Path<'_>, template: &Value, errors: &mut Errors) {
    let metadata = field(template, "metadata");
    meta::labels(&path.child("labels"), metadata, "labels", errors);
    meta::annotations(&path.child("annotations"), metadata, errors);
    let spec = field(template, "spec");
    let notes = field(metadata, "annotations");
    annotations::annotations(&path.child("annotations"), notes, spec, errors);
    let path = path.child("spec");
    spec::template_spec(&path, spec, errors);
    annotations::match_fields(&path, notes, spec, errors);
    // Ephemeral containers are added to a running Pod, through a subresource.
    if len(spec, "ephemeralContainers") > 0 {
        errors.forbidden(
            &path.child("ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}

/// Validates a template whose Pods run until they are deleted.
pub(crate) fn lasting_template(path: &Path<'_>, value: &Value, kind: &str, errors: &mut Errors) {
    template(path, value, errors);
    let (path, spec) = (path.child("spec"), field(value, "spec"));
    // The controller replaces a Pod that ends, which would restart it without a back-off.
    one_of(&path, spec, "restartPolicy", &["Always"], errors);
    if has(spec, "activeDeadlineSeconds") {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.forbidden(&path.child("activeDeadlineSeconds"), &detail);
    }
}

/// Returns true if a selector does not match the labels of the template; a missing selector selects nothing.
fn misses(selector: &Value, labels: &Value) -> bool {
    selector.is_null() || selects(selector, labels) == Some(false)
}

pub(crate) fn check_labels(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let labels = field(field(field(spec, "template"), "metadata"), "labels");
    if misses(field(spec, "selector"), labels) {
        let template = path.child("template");
        errors.invalid(
            &template.child("metadata").child("labels"),
            labels,
            MISMATCH,
        );
    }
}

/// Requires a non-empty, well-formed selector; returns false if it is malformed.
pub(crate) fn required_selector(
    path: &Path<'_>,
    spec: &Value,
    called: &str,
    errors: &mut Errors,
) -> bool {
    let (path, selector) = (path.child("selector"), field(spec, "selector"));
    if selector.is_null() {
        errors.required(&path, "");
        // `LabelSelectorAsSelector` converts an absent selector to one that selects nothing, so upstream continues with
        // the labels and the template.
        return true;
    }
    label_selector(&path, selector, errors);
    let shown = shown_selector(selector);
    if is_empty_selector(selector) {
        let detail = format!("empty selector is invalid for {called}");
        errors.invalid_shown(&path, &shown, &detail);
    } else if selects(selector, &Value::Null).is_none() {
        // Upstream gives no reason for a StatefulSet.
        let detail = match called {
            "statefulset" => "",
            _ => "invalid label selector",
        };
        errors.invalid_shown(&path, &shown, detail);
        return false;
    }
    true
}

pub(crate) fn immutable_selector(object: &Value, old: &Value, errors: &mut Errors) {
    let selector = |object| field(field(object, "spec"), "selector");
    if selector(object) != selector(old) {
        let path = Path::root("spec");
        let shown = shown_selector(selector(object));
        errors.invalid_shown(&path.child("selector"), &shown, "field is immutable");
    }
}

/// Checks the counters of a status: none may be negative, and some must not exceed others.
pub(crate) fn counters(
    object: &Value,
    names: &[&str],
    limits: &[(&str, &str, &str)],
    errors: &mut Errors,
) {
    let (path, status) = (Path::root("status"), field(object, "status"));
    for name in names {
        nonnegative_field(&path, status, name, errors);
    }
    for (name, limit, called) in limits {
        let value = int(status, name);
        if value > int(status, limit) {
            let detail = format!("cannot be greater than {called}");
            errors.invalid(&path.child(name), &json!(value), &detail);
        }
    }
}

/// Rejects a lower `collisionCount`: the names of ReplicaSets and revisions are hashed with it.
pub(crate) fn collisions(object: &Value, old: &Value, errors: &mut Errors) {
    const NAME: &str = "collisionCount";
    let count = |object| opt_int(field(object, "status"), NAME);
    if count(old).is_some_and(|before| count(object).is_none_or(|now| now < before)) {
        let now = json!(count(object).unwrap_or(0));
        errors.invalid(
            &Path::root("status").child(NAME),
            &now,
            "cannot be decremented",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_selector_has_a_reason_except_for_stateful_sets() {
        let spec = json!({"selector": {"matchExpressions": [{"key": "a", "operator": "X"}]}});
        let told = |called: &str| {
            let mut errors = Errors::default();
            assert!(!required_selector(
                &Path::root("spec"),
                &spec,
                called,
                &mut errors
            ));
            let causes = errors.into_causes();
            causes.last().map(ToString::to_string).unwrap_or_default()
        };
        let wrong = "spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"X\"}]}";
        assert_eq!(told("statefulset"), wrong);
        assert_eq!(
            told("deployment"),
            format!("{wrong}: invalid label selector")
        );
    }

    #[test]
    fn annotations_of_a_template_match_its_fields() {
        let container = json!({"name": "c", "image": "i", "imagePullPolicy": "Always",
            "terminationMessagePolicy": "File",
            "securityContext": {"appArmorProfile": {"type": "Unconfined"}}});
        let wanted = json!({
            "metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/c": "runtime/default"}},
            "spec": {"containers": [container], "restartPolicy": "Always", "dnsPolicy": "ClusterFirst"}});
        let mut errors = Errors::default();
        template(&Path::root("template"), &wanted, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<_> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "template.spec.containers[0].securityContext.appArmorProfile.type: Forbidden: \
              apparmor type in annotation and field must match"
            ]
        );
    }

    #[test]
    fn the_count_of_collisions_never_falls() {
        let status = |count: Option<i64>| match count {
            Some(count) => json!({"status": {"collisionCount": count}}),
            None => json!({"status": {}}),
        };
        for (before, now, told) in [
            (None, Some(1), None),
            (Some(1), Some(1), None),
            (Some(1), Some(2), None),
            (Some(3), Some(2), Some("2")),
            (Some(3), None, Some("0")),
        ] {
            let mut errors = Errors::default();
            collisions(&status(now), &status(before), &mut errors);
            let causes = errors.into_causes();
            let messages: Vec<_> = causes.iter().map(|cause| cause.message.as_str()).collect();
            let told = told.map(|value| format!("Invalid value: {value}: cannot be decremented"));
            let wanted: Vec<_> = told.iter().map(String::as_str).collect();
            assert_eq!(messages, wanted, "{before:?} {now:?}");
        }
    }
}
