//! Webhooks and admission policies. Expressions are not compiled here, only required where they must be.

use super::common::{label_selector, one_of, required_text};
use super::errors::Errors;
use super::path::Path;
use super::{go, meta, names};
use crate::api::json::{Value, json};
use crate::cel::{Program, Type};
use crate::tree::{as_text, field, has, int, len, list, text, texts};

const POLICIES: &[&str] = &["Fail", "Ignore"];
const MATCHES: &[&str] = &["Equivalent", "Exact"];
const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const REVIEWS: &str = "v1, v1beta1";

/// A new webhook configuration of either kind.
pub(super) fn webhooks(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    hooks(object, errors);
}

/// An update of a webhook configuration.
pub(super) fn webhooks_update(object: &Value, old: &Value, errors: &mut Errors) {
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

/// Where a webhook is called: a URL or a service, not both.
pub(super) fn client_config(path: &Path<'_>, config: &Value, errors: &mut Errors) {
    let url = has(config, "url");
    if url == has(config, "service") {
        return errors.required(path, "exactly one of url or service is required");
    }
    if url {
        return web_address(&path.child("url"), text(config, "url"), errors);
    }
    let (path, service) = (path.child("service"), field(config, "service"));
    required_text(&path, service, "name", errors);
    required_text(&path, service, "namespace", errors);
}

fn web_address(path: &Path<'_>, url: &str, errors: &mut Errors) {
    const FORM: &str = "; desired format: https://host[/path]";
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = rest.split(['/', '?', '#']).next().unwrap_or("");
    let mut wrong = |shown: &str, detail: &str| {
        errors.invalid_shown(path, &go::quoted(shown), &format!("{detail}{FORM}"));
    };
    if scheme != "https" {
        wrong(scheme, "'https' is the only allowed URL scheme");
    }
    if host.is_empty() {
        wrong("", "host must be specified");
    }
    if host.contains('@') {
        wrong(host, "user information is not permitted in the URL");
    }
    if rest.contains('?') {
        wrong(rest, "query parameters are not permitted in the URL");
    }
    if rest.contains('#') {
        wrong(rest, "fragments are not permitted in the URL");
    }
}

fn match_conditions(path: &Path<'_>, holder: &Value, errors: &mut Errors) {
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
fn compiles(path: &Path<'_>, holder: &Value, more: &[&str], errors: &mut Errors) {
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

fn constraints(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
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

/// A new ValidatingAdmissionPolicy.
pub(super) fn validating_policy(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    one_of(&path, spec, "failurePolicy", POLICIES, errors);
    match_conditions(&path, spec, errors);
    constraints(&path, spec, errors);
    let validations = path.child("validations");
    if len(spec, "validations") + len(spec, "auditAnnotations") == 0 {
        let detail = "validations or auditAnnotations must contain at least one item";
        errors.required(&validations, detail);
        errors.required(&path.child("auditAnnotations"), detail);
    }
    for (index, validation) in list(spec, "validations").iter().enumerate() {
        let path = validations.index(index);
        if text(validation, "expression").trim().is_empty() {
            errors.required(&path.child("expression"), "expression is not specified");
        } else {
            let more = ["params", "namespaceObject", "variables"];
            compiles(&path, validation, &more, errors);
        }
    }
}

/// An update of a ValidatingAdmissionPolicy.
pub(super) fn validating_policy_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    validating_policy(object, errors);
}

/// A new MutatingAdmissionPolicy.
pub(super) fn mutating_policy(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    one_of(&path, spec, "failurePolicy", POLICIES, errors);
    match_conditions(&path, spec, errors);
    constraints(&path, spec, errors);
    if len(spec, "mutations") == 0 {
        let detail = "mutations must contain at least one item";
        errors.required(&path.child("mutations"), detail);
    }
    match text(spec, "reinvocationPolicy") {
        "" => errors.required(&path.child("reinvocationPolicy"), ""),
        _ => one_of(
            &path,
            spec,
            "reinvocationPolicy",
            &["IfNeeded", "Never"],
            errors,
        ),
    }
}

/// An update of a MutatingAdmissionPolicy.
pub(super) fn mutating_policy_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    mutating_policy(object, errors);
}

/// A new ValidatingAdmissionPolicyBinding.
pub(super) fn validating_binding(object: &Value, errors: &mut Errors) {
    const ACTIONS: &[&str] = &["Audit", "Deny", "Warn"];
    mutating_binding(object, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let path = path.child("validationActions");
    let actions = list(spec, "validationActions");
    if actions.is_empty() {
        errors.required(&path, "at least one validation action is required");
    }
    for (index, action) in actions.iter().enumerate() {
        if !ACTIONS.contains(&as_text(action)) {
            errors.not_supported(&path.index(index), action, ACTIONS);
        }
    }
    let has = |wanted: &str| actions.iter().any(|action| action == wanted);
    if has("Deny") && has("Warn") {
        errors.invalid(
            &path,
            field(spec, "validationActions"),
            "must not contain both Deny and Warn (repeating the same validation failure information in \
             the API response and headers serves no purpose)",
        );
    }
}

/// An update of a ValidatingAdmissionPolicyBinding.
pub(super) fn validating_binding_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    validating_binding(object, errors);
}

/// A new MutatingAdmissionPolicyBinding.
pub(super) fn mutating_binding(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    if required_text(&path, spec, "policyName", errors) {
        let name = text(spec, "policyName");
        let wrong = names::dns1123_subdomain(name);
        errors.invalid_each(&path.child("policyName"), name, wrong);
    }
}

/// An update of a MutatingAdmissionPolicyBinding.
pub(super) fn mutating_binding_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    mutating_binding(object, errors);
}
