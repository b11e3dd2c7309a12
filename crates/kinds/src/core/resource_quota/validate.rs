//! The rules of a ResourceQuota.

use std::collections::BTreeSet;

use crate::admission::quota::{POD_NAMES, is_standard};
use crate::api::json::Value;
use crate::tree::{entries, field, len, list, text, texts};
use crate::validate::common::{resource_amount, resource_name};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

const SCOPES: &[&str] = &[
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];

/// Validates a new ResourceQuota.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    quota_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a ResourceQuota.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let path = Path::root("spec");
    quota_spec(&path, field(object, "spec"), errors);
    let spec = |object| field(object, "spec");
    let scopes = |object| texts(spec(object), "scopes").collect::<BTreeSet<_>>();
    // The order may change.
    if scopes(object) != scopes(old) {
        let value = field(spec(object), "scopes");
        errors.invalid(&path.child("scopes"), value, "field is immutable");
    }
}

/// Validates an update of a ResourceQuota's status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let (path, status) = (Path::root("status"), field(object, "status"));
    for name in ["hard", "used"] {
        hard(&path.child(name), status, name, errors);
    }
}

fn hard(path: &Path<'_>, holder: &Value, name: &str, errors: &mut Errors) {
    for (resource, amount) in entries(holder, name) {
        let path = path.key(resource);
        resource_name(&path, resource, errors);
        if !resource.contains('/') && !is_standard(resource) {
            let detail = "must be a standard resource for quota";
            errors.invalid_shown(&path, &go::quoted(resource), detail);
        }
        resource_amount(&path, resource, amount, errors);
    }
}

fn quota_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    hard(&path.child("hard"), spec, "hard", errors);
    let (scopes_path, value) = (path.child("scopes"), field(spec, "scopes"));
    let scopes: Vec<&str> = texts(spec, "scopes").collect();
    for scope in &scopes {
        // Each error shows all scopes, so the messages may get long.
        if errors.is_full() {
            break;
        }
        if !SCOPES.contains(scope) {
            errors.invalid(&scopes_path, value, "unsupported scope");
        }
        for (resource, _) in entries(spec, "hard") {
            // This rule does not restrict extended resources and `count/` quotas.
            if is_standard(resource) && !scope_covers(scope, resource) {
                errors.invalid(&scopes_path, value, "unsupported scope applied to resource");
            }
        }
    }
    conflicts(&scopes_path, &scopes, value, errors);
    let selector_path = path.child("scopeSelector");
    let path = selector_path.child("matchExpressions");
    // Upstream's paths for these errors have no index.
    selector(&path, spec, errors);
}

/// Reports pairs of scopes that no Pod is in, with the scopes of the spec as the value.
fn conflicts(path: &Path<'_>, scopes: &[&str], value: &Value, errors: &mut Errors) {
    for pair in [
        ["BestEffort", "NotBestEffort"],
        ["Terminating", "NotTerminating"],
    ] {
        if pair.iter().all(|scope| scopes.contains(scope)) {
            errors.invalid(path, value, "conflicting scopes");
        }
    }
}

fn selector(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let selector = field(spec, "scopeSelector");
    let expressions = list(selector, "matchExpressions");
    for expression in expressions {
        // Some errors show the whole selector, so the messages may get long.
        if errors.is_full() {
            break;
        }
        let scope = text(expression, "scopeName");
        if !SCOPES.contains(&scope) {
            let path = path.child("scopeName");
            errors.invalid_shown(&path, &go::quoted(scope), "unsupported scope");
        }
        for (resource, _) in entries(spec, "hard") {
            if is_standard(resource) && !scope_covers(scope, resource) {
                let shown = go::shown_as("ScopeSelector", selector);
                errors.invalid_shown(path, &shown, "unsupported scope applied to resource");
            }
        }
        scope_expression(path, expression, errors);
    }
    let scopes: Vec<&str> = expressions.iter().map(|e| text(e, "scopeName")).collect();
    // Upstream shows the other scopes, those of the spec, although they are not part of the conflict.
    conflicts(path, &scopes, field(spec, "scopes"), errors);
}

/// Returns true for the names of ephemeral storage, which every quota may limit, but none with a scope of Pods.
fn is_storage(resource: &str) -> bool {
    resource.ends_with("ephemeral-storage")
}

fn scope_covers(scope: &str, resource: &str) -> bool {
    match scope {
        // Best-effort Pods have neither requests nor limits, so only their number can be limited.
        "BestEffort" => resource == "pods",
        "NotBestEffort"
        | "Terminating"
        | "NotTerminating"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => POD_NAMES.contains(&resource) && !is_storage(resource),
        _ => true,
    }
}

fn scope_expression(path: &Path<'_>, expression: &Value, errors: &mut Errors) {
    let operator = text(expression, "operator");
    let operator_path = path.child("operator");
    // These scopes either apply or do not; the others compare a value.
    let plain = [
        "Terminating",
        "NotTerminating",
        "BestEffort",
        "NotBestEffort",
        "CrossNamespacePodAffinity",
    ];
    if plain.contains(&text(expression, "scopeName")) && operator != "Exists" {
        errors.invalid_shown(
            &operator_path,
            &go::quoted(operator),
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
             ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
             ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        );
    }
    let values = path.child("values");
    match (operator, len(expression, "values")) {
        ("In" | "NotIn", 0) => errors.required(
            &values,
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
        ("In" | "NotIn", _) | ("Exists" | "DoesNotExist", 0) => {}
        ("Exists" | "DoesNotExist", _) => errors.invalid(
            &values,
            field(expression, "values"),
            // The text is upstream's, with the wrong name of the operator.
            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
        _ => {
            let detail = "not a valid selector operator";
            errors.invalid_shown(&operator_path, &go::quoted(operator), detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(spec: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        quota_spec(&Path::root("spec"), spec, &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    fn selecting(expressions: &Value) -> Value {
        json!({"hard": {"cpu": "1", "pods": "1", "requests.ephemeral-storage": "1Gi"},
            "scopeSelector": {"matchExpressions": expressions}})
    }

    const AT: &str = "spec.scopeSelector.matchExpressions";

    #[test]
    fn selected_scopes_cover_the_limited_resources() {
        let unfit = |scope: &str| {
            format!(
                "{AT}: Invalid value: {{\"MatchExpressions\":[{{\"ScopeName\":\"{scope}\",\"Operator\":\"Exists\",\
                 \"Values\":null}}]}}: unsupported scope applied to resource"
            )
        };
        // A best-effort Pod has no CPU, and no scope of Pods covers ephemeral storage.
        for (scope, count) in [("BestEffort", 2), ("Terminating", 1), ("PriorityClass", 1)] {
            let spec = selecting(&json!([{"scopeName": scope, "operator": "Exists"}]));
            assert_eq!(told(&spec), vec![unfit(scope); count], "{scope}");
        }
        let exists = |scope: &str| json!({"scopeName": scope, "operator": "Exists"});
        let both = json!([exists("BestEffort"), exists("NotBestEffort")]);
        let mut spec = selecting(&both);
        spec["hard"] = json!({"pods": "1"});
        let conflict = format!("{AT}: Invalid value: null: conflicting scopes");
        assert_eq!(told(&spec), [conflict]);
    }

    #[test]
    fn operators_of_scopes_have_the_servers_errors() {
        let told = |scope: &str, operator: &str, values: Value| {
            let expression = json!({"scopeName": scope, "operator": operator, "values": values});
            let mut spec = selecting(&json!([expression]));
            spec["hard"] = json!({"pods": "1"});
            told(&spec)
        };
        let unknown = format!("{AT}.operator: Invalid value: \"Y\": not a valid selector operator");
        assert_eq!(told("PriorityClass", "Y", json!([])), [unknown.as_str()]);
        let errors = told("Terminating", "Y", json!([]));
        assert_eq!(errors.len(), 2);
        assert!(errors[0].starts_with(&format!(
            "{AT}.operator: Invalid value: \"Y\": must be 'Exists'"
        )));
        assert_eq!(errors[1], unknown);
        assert_eq!(
            told("PriorityClass", "Exists", json!(["x"])),
            [format!(
                "{AT}.values: Invalid value: [\"x\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for \
                 scope selector"
            )]
        );
        assert_eq!(
            told("X", "In", json!(["x"])),
            [format!(
                "{AT}.scopeName: Invalid value: \"X\": unsupported scope"
            )]
        );
    }

    #[test]
    fn scopes_are_a_set() {
        let quota = |scopes: Value| {
            json!({"metadata": {"name": "q", "namespace": "d", "resourceVersion": "1"},
                "spec": {"hard": {"pods": "1"}, "scopes": scopes}})
        };
        let told = |scopes: Value| {
            let mut errors = Errors::default();
            update(
                &quota(scopes),
                &quota(json!(["Terminating", "NotBestEffort"])),
                &mut errors,
            );
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(json!(["NotBestEffort", "Terminating"])), [""; 0]);
        assert_eq!(
            told(json!(["Terminating"])),
            ["spec.scopes: Invalid value: [\"Terminating\"]: field is immutable"]
        );
    }
}
