//! The rules of a Job.

use crate::api::json::{Value, json};
use crate::batch::validate::job_spec;
use crate::condition;
use crate::tree::{field, flag, has, int, items, list, set_or_remove, text};
use crate::validate::common::{label_selector, selects, shown_selector};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
const JOB_NAME: &str = "batch.kubernetes.io/job-name";

/// Validates a new Job.
pub(crate) fn create(job: &Value, errors: &mut Errors) {
    meta::create(job, true, names::dns1123_subdomain, errors);
    generated_selector(job, errors);
    let (path, spec) = (Path::root("spec"), field(job, "spec"));
    spec_with_selector(&path, spec, errors);
    let completions = int(spec, "completions");
    // The host names of an indexed Job's Pods consist of its name and their index, so check the longest.
    if text(spec, "completionMode") == "Indexed" && completions > 0 {
        let name = text(field(job, "metadata"), "name");
        let pod = format!("{name}-{}", completions - 1);
        if !names::dns1123_label(&pod).is_empty() {
            let detail = format!("will not able to create pod with invalid DNS label: {pod}");
            let metadata = Path::root("metadata");
            errors.invalid_shown(&metadata.child("name"), &go::quoted(name), &detail);
        }
    }
}

/// Validates a generated selector: it must consist of the Job's uid, and the template must have the labels that it
/// selects.
fn generated_selector(job: &Value, errors: &mut Errors) {
    let (metadata, spec) = (field(job, "metadata"), field(job, "spec"));
    let selector = field(spec, "selector");
    if flag(spec, "manualSelector") || selector.is_null() {
        return;
    }
    let (uid, name) = (text(metadata, "uid"), text(metadata, "name"));
    let uid = match uid {
        // A client-side dry run validates before the object has a uid.
        "" => text(field(selector, "matchLabels"), CONTROLLER_UID),
        uid => uid,
    };
    // The labels without a prefix are older, but upstream still writes both.
    let expected = [
        ("controller-uid", uid),
        ("job-name", name),
        (CONTROLLER_UID, uid),
        (JOB_NAME, name),
    ];
    let path = Path::root("spec");
    let template = path.child("template");
    let metadata = template.child("metadata");
    let at = metadata.child("labels");
    let labels = field(field(field(spec, "template"), "metadata"), "labels");
    for (key, value) in expected {
        let detail = format!("must be '{value}'");
        match field(labels, key).as_str() {
            Some(own) if own == value => {}
            Some(_) => errors.invalid(&at.key(key), labels, &detail),
            None => errors.required(&at.key(key), &detail),
        }
    }
    let expected = expected.map(|(key, value)| (key.to_owned(), Value::from(value)));
    let expected = Value::Object(expected.into_iter().collect());
    if selects(selector, &expected) == Some(false) {
        let shown = shown_selector(selector);
        errors.invalid_shown(
            &path.child("selector"),
            &shown,
            "`selector` not auto-generated",
        );
    }
}

fn spec_with_selector(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    job_spec(path, spec, errors);
    let selector = field(spec, "selector");
    match selector {
        Value::Null => errors.required(&path.child("selector"), ""),
        selector => label_selector(&path.child("selector"), selector, errors),
    }
    let labels = field(field(field(spec, "template"), "metadata"), "labels");
    if selector.is_null() || selects(selector, labels) == Some(false) {
        let template = path.child("template");
        errors.invalid(
            &template.child("metadata").child("labels"),
            labels,
            "`selector` does not match template `labels`",
        );
    }
}

/// Validates an update of a Job: all rules apply again, and most fields are immutable.
pub(crate) fn update(job: &Value, old: &Value, errors: &mut Errors) {
    create(job, errors);
    meta::update(job, old, errors);
    let path = Path::root("spec");
    let (spec, before) = (field(job, "spec"), field(old, "spec"));
    // Upstream validates the spec again as a part of the update.
    spec_with_selector(&path, spec, errors);
    completions(&path.child("completions"), spec, before, errors);
    if field(spec, "selector") != field(before, "selector") {
        let shown = shown_selector(field(spec, "selector"));
        errors.invalid_shown(&path.child("selector"), &shown, "field is immutable");
    }
    template_update(&path.child("template"), spec, old, errors);
    for (name, shown) in [
        ("completionMode", ""),
        ("podFailurePolicy", "*PodFailurePolicy"),
        ("backoffLimitPerIndex", ""),
        ("managedBy", ""),
        ("successPolicy", "*SuccessPolicy"),
    ] {
        let value = field(spec, name);
        if value != field(before, name) {
            let shown = match shown {
                "" => go::shown(value),
                shown => go::shown_as(shown, value),
            };
            errors.invalid_shown(&path.child(name), &shown, "field is immutable");
        }
    }
}

fn completions(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) {
    let value = field(spec, "completions");
    if value == field(before, "completions") {
        return;
    }
    if text(spec, "completionMode") != "Indexed" || value.is_null() {
        return errors.invalid(path, value, "field is immutable");
    }
    // An indexed Job is elastic only if all indexes run at once.
    if value != field(spec, "parallelism") {
        errors.invalid(
            path,
            value,
            "can only be modified in tandem with spec.parallelism",
        );
    }
}

/// Allows a suspended Job without running Pods to change its scheduling directives and resources.
fn template_update(path: &Path<'_>, spec: &Value, old_job: &Value, errors: &mut Errors) {
    let template = field(spec, "template");
    let mut old = field(field(old_job, "spec"), "template").clone();
    if is_idle(old_job) {
        adopt_directives(&mut old, template);
    }
    if *template != old {
        let shown = go::shown_as("PodTemplateSpec", template);
        errors.invalid_shown(path, &shown, "field is immutable");
    }
}

/// Returns true if the Job is suspended and either never started or has stopped all of its Pods.
fn is_idle(job: &Value) -> bool {
    let status = field(job, "status");
    let stopped = || condition::is_true(job, "Suspended") && int(status, "active") == 0;
    flag(field(job, "spec"), "suspend") && (!has(status, "startTime") || stopped())
}

fn adopt_directives(old: &mut Value, new: &Value) {
    let copy = |to: &mut Value, from: &Value, name: &str| {
        set_or_remove(to, name, from.get(name).cloned());
    };
    if let Some(metadata) = old.get_mut("metadata") {
        for name in ["labels", "annotations"] {
            copy(metadata, field(new, "metadata"), name);
        }
    }
    let Some(spec) = old.get_mut("spec") else {
        return;
    };
    let pod = field(new, "spec");
    for name in ["nodeSelector", "tolerations", "schedulingGates"] {
        copy(spec, pod, name);
    }
    adopt_node_affinity(spec, field(pod, "affinity"));
    for name in ["containers", "initContainers"] {
        for (container, other) in items(spec, name).zip(list(pod, name)) {
            copy(container, other, "resources");
        }
    }
}

/// Of the affinities, only the one to nodes may change.
fn adopt_node_affinity(spec: &mut Value, affinity: &Value) {
    const NAME: &str = "nodeAffinity";
    let mut own = match field(spec, "affinity") {
        Value::Null => json!({}),
        own => own.clone(),
    };
    set_or_remove(&mut own, NAME, affinity.get(NAME).cloned());
    let others = own.as_object().is_some_and(|own| !own.is_empty());
    let own = (others || !affinity.is_null()).then_some(own);
    set_or_remove(spec, "affinity", own);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(spec: &Value, status: &Value) -> Value {
        let mut pod = json!({"containers": [{"name": "c", "image": "i"}]});
        for (name, value) in spec.as_object().into_iter().flatten() {
            pod[name.as_str()] = value.clone();
        }
        json!({"spec": {"suspend": true, "template": {"metadata": {}, "spec": pod}}, "status": status})
    }

    fn accepts(new: &Value, old: &Value, status: &Value) -> bool {
        let mut errors = Errors::default();
        let (new, old) = (job(new, &Value::Null), job(old, status));
        let path = Path::root("template");
        template_update(&path, field(&new, "spec"), &old, &mut errors);
        errors.into_causes().is_empty()
    }

    #[test]
    fn a_suspended_job_without_pods_may_change_its_directives() {
        let stopped = |kind: &str, active: i64| {
            json!({"startTime": "2026-01-02T12:00:00Z", "active": active,
                "conditions": [{"type": kind, "status": "True"}]})
        };
        let (new, old) = (json!({"nodeSelector": {"zone": "a"}}), json!({}));
        for (status, allowed) in [
            (json!({}), true),
            (json!({"startTime": "2026-01-02T12:00:00Z"}), false),
            (stopped("Suspended", 0), true),
            (stopped("Suspended", 1), false),
            (stopped("Failed", 0), false),
        ] {
            assert_eq!(accepts(&new, &old, &status), allowed, "{status}");
        }
    }

    #[test]
    fn of_the_affinities_only_that_to_nodes_may_change() {
        let (node, other) = (json!({"x": 1}), json!({"y": 1}));
        let both = json!({"affinity": {"nodeAffinity": node, "podAffinity": other}});
        let node = json!({"affinity": {"nodeAffinity": node}});
        let other = json!({"affinity": {"podAffinity": other}});
        let none = json!({});
        for (new, old, allowed) in [
            (&node, &none, true),
            (&none, &node, true),
            (&both, &other, true),
            (&other, &both, true),
            (&json!({"affinity": {}}), &none, true),
            (&other, &none, false),
            (&none, &other, false),
            (&node, &both, false),
        ] {
            assert_eq!(accepts(new, old, &none), allowed, "{new} {old}");
        }
    }
}
