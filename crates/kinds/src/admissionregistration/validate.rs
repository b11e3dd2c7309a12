//! The rules that kinds of this group share.

use crate::api::json::{Value, json};
use crate::cel::{Program, Type};
use crate::tree::{as_text, field, has, int, len, list, text, texts};
use crate::validate::common::{label_selector, one_of, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::webhook::client_config;
use crate::validate::{go, meta, names};

pub(crate) const POLICIES: &[&str] = &["Fail", "Ignore"];
const MATCHES: &[&str] = &["Equivalent", "Exact"];
const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const REVIEWS: &str = "v1, v1beta1";

/// A new webhook configuration of either kind.
pub(crate) fn webhooks(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    hooks(object, errors);
}

/// An update of a webhook configuration.
pub(crate) fn webhooks_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    hooks(object, errors);
}

fn hooks(object: &Value, errors: &mut Errors) {
    let path = Path::root("webhooks");
    for (index, hook) in list(object, "webhooks").iter().enumerate() {
        let path = path.index(index);
        review_versions(&path.child("admissionReviewVersions"), hook, errors);
        webhook(&path, hook, errors);
    }
}

fn review_versions(path: &Path<'_>, hook: &Value, errors: &mut Errors) {
    let versions = field(hook, "admissionReviewVersions");
    if len(hook, "admissionReviewVersions") == 0 {
        return errors.required(path, &format!("must specify one of {REVIEWS}"));
    }
    let known = |version: &str| matches!(version, "v1" | "v1beta1");
    if !texts(hook, "admissionReviewVersions").any(known) {
        errors.invalid(
            path,
            versions,
            &format!("must include at least one of {REVIEWS}"),
        );
    }
}

fn webhook(path: &Path<'_>, hook: &Value, errors: &mut Errors) {
    full_name(&path.child("name"), text(hook, "name"), errors);
    label_selector(
        &path.child("namespaceSelector"),
        field(hook, "namespaceSelector"),
        errors,
    );
    label_selector(
        &path.child("objectSelector"),
        field(hook, "objectSelector"),
        errors,
    );
    let rules = path.child("rules");
    for (index, rule) in list(hook, "rules").iter().enumerate() {
        self::rule(&rules.index(index), rule, errors);
    }
    one_of(path, hook, "failurePolicy", POLICIES, errors);
    one_of(path, hook, "matchPolicy", MATCHES, errors);
    let effects = field(hook, "sideEffects");
    match as_text(effects) {
        "" => errors.required(
            &path.child("sideEffects"),
            "must specify one of None, NoneOnDryRun",
        ),
        "None" | "NoneOnDryRun" => {}
        _ => {
            let supported = &["None", "NoneOnDryRun"];
            errors.not_supported(&path.child("sideEffects"), effects, supported);
        }
    }
    let seconds = int(hook, "timeoutSeconds");
    if has(hook, "timeoutSeconds") && !(1..=30).contains(&seconds) {
        errors.invalid(
            &path.child("timeoutSeconds"),
            &json!(seconds),
            "the timeout value must be between 1 and 30 seconds",
        );
    }
    one_of(
        path,
        hook,
        "reinvocationPolicy",
        &["IfNeeded", "Never"],
        errors,
    );
    client_config(
        &path.child("clientConfig"),
        field(hook, "clientConfig"),
        errors,
    );
    match_conditions(path, hook, errors);
}

/// A name with at least three parts.
fn full_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    let wrong = names::dns1123_subdomain(name);
    if wrong.is_empty() && name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.invalid_shown(path, &go::quoted(name), detail);
    }
    errors.invalid_each(path, name, wrong);
}

fn rule(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let operations = path.child("operations");
    if len(rule, "operations") == 0 {
        errors.required(&operations, "");
    }
    for (index, operation) in list(rule, "operations").iter().enumerate() {
        if !OPERATIONS.contains(&as_text(operation)) {
            errors.not_supported(&operations.index(index), operation, OPERATIONS);
        }
    }
    for name in ["apiGroups", "apiVersions", "resources"] {
        if len(rule, name) == 0 {
            errors.required(&path.child(name), "");
        }
    }
    for name in ["apiGroups", "apiVersions"] {
        if len(rule, name) > 1 && texts(rule, name).any(|item| item == "*") {
            let detail = "if '*' is present, must not specify other API groups";
            errors.invalid(&path.child(name), field(rule, name), detail);
        }
    }
    one_of(path, rule, "scope", &["*", "Cluster", "Namespaced"], errors);
}

pub(crate) fn match_conditions(path: &Path<'_>, holder: &Value, errors: &mut Errors) {
    let path = path.child("matchConditions");
    let mut seen = std::collections::BTreeSet::new();
    for (index, condition) in list(holder, "matchConditions").iter().enumerate() {
        let path = path.index(index);
        if required_text(&path, condition, "expression", errors) {
            compiles(&path, condition, &[], errors);
        }
        let name = text(condition, "name");
        if required_text(&path, condition, "name", errors) {
            errors.invalid_each(&path.child("name"), name, names::qualified_name(name));
            if !seen.insert(name) {
                errors.duplicate(&path.child("name"), &go::quoted(name));
            }
        }
    }
}

/// An expression in CEL makes sense; `more` is what it sees besides the request.
pub(crate) fn compiles(path: &Path<'_>, holder: &Value, more: &[&str], errors: &mut Errors) {
    let expression = text(holder, "expression");
    let any = ["object", "oldObject", "request", "authorizer"];
    let names: Vec<(&str, Type)> = any
        .iter()
        .chain(more)
        .map(|name| (*name, Type::Dyn))
        .collect();
    let checked = Program::parse(expression).and_then(|program| program.check(&names));
    let detail = match checked {
        Ok(Type::Bool | Type::Dyn) => return,
        Ok(_) => "must evaluate to bool".to_owned(),
        Err(wrong) => format!("compilation failed: {wrong}"),
    };
    let path = path.child("expression");
    errors.invalid_shown(&path, &go::quoted(expression), &detail);
}

pub(crate) fn constraints(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let path = path.child("matchConstraints");
    let constraints = field(spec, "matchConstraints");
    if constraints.is_null() {
        return errors.required(&path, "");
    }
    one_of(&path, constraints, "matchPolicy", MATCHES, errors);
    for name in ["namespaceSelector", "objectSelector"] {
        label_selector(&path.child(name), field(constraints, name), errors);
    }
    let rules = path.child("resourceRules");
    if len(constraints, "resourceRules") == 0 {
        errors.required(&rules, "");
    }
    for (index, rule) in list(constraints, "resourceRules").iter().enumerate() {
        self::rule(&rules.index(index), rule, errors);
    }
}

/// A new MutatingAdmissionPolicyBinding.
pub(crate) fn mutating_binding(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    if required_text(&path, spec, "policyName", errors) {
        let name = text(spec, "policyName");
        let wrong = names::dns1123_subdomain(name);
        errors.invalid_each(&path.child("policyName"), name, wrong);
    }
}
