//! Policies with a real cluster: the requests that they reject, and the errors.

use crate::api::json::{Value, json};
use crate::request::options::{DeleteOptions, WriteOptions};
use crate::request::response::ApiError;
use crate::testing::{Scratch, fresh, place, pod};

fn create(cluster: &Scratch, resource: &str, object: &Value) -> Result<Vec<String>, ApiError> {
    let answer = cluster.create(&place(resource), object, &WriteOptions::default())?;
    Ok(answer.warnings)
}

/// A policy of these validations for a resource, bound with these actions.
fn bind(cluster: &Scratch, resource: &str, spec: &Value, binding: &Value) {
    let (version, group) = ("admissionregistration.k8s.io/v1", json!(["*"]));
    let mut spec = spec.clone();
    spec["matchConstraints"] = json!({"resourceRules": [{"apiGroups": group, "apiVersions": ["*"],
        "operations": ["*"], "resources": [resource]}]});
    let policy = json!({"apiVersion": version, "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"}, "spec": spec});
    create(cluster, "validatingadmissionpolicies", &policy).unwrap();
    let mut spec = binding.clone();
    spec["policyName"] = json!("p");
    let binding = json!({"apiVersion": version, "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "b"}, "spec": spec});
    create(cluster, "validatingadmissionpolicybindings", &binding).unwrap();
}

fn map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

#[test]
fn denial_has_the_code_and_reason_of_the_validation() {
    let cluster = fresh();
    let deny = json!({"validationActions": ["Deny"]});
    let spec = json!({"validations": [
        {"expression": "!object.metadata.name.startsWith('tmp')", "message": "no", "reason": "Forbidden"},
        {"expression": "object.metadata.name != 'other'"},
    ]});
    bind(&cluster, "configmaps", &spec, &deny);
    create(&cluster, "configmaps", &map("fine", json!({}))).unwrap();
    for (name, code, reason, why) in [
        ("tmp", 403, "Forbidden", "no"),
        (
            "other",
            422,
            "Invalid",
            "failed expression: object.metadata.name != 'other'",
        ),
    ] {
        let refused = create(&cluster, "configmaps", &map(name, json!({}))).unwrap_err();
        let status = refused.status().unwrap();
        assert_eq!((status.code, status.reason), (code, reason));
        let why = format!("ValidatingAdmissionPolicy 'p' with binding 'b' denied request: {why}");
        assert_eq!(
            status.message,
            format!("configmaps \"{name}\" is forbidden: {why}")
        );
        let details = &status.to_value()["details"];
        assert_eq!(details["causes"], json!([{"message": why}]));
    }
}

#[test]
fn a_warning_is_returned_and_the_request_succeeds() {
    let cluster = fresh();
    let spec = json!({"validations": [{"expression": "false", "message": "first"},
        {"expression": "false", "message": "second"}]});
    bind(
        &cluster,
        "configmaps",
        &spec,
        &json!({"validationActions": ["Warn", "Audit"]}),
    );
    let said = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': ";
    assert_eq!(
        create(&cluster, "configmaps", &map("a", json!({}))).unwrap(),
        [format!("{said}first"), format!("{said}second")]
    );
}

#[test]
fn policies_evaluate_delete_requests_with_the_old_object() {
    let cluster = fresh();
    let spec = json!({"validations": [{"expression":
        "request.operation != 'DELETE' || oldObject.data.size() == 0",
        "messageExpression": "request.name + ' is full'"}]});
    bind(
        &cluster,
        "configmaps",
        &spec,
        &json!({"validationActions": ["Deny"]}),
    );
    create(&cluster, "configmaps", &map("full", json!({"a": "b"}))).unwrap();
    create(&cluster, "configmaps", &map("empty", json!({}))).unwrap();
    let delete = |name: &str| {
        cluster
            .delete(&place("configmaps"), name, &DeleteOptions::default())
            .map(drop)
    };
    // `data` of an empty map is omitted.
    assert!(
        delete("empty")
            .unwrap_err()
            .to_string()
            .contains("no such key: data")
    );
    assert!(
        delete("full")
            .unwrap_err()
            .to_string()
            .ends_with("denied request: full is full")
    );
}

#[test]
fn policy_parameters_are_selected_by_name_or_label() {
    let cluster = fresh();
    let spec = json!({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "object.metadata.name != params.data.no",
            "messageExpression": "string(params.metadata.name)"}]});
    let binding = |reference: Value| json!({"validationActions": ["Deny"], "paramRef": reference});
    let deny =
        json!({"selector": {"matchLabels": {"bad": "names"}}, "parameterNotFoundAction": "Deny"});
    bind(&cluster, "pods", &spec, &binding(deny));
    let refused = |name: &str| {
        create(&cluster, "pods", &pod(name))
            .unwrap_err()
            .to_string()
    };
    assert!(refused("a").ends_with(
        "failed to configure binding: no params found for policy binding with `Deny` \
         parameterNotFoundAction"
    ));
    for name in ["a", "b"] {
        let mut object = map(&format!("no-{name}"), json!({"no": name}));
        object["metadata"]["labels"] = json!({"bad": "names"});
        create(&cluster, "configmaps", &object).unwrap();
    }
    assert!(refused("a").ends_with("denied request: no-a"));
    assert!(refused("b").ends_with("denied request: no-b"));
    create(&cluster, "pods", &pod("c")).unwrap();
}

#[test]
fn policies_do_not_evaluate_policy_objects() {
    let cluster = fresh();
    let spec = json!({"validations": [{"expression": "false"}]});
    bind(
        &cluster,
        "*",
        &spec,
        &json!({"validationActions": ["Deny"]}),
    );
    let bindings = place("validatingadmissionpolicybindings");
    assert!(create(&cluster, "configmaps", &map("a", json!({}))).is_err());
    cluster
        .delete(&bindings, "b", &DeleteOptions::default())
        .unwrap();
    create(&cluster, "configmaps", &map("a", json!({}))).unwrap();
}
