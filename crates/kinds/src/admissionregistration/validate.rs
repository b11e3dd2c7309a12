//! Validation that several kinds of the group share.

use std::collections::BTreeMap;

use crate::admission::policy::types::{self, Names};
use crate::api::json::{Value, json};
use crate::cel::Type;
use crate::custom::program;
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

/// Validates a new webhook configuration.
pub(crate) fn webhooks(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    hooks(object, errors);
}

/// Validates an update of a webhook configuration.
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
    // One known version suffices: a webhook may already list versions of a later server.
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
        // v1 dropped `Some` and `Unknown`: a dry run may not have side effects.
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
    match_conditions(path, hook, false, errors);
}

/// Requires a name with at least three parts.
fn full_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    let wrong = names::dns1123_subdomain(name);
    // The name appears in errors of other users, so it must identify the webhook's owner.
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
            // Upstream has one text for both fields, groups and versions.
            let detail = "if '*' is present, must not specify other API groups";
            errors.invalid(&path.child(name), field(rule, name), detail);
        }
    }
    one_of(path, rule, "scope", &["*", "Cluster", "Namespaced"], errors);
}

pub(crate) fn match_conditions(path: &Path<'_>, holder: &Value, params: bool, errors: &mut Errors) {
    let path = path.child("matchConditions");
    // A condition is compiled once for all kinds that the rules match, so the object has no static
    // type.
    let names = types::names(&Type::Dyn, params.then_some(&Type::Dyn));
    let mut seen = std::collections::BTreeSet::new();
    for (index, condition) in list(holder, "matchConditions").iter().enumerate() {
        let path = path.index(index);
        if required_text(&path, condition, "expression", errors) {
            compiles(&path, condition, "expression", (&names, &BOOL), errors);
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

/// The type of a condition's result, with its name in errors.
pub(crate) const BOOL: (Type, &str) = (Type::Bool, "bool");

/// The type of a message's result, with its name in errors.
pub(crate) const TEXT: (Type, &str) = (Type::Text, "string");

/// Validates that an expression compiles with these names and has a result of a type; returns the type.
pub(crate) fn compiles(
    path: &Path<'_>,
    holder: &Value,
    field: &str,
    (names, (wanted, word)): (&Names, &(Type, &str)),
    errors: &mut Errors,
) -> Type {
    let expression = text(holder, field);
    let checked = program(expression).and_then(|program| program.check(names));
    let (found, detail) = match checked {
        // A dynamic value is checked when the policy runs: fields of custom resources have no static type.
        Ok(found) if found == *wanted || found == Type::Dyn || *wanted == Type::Dyn => {
            return found;
        }
        Ok(found) => (found, format!("must evaluate to {word}")),
        Err(wrong) => (Type::Dyn, format!("compilation failed: {wrong}")),
    };
    errors.invalid_shown(&path.child(field), &go::quoted(expression), &detail);
    found
}

/// Validates the kind of a policy's parameters.
pub(crate) fn param_kind(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let kind = field(spec, "paramKind");
    if kind.is_null() {
        return;
    }
    let path = path.child("paramKind");
    required_text(&path, kind, "apiVersion", errors);
    required_text(&path, kind, "kind", errors);
}

/// Validates the variables of a policy; returns the names in scope of its other expressions.
pub(crate) fn variables(path: &Path<'_>, spec: &Value, errors: &mut Errors) -> Names {
    let params = has(spec, "paramKind").then_some(&Type::Dyn);
    let mut names = types::names(&Type::Dyn, params);
    names.push(("namespaceObject", types::namespace()));
    let path = path.child("variables");
    let mut known = BTreeMap::new();
    for (index, variable) in list(spec, "variables").iter().enumerate() {
        let path = path.index(index);
        let name = text(variable, "name");
        if name.trim().is_empty() {
            errors.required(&path.child("name"), "name is not specified");
        } else if !is_identifier(name) {
            let detail = "name is not a valid CEL identifier";
            errors.invalid_shown(&path.child("name"), &go::quoted(name), detail);
        }
        let mut found = Type::Dyn;
        if text(variable, "expression").trim().is_empty() {
            errors.required(&path.child("expression"), "expression is not specified");
        } else {
            // A variable may use earlier ones only, which rules out cycles.
            let seen = types::seeing(&names, &known);
            let any = (Type::Dyn, "");
            found = compiles(&path, variable, "expression", (&seen, &any), errors);
        }
        // A variable with an error keeps its name, so that later expressions do not fail because of it.
        known.insert(name.to_owned(), found);
    }
    types::seeing(&names, &known)
}

/// Returns true if a text is a CEL identifier.
fn is_identifier(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
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

/// Validates a new MutatingAdmissionPolicyBinding.
pub(crate) fn mutating_binding(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    if required_text(&path, spec, "policyName", errors) {
        let name = text(spec, "policyName");
        let wrong = names::dns1123_subdomain(name);
        errors.invalid_each(&path.child("policyName"), name, wrong);
    }
    param_ref(&path.child("paramRef"), field(spec, "paramRef"), errors);
}

/// Validates a binding's reference to parameters.
fn param_ref(path: &Path<'_>, reference: &Value, errors: &mut Errors) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    if reference.is_null() {
        return;
    }
    let (name, selector) = (text(reference, "name"), field(reference, "selector"));
    if !name.is_empty() {
        let wrong = names::path_segment(name);
        errors.invalid_each(&path.child("name"), name, wrong);
        if !selector.is_null() {
            errors.forbidden(&path.child("name"), EXCLUSIVE);
        }
    }
    if !selector.is_null() {
        label_selector(&path.child("selector"), selector, errors);
        if !name.is_empty() {
            errors.forbidden(&path.child("selector"), EXCLUSIVE);
        }
    }
    if name.is_empty() && selector.is_null() {
        errors.required(path, "one of name or selector must be specified");
    }
    match text(reference, "parameterNotFoundAction") {
        "" => errors.required(&path.child("parameterNotFoundAction"), ""),
        _ => one_of(
            path,
            reference,
            "parameterNotFoundAction",
            &["Allow", "Deny"],
            errors,
        ),
    }
}
