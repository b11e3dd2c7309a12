//! Tests the matching and the expressions of policies against sample requests.

use std::sync::Arc;

use super::*;
use crate::admission::User;
use crate::api::json::{Value, json};
use crate::rbac::AccessAttributes;

fn user() -> User {
    User {
        name: "ann".to_owned(),
        groups: vec!["crew".to_owned()],
        ..User::default()
    }
}

fn deployments() -> &'static Kind {
    crate::find("apps", "v1", "Deployment").unwrap()
}

fn at<'a>(user: &'a User, object: &'a Value, operation: Operation) -> Attributes<'a> {
    Attributes {
        kind: deployments(),
        subresource: "",
        body: None,
        namespace: "default",
        name: "web",
        operation,
        object: Some(object),
        old: None,
        user,
        dry_run: false,
        options: &Value::Null,
    }
}

fn rule(groups: &str, resources: &str, operations: &str) -> Value {
    json!({"apiGroups": [groups], "apiVersions": ["*"], "resources": [resources],
        "operations": [operations]})
}

#[test]
fn rules_match_by_group_resource_subresource_and_operation() {
    let (user, object) = (user(), json!({}));
    let plain = at(&user, &object, Operation::Update);
    let scale = Attributes {
        subresource: "scale",
        ..plain
    };
    for (groups, resources, operation, object, part) in [
        ("apps", "deployments", "UPDATE", true, false),
        ("apps", "deployments", "CREATE", false, false),
        ("", "deployments", "*", false, false),
        ("*", "*", "*", true, false),
        ("*", "*/*", "*", true, true),
        ("apps", "deployments/*", "UPDATE", true, true),
        ("apps", "deployments/scale", "UPDATE", false, true),
        ("apps", "*/scale", "UPDATE", false, true),
        ("apps", "*/status", "UPDATE", false, false),
    ] {
        let rules = [rule(groups, resources, operation)];
        let said = format!("{rules:?}");
        assert_eq!(matches_rules(&rules, &plain, plain.kind), object, "{said}");
        assert_eq!(matches_rules(&rules, &scale, plain.kind), part, "{said}");
    }
}

#[test]
fn scopes_names_and_selectors_narrow_a_rule() {
    let user = user();
    let object = json!({"metadata": {"labels": {"free": "yes"}}});
    let at = at(&user, &object, Operation::Create);
    let with = |name: &str, value: Value| {
        let mut rule = rule("apps", "deployments", "*");
        rule[name] = value;
        matches_rules(&[rule], &at, at.kind)
    };
    assert!(with("scope", json!("Namespaced")) && !with("scope", json!("Cluster")));
    assert!(with("resourceNames", json!(["web"])) && !with("resourceNames", json!(["db"])));
    let strict = || Some(json!({"metadata": {"labels": {"strict": "yes"}}}));
    let meant = |constraints: Value| {
        let constraints = Constraints::of_policy(&constraints);
        constraints.matched(&at, &[], &strict).is_some()
    };
    let not_free = json!({"matchExpressions": [{"key": "free", "operator": "DoesNotExist"}]});
    assert!(!meant(json!({"objectSelector": not_free})));
    assert!(meant(
        json!({"namespaceSelector": {"matchLabels": {"strict": "yes"}}})
    ));
    assert!(!meant(
        json!({"namespaceSelector": {"matchLabels": {"strict": "no"}}})
    ));
    let all = rule("*", "*", "*");
    assert!(!meant(
        json!({"resourceRules": [all.clone()], "excludeResourceRules": [all]})
    ));
}

#[test]
fn a_rule_for_another_version_matches_equivalent_requests() {
    let (user, object) = (user(), json!({}));
    let v2 = crate::find("autoscaling", "v2", "HorizontalPodAutoscaler").unwrap();
    let v1 = crate::find("autoscaling", "v1", "HorizontalPodAutoscaler").unwrap();
    let at = Attributes {
        kind: v2,
        ..at(&user, &object, Operation::Create)
    };
    let mut rule = rule("autoscaling", "horizontalpodautoscalers", "*");
    rule["apiVersions"] = json!(["v1"]);
    for (policy, found) in [("Equivalent", Some(v1)), ("Exact", None)] {
        let constraints = json!({"matchPolicy": policy, "resourceRules": [rule]});
        let constraints = Constraints::of_policy(&constraints);
        assert_eq!(constraints.matched(&at, &[v1, v2], &|| None), found);
    }
    let request = at.request(v1);
    assert_eq!(request["kind"]["version"], "v1");
    assert_eq!(request["requestKind"]["version"], "v2");
}

fn failures(spec: Value, object: &Value) -> Vec<String> {
    let user = user();
    let at = at(&user, object, Operation::Create);
    let namespace = json!({"metadata": {"name": "default"}});
    let inputs = Inputs::new(&at, at.kind, None)
        .in_namespace(Some(&namespace))
        .with_params(None);
    let result = validate(&spec, inputs);
    result.failures.into_iter().map(|f| f.message).collect()
}

#[test]
fn failure_message_is_computed_configured_or_the_expression() {
    let object = json!({"metadata": {"name": "web"}, "spec": {"replicas": 6}});
    let spec = json!({
        "variables": [
            {"name": "most", "expression": "5"},
            {"name": "over", "expression": "object.spec.replicas - variables.most"},
            {"name": "broken", "expression": "object.spec.none"},
        ],
        "validations": [
            {"expression": "variables.over <= 0", "messageExpression": "string(variables.over) + ' over'"},
            {"expression": "variables.over <= 0", "messageExpression": "'two\\nlines'", "message": " given "},
            {"expression": " variables.over <= 0 "},
            {"expression": "namespaceObject.metadata.name == 'default' && params == null"},
            {"expression": "true || variables.broken > 1"},
            {"expression": "variables.broken > 1"},
        ],
    });
    assert_eq!(
        failures(spec, &object),
        [
            "1 over",
            "given",
            "failed expression: variables.over <= 0",
            "expression 'variables.broken > 1' resulted in error: composited variable \"broken\" \
             fails to evaluate: no such key: none",
        ]
    );
}

#[test]
fn match_condition_error_is_ignored_if_another_is_false() {
    let object = json!({});
    let conditions = |all: &[&str], policy: &str| {
        let all = all
            .iter()
            .map(|text| json!({"name": "c", "expression": text}));
        let all: Vec<_> = all.collect();
        failures(
            json!({"matchConditions": all, "failurePolicy": policy,
                "validations": [{"expression": "false", "message": "asked"}]}),
            &object,
        )
    };
    assert_eq!(conditions(&["true"], "Fail"), ["asked"]);
    assert!(conditions(&["object.x", "false"], "Fail").is_empty());
    assert_eq!(
        conditions(&["object.x", "true"], "Fail"),
        ["expression 'object.x' resulted in error: no such key: x"]
    );
    assert!(conditions(&["object.x", "true"], "Ignore").is_empty());
}

#[derive(Debug)]
struct OnlyAnn;

impl Roles for OnlyAnn {
    fn may(
        &self,
        user: &User,
        access: &AccessAttributes<'_>,
        namespace: &str,
    ) -> Result<(bool, String), String> {
        match access {
            AccessAttributes::Path { path, .. } => Ok((*path == "/healthz", "open".to_owned())),
            AccessAttributes::Resource { verb: "fail", .. } => Err("no roles".to_owned()),
            AccessAttributes::Resource { resource, name, .. } => {
                let why = format!("{} {resource} {name} {namespace}", user.name);
                Ok((user.name == "ann", why))
            }
        }
    }
}

#[test]
fn the_authorizer_checks_paths_resources_and_accounts() {
    let (user, object) = (user(), json!({}));
    let at = at(&user, &object, Operation::Create);
    for expression in [
        "authorizer.path('/healthz').check('get').allowed()",
        "!authorizer.path('/metrics').check('get').allowed()",
        "authorizer.group('').resource('secrets').namespace('n').check('get').allowed()",
        "authorizer.group('').resource('pods').subresource('log').name('p').namespace('n')\
         .check('get').reason() == 'ann pods/log p n'",
        "authorizer.requestResource.check('get').reason() == 'ann deployments web default'",
        "!authorizer.serviceAccount('n', 'a').requestResource.check('get').allowed()",
        "authorizer.requestResource.check('fail').errored()",
        "authorizer.requestResource.check('fail').error() == 'no roles'",
    ] {
        let mut inputs = Inputs::new(&at, at.kind, Some(Arc::new(OnlyAnn)));
        let outcome = conditions(&[json!({"expression": expression})], &mut inputs);
        assert_eq!(outcome, Ok(true), "{expression}");
    }
}
