//! A definition and its objects, as recorded from the real server.

use serde_json::{Value, json};

use super::*;
use crate::api::status::Status;
use crate::kinds::{columns, find, shape};

fn boats() -> CustomKind {
    let crew = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "rank": {"type": "string", "default": "hand"}}});
    let spec = json!({"type": "object", "required": ["length"], "properties": {
        "length": {"type": "integer", "minimum": 1, "maximum": 400},
        "colour": {"type": "string", "enum": ["red", "white", "blue"], "default": "white"},
        "name": {"type": "string", "pattern": "^[A-Z]", "maxLength": 10},
        "replicas": {"type": "integer", "default": 1},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "crew": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"], "items": crew},
        "extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
    let status = json!({"type": "object", "properties": {"port": {"type": "string"}}});
    let schema = json!({"type": "object", "required": ["spec"],
        "properties": {"spec": spec, "status": status}});
    let mut definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "boats.sea.example.com"},
        "spec": {
            "group": "sea.example.com", "scope": "Namespaced",
            "names": {"plural": "boats", "kind": "Boat", "shortNames": ["bt"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "subresources": {"status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                "additionalPrinterColumns": [
                    {"name": "Length", "type": "integer", "jsonPath": ".spec.length"},
                    {"name": "Crew", "type": "string", "jsonPath": ".spec.crew[*].name"}],
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    });
    let kind = find("apiextensions.k8s.io", "v1", "CustomResourceDefinition").unwrap();
    shape::settle(kind, &mut definition);
    CustomKind::of(&definition).remove(0)
}

fn boat(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "sea.example.com/v1", "kind": "Boat",
        "metadata": {"name": name, "namespace": "default"}, "spec": spec})
}

fn refused(object: &Value) -> String {
    let kind = boats();
    let object = read(&kind, object).unwrap().object;
    Status::invalid("", "Boat", "bad", create(&kind, &object)).message
}

#[test]
fn a_definition_names_its_kind() {
    let kind = boats();
    assert_eq!(kind.singular, "boat");
    assert_eq!(kind.list_kind, "BoatList");
    assert_eq!(kind.api_version(), "sea.example.com/v1");
    assert!(kind.namespaced && kind.has_status);
    assert_eq!(kind.scale.unwrap().spec_replicas, ".spec.replicas");
}

#[test]
fn unknown_fields_go_and_defaults_come() {
    let kind = boats();
    let spec = json!({"length": 12, "sails": 3, "crew": [{"name": "ann"}], "extra": {"any": [1]}});
    let decoded = read(&kind, &boat("gull", spec)).unwrap();
    assert_eq!(decoded.unknown, ["spec.sails"]);
    assert_eq!(
        decoded.object["spec"],
        json!({"colour": "white", "crew": [{"name": "ann", "rank": "hand"}],
            "extra": {"any": [1]}, "length": 12, "replicas": 1})
    );
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let cells = columns::custom(&kind.columns, &decoded.object, now);
    assert_eq!(cells, [json!("gull"), json!(12), json!("ann")]);
}

#[test]
fn the_schema_refuses_in_the_servers_words() {
    let spec = json!({"length": 0, "colour": "green", "name": "lower",
        "tags": ["a", "b", "c"], "crew": [{"rank": "none"}]});
    let all = refused(&boat("bad", spec));
    for part in [
        "spec.crew[0].name: Required value",
        "spec.length: Invalid value: 0: spec.length in body should be greater than or equal to 1",
        "spec.name: Invalid value: \"lower\": spec.name in body should match '^[A-Z]'",
        "spec.tags: Too many: 3: must have at most 2 items",
        "spec.colour: Unsupported value: \"green\": supported values: \"red\", \"white\", \"blue\"",
    ] {
        assert!(all.contains(part), "{part} is not in {all}");
    }
    assert_eq!(
        refused(&boat("bad", json!({"length": "long"}))),
        "Boat \"bad\" is invalid: spec.length: Invalid value: \"string\": spec.length in body must be of \
         type integer: \"string\""
    );
    let mut bare = boat("bad", json!({}));
    crate::kinds::tree::take(&mut bare, "spec");
    assert_eq!(
        refused(&bare),
        "Boat \"bad\" is invalid: spec: Required value"
    );
}

#[test]
fn items_of_a_keyed_list_are_there_once() {
    let spec = json!({"length": 5, "crew": [{"name": "a"}, {"name": "a"}]});
    assert_eq!(
        refused(&boat("bad", spec)),
        "Boat \"bad\" is invalid: spec.crew[1]: Duplicate value: {\"name\":\"a\"}"
    );
}

#[test]
fn status_and_spec_are_written_apart() {
    let kind = boats();
    let mut old = boat("gull", json!({"length": 12}));
    prepare_create(&kind, &mut old);
    let mut new = old.clone();
    new["spec"]["length"] = json!(13);
    new["status"] = json!({"port": "Bergen"});
    let mut written = new.clone();
    prepare_update(&kind, &mut written, &old);
    assert_eq!(written["metadata"]["generation"], 2);
    assert_eq!(written.get("status"), None);
    prepare_status(&mut new, &old);
    assert_eq!(new["metadata"]["generation"], 1);
    assert_eq!(new["spec"]["length"], 12);
    assert_eq!(new["status"]["port"], "Bergen");
}
