//! The rules of a ResourceQuota.

use crate::admission::quota::{POD_NAMES, is_standard};
use crate::api::json::Value;
use crate::tree::{as_text, entries, field, len, list, texts};
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
    let scopes = |object| field(field(object, "spec"), "scopes");
    meta::immutable(&path.child("scopes"), scopes(object), scopes(old), errors);
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
    for pair in [
        ["BestEffort", "NotBestEffort"],
        ["Terminating", "NotTerminating"],
    ] {
        if pair.iter().all(|scope| scopes.contains(scope)) {
            errors.invalid(&scopes_path, value, "conflicting scopes");
        }
    }
    let selector_path = path.child("scopeSelector");
    let path = selector_path.child("matchExpressions");
    for expression in list(field(spec, "scopeSelector"), "matchExpressions") {
        // Upstream's paths for these errors have no index.
        scope_expression(&path, expression, errors);
    }
}

fn scope_covers(scope: &str, resource: &str) -> bool {
    match scope {
        // Best-effort Pods have neither requests nor limits, so only their number can be limited.
        "BestEffort" => resource == "pods",
        "NotBestEffort"
        | "Terminating"
        | "NotTerminating"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => POD_NAMES.contains(&resource),
        _ => true,
    }
}

fn scope_expression(path: &Path<'_>, expression: &Value, errors: &mut Errors) {
    let (scope, operator) = (
        field(expression, "scopeName"),
        field(expression, "operator"),
    );
    let operator_path = path.child("operator");
    if !SCOPES.contains(&as_text(scope)) {
        errors.invalid(&path.child("scopeName"), scope, "unsupported scope");
    }
    // These scopes compare a value; all others either apply or do not.
    let by_value = matches!(as_text(scope), "PriorityClass" | "VolumeAttributesClass");
    if !by_value && operator != "Exists" {
        errors.invalid(
            &operator_path,
            operator,
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
             ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
             ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        );
        return;
    }
    let values = path.child("values");
    match (as_text(operator), len(expression, "values")) {
        ("In" | "NotIn", 0) => errors.required(
            &values,
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
        ("In" | "NotIn", _) | ("Exists" | "DoesNotExist", 0) => {}
        ("Exists" | "DoesNotExist", _) => errors.invalid(
            &values,
            field(expression, "values"),
            "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector",
        ),
        _ => errors.invalid(&operator_path, operator, "not a valid selector operator"),
    }
}
