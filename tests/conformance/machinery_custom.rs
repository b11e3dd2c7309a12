//! SIG API Machinery: CustomResourceDefinitions, their objects and their published schemas.

use serde_json::{Value, json};

use crate::cluster::{Api, eventually, namespace};
use crate::operations::discovered;
use crate::resource::{Resource, is_true, name, names};

pub const EXTENSIONS: &str = "apiextensions.k8s.io/v1";

fn space(name: &str) -> Api {
    namespace("custom", name)
}

fn definitions(api: &Api) -> Resource<'_> {
    api.global(EXTENSIONS, "CustomResourceDefinition")
}

/// Returns a served version with a schema.
pub fn version(name: &str, storage: bool, schema: Value) -> Value {
    json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": schema}})
}

/// Returns the definition of a kind in a group with versions.
pub fn definition(group: &str, kind: &str, scope: &str, versions: Value) -> Value {
    let singular = kind.to_lowercase();
    let plural = format!("{singular}s");
    json!({
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": scope, "versions": versions,
            "names": {"plural": plural, "singular": singular, "kind": kind, "listKind": format!("{kind}List")},
        },
    })
}

/// Creates a definition, and waits until its objects are served.
#[track_caller]
pub fn define(api: &Api, definition: Value) -> String {
    let made = definitions(api).create(definition);
    let name = name(&made).to_owned();
    definitions(api).until(&name, "is established", |made| is_true(made, "Established"));
    name
}

/// Returns a schema that keeps all fields.
pub fn open_schema() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

#[test]
fn definition_is_created_and_deleted() {
    let api = space("crd-create");
    let versions = json!([version("v1", true, open_schema())]);
    let name = define(
        &api,
        definition("create.example.com", "Plum", "Cluster", versions),
    );
    definitions(&api).delete(&name);
    definitions(&api).until_gone(&name);
}

#[test]
fn definitions_are_listed_and_deleted_by_label() {
    let api = space("crd-list");
    let mut made = Vec::new();
    for number in 0..10 {
        let versions = json!([version("v1", true, open_schema())]);
        let kind = format!("Plum{number}");
        let mut object = definition("list.example.com", &kind, "Cluster", versions);
        object["metadata"]["labels"] = json!({"crd-list": "yes"});
        made.push(define(&api, object));
    }
    let versions = json!([version("v1", true, open_schema())]);
    let other = define(
        &api,
        definition("list.example.com", "Pear", "Cluster", versions),
    );
    made.sort();
    assert_eq!(names(&definitions(&api).list("crd-list=yes")), made);
    definitions(&api).delete_all("crd-list=yes");
    definitions(&api).until_all("crd-list=yes", "are deleted", <[Value]>::is_empty);
    definitions(&api).get(&other);
}

#[test]
fn definition_status_changes() {
    let api = space("crd-status");
    let versions = json!([version("v1", true, open_schema())]);
    let name = define(
        &api,
        definition("status.example.com", "Plum", "Cluster", versions),
    );
    let crds = definitions(&api);
    assert!(is_true(&crds.part(&name, "status"), "Established"));
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "E2E", "message": "set from e2e"});
    let push = |object: &mut Value, new: Value| {
        object["status"]["conditions"]
            .as_array_mut()
            .unwrap()
            .push(new);
    };
    let updated = crds.edit(&name, "status", |object| {
        push(object, condition("StatusUpdate"))
    });
    assert!(is_true(&updated, "StatusUpdate"), "{updated}");
    let mut conditions = updated["status"]["conditions"].clone();
    conditions
        .as_array_mut()
        .unwrap()
        .push(condition("StatusPatch"));
    let patched = crds.merge(
        &name,
        "status",
        json!({"status": {"conditions": conditions}}),
    );
    assert!(
        is_true(&patched, "StatusUpdate") && is_true(&patched, "StatusPatch"),
        "{patched}"
    );
    assert!(is_true(&crds.get(&name), "StatusPatch"));
}

#[test]
fn definitions_are_discovered() {
    discovered(
        &space("crd-discovery"),
        EXTENSIONS,
        &["customresourcedefinitions"],
    );
}

#[test]
fn custom_objects_are_watched() {
    let api = space("crd-watch");
    let versions = json!([version("v1", true, open_schema())]);
    define(
        &api,
        definition("watch.example.com", "Plum", "Cluster", versions),
    );
    let plums = api.global("watch.example.com/v1", "Plum");
    let watch_for = |name: &str| plums.watch(&format!("fieldSelector=metadata.name%3D{name}"));
    let (mut first, mut second) = (watch_for("name1"), watch_for("name2"));
    for name in ["name1", "name2"] {
        plums.create(json!({"metadata": {"name": name}, "content": {"key": "value"}}));
    }
    for name in ["name1", "name2"] {
        plums.merge(name, "", json!({"dummy": "test"}));
    }
    for name in ["name1", "name2"] {
        plums.delete(name);
    }
    for watch in [&mut first, &mut second] {
        assert_eq!(watch.expect("ADDED")["content"]["key"], "value");
        assert_eq!(watch.expect("MODIFIED")["dummy"], "test");
        watch.expect("DELETED");
    }
}

#[test]
fn custom_objects_are_selected_by_fields() {
    let api = space("crd-fields");
    let schema = json!({"type": "object", "properties": {
        "host": {"type": "string"}, "port": {"type": "string"},
    }});
    let mut selected = version("v1", true, schema.clone());
    selected["selectableFields"] = json!([{"jsonPath": ".host"}]);
    let mut second = version("v2", false, schema);
    second["selectableFields"] = json!([{"jsonPath": ".host"}, {"jsonPath": ".port"}]);
    let made = definition(
        "fields.example.com",
        "Plum",
        "Namespaced",
        json!([selected, second]),
    );
    define(&api, made);
    let plums = api.of("fields.example.com/v1", "Plum");
    let newer = api.of("fields.example.com/v2", "Plum");
    let mut watch = newer.watch("fieldSelector=host%3Dhost1,port%3D80");
    for (name, host, port) in [
        ("a", "host1", "80"),
        ("b", "host1", "8080"),
        ("c", "host2", "80"),
    ] {
        plums.create(json!({"metadata": {"name": name}, "host": host, "port": port}));
    }
    let found = |plums: &Resource<'_>, query: &str| {
        names(
            plums.query(&format!("fieldSelector={query}"))["items"]
                .as_array()
                .unwrap(),
        )
    };
    assert_eq!(found(&plums, "host%3Dhost1"), ["a", "b"]);
    assert_eq!(found(&newer, "host%3Dhost1,port%3D80"), ["a"]);
    let refused = api.get(&format!("{}?fieldSelector=port%3D80", plums.path));
    refused.says(400, "field label not supported: port");
    assert_eq!(name(&watch.expect("ADDED")), "a");
    newer.merge("a", "", json!({"port": "8080"}));
    watch.expect("DELETED");
}

#[test]
fn custom_objects_have_defaults() {
    let api = space("crd-defaults");
    let schema = |defaults: &[&str]| {
        let mut schema = json!({"type": "object", "properties": {
            "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"},
        }});
        for field in defaults {
            schema["properties"][field]["default"] = json!(field.to_uppercase());
        }
        schema
    };
    let versions = json!([version("v1", true, schema(&[]))]);
    let name = define(
        &api,
        definition("defaults.example.com", "Plum", "Cluster", versions),
    );
    let plums = api.global("defaults.example.com/v1", "Plum");
    let before = plums.create(json!({"metadata": {"name": "first"}}));
    assert!(before["a"].is_null());
    let set = |defaults: &[&str]| {
        let schema = schema(defaults);
        let path = "/spec/versions/0/schema/openAPIV3Schema";
        let patch = json!([{"op": "replace", "path": path, "value": schema}]);
        definitions(&api).try_patch(&name, "", "json", &patch).ok();
    };
    set(&["a"]);
    eventually("the stored object has the default", || {
        (plums.get("first")["a"] == "A").then_some(())
    });
    plums.create(json!({"metadata": {"name": "second"}}));
    assert_eq!(plums.get("second")["a"], "A");
    set(&["b"]);
    eventually("the stored object has the other default", || {
        let (first, second) = (plums.get("first"), plums.get("second"));
        // The default of a request was stored; the one of a read was not.
        (first["b"] == "B" && first["a"].is_null() && second["a"] == "A").then_some(())
    });
}

/// Waits until the published document contains a definition, or no longer does.
#[track_caller]
fn published(api: &Api, name: &str, wanted: bool) -> Value {
    eventually(&format!("{name} is published: {wanted}"), || {
        let document = api.get("/openapi/v2").ok();
        let found = document["definitions"][name].clone();
        (found.is_object() == wanted).then_some(found)
    })
}

#[test]
fn schemas_of_groups_versions_and_kinds_are_published() {
    let api = space("openapi-many");
    let one = |group: &str, kind: &str, name: &str| {
        definition(
            group,
            kind,
            "Namespaced",
            json!([version(name, true, foo_schema())]),
        )
    };
    define(&api, one("one.openapi.example.com", "Foo", "v1"));
    define(&api, one("two.openapi.example.com", "Bar", "v1"));
    define(&api, one("two.openapi.example.com", "Baz", "v1"));
    let versions = json!([
        version("v2", true, foo_schema()),
        version("v3", false, foo_schema())
    ]);
    define(
        &api,
        definition("two.openapi.example.com", "Qux", "Namespaced", versions),
    );
    for name in [
        "com.example.openapi.one.v1.Foo",
        "com.example.openapi.two.v1.Bar",
        "com.example.openapi.two.v1.Baz",
        "com.example.openapi.two.v2.Qux",
        "com.example.openapi.two.v3.Qux",
    ] {
        let schema = published(&api, name, true);
        assert_eq!(schema["description"], "Foo CRD for Testing", "{schema}");
        assert!(
            schema["properties"]["spec"]["properties"]["bars"].is_object(),
            "{schema}"
        );
        let kinds = &schema["x-kubernetes-group-version-kind"];
        assert!(kinds.is_array(), "{schema}");
    }
}

#[test]
fn renamed_version_is_published() {
    let api = space("openapi-rename");
    let versions = json!([
        version("v2", true, foo_schema()),
        version("v3", false, foo_schema())
    ]);
    let made = definition("rename.example.com", "Foo", "Namespaced", versions);
    let name = define(&api, made);
    published(&api, "com.example.rename.v3.Foo", true);
    let patch = json!([{"op": "replace", "path": "/spec/versions/1/name", "value": "v4"}]);
    definitions(&api).try_patch(&name, "", "json", &patch).ok();
    published(&api, "com.example.rename.v4.Foo", true);
    published(&api, "com.example.rename.v3.Foo", false);
    published(&api, "com.example.rename.v2.Foo", true);
}

#[test]
fn version_that_is_not_served_is_not_published() {
    let api = space("openapi-unserved");
    let versions = json!([
        version("v5", true, foo_schema()),
        version("v6alpha1", false, foo_schema())
    ]);
    let name = define(
        &api,
        definition("unserved.example.com", "Foo", "Namespaced", versions),
    );
    published(&api, "com.example.unserved.v6alpha1.Foo", true);
    published(&api, "com.example.unserved.v5.Foo", true);
    let patch = json!([{"op": "replace", "path": "/spec/versions/1/served", "value": false}]);
    definitions(&api).try_patch(&name, "", "json", &patch).ok();
    published(&api, "com.example.unserved.v6alpha1.Foo", false);
    published(&api, "com.example.unserved.v5.Foo", true);
}

fn foo_schema() -> Value {
    json!({
        "description": "Foo CRD for Testing", "type": "object",
        "properties": {
            "spec": {"type": "object", "description": "Specification of Foo", "properties": {
                "bars": {"description": "List of Bars and their specs.", "type": "array", "items": {
                    "type": "object", "required": ["name"], "properties": {
                        "name": {"description": "Name of Bar.", "type": "string"},
                        "age": {"description": "Age of Bar.", "type": "string"},
                        "bazs": {"description": "List of Bazs.", "type": "array", "items": {"type": "string"}},
                    },
                }},
            }},
            "status": {"type": "object", "description": "Status of Foo", "properties": {
                "bars": {"type": "array", "items": {"type": "object", "properties": {
                    "available": {"type": "boolean"},
                }}},
            }},
        },
    })
}

/// Creates an object with strict validation of its fields, as kubectl does.
fn strict(objects: &Resource<'_>, api: &Api, object: &Value) -> crate::client::Answer {
    let path = format!("{}?fieldValidation=Strict", objects.path);
    api.ask("POST", &path, "application/json", &object.to_string())
}

#[test]
fn schema_validates_fields() {
    let api = space("openapi-schema");
    let versions = json!([version("v1", true, foo_schema())]);
    define(
        &api,
        definition("schema.example.com", "Foo", "Namespaced", versions),
    );
    let foos = api.of("schema.example.com/v1", "Foo");
    let foo = |spec: Value| json!({"apiVersion": "schema.example.com/v1", "kind": "Foo", "metadata": {"name": "test"}, "spec": spec});
    strict(
        &foos,
        &api,
        &foo(json!({"bars": [{"name": "test-bar", "age": "10"}]})),
    )
    .ok();
    let unknown = foo(json!({"foo": true}));
    strict(&foos, &api, &unknown).says(400, "strict decoding error: unknown field \"spec.foo\"");
    let missing = foo(json!({"bars": [{"age": "10"}]}));
    strict(&foos, &api, &missing).says(422, "spec.bars[0].name: Required value");
    let schema = published(&api, "com.example.schema.v1.Foo", true);
    let spec = &schema["properties"]["spec"];
    assert_eq!(spec["description"], "Specification of Foo");
    let bars = &spec["properties"]["bars"];
    assert_eq!(bars["description"], "List of Bars and their specs.");
    assert_eq!(
        bars["items"]["properties"]["name"]["description"],
        "Name of Bar."
    );
    assert_eq!(bars["items"]["required"], json!(["name"]));
}

#[test]
fn open_schema_accepts_unknown_fields() {
    let api = space("openapi-open");
    let versions = json!([version("v1", true, open_schema())]);
    define(
        &api,
        definition("open.example.com", "Foo", "Namespaced", versions),
    );
    let foos = api.of("open.example.com/v1", "Foo");
    let unknown = json!({"apiVersion": "open.example.com/v1", "kind": "Foo", "metadata": {"name": "test"},
        "a": {"b": [{"c": "d"}]}});
    let made = strict(&foos, &api, &unknown).ok();
    assert_eq!(made["a"]["b"][0]["c"], "d");
    let schema = published(&api, "com.example.open.v1.Foo", true);
    let kind = &schema["x-kubernetes-group-version-kind"][0]["kind"];
    assert_eq!(kind, "Foo", "{schema}");
}

#[test]
fn open_field_accepts_unknown_fields() {
    let api = space("openapi-nested");
    let schema = json!({
        "description": "preserve-unknown-properties in nested field for Testing", "type": "object",
        "properties": {
            "spec": {"type": "object", "description": "Specification of Waldo",
                "x-kubernetes-preserve-unknown-fields": true,
                "properties": {"dummy": {"type": "string", "description": "Dummy property."}}},
        },
    });
    let versions = json!([version("v1", true, schema)]);
    define(
        &api,
        definition("nested.example.com", "Waldo", "Namespaced", versions),
    );
    let waldos = api.of("nested.example.com/v1", "Waldo");
    let waldo = json!({"apiVersion": "nested.example.com/v1", "kind": "Waldo", "metadata": {"name": "test"},
        "spec": {"b": [{"c": "d"}]}});
    let made = strict(&waldos, &api, &waldo).ok();
    assert_eq!(made["spec"]["b"][0]["c"], "d");
    let schema = published(&api, "com.example.nested.v1.Waldo", true);
    let spec = &schema["properties"]["spec"];
    assert_eq!(spec["description"], "Specification of Waldo");
    assert_eq!(
        spec["x-kubernetes-preserve-unknown-fields"], true,
        "{schema}"
    );
}
