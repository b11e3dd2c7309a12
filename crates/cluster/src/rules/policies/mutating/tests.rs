//! Mutating policies with a cluster around them: the changed objects, and the errors of policies that fail.

use crate::api::json::{Value, json};
use crate::request::options::{DeleteOptions, WriteOptions};
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::testing::{Scratch, fresh, place, pod};

fn create(cluster: &Scratch, resource: &str, object: &Value) -> Result<Value, ApiError> {
    let answer = cluster.create(&place(resource), object, &WriteOptions::default())?;
    Ok(answer.object)
}

/// A bound policy of these mutations for a resource; `spec` has the fields that differ from the usual.
fn bind(cluster: &Scratch, name: &str, resource: &str, mutations: Value, spec: &Value) {
    try_bind(cluster, name, resource, mutations, spec).unwrap();
}

fn try_bind(
    cluster: &Scratch,
    name: &str,
    resource: &str,
    mutations: Value,
    spec: &Value,
) -> Result<(), ApiError> {
    let version = "admissionregistration.k8s.io/v1";
    let mut full = json!({"failurePolicy": "Fail", "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"],
            "operations": ["CREATE", "UPDATE"], "resources": [resource]}]},
        "mutations": mutations});
    for (field, value) in spec.as_object().into_iter().flatten() {
        full[field.as_str()] = value.clone();
    }
    let policy = json!({"apiVersion": version, "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": name}, "spec": full});
    create(cluster, "mutatingadmissionpolicies", &policy)?;
    let binding = json!({"apiVersion": version, "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": name}, "spec": {"policyName": name}});
    create(cluster, "mutatingadmissionpolicybindings", &binding)?;
    Ok(())
}

fn applied(expression: &str) -> Value {
    json!({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}})
}

fn patched(expression: &str) -> Value {
    json!({"patchType": "JSONPatch", "jsonPatch": {"expression": expression}})
}

fn map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

#[test]
fn a_mutation_changes_the_deletion_of_an_eviction() {
    let cluster = fresh();
    let later = "[JSONPatch{op: 'add', path: '/deleteOptions/gracePeriodSeconds',
        value: object.deleteOptions.gracePeriodSeconds * 2}]";
    let rules = json!({"matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
        "operations": ["CREATE"], "resources": ["pods/eviction"]}]}});
    bind(&cluster, "later", "pods", json!([patched(later)]), &rules);
    let mut object = pod("one");
    object["spec"]["nodeName"] = json!("node-0");
    create(&cluster, "pods", &object).unwrap();
    let options = DeleteOptions {
        grace_period: Some(20),
        ..DeleteOptions::default()
    };
    let evicted = cluster
        .subresources()
        .evict(&place("pods"), "one", &options);
    let _ = evicted.unwrap();
    let left = cluster.get(&place("pods"), "one").unwrap();
    assert_eq!(left["metadata"]["deletionGracePeriodSeconds"], 40);
}

#[test]
fn each_mutation_uses_the_result_of_the_previous_one() {
    let cluster = fresh();
    let mutations = json!([
        applied("Object{metadata: Object.metadata{labels: {'stamped': 'yes'}}}"),
        patched(
            "[JSONPatch{op: 'test', path: '/spec/containers/0/name', value: object.spec.containers[0].name},
              JSONPatch{op: 'add', path: '/spec/containers/0/env', value: [{'name': 'WHO', 'value': request.name}]},
              JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'),
                value: object.metadata.labels.stamped}]"
        ),
    ]);
    bind(&cluster, "stamp", "pods", mutations, &json!({}));
    let made = create(&cluster, "pods", &pod("one")).unwrap();
    assert_eq!(
        made["metadata"]["labels"],
        json!({"a/b": "yes", "stamped": "yes"})
    );
    assert_eq!(
        made["spec"]["containers"][0]["env"],
        json!([{"name": "WHO", "value": "one"}])
    );
    // As in the API server, fields set by admission have no owner.
    let owned = made["metadata"]["managedFields"].to_string();
    assert!(
        !owned.contains("stamped") && !owned.contains("WHO"),
        "{owned}"
    );
}

#[test]
fn invalid_patch_denies_and_failed_test_changes_nothing() {
    let cluster = fresh();
    let remove = |path: &str| {
        json!([patched(&format!(
            "[JSONPatch{{op: 'remove', path: '{path}'}}]"
        ))])
    };
    let none = remove("/metadata/annotations/none");
    bind(&cluster, "stamp", "configmaps", none, &json!({}));
    let refused = create(&cluster, "configmaps", &map("two", json!({}))).unwrap_err();
    let status = refused.status().unwrap();
    assert_eq!((status.code, status.reason), (422, "Invalid"));
    assert_eq!(
        status.message,
        "configmaps \"two\" is forbidden: policy 'stamp' with binding 'stamp' denied request: JSON Patch: remove operation \
         does not apply: doc is missing path: \"/metadata/annotations/none\": missing value"
    );
    let cluster = fresh();
    let test = json!([patched(
        "[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, JSONPatch{op: 'remove', path: '/data/a'}]"
    )]);
    bind(&cluster, "p", "configmaps", test, &json!({}));
    let made = create(&cluster, "configmaps", &map("kept", json!({"a": "b"}))).unwrap();
    assert_eq!(made["data"], json!({"a": "b"}));
    let made = create(&cluster, "configmaps", &map("gone", json!({"a": "x"}))).unwrap();
    assert!(made["data"]["a"].is_null());
    let cluster = fresh();
    let none = remove("/data/none");
    let ignore = json!({"failurePolicy": "Ignore"});
    bind(&cluster, "p", "configmaps", none, &ignore);
    create(&cluster, "configmaps", &map("fine", json!({"a": "b"}))).unwrap();
}

#[test]
fn policy_is_reinvoked_only_if_its_reinvocation_policy_allows() {
    for (reinvocation, replicas) in [("Never", 6), ("IfNeeded", 12)] {
        let cluster = fresh();
        let double = json!([applied(
            "Object{spec: Object.spec{replicas: object.spec.replicas * 2}}"
        )]);
        let spec = json!({"reinvocationPolicy": reinvocation});
        bind(&cluster, "double", "deployments", double, &spec);
        let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": {
                "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
        let made = create(&cluster, "deployments", &web).unwrap();
        assert_eq!(made["spec"]["replicas"], replicas, "{reinvocation}");
    }
}

#[test]
fn policies_match_the_object_before_the_first_mutation() {
    let cluster = fresh();
    let label = |name: &str| {
        let fields = format!("Object{{metadata: Object.metadata{{labels: {{'{name}': 'yes'}}}}}}");
        json!([applied(&fields)])
    };
    bind(&cluster, "a", "configmaps", label("first"), &json!({}));
    let of_first = json!({"matchConstraints": {"objectSelector": {"matchLabels": {"first": "yes"}},
        "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
            "resources": ["configmaps"]}]}});
    bind(&cluster, "b", "configmaps", label("second"), &of_first);
    // Conditions are evaluated on the current object.
    let condition = json!([{"name": "c", "expression": "has(object.metadata.labels)"}]);
    let conditional = json!({"matchConditions": condition});
    bind(&cluster, "c", "configmaps", label("third"), &conditional);
    let made = create(&cluster, "configmaps", &map("m", json!({}))).unwrap();
    assert_eq!(
        made["metadata"]["labels"],
        json!({"first": "yes", "third": "yes"})
    );
}

#[test]
fn lists_merge_by_key_and_atomic_mutation_fails() {
    let cluster = fresh();
    let env = json!([applied(
        "Object{spec: Object.spec{containers: object.spec.containers.map(c,
            Object.spec.containers{name: c.name, imagePullPolicy: 'Always'})}}"
    )]);
    bind(&cluster, "p", "pods", env, &json!({}));
    let made = create(&cluster, "pods", &pod("one")).unwrap();
    let container = &made["spec"]["containers"][0];
    assert_eq!(container["imagePullPolicy"], "Always");
    assert!(container["image"].is_string(), "{container}");
    let cluster = fresh();
    let selector = json!([applied(
        "Object{spec: Object.spec{nodeSelector: {'disk': 'ssd'}}}"
    )]);
    bind(&cluster, "p", "pods", selector, &json!({}));
    let refused = create(&cluster, "pods", &pod("one"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.ends_with(
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: \
             .spec.nodeSelector"
        ),
        "{refused}"
    );
}

#[test]
fn fields_that_the_kind_does_not_have_are_refused() {
    for (spec, why) in [
        ("nope: 1", ".spec.nope: field not declared in schema"),
        (
            "hostname: 1",
            ".spec.hostname: expected string, got &value.valueUnstructured{Value:1}",
        ),
    ] {
        let cluster = fresh();
        let mutation = format!("Object{{spec: Object.spec{{{spec}}}}}");
        bind(
            &cluster,
            "p",
            "pods",
            json!([applied(&mutation)]),
            &json!({}),
        );
        let refused = create(&cluster, "pods", &pod("one"))
            .unwrap_err()
            .to_string();
        let expected = format!(
            "denied request: error applying patch: failed to convert patch object to typed object: {why}"
        );
        assert!(refused.ends_with(&expected), "{refused}");
    }
}

#[test]
fn policy_for_the_scale_subresource_mutates_only_scales() {
    let cluster = fresh();
    let spec =
        json!({"matchConditions": [{"name": "many", "expression": "object.spec.replicas > 5"}]});
    let most = json!([applied("Object{spec: Object.spec{replicas: 5}}")]);
    bind(&cluster, "most", "deployments/scale", most, &spec);
    let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": 7, "selector": {"matchLabels": {"a": "b"}}, "template": {
            "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    // The policy is for the subresource alone.
    let made = create(&cluster, "deployments", &web).unwrap();
    assert_eq!(made["spec"]["replicas"], 7);
    let place = place("deployments");
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale",
        "metadata": {"name": "web", "namespace": "default"}, "spec": {"replicas": 9}});
    cluster
        .replace(&place, "web", &scale, Part::Scale, &WriteOptions::default())
        .unwrap();
    let now = cluster.get(&place, "web").unwrap();
    assert_eq!(now["spec"]["replicas"], 5);
}

#[test]
fn expressions_are_checked_when_the_policy_is_made() {
    for (mutation, wrong) in [
        (
            applied("'no object'"),
            "applyConfiguration.expression: Invalid value: \"'no object'\": must evaluate to Object but got string",
        ),
        (
            patched("[1]"),
            "jsonPatch.expression: Invalid value: \"[1]\": must evaluate to list(JSONPatch) but got list(int)",
        ),
        (patched("[JSONPatch{what: 1}]"), "undefined field 'what'"),
        (
            json!({"patchType": "JSONPatch"}),
            "jsonPatch: Required value",
        ),
        (
            json!({"patchType": "Other"}),
            "patchType: Unsupported value: \"Other\": supported values: \"ApplyConfiguration\", \"JSONPatch\"",
        ),
    ] {
        let refused = try_bind(&fresh(), "p", "pods", json!([mutation]), &json!({}));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains(wrong), "{refused}");
    }
    let fine = json!([patched(
        "has(object.metadata.labels) ? [JSONPatch{op: 'remove', path: '/a'}] : []"
    )]);
    bind(&fresh(), "p", "pods", fine, &json!({}));
}
