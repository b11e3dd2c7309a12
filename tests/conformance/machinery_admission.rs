//! SIG API Machinery: admission webhooks, admission policies and conversion webhooks.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::cluster::{Api, eventually, namespace};
use crate::machinery_custom::{define, definition, open_schema, version};
use crate::objects::{PAUSE, data, pod, spec, workload};
use crate::operations::{discovered, supported};
use crate::resource::{Resource, is_true, names};
use crate::webhook::Webhook;

const ADMISSION: &str = "admissionregistration.k8s.io/v1";

/// Returns a client in a new namespace, whose label selects it for webhooks and policies.
fn space(name: &str) -> Api {
    let api = namespace("admission", name);
    let labels = json!({"metadata": {"labels": {"conformance": name}}});
    api.global("v1", "Namespace").merge(name, "", labels);
    api
}

fn hook() -> Webhook {
    Webhook::new("127.0.0.1", |_| ())
}

/// Returns the path of a webhook that patches each object.
fn patching(patch: &Value) -> String {
    format!(
        "patch64/{}",
        BASE64_URL_SAFE_NO_PAD.encode(patch.to_string())
    )
}

/// Returns a webhook for operations on resources in the namespace of a test.
fn called(api: &Api, hook: &Webhook, path: &str, group: &str, rules: &Value) -> Value {
    let url = format!("https://127.0.0.1:{}/{path}", hook.port);
    json!({
        "name": format!("{}.hooks.example.com", api.namespace), "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": url, "caBundle": BASE64_STANDARD.encode(&hook.authority)},
        "sideEffects": "None", "timeoutSeconds": 10,
        "namespaceSelector": {"matchLabels": {"conformance": api.namespace}},
        "rules": [{
            "apiGroups": [group], "apiVersions": ["*"], "operations": rules["operations"],
            "resources": rules["resources"],
        }],
    })
}

fn on(operations: &[&str], resources: &[&str]) -> Value {
    json!({"operations": operations, "resources": resources})
}

/// Creates a configuration. Each test has its own, named after its namespace.
fn register<'a>(api: &'a Api, kind: &str, webhooks: Value) -> Resource<'a> {
    let all = api.global(ADMISSION, &format!("{kind}WebhookConfiguration"));
    all.create(json!({"metadata": {"name": api.namespace}, "webhooks": webhooks}));
    all
}

fn adds(key: &str) -> Value {
    json!([{"op": "add", "path": format!("/data/{key}"), "value": "yes"}])
}

#[test]
fn webhooks_are_discovered() {
    let resources = [
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
    ];
    discovered(&space("hook-discovery"), ADMISSION, &resources);
}

#[test]
fn webhook_denies_pods_and_maps() {
    let (api, hook) = (space("hook-deny"), hook());
    let rules = on(&["CREATE", "UPDATE"], &["pods", "configmaps"]);
    let mut denies = called(
        &api,
        &hook,
        "deny/403/the+object+contains+unwanted+data",
        "",
        &rules,
    );
    denies["matchConditions"] = json!([{
        "name": "unwanted", "expression":
            "has(object.data) && object.data.exists(k, k == 'unwanted') || has(object.spec) && \
             object.spec.containers.exists(c, c.name == 'unwanted')",
    }]);
    let mut hangs = called(&api, &hook, "slow/3", "", &on(&["CREATE"], &["pods"]));
    hangs["name"] = json!("hangs.hooks.example.com");
    hangs["timeoutSeconds"] = json!(1);
    hangs["objectSelector"] = json!({"matchLabels": {"name": "hangs"}});
    register(&api, "Validating", json!([denies, hangs]));
    let (pods, maps) = (api.of("v1", "Pod"), api.of("v1", "ConfigMap"));
    let text = "denied the request: the object contains unwanted data";
    let mut unwanted = pod("denied", spec(PAUSE));
    unwanted["spec"]["containers"][0]["name"] = json!("unwanted");
    pods.try_create(unwanted).says(403, text);
    pods.try_create(pod("hangs", spec(PAUSE)))
        .says(500, "context deadline exceeded");
    maps.try_create(data("map", json!({"unwanted": "x"})))
        .says(403, text);
    let made = maps.create(data("map", json!({"fine": "x"})));
    let mut changed = made.clone();
    changed["data"]["unwanted"] = json!("x");
    maps.try_update(&changed, "").says(403, text);
    let patch = json!({"data": {"unwanted": "x"}});
    maps.try_patch("map", "", "merge", &patch).says(403, text);
    // Another namespace is not selected.
    let other = space("hook-deny-not");
    other
        .of("v1", "ConfigMap")
        .create(data("map", json!({"unwanted": "x"})));
}

#[test]
fn webhook_denies_attaching() {
    let (api, hook) = (space("hook-attach"), hook());
    let rules = on(&["CONNECT"], &["pods/attach"]);
    let path = "deny/403/attaching+to+pod+is+not+allowed";
    register(
        &api,
        "Validating",
        json!([called(&api, &hook, path, "", &rules)]),
    );
    let pods = api.of("v1", "Pod");
    pods.create(pod("to-be-attached", spec(PAUSE)));
    crate::objects::until_ready(&pods, "to-be-attached");
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n";
    let path = format!("{}/to-be-attached/attach?stdout=1", pods.path);
    let answer = api.with(upgrade).get(&path);
    answer.says(403, "attaching to pod is not allowed");
}

fn plums(api: &Api, group: &str, schema: Value) {
    define(
        api,
        definition(
            group,
            "Plum",
            "Namespaced",
            json!([version("v1", true, schema)]),
        ),
    );
}

#[test]
fn webhook_denies_custom_objects() {
    let (api, hook) = (space("hook-custom"), hook());
    let group = "deny.admission.example.com";
    plums(&api, group, open_schema());
    let rules = on(&["CREATE", "UPDATE", "DELETE"], &["plums"]);
    let mut denies = called(&api, &hook, "deny/403/unwanted+data", group, &rules);
    denies["matchConditions"] = json!([{"name": "unwanted", "expression":
        "request.operation == 'DELETE' ? oldObject.data.key == 'locked' : object.data.key == 'unwanted'"}]);
    register(&api, "Validating", json!([denies]));
    let plums = api.of("deny.admission.example.com/v1", "Plum");
    let text = "denied the request: unwanted data";
    plums
        .try_create(data("plum", json!({"key": "unwanted"})))
        .says(403, text);
    plums.create(data("plum", json!({"key": "locked"})));
    let patch = json!({"data": {"key": "unwanted"}});
    plums.try_patch("plum", "", "merge", &patch).says(403, text);
    plums.try_delete("plum", &json!({})).says(403, text);
    plums.merge("plum", "", json!({"data": {"key": "open"}}));
    plums.delete("plum");
}

#[test]
fn webhook_denies_definitions() {
    let (api, hook) = (space("hook-crd"), hook());
    let rules = on(&["CREATE"], &["customresourcedefinitions"]);
    let mut denies = called(
        &api,
        &hook,
        "deny/403/unwanted+label",
        "apiextensions.k8s.io",
        &rules,
    );
    denies["objectSelector"] = json!({"matchLabels": {"webhook-e2e-test": "webhook-disallow"}});
    denies["namespaceSelector"] = json!({});
    register(&api, "Validating", json!([denies]));
    let versions = json!([version("v1", true, open_schema())]);
    let mut made = definition("crd.admission.example.com", "Plum", "Cluster", versions);
    made["metadata"]["labels"] = json!({"webhook-e2e-test": "webhook-disallow"});
    let crds = api.global(
        crate::machinery_custom::EXTENSIONS,
        "CustomResourceDefinition",
    );
    crds.try_create(made)
        .says(403, "denied the request: unwanted label");
}

#[test]
fn webhook_that_cannot_be_called_fails_closed() {
    let (api, hook) = (space("hook-closed"), hook());
    let mut closed = called(&api, &hook, "allow", "", &on(&["CREATE"], &["configmaps"]));
    closed["clientConfig"]
        .as_object_mut()
        .unwrap()
        .remove("caBundle");
    closed["failurePolicy"] = json!("Fail");
    register(&api, "Validating", json!([closed]));
    let refused = api.of("v1", "ConfigMap").try_create(data("foo", json!({})));
    refused.says(500, "failed calling webhook");
}

#[test]
fn webhook_times_out() {
    let (api, hook) = (space("hook-timeout"), hook());
    let maps = api.of("v1", "ConfigMap");
    for (number, (timeout, policy, is_made)) in
        [(1, "Fail", false), (1, "Ignore", true), (10, "Fail", true)]
            .into_iter()
            .enumerate()
    {
        let mut slow = called(&api, &hook, "slow/2", "", &on(&["CREATE"], &["configmaps"]));
        slow["timeoutSeconds"] = json!(timeout);
        slow["failurePolicy"] = json!(policy);
        let all = register(&api, "Validating", json!([slow]));
        let answer = maps.try_create(data(&format!("map-{number}"), json!({})));
        match is_made {
            true => drop(answer.ok()),
            false => answer.says(500, "context deadline exceeded"),
        }
        all.delete(&api.namespace);
    }
}

#[test]
fn webhooks_mutate_in_order() {
    let (api, hook) = (space("hook-order"), hook());
    let step = |name: &str, needs: &str, adds_key: &str| {
        let rules = on(&["CREATE"], &["configmaps"]);
        let mut step = called(&api, &hook, &patching(&adds(adds_key)), "", &rules);
        step["name"] = json!(format!("{name}.hooks.example.com"));
        let expression = format!("has(object.data) && '{needs}' in object.data");
        step["matchConditions"] = json!([{"name": "needs", "expression": expression}]);
        step
    };
    let steps = [
        step("first", "mutation-start", "mutation-stage-1"),
        step("second", "mutation-stage-1", "mutation-stage-2"),
    ];
    register(&api, "Mutating", json!(steps));
    let made = api
        .of("v1", "ConfigMap")
        .create(data("map", json!({"mutation-start": "yes"})));
    let wanted =
        json!({"mutation-start": "yes", "mutation-stage-1": "yes", "mutation-stage-2": "yes"});
    assert_eq!(made["data"], wanted);
}

#[test]
fn defaults_follow_a_mutation() {
    let (api, hook) = (space("hook-defaults"), hook());
    let init = json!([{"name": "webhook-added-init-container", "image": "webhook-added-image"}]);
    let patch = json!([{"op": "add", "path": "/spec/initContainers", "value": init}]);
    let rules = on(&["CREATE"], &["pods"]);
    register(
        &api,
        "Mutating",
        json!([called(&api, &hook, &patching(&patch), "", &rules)]),
    );
    let made = api.of("v1", "Pod").create(pod("mutated", spec(PAUSE)));
    let added = &made["spec"]["initContainers"];
    assert_eq!(added.as_array().unwrap().len(), 1);
    assert_eq!(added[0]["name"], "webhook-added-init-container");
    assert_eq!(added[0]["terminationMessagePolicy"], "File");
}

#[test]
fn webhook_mutates_custom_objects() {
    let (api, hook) = (space("hook-mutate"), hook());
    let group = "mutate.admission.example.com";
    plums(&api, group, open_schema());
    let path = patching(&adds("mutation-stage-1"));
    let rules = on(&["CREATE", "UPDATE"], &["plums"]);
    register(
        &api,
        "Mutating",
        json!([called(&api, &hook, &path, group, &rules)]),
    );
    let plums = api.of("mutate.admission.example.com/v1", "Plum");
    let made = plums.create(data("plum", json!({"mutation-start": "yes"})));
    assert_eq!(
        made["data"],
        json!({"mutation-start": "yes", "mutation-stage-1": "yes"})
    );
}

#[test]
fn mutated_custom_object_is_pruned() {
    let (api, hook) = (space("hook-prune"), hook());
    let group = "prune.admission.example.com";
    let known =
        json!({"mutation-start": {"type": "string"}, "mutation-stage-1": {"type": "string"}});
    let schema =
        json!({"type": "object", "properties": {"data": {"type": "object", "properties": known}}});
    plums(&api, group, schema);
    let rules = on(&["CREATE"], &["plums"]);
    let first = called(
        &api,
        &hook,
        &patching(&adds("mutation-stage-1")),
        group,
        &rules,
    );
    let mut second = called(
        &api,
        &hook,
        &patching(&adds("mutation-stage-2")),
        group,
        &rules,
    );
    second["name"] = json!("second.hooks.example.com");
    register(&api, "Mutating", json!([first, second]));
    let plums = api.of("prune.admission.example.com/v1", "Plum");
    let made = plums.create(data("plum", json!({"mutation-start": "yes"})));
    assert_eq!(
        made["data"],
        json!({"mutation-start": "yes", "mutation-stage-1": "yes"})
    );
}

#[test]
fn custom_object_is_mutated_after_its_storage_version_changed() {
    let (api, hook) = (space("hook-storage"), hook());
    let group = "storage.admission.example.com";
    let versions = json!([
        version("v1", true, open_schema()),
        version("v2", false, open_schema())
    ]);
    let name = define(&api, definition(group, "Plum", "Namespaced", versions));
    let path = patching(&adds("mutation-stage-1"));
    let rules = on(&["CREATE", "UPDATE"], &["plums"]);
    register(
        &api,
        "Mutating",
        json!([called(&api, &hook, &path, group, &rules)]),
    );
    let plums = api.of("storage.admission.example.com/v1", "Plum");
    plums.create(data("plum", json!({"mutation-start": "yes"})));
    let crds = api.global(
        crate::machinery_custom::EXTENSIONS,
        "CustomResourceDefinition",
    );
    let patch = json!([
        {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": true},
    ]);
    crds.try_patch(&name, "", "json", &patch).ok();
    let patched = plums.merge("plum", "", json!({"data": {"dummy": "test"}}));
    assert_eq!(patched["data"]["dummy"], "test");
    assert_eq!(patched["data"]["mutation-start"], "yes");
    assert_eq!(patched["data"]["mutation-stage-1"], "yes");
}

#[test]
fn webhooks_leave_webhook_configurations_alone() {
    let (api, hook) = (space("hook-self"), hook());
    let resources = [
        "validatingwebhookconfigurations",
        "mutatingwebhookconfigurations",
    ];
    let group = "admissionregistration.k8s.io";
    let mut denies = called(&api, &hook, "deny", group, &on(&["DELETE"], &resources));
    denies["namespaceSelector"] = json!({});
    register(&api, "Validating", json!([denies]));
    let mut labels = called(
        &api,
        &hook,
        "label/mutated/yes",
        group,
        &on(&["CREATE"], &resources),
    );
    labels["namespaceSelector"] = json!({});
    register(&api, "Mutating", json!([labels]));
    for kind in [
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
    ] {
        let all = api.global(ADMISSION, kind);
        let made = all.create(json!({"metadata": {"name": "hook-self-dummy"}, "webhooks": []}));
        assert!(made["metadata"]["labels"].is_null(), "{made}");
        all.delete("hook-self-dummy");
    }
}

/// Checks that ten configurations are listed, called and deleted together.
fn listed(kind: &str, path: &str, is_called: &dyn Fn(&Api) -> bool) {
    let (api, hook) = (space(&format!("hook-list-{}", kind.to_lowercase())), hook());
    let all = api.global(ADMISSION, &format!("{kind}WebhookConfiguration"));
    for number in 0..10 {
        let mut webhook = called(&api, &hook, path, "", &on(&["CREATE"], &["configmaps"]));
        webhook["name"] = json!(format!("list-{number}.hooks.example.com"));
        let name = format!("{}-{number}", api.namespace);
        let labels = json!({"conformance": api.namespace});
        all.create(json!({"metadata": {"name": name, "labels": labels}, "webhooks": [webhook]}));
    }
    let label = format!("conformance={}", api.namespace);
    assert_eq!(all.list(&label).len(), 10);
    eventually("the webhooks are called", || is_called(&api).then_some(()));
    all.delete_all(&label);
    assert!(all.list(&label).is_empty());
    eventually("the webhooks are not called", || {
        (!is_called(&api)).then_some(())
    });
}

#[test]
fn mutating_webhooks_are_listed() {
    listed("Mutating", &patching(&adds("mutation-stage-1")), &|api| {
        let maps = api.of("v1", "ConfigMap");
        let made = maps.create(json!({"metadata": {"generateName": "m-"}, "data": {"a": "b"}}));
        made["data"]["mutation-stage-1"] == "yes"
    });
}

#[test]
fn validating_webhooks_are_listed() {
    listed("Validating", "deny", &|api| {
        api.of("v1", "ConfigMap")
            .try_create(json!({"metadata": {"generateName": "m-"}}))
            .code
            >= 400
    });
}

/// Checks that a webhook is called as its operations say after an update and a patch.
fn rules_change(kind: &str, path: &str, is_called: &dyn Fn(&Api) -> bool) {
    let (api, hook) = (
        space(&format!("hook-rules-{}", kind.to_lowercase())),
        hook(),
    );
    let webhook = called(&api, &hook, path, "", &on(&["CREATE"], &["configmaps"]));
    let all = register(&api, kind, json!([webhook]));
    eventually("the webhook is called", || is_called(&api).then_some(()));
    all.edit(&api.namespace, "", |configuration| {
        configuration["webhooks"][0]["rules"][0]["operations"] = json!(["UPDATE"]);
    });
    eventually("the webhook is not called", || {
        (!is_called(&api)).then_some(())
    });
    let operations = "/webhooks/0/rules/0/operations";
    let patch = json!([{"op": "replace", "path": operations, "value": ["CREATE"]}]);
    all.try_patch(&api.namespace, "", "json", &patch).ok();
    eventually("the webhook is called again", || {
        is_called(&api).then_some(())
    });
}

#[test]
fn mutating_webhook_follows_its_rules() {
    rules_change("Mutating", &patching(&adds("mutation-stage-1")), &|api| {
        let maps = api.of("v1", "ConfigMap");
        let made = maps.create(json!({"metadata": {"generateName": "m-"}, "data": {"a": "b"}}));
        made["data"]["mutation-stage-1"] == "yes"
    });
}

#[test]
fn validating_webhook_follows_its_rules() {
    rules_change("Validating", "deny", &|api| {
        api.of("v1", "ConfigMap")
            .try_create(json!({"metadata": {"generateName": "m-"}}))
            .code
            >= 400
    });
}

#[test]
fn match_conditions_are_stored_and_checked() {
    let (api, hook) = (space("hook-conditions"), hook());
    for kind in ["Mutating", "Validating"] {
        let mut webhook = called(&api, &hook, "allow", "", &on(&["CREATE"], &["pods"]));
        let first = json!([{"name": "expression-1", "expression": "object.metadata.namespace == 'production'"}]);
        webhook["matchConditions"] = first.clone();
        let all = register(&api, kind, json!([webhook]));
        assert_eq!(
            all.get(&api.namespace)["webhooks"][0]["matchConditions"],
            first
        );
        let second = json!([{"name": "expression-2", "expression": "object.metadata.namespace == 'staging'"}]);
        all.edit(&api.namespace, "", |configuration| {
            configuration["webhooks"][0]["matchConditions"] = second.clone();
        });
        assert_eq!(
            all.get(&api.namespace)["webhooks"][0]["matchConditions"],
            second
        );
        webhook["matchConditions"] =
            json!([{"name": "invalid", "expression": "... [] bad expression"}]);
        let invalid = json!({"metadata": {"name": "hook-conditions-2"}, "webhooks": [webhook]});
        all.try_create(invalid).says(422, "compilation failed");
    }
}

#[test]
fn webhook_skips_an_object_by_name() {
    let (api, hook) = (space("hook-skip"), hook());
    let path = patching(&adds("mutation-stage-1"));
    let mut webhook = called(&api, &hook, &path, "", &on(&["CREATE"], &["configmaps"]));
    webhook["matchConditions"] =
        json!([{"name": "skip-me", "expression": "object.metadata.name != 'skip-me'"}]);
    register(&api, "Mutating", json!([webhook]));
    let maps = api.of("v1", "ConfigMap");
    let made = maps.create(data("skip-me", json!({"mutation-start": "yes"})));
    assert_eq!(made["data"], json!({"mutation-start": "yes"}));
    let made = maps.create(data("map", json!({"mutation-start": "yes"})));
    assert_eq!(made["data"]["mutation-stage-1"], "yes");
}

/// Creates a policy on Deployments of the namespace, and its binding.
fn policy(api: &Api, variables: Value, validations: Value) {
    let policies = api.global(ADMISSION, "ValidatingAdmissionPolicy");
    policies.create(json!({"metadata": {"name": api.namespace}, "spec": {
        "failurePolicy": "Fail", "variables": variables, "validations": validations,
        "matchConstraints": {"resourceRules": [{
            "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
            "resources": ["deployments"],
        }]},
    }}));
    let bindings = api.global(ADMISSION, "ValidatingAdmissionPolicyBinding");
    bindings.create(json!({"metadata": {"name": api.namespace}, "spec": {
        "policyName": api.namespace, "validationActions": ["Deny"],
        "matchResources": {"namespaceSelector": {"matchLabels": {"conformance": api.namespace}}},
    }}));
}

#[test]
fn policy_validates_deployments() {
    let api = space("policy-deployment");
    let validations = json!([
        {"expression": "object.spec.replicas > 1", "messageExpression":
            "'wants replicas > 1, got ' + string(object.spec.replicas)"},
        {"expression": "namespaceObject.metadata.name == 'policy-deployment'", "message": "no such namespace"},
    ]);
    policy(&api, json!([]), validations);
    let deployments = api.of("apps/v1", "Deployment");
    eventually("the policy is in force", || {
        let answer = deployments.try_create(workload("marker", 1, PAUSE));
        if answer.code == 201 {
            deployments.delete("marker");
            return None;
        }
        answer.says(422, "wants replicas > 1, got 1");
        Some(())
    });
    deployments.create(workload("allowed", 2, PAUSE));
}

#[test]
fn policy_refers_to_variables() {
    let api = space("policy-variables");
    let variables = json!([
        {"name": "replicas", "expression": "object.spec.replicas"},
        {"name": "oddReplicas", "expression": "variables.replicas % 2 == 1"},
    ]);
    let validations = json!([
        {"expression": "variables.replicas > 1"}, {"expression": "variables.oddReplicas"},
    ]);
    policy(&api, variables, validations);
    let deployments = api.of("apps/v1", "Deployment");
    eventually("the policy is in force", || {
        let answer = deployments.try_create(workload("even", 2, PAUSE));
        if answer.code == 201 {
            deployments.delete("even");
            return None;
        }
        answer.says(422, "failed expression: variables.oddReplicas");
        Some(())
    });
    let refused = deployments.try_create(workload("single", 1, PAUSE));
    refused.says(422, "failed expression: variables.replicas > 1");
    deployments.create(workload("odd", 3, PAUSE));
}

#[test]
fn policies_support_all_operations() {
    let api = space("policy-api");
    let (resource, kind) = ("validatingadmissionpolicies", "ValidatingAdmissionPolicy");
    discovered(&api, ADMISSION, &[resource, &format!("{resource}/status")]);
    let make = |number: u32| {
        json!({"metadata": {"name": format!("policy-api-{number}")}, "spec": {
            "validations": [{"expression": "object.spec.replicas <= 100"}],
            "matchConstraints": {"resourceRules": [{
                "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"],
                "resources": ["deployments"],
            }], "namespaceSelector": {"matchLabels": {"conformance": "none"}}},
        }})
    };
    supported(&api, ADMISSION, kind, true, &make);
    let (policies, name) = (api.global(ADMISSION, kind), "policy-api-9");
    policies.create(make(9));
    policies.until(name, "is checked", |p| {
        p["status"]["observedGeneration"] == 1
    });
    let condition = |of: &str| {
        json!({"type": of, "status": "True", "reason": "E2E", "message": "m",
            "lastTransitionTime": "2026-01-01T00:00:00Z"})
    };
    let patch = json!({"status": {"conditions": [condition("Patched")]}});
    policies.merge(name, "status", patch);
    policies.edit(name, "status", |policy| {
        let conditions = policy["status"]["conditions"].as_array_mut();
        conditions.unwrap().push(condition("Updated"));
    });
    let read = policies.part(name, "status");
    assert!(
        is_true(&read, "Patched") && is_true(&read, "Updated"),
        "{read}"
    );
    policies.delete(name);
}

#[test]
fn policy_bindings_support_all_operations() {
    let api = space("binding-api");
    supported(
        &api,
        ADMISSION,
        "ValidatingAdmissionPolicyBinding",
        true,
        &|number| {
            json!({"metadata": {"name": format!("binding-api-{number}")}, "spec": {
                "policyName": "replicalimit-policy.example.com", "validationActions": ["Deny"],
            }})
        },
    );
}

/// Defines a kind in two versions with a conversion webhook that renames a field.
fn converted(api: &Api, hook: &Webhook, group: &str) -> String {
    let versions = json!([
        version("v1", true, open_schema()),
        version("v2", false, open_schema())
    ]);
    let mut made = definition(group, "Plum", "Namespaced", versions);
    let url = format!("https://127.0.0.1:{}/convert/hostPort/host", hook.port);
    let client = json!({"url": url, "caBundle": BASE64_STANDARD.encode(&hook.authority)});
    let webhook = json!({"clientConfig": client, "conversionReviewVersions": ["v1", "v1beta1"]});
    made["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": webhook});
    define(api, made)
}

/// Deletes a definition while its webhook still runs: without the webhook, its objects cannot be read.
fn undefine(api: &Api, name: &str) {
    let crds = api.global(
        crate::machinery_custom::EXTENSIONS,
        "CustomResourceDefinition",
    );
    crds.delete(name);
    crds.until_gone(name);
}

#[test]
fn custom_object_is_converted() {
    let (api, hook) = (space("convert-one"), hook());
    let name = converted(&api, &hook, "one.convert.example.com");
    let plum = json!({"metadata": {"name": "plum"}, "spec": {"hostPort": "localhost:8080"}});
    api.of("one.convert.example.com/v1", "Plum").create(plum);
    let read = api.of("one.convert.example.com/v2", "Plum").get("plum");
    assert_eq!(read["apiVersion"], "one.convert.example.com/v2");
    assert_eq!(read["spec"], json!({"host": "localhost:8080"}));
    undefine(&api, &name);
}

#[test]
fn list_of_several_versions_is_converted() {
    let (api, hook) = (space("convert-list"), hook());
    let name = converted(&api, &hook, "list.convert.example.com");
    let old = api.of("list.convert.example.com/v1", "Plum");
    let new = api.of("list.convert.example.com/v2", "Plum");
    old.create(json!({"metadata": {"name": "first"}, "spec": {"hostPort": "localhost:8080"}}));
    let crds = api.global(
        crate::machinery_custom::EXTENSIONS,
        "CustomResourceDefinition",
    );
    let patch = json!([
        {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": true},
    ]);
    crds.try_patch(&name, "", "json", &patch).ok();
    new.create(json!({"metadata": {"name": "second"}, "spec": {"host": "localhost:8080"}}));
    for (plums, field) in [(&old, "hostPort"), (&new, "host")] {
        let list = plums.list("");
        assert_eq!(names(&list), ["first", "second"]);
        for plum in list {
            assert_eq!(plum["spec"], json!({field: "localhost:8080"}));
        }
    }
    undefine(&api, &name);
}
