//! SIG API Machinery: strict validation of fields.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::cluster::{Api, namespace};
use crate::machinery_custom::{define, definition, open_schema, version};

fn space(name: &str) -> Api {
    namespace("custom", name)
}

/// Returns the schema of a cron tab, whose spec may keep unknown fields.
fn schema(keeps: bool) -> Value {
    let mut schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "foo": {"type": "string"},
        "cronSpec": {"type": "string", "pattern": "^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$"},
        "ports": {
            "type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
            "items": {
                "type": "object", "required": ["containerPort", "protocol"],
                "properties": {
                    "containerPort": {"type": "integer", "format": "int32"}, "protocol": {"type": "string"},
                    "hostIP": {"type": "string"}, "hostPort": {"type": "integer", "format": "int32"},
                    "name": {"type": "string"},
                },
            },
        },
    }}}});
    if keeps {
        let spec = &mut schema["properties"]["spec"];
        spec["x-kubernetes-preserve-unknown-fields"] = json!(true);
        spec["properties"]["template"] = json!({
            "type": "object", "x-kubernetes-embedded-resource": true,
            "properties": {
                "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
                "spec": {"type": "object"},
            },
        });
    }
    schema
}

/// Applies an object of a new kind in YAML, with strict validation.
fn apply(api: &Api, group: &str, schema: Value, rest: &str) -> Answer {
    define(
        api,
        definition(
            group,
            "Noxu",
            "Cluster",
            json!([version("v1beta1", true, schema)]),
        ),
    );
    let body =
        format!("apiVersion: {group}/v1beta1\nkind: Noxu\nmetadata:\n  name: mytest\n{rest}");
    let query = "fieldManager=field_validation_mgr&fieldValidation=Strict";
    let path = format!("/apis/{group}/v1beta1/noxus/mytest?{query}");
    api.ask("PATCH", &path, "application/apply-patch+yaml", &body)
}

const PORTS: &str = "  cronSpec: \"* * * * */5\"\n  ports:\n  - name: x\n    containerPort: 80\n    protocol: TCP\n";

#[test]
fn valid_custom_object_is_applied() {
    let api = space("fields-valid");
    let rest = format!("spec:\n  foo: foo1\n{PORTS}");
    apply(&api, "valid.fields.example.com", schema(false), &rest).ok();
}

#[test]
fn custom_object_without_a_schema_keeps_unknown_fields() {
    let api = space("fields-open");
    let rest = format!("spec:\n  unknown: uk1\n{PORTS}");
    let made = apply(&api, "open.fields.example.com", open_schema(), &rest).ok();
    assert_eq!(made["spec"]["unknown"], "uk1");
}

#[test]
fn unknown_field_of_a_custom_object_is_refused() {
    let api = space("fields-unknown");
    let rest = format!("unknownField: unknown\nspec:\n  foo: foo1\n{PORTS}");
    let answer = apply(&api, "unknown.fields.example.com", schema(false), &rest);
    assert_eq!(answer.code, 500, "{answer:?}");
    assert!(
        answer
            .body
            .contains(".unknownField: field not declared in schema"),
        "{answer:?}"
    );
}

#[test]
fn unknown_metadata_of_a_custom_object_is_refused() {
    let api = space("fields-meta");
    let rest = format!(
        "  unknownMeta: unknown\n  finalizers:\n  - e2e.example.com/test\nspec:\n  template:\n    apiVersion: foo/v1\n    \
         kind: Sub\n    metadata:\n      unknownSubMeta: unknown\n      name: subobject\n  foo: foo1\n{PORTS}"
    );
    let answer = apply(&api, "meta.fields.example.com", schema(true), &rest);
    let known = [
        ".spec.template.metadata.unknownSubMeta: field not declared in schema",
        ".metadata.unknownMeta: field not declared in schema",
    ];
    assert!(
        known.iter().any(|text| answer.body.contains(text)),
        "{answer:?}"
    );
}

#[test]
fn duplicate_field_of_a_custom_object_is_refused() {
    let api = space("fields-twice");
    let rest = format!(
        "  finalizers:\n  - e2e.example.com/test\nspec:\n  unknown: uk1\n  foo: foo1\n  foo: foo2\n{PORTS}"
    );
    let answer = apply(&api, "twice.fields.example.com", schema(true), &rest);
    let text = "line 10: key \\\"foo\\\" already set in map";
    assert!(answer.body.contains(text), "{answer:?}");
}

/// Creates a Deployment with more text in its metadata and its spec, with strict validation.
fn create(api: &Api, meta: &str, spec: &str) -> Answer {
    let body = format!(
        r#"{{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "my-dep",{meta} "labels": {{"app": "nginx"}}}},
        "spec": {{{spec} "selector": {{"matchLabels": {{"app": "nginx"}}}}, "template": {{
            "metadata": {{"labels": {{"app": "nginx"}}}},
            "spec": {{"containers": [{{"name": "nginx", "image": "nginx:latest"}}]}}}}}}}}"#
    );
    let path = format!(
        "/apis/apps/v1/namespaces/{}/deployments?fieldManager=field_validation_mgr&fieldValidation=Strict",
        api.namespace
    );
    api.ask("POST", &path, "application/json", &body)
}

#[test]
fn unknown_and_duplicate_fields_are_refused() {
    let api = space("fields-typed");
    let answer = create(
        &api,
        "",
        r#""unknownField": "foo", "replicas": 2, "replicas": 3,"#,
    );
    let text = "strict decoding error: unknown field \"spec.unknownField\", duplicate field \"spec.replicas\"";
    answer.says(400, text);
}

#[test]
fn unknown_metadata_is_refused() {
    let api = space("fields-typed-meta");
    let answer = create(&api, r#""unknownMeta": "foo","#, "");
    answer.says(
        400,
        "strict decoding error: unknown field \"metadata.unknownMeta\"",
    );
}
