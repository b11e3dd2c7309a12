//! The rules that the kinds of this group share.

use std::collections::{BTreeMap, BTreeSet};

use crate::admission::policy::types::{self, Names};
use crate::api::json::{Value, json};
use crate::cel::{Type, is_identifier};
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
const MOST_CONDITIONS: usize = 64;
const REVIEWS: &str = "v1, v1beta1";

/// Validates a new webhook configuration.
pub(crate) fn webhooks(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    hooks(object, true, errors);
}

/// Validates an update of a webhook configuration.
pub(crate) fn webhooks_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let mut known = BTreeSet::new();
    let mut before = list(old, "webhooks").iter();
    // Names that predate the rule must not keep a configuration from being changed.
    let unique = before.all(|hook| known.insert(text(hook, "name")));
    hooks(object, unique, errors);
}

fn hooks(object: &Value, unique: bool, errors: &mut Errors) {
    let path = Path::root("webhooks");
    let mut known = BTreeSet::new();
    for (index, hook) in list(object, "webhooks").iter().enumerate() {
        let path = path.index(index);
        webhook(&path, hook, errors);
        review_versions(&path.child("admissionReviewVersions"), hook, errors);
        let name = text(hook, "name");
        // Metrics and errors identify a webhook by its name.
        if unique && !name.is_empty() && !known.insert(name) {
            errors.duplicate(&path.child("name"), &go::quoted(name));
        }
    }
}

fn review_versions(path: &Path<'_>, hook: &Value, errors: &mut Errors) {
    let versions = field(hook, "admissionReviewVersions");
    if len(hook, "admissionReviewVersions") == 0 {
        return errors.required(path, &format!("must specify one of {REVIEWS}"));
    }
    let mut seen = BTreeSet::new();
    for (index, version) in texts(hook, "admissionReviewVersions").enumerate() {
        let path = path.index(index);
        match seen.insert(version) {
            true => errors.invalid_each(&path, version, names::dns1035_label(version)),
            false => errors.invalid_shown(&path, &go::quoted(version), "duplicate version"),
        }
    }
    // One known version is enough: a webhook may also list versions of a later API server.
    if !seen.contains("v1") && !seen.contains("v1beta1") {
        errors.invalid(
            path,
            versions,
            &format!("must include at least one of {REVIEWS}"),
        );
    }
}

fn webhook(path: &Path<'_>, hook: &Value, errors: &mut Errors) {
    full_name(&path.child("name"), text(hook, "name"), errors);
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
        // v1 no longer allows `Some` and `Unknown`, because a dry run must not have side effects.
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
    for name in ["namespaceSelector", "objectSelector"] {
        label_selector(&path.child(name), field(hook, name), errors);
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

/// Requires a name of at least three segments.
fn full_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    let wrong = names::dns1123_subdomain(name);
    // The name appears in errors for all users, so it must identify the owner of the webhook.
    if wrong.is_empty() && name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.invalid_shown(path, &go::quoted(name), detail);
    }
    errors.invalid_each(path, name, wrong);
}

/// Rejects a list that contains the wildcard next to other values.
fn lone_wildcard(path: &Path<'_>, rule: &Value, name: &str, others: &str, errors: &mut Errors) {
    if len(rule, name) > 1 && texts(rule, name).any(|item| item == "*") {
        let detail = format!("if '*' is present, must not specify other {others}");
        errors.invalid(&path.child(name), field(rule, name), &detail);
    }
}

fn rule(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let at_least_one = |name: &str, errors: &mut Errors| {
        if len(rule, name) == 0 {
            errors.required(&path.child(name), "");
        }
    };
    at_least_one("operations", errors);
    lone_wildcard(path, rule, "operations", "operations", errors);
    let operations = path.child("operations");
    for (index, operation) in list(rule, "operations").iter().enumerate() {
        if !OPERATIONS.contains(&as_text(operation)) {
            errors.not_supported(&operations.index(index), operation, OPERATIONS);
        }
    }
    // An empty list would silently match nothing.
    at_least_one("apiGroups", errors);
    lone_wildcard(path, rule, "apiGroups", "API groups", errors);
    at_least_one("apiVersions", errors);
    lone_wildcard(path, rule, "apiVersions", "API versions", errors);
    let versions = path.child("apiVersions");
    for (index, _) in texts(rule, "apiVersions")
        .enumerate()
        .filter(|(_, version)| version.is_empty())
    {
        errors.required(&versions.index(index), "");
    }
    at_least_one("resources", errors);
    resources(&path.child("resources"), rule, errors);
    one_of(path, rule, "scope", &["*", "Cluster", "Namespaced"], errors);
}

/// Validates the resources of a rule. Only one item may cover each resource.
fn resources(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let (mut of_any, mut any_of) = (BTreeSet::new(), BTreeSet::new());
    let mut plain = false;
    for (index, item) in texts(rule, "resources").enumerate() {
        let path = path.index(index);
        let Some((resource, sub)) = item.split_once('/') else {
            match item {
                "" => errors.required(&path, ""),
                // Like upstream, let the last item without a subresource decide.
                item => plain = item != "*",
            }
            continue;
        };
        for (known, name, pattern) in [
            (&of_any, resource, format!("{resource}/*")),
            (&any_of, sub, format!("*/{sub}")),
        ] {
            if known.contains(name) {
                let detail = format!("if '{pattern}' is present, must not specify {item}");
                errors.invalid_shown(&path, &go::quoted(item), &detail);
            }
        }
        if sub == "*" {
            of_any.insert(resource);
        }
        if resource == "*" {
            any_of.insert(sub);
        }
    }
    let has = |wanted: &str| texts(rule, "resources").any(|item| item == wanted);
    let mut wrong = |detail: &str| errors.invalid(path, field(rule, "resources"), detail);
    if len(rule, "resources") > 1 && has("*/*") {
        wrong("if '*/*' is present, must not specify other resources");
    }
    if has("*") && plain {
        wrong("if '*' is present, must not specify other resources without subresources");
    }
}

pub(crate) fn match_conditions(path: &Path<'_>, holder: &Value, params: bool, errors: &mut Errors) {
    let path = path.child("matchConditions");
    let count = len(holder, "matchConditions");
    if count > MOST_CONDITIONS {
        errors.too_many(&path, count, MOST_CONDITIONS);
    }
    // A condition is compiled once for all kinds that the rules match, so the object has no static type.
    let names = types::names(&Type::Dyn, params.then_some(&Type::Dyn));
    let mut seen = BTreeSet::new();
    for (index, condition) in list(holder, "matchConditions").iter().enumerate() {
        let path = path.index(index);
        let place = path.child("expression");
        match text(condition, "expression").trim() {
            "" => errors.required(&place, ""),
            expression => drop(compiled(&place, expression, &names, BOOL, errors)),
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

/// The result type of a condition.
pub(crate) const BOOL: &[Type] = &[Type::Bool];

/// The result type of a message.
pub(crate) const TEXT: &[Type] = &[Type::Text];

/// Validates the expression of a field; see [`compiled`].
pub(crate) fn compiles(
    path: &Path<'_>,
    holder: &Value,
    field: &str,
    names: &Names,
    wanted: &[Type],
    errors: &mut Errors,
) -> Type {
    let expression = text(holder, field);
    compiled(&path.child(field), expression, names, wanted, errors)
}

/// Validates that an expression compiles with these names and has one of the wanted result types, or any type if
/// there are none; returns the type found.
pub(crate) fn compiled(
    path: &Path<'_>,
    expression: &str,
    names: &Names,
    wanted: &[Type],
    errors: &mut Errors,
) -> Type {
    let checked = program(expression).and_then(|program| program.check(names));
    let (found, detail) = match checked {
        // Like upstream, reject a dynamic result: the type must be known before the expression runs.
        Ok(found) if wanted.is_empty() || wanted.contains(&found) => return found,
        Ok(found) => {
            let names: Vec<String> = wanted.iter().map(Type::declared).collect();
            let names = match &names[..] {
                [name] => name.clone(),
                names => format!("one of [{}]", names.join(" ")),
            };
            let detail = format!("must evaluate to {names} but got {}", found.declared());
            (found, detail)
        }
        Err(wrong) => (Type::Dyn, format!("compilation failed: {wrong}")),
    };
    errors.invalid_shown(path, &go::quoted(expression), &detail);
    found
}

/// Validates the kind of the parameters of a policy.
pub(crate) fn param_kind(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let kind = field(spec, "paramKind");
    if kind.is_null() {
        return;
    }
    let path = path.child("paramKind");
    let version = path.child("apiVersion");
    match text(kind, "apiVersion") {
        "" => errors.required(&version, ""),
        given if given.matches('/').count() > 1 => {
            let detail = format!("unexpected GroupVersion string: {given}");
            errors.invalid_shown(&version, &go::quoted(given), &detail);
        }
        given => group_version(&version, given, errors),
    }
    let name = text(kind, "kind");
    if required_text(&path, kind, "kind", errors) {
        let wrong = names::dns1035_label(&name.to_lowercase());
        let told = "may have mixed case, but should otherwise match: ";
        joined(&path.child("kind"), name, told, &wrong, errors);
    }
}

/// Validates the group and version of a kind. Each gets a single error with all reasons.
fn group_version(path: &Path<'_>, given: &str, errors: &mut Errors) {
    let (group, version) = given.split_once('/').unwrap_or(("", given));
    if !group.is_empty() {
        joined(path, group, "", &names::dns1123_subdomain(group), errors);
    }
    if version.is_empty() {
        errors.invalid_shown(path, &go::quoted(given), "version must be specified");
    } else {
        joined(path, version, "", &names::dns1035_label(version), errors);
    }
}

fn joined(path: &Path<'_>, shown: &str, told: &str, wrong: &[String], errors: &mut Errors) {
    if !wrong.is_empty() {
        let detail = format!("{told}{}", wrong.join(","));
        errors.invalid_shown(path, &go::quoted(shown), &detail);
    }
}

/// Validates the variables of a policy and returns the names that its other expressions can use.
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
            // A variable may use only earlier ones, which rules out cycles.
            let seen = types::seeing(&names, &known);
            found = compiles(&path, variable, "expression", &seen, &[], errors);
        }
        // A variable with an error keeps its name, so that later expressions do not fail as well.
        known.insert(name.to_owned(), found);
    }
    types::seeing(&names, &known)
}

pub(crate) fn constraints(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let path = path.child("matchConstraints");
    let constraints = field(spec, "matchConstraints");
    if constraints.is_null() {
        return errors.required(&path, "");
    }
    match_resources(&path, constraints, errors);
    if len(constraints, "resourceRules") == 0 {
        errors.required(&path.child("resourceRules"), "");
    }
}

/// Rejects operations that a MutatingAdmissionPolicy cannot match: nothing is left to change on a deletion.
pub(crate) fn mutating_operations(path: &Path<'_>, constraints: &Value, errors: &mut Errors) {
    const SUPPORTED: &[&str] = &["*", "CONNECT", "CREATE", "UPDATE"];
    let path = path.child("resourceRules");
    // Like upstream, name neither the rule nor the position.
    let path = path.child("operations");
    for rule in list(constraints, "resourceRules") {
        for operation in list(rule, "operations") {
            if !SUPPORTED.contains(&as_text(operation)) {
                errors.not_supported(&path, operation, SUPPORTED);
            }
        }
    }
}

/// Validates the match constraints of a policy or a binding.
fn match_resources(path: &Path<'_>, constraints: &Value, errors: &mut Errors) {
    one_of(path, constraints, "matchPolicy", MATCHES, errors);
    for name in ["namespaceSelector", "objectSelector"] {
        label_selector(&path.child(name), field(constraints, name), errors);
    }
    for name in ["resourceRules", "excludeResourceRules"] {
        let rules = path.child(name);
        for (index, rule) in list(constraints, name).iter().enumerate() {
            let path = rules.index(index);
            resource_names(&path.child("resourceNames"), rule, errors);
            self::rule(&path, rule, errors);
        }
    }
}

fn resource_names(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (index, name) in texts(rule, "resourceNames").enumerate() {
        let path = path.index(index);
        errors.invalid_each(&path, name, names::path_segment(name));
        if !seen.insert(name) {
            errors.duplicate(&path, &go::quoted(name));
        }
    }
}

/// Validates what the bindings of both kinds of policies have in common.
pub(crate) fn binding(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    if required_text(&path, spec, "policyName", errors) {
        let name = text(spec, "policyName");
        let wrong = names::dns1123_subdomain(name);
        errors.invalid_each(&path.child("policyName"), name, wrong);
    }
    param_ref(&path.child("paramRef"), field(spec, "paramRef"), errors);
    let matched = path.child("matchResources");
    match_resources(&matched, field(spec, "matchResources"), errors);
}

/// Validates the reference to parameters in a binding.
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
            &["Deny", "Allow"],
            errors,
        ),
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

    #[test]
    fn a_wildcard_covers_what_stands_beside_it() {
        let told = |resources: Value| {
            let rule = json!({"resources": resources});
            told(|errors| super::resources(&Path::root("r"), &rule, errors))
        };
        assert_eq!(told(json!(["pods", "pods/log", "*/scale"])), [""; 0]);
        assert_eq!(
            told(json!(["*", "pods"])),
            [
                "r: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify other resources without \
                 subresources"
            ]
        );
        assert_eq!(
            told(json!(["*/*", "pods"])),
            [
                "r: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, must not specify other resources"
            ]
        );
        assert_eq!(
            told(json!(["pods/*", "pods/x", ""])),
            [
                "r[1]: Invalid value: \"pods/x\": if 'pods/*' is present, must not specify pods/x",
                "r[2]: Required value",
            ]
        );
    }

    #[test]
    fn result_type_of_an_expression_is_known_before_it_runs() {
        const EITHER: &[Type] = &[Type::Text, Type::Null];
        let names = types::names(&Type::Dyn, None);
        let told = |expression: &str, wanted: &[Type]| {
            let holder = json!({"e": expression});
            let path = Path::root("p");
            told(|errors| drop(compiles(&path, &holder, "e", &names, wanted, errors)))
        };
        for (expression, wanted, wrong) in [
            ("object.a", BOOL, "bool but got dyn"),
            ("has(object.a) ? object.a : true", BOOL, "bool but got dyn"),
            ("1 + 1", TEXT, "string but got int"),
            ("1", EITHER, "one of [string null_type] but got int"),
            (
                "duration('1s')",
                TEXT,
                "string but got google.protobuf.Duration",
            ),
        ] {
            let wrong = format!("p.e: Invalid value: {expression:?}: must evaluate to {wrong}");
            assert_eq!(told(expression, wanted), [wrong]);
        }
        assert_eq!(told("object.a == 1", BOOL), [""; 0]);
        assert_eq!(told("object.a", &[]), [""; 0]);
        assert_eq!(told("null", EITHER), [""; 0]);
    }

    #[test]
    fn a_configuration_names_its_webhooks_once() {
        let hook = json!({"name": "a.b.c", "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://a"}, "rules": [{"operations": ["*", "CREATE"], "apiGroups": [""],
            "apiVersions": ["*", "v1"], "resources": ["pods"]}]});
        let object = json!({"webhooks": [hook, hook]});
        let rule = "rules[0].operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not specify other \
            operations";
        let versions = "rules[0].apiVersions: Invalid value: [\"*\",\"v1\"]: if '*' is present, must not specify other \
            API versions";
        let mut wanted: Vec<String> = (0..2)
            .flat_map(|index| [rule, versions].map(|wrong| format!("webhooks[{index}].{wrong}")))
            .collect();
        assert_eq!(told(|errors| hooks(&object, false, errors)), wanted);
        wanted.push("webhooks[1].name: Duplicate value: \"a.b.c\"".to_owned());
        assert_eq!(told(|errors| hooks(&object, true, errors)), wanted);
    }

    #[test]
    fn the_kind_of_parameters_has_a_group_and_a_version() {
        let told = |version: &str, kind: &str| {
            let spec = json!({"paramKind": {"apiVersion": version, "kind": kind}});
            told(|errors| param_kind(&Path::root("spec"), &spec, errors))
        };
        assert_eq!(told("rules.example.com/v1", "ReplicaLimit"), [""; 0]);
        assert_eq!(
            told("a/b/c", "X"),
            [
                "spec.paramKind.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c"
            ]
        );
        assert_eq!(
            told("a/", "X"),
            ["spec.paramKind.apiVersion: Invalid value: \"a/\": version must be specified"]
        );
        let wrong = told("v1", "A B");
        assert!(wrong[0].starts_with(
            "spec.paramKind.kind: Invalid value: \"A B\": may have mixed case, but should"
        ));
    }

    #[test]
    fn a_mutating_policy_matches_no_deletions() {
        let spec = json!({"resourceRules": [{"operations": ["CREATE", "DELETE"]}]});
        assert_eq!(
            told(|errors| mutating_operations(&Path::root("m"), &spec, errors)),
            [
                "m.resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", \"CONNECT\", \
                 \"CREATE\", \"UPDATE\""
            ]
        );
    }

    #[test]
    fn a_condition_is_shown_without_spaces_around_it() {
        let conditions = json!({"matchConditions": [{"name": "a", "expression": " 1 "}, {"name": "b",
            "expression": " "}]});
        assert_eq!(
            told(|errors| match_conditions(&Path::root("spec"), &conditions, false, errors)),
            [
                "spec.matchConditions[0].expression: Invalid value: \"1\": must evaluate to bool but got int",
                "spec.matchConditions[1].expression: Required value",
            ]
        );
    }

    #[test]
    fn a_variable_has_no_reserved_word_as_its_name() {
        let told = |name: &str| {
            let spec = json!({"variables": [{"name": name, "expression": "1"}]});
            told(|errors| drop(variables(&Path::root("spec"), &spec, errors)))
        };
        assert_eq!(told("object_1"), [""; 0]);
        let wrong = "spec.variables[0].name: Invalid value: \"package\": name is not a valid CEL identifier";
        assert_eq!(told("package"), [wrong]);
    }
}
