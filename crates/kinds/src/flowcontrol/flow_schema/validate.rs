//! The rules of a FlowSchema.

use crate::api::json::{Value, json};
use crate::flowcontrol::validate::{conditions, lone_wildcard};
use crate::tree::{field, flag, has, int, len, list, text, texts};
use crate::validate::common::{optional_name, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// The kinds of subjects, each with its field.
const SUBJECTS: [(&str, &str); 3] = [
    ("User", "user"),
    ("ServiceAccount", "serviceAccount"),
    ("Group", "group"),
];

const VERBS: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "proxy",
    "update",
    "watch",
];

/// Validates a new FlowSchema.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let name = text(field(object, "metadata"), "name");
    precedence(&path.child("matchingPrecedence"), name, spec, errors);
    let method = field(spec, "distinguisherMethod");
    if !method.is_null() && !matches!(text(method, "type"), "ByNamespace" | "ByUser") {
        let path = path.child("distinguisherMethod");
        // Upstream shows the whole method instead of its type.
        errors.not_supported_shown(
            &path.child("type"),
            &go::shown_as("FlowDistinguisherMethod", method),
            &["ByNamespace", "ByUser"],
        );
    }
    let level = field(spec, "priorityLevelConfiguration");
    let level_path = path.child("priorityLevelConfiguration");
    if text(level, "name").is_empty() {
        errors.required(&level_path.child("name"), "must reference a priority level");
    }
    optional_name(&level_path, level, "name", names::dns1123_subdomain, errors);
    let rules = path.child("rules");
    for (index, rule) in list(spec, "rules").iter().enumerate() {
        self::rule(&rules.index(index), rule, errors);
    }
    // Without these two schemas, some requests would have no priority level.
    if fixed(name).is_some_and(|fixed| *spec != fixed) {
        let detail = format!("spec of '{name}' must equal the fixed value");
        errors.invalid_shown(&path, &go::shown_as("FlowSchemaSpec", spec), &detail);
    }
    conditions(object, errors);
}

/// Validates an update of a FlowSchema.
pub(crate) fn update(object: &Value, _: &Value, errors: &mut Errors) {
    create(object, errors);
}

/// Validates an update of a FlowSchema's status.
pub(crate) fn status(object: &Value, _: &Value, errors: &mut Errors) {
    conditions(object, errors);
}

/// Returns the fixed spec of a schema that the API server itself needs, if `name` is one.
fn fixed(name: &str) -> Option<Value> {
    let everything = |groups: &[&str]| {
        let subject = |group: &&str| json!({"kind": "Group", "group": {"name": group}});
        let subjects: Vec<Value> = groups.iter().map(subject).collect();
        json!([{
            "subjects": subjects,
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true,
                "namespaces": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        }])
    };
    match name {
        "exempt" => Some(json!({
            "matchingPrecedence": 1, "priorityLevelConfiguration": {"name": "exempt"},
            "rules": everything(&["system:masters"]),
        })),
        "catch-all" => Some(json!({
            "matchingPrecedence": 10_000, "priorityLevelConfiguration": {"name": "catch-all"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": everything(&["system:unauthenticated", "system:authenticated"]),
        })),
        _ => None,
    }
}

fn precedence(path: &Path<'_>, name: &str, spec: &Value, errors: &mut Errors) {
    let precedence = int(spec, "matchingPrecedence");
    let detail = match precedence {
        ..1 => "must be a positive value",
        1 if name != "exempt" => "only the schema named 'exempt' may have matchingPrecedence 1",
        // `FlowSchemaMaxMatchingPrecedence`: the catch-all schema has this value and must stay last.
        10_001.. => "must not be greater than 10000",
        _ => return,
    };
    errors.invalid(path, &json!(precedence), detail);
}

fn rule(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let subjects = path.child("subjects");
    if len(rule, "subjects") == 0 {
        let detail = "subjects must contain at least one value";
        errors.required(&subjects, detail);
    }
    for (index, subject) in list(rule, "subjects").iter().enumerate() {
        self::subject(&subjects.index(index), subject, errors);
    }
    if len(rule, "resourceRules") + len(rule, "nonResourceRules") == 0 {
        let detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
        errors.required(path, detail);
    }
    let rules = path.child("resourceRules");
    for (index, rule) in list(rule, "resourceRules").iter().enumerate() {
        resources(&rules.index(index), rule, errors);
    }
    let rules = path.child("nonResourceRules");
    for (index, rule) in list(rule, "nonResourceRules").iter().enumerate() {
        addresses(&rules.index(index), rule, errors);
    }
}

fn subject(path: &Path<'_>, subject: &Value, errors: &mut Errors) {
    let wanted = text(subject, "kind");
    let Some((_, own)) = SUBJECTS.iter().find(|(kind, _)| *kind == wanted) else {
        let supported = &["Group", "ServiceAccount", "User"];
        let shown = go::quoted(wanted);
        return errors.not_supported_shown(&path.child("kind"), &shown, supported);
    };
    let (own_path, who) = (path.child(own), field(subject, own));
    if who.is_null() {
        let detail = format!("{own} is required when subject kind is '{wanted}'");
        errors.required(&own_path, &detail);
    } else if *own == "serviceAccount" {
        // The asterisk stands for all accounts of the namespace.
        if required_text(&own_path, who, "name", errors) && text(who, "name") != "*" {
            optional_name(&own_path, who, "name", names::dns1123_subdomain, errors);
        }
        if text(who, "namespace").is_empty() {
            let detail = "must specify namespace for service account";
            errors.required(&own_path.child("namespace"), detail);
        }
        optional_name(&own_path, who, "namespace", names::dns1123_label, errors);
    } else {
        required_text(&own_path, who, "name", errors);
    }
    for (kind, other) in SUBJECTS.iter().filter(|(_, other)| other != own) {
        if has(subject, other) {
            let detail = format!("{other} is forbidden when subject kind is not '{kind}'");
            errors.forbidden(&path.child(other), &detail);
        }
    }
}

fn verbs(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let verbs = field(rule, "verbs");
    if len(rule, "verbs") == 0 {
        let detail = "verbs must contain at least one value";
        errors.required(&path.child("verbs"), detail);
    } else if !lone_wildcard(path, rule, "verbs", "verbs", errors)
        && !texts(rule, "verbs").all(|verb| VERBS.contains(&verb))
    {
        errors.not_supported(&path.child("verbs"), verbs, VERBS);
    }
}

fn resources(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    verbs(path, rule, errors);
    for (name, one, others) in [
        ("apiGroups", "api group", "api groups"),
        ("resources", "resource", "resources"),
    ] {
        if len(rule, name) == 0 {
            let detail = format!("resource rules must supply at least one {one}");
            errors.required(&path.child(name), &detail);
        }
        lone_wildcard(path, rule, name, others, errors);
    }
    // Cluster-scoped objects have no namespace.
    let namespaces = path.child("namespaces");
    if len(rule, "namespaces") == 0 && !flag(rule, "clusterScope") {
        let detail =
            "resource rules that are not cluster scoped must supply at least one namespace";
        errors.required(&namespaces, detail);
    } else if !lone_wildcard(path, rule, "namespaces", "namespaces", errors) {
        for (index, name) in texts(rule, "namespaces").enumerate() {
            let told = |wrong| {
                format!("each member of this list must be '*' or a DNS-1123 label; {wrong}")
            };
            let wrong = names::dns1123_label(name).into_iter().map(told).collect();
            errors.invalid_each(&namespaces.index(index), name, wrong);
        }
    }
}

fn addresses(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    verbs(path, rule, errors);
    let name = "nonResourceURLs";
    if len(rule, name) == 0 {
        let detail = "nonResourceURLs must contain at least one value";
        errors.required(&path.child(name), detail);
    } else if !lone_wildcard(path, rule, name, "non-resource URLs", errors) {
        let urls = path.child(name);
        for (index, url) in texts(rule, name).enumerate() {
            let wrong = match url {
                "" => "must not be empty",
                // The bare root path has no segments to check.
                "/" => continue,
                url if !url.starts_with('/') => "must start with slash",
                url if url.contains(' ') => "must not contain white-space",
                url if url.contains("//") => "must not contain double slash",
                url if url.strip_suffix("/*").unwrap_or(url).contains('*') => {
                    "wildcard can only do suffix matching"
                }
                _ => continue,
            };
            errors.invalid_shown(&urls.index(index), &go::quoted(url), wrong);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, spec: Value) -> Vec<String> {
        let mut errors = Errors::default();
        create(
            &json!({"metadata": {"name": name}, "spec": spec}),
            &mut errors,
        );
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    fn schema(rule: Value) -> Value {
        json!({"matchingPrecedence": 1000, "priorityLevelConfiguration": {"name": "p"}, "rules": [rule]})
    }

    #[test]
    fn a_subject_has_the_field_of_its_kind_only() {
        let rule = |subject: Value| {
            schema(
                json!({"subjects": [subject], "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/"]}]}),
            )
        };
        let path = "spec.rules[0].subjects[0]";
        assert_eq!(
            told("f", rule(json!({"kind": "User", "group": {"name": "g"}}))),
            [
                format!(
                    "{path}.user: Required value: user is required when subject kind is 'User'"
                ),
                format!(
                    "{path}.group: Forbidden: group is forbidden when subject kind is not 'Group'"
                ),
            ]
        );
        assert_eq!(
            told(
                "f",
                rule(json!({"kind": "ServiceAccount", "serviceAccount": {"name": "*"}}))
            ),
            [format!(
                "{path}.serviceAccount.namespace: Required value: must specify namespace for service account"
            )]
        );
        assert_eq!(
            told("f", rule(json!({"kind": "X"}))),
            [format!(
                "{path}.kind: Unsupported value: \"X\": supported values: \"Group\", \"ServiceAccount\", \"User\""
            )]
        );
    }

    #[test]
    fn rules_name_verbs_and_places() {
        let group = json!({"kind": "Group", "group": {"name": "g"}});
        let rule = json!({"subjects": [group], "resourceRules": [
            {"verbs": ["*", "get"], "apiGroups": [], "resources": ["*", "x"], "namespaces": ["A"]},
            {"verbs": ["fly"], "apiGroups": ["*"], "resources": ["x"]},
        ], "nonResourceRules": [{"verbs": ["get"],
            "nonResourceURLs": ["a", "/a b", "/a//b", "/a*", "/a/*", "/", ""]}]});
        let found = told("f", schema(rule));
        let path = "spec.rules[0].resourceRules";
        let urls = "spec.rules[0].nonResourceRules[0].nonResourceURLs";
        assert_eq!(
            found[..3],
            [
                format!(
                    "{path}[0].verbs: Invalid value: [\"*\",\"get\"]: if '*' is present, must not specify other verbs"
                ),
                format!(
                    "{path}[0].apiGroups: Required value: resource rules must supply at least one api group"
                ),
                format!(
                    "{path}[0].resources: Invalid value: [\"*\",\"x\"]: if '*' is present, must not specify other \
                     resources"
                ),
            ]
        );
        let label = "[0].namespaces[0]: Invalid value: \"A\": each member of this list must be '*' or a DNS-1123 label; ";
        assert!(found[3].starts_with(&format!("{path}{label}")));
        assert!(found[4].starts_with(&format!(
            "{path}[1].verbs: Unsupported value: [\"fly\"]: supported"
        )));
        assert_eq!(
            found[5..],
            [
                format!(
                    "{path}[1].namespaces: Required value: resource rules that are not cluster scoped must supply \
                     at least one namespace"
                ),
                format!("{urls}[0]: Invalid value: \"a\": must start with slash"),
                format!("{urls}[1]: Invalid value: \"/a b\": must not contain white-space"),
                format!("{urls}[2]: Invalid value: \"/a//b\": must not contain double slash"),
                format!("{urls}[3]: Invalid value: \"/a*\": wildcard can only do suffix matching"),
                format!("{urls}[6]: Invalid value: \"\": must not be empty"),
            ]
        );
    }

    #[test]
    fn the_servers_own_schemas_are_fixed() {
        assert_eq!(told("exempt", fixed("exempt").unwrap()), [""; 0]);
        let mut other = fixed("catch-all").unwrap();
        assert_eq!(told("catch-all", other.clone()), [""; 0]);
        other["matchingPrecedence"] = json!(9_000);
        let found = told("catch-all", other);
        assert!(found[0].starts_with(
            "spec: Invalid value: {\"PriorityLevelConfiguration\":{\"Name\":\"catch-all\"},"
        ));
        assert!(found[0].ends_with("]}]}: spec of 'catch-all' must equal the fixed value"));
        let first = json!({"matchingPrecedence": 1, "priorityLevelConfiguration": {"name": "p"}, "distinguisherMethod":
            {"type": "X"}});
        assert_eq!(
            told("f", first),
            [
                "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
                "spec.distinguisherMethod.type: Unsupported value: {\"Type\":\"X\"}: supported values: \
                 \"ByNamespace\", \"ByUser\"",
            ]
        );
    }
}
