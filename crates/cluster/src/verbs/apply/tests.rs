//! Server-side apply from a client's view.

use super::*;
use crate::api::json::json;
use crate::request::PatchType;
use crate::request::options::WriteOptions;
use crate::testing::{Scratch, fresh, place};
use crate::{ApplyOptions, Response};

fn by(manager: &str) -> ApplyOptions {
    ApplyOptions {
        write: WriteOptions {
            field_manager: manager.to_owned(),
            ..WriteOptions::default()
        },
        ..ApplyOptions::default()
    }
}

fn forced(manager: &str) -> ApplyOptions {
    ApplyOptions {
        force: true,
        ..by(manager)
    }
}

fn config(data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data})
}

fn apply(cluster: &Scratch, manager: &str, data: Value) -> Result<Response, ApiError> {
    cluster.apply(&place("configmaps"), "c", &config(data), &by(manager))
}

#[track_caller]
fn refused<T: std::fmt::Debug>(response: Result<T, ApiError>) -> Status {
    match response.unwrap_err() {
        ApiError::Status(status) => *status,
        ApiError::Store(e) => panic!("{e}"),
    }
}

fn owners(object: &Value) -> Vec<String> {
    let list = object["metadata"]["managedFields"].as_array();
    let owner = |e: &Value| {
        let text = |field: &str| e[field].as_str().unwrap_or_default();
        format!(
            "{} {} {}",
            text("manager"),
            text("operation"),
            e["fieldsV1"]
        )
    };
    list.into_iter().flatten().map(owner).collect()
}

#[test]
fn an_apply_creates_a_missing_object_and_owns_its_fields() {
    let cluster = fresh();
    let response = apply(&cluster, "one", json!({"a": "1"})).unwrap();
    assert!(response.changed);
    assert!(response.object["metadata"]["uid"].is_string());
    assert_eq!(
        owners(&response.object),
        [r#"one Apply {"f:data":{"f:a":{}}}"#]
    );
    let again = apply(&cluster, "one", json!({"a": "1"})).unwrap();
    assert!(!again.changed);
    assert_eq!(again.object, response.object);
}

#[test]
fn apply_removes_omitted_fields_without_another_manager() {
    let cluster = fresh();
    apply(&cluster, "one", json!({"a": "1", "b": "2", "c": "3"})).unwrap();
    apply(&cluster, "two", json!({"b": "2"})).unwrap();
    let response = apply(&cluster, "one", json!({"c": "3"})).unwrap();
    assert_eq!(response.object["data"], json!({"b": "2", "c": "3"}));
    assert_eq!(
        owners(&response.object),
        [
            r#"two Apply {"f:data":{"f:b":{}}}"#,
            r#"one Apply {"f:data":{"f:c":{}}}"#
        ]
    );
}

#[test]
fn a_conflict_names_manager_and_field_and_force_takes_them_over() {
    let cluster = fresh();
    apply(&cluster, "m1", json!({"a": "b"})).unwrap();
    let status = refused(apply(&cluster, "m2", json!({"a": "c"})));
    assert_eq!((status.code, status.reason), (409, "Conflict"));
    assert_eq!(
        status.to_value(),
        json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure", "code": 409,
            "reason": "Conflict",
            "message": "Apply failed with 1 conflict: conflict with \"m1\": .data.a",
            "details": {"causes": [{"reason": "FieldManagerConflict",
                "message": "conflict with \"m1\"", "field": ".data.a"}]},
        })
    );
    let configmaps = place("configmaps");
    let taken = cluster.apply(&configmaps, "c", &config(json!({"a": "c"})), &forced("m2"));
    let taken = taken.unwrap();
    assert_eq!(taken.object["data"]["a"], "c");
    assert_eq!(owners(&taken.object), [r#"m2 Apply {"f:data":{"f:a":{}}}"#]);
}

#[test]
fn an_apply_conflicts_with_fields_of_creates_and_patches() {
    let cluster = fresh();
    let configmaps = place("configmaps");
    let create = WriteOptions {
        field_manager: "kubectl-create".to_owned(),
        ..WriteOptions::default()
    };
    cluster
        .create(&configmaps, &config(json!({"a": "1"})), &create)
        .unwrap();
    let edit = WriteOptions {
        field_manager: "kubectl-edit".to_owned(),
        ..WriteOptions::default()
    };
    let patch = json!({"data": {"b": "2"}});
    cluster
        .patch(&configmaps, "c", (PatchType::Merge, &patch), false, &edit)
        .unwrap();
    let status = refused(apply(&cluster, "m", json!({"a": "x", "b": "y"})));
    assert_eq!(
        status.message,
        "Apply failed with 2 conflicts: conflicts with \"kubectl-create\" using v1:\n- .data.a\n\
         conflicts with \"kubectl-edit\" using v1:\n- .data.b"
    );
    assert_eq!(status.causes().len(), 2);
}

#[test]
fn dry_run_apply_returns_the_object_and_stores_nothing() {
    let cluster = fresh();
    let mut dry = by("one");
    dry.write.dry_run = true;
    let response = cluster
        .apply(&place("configmaps"), "c", &config(json!({"a": "1"})), &dry)
        .unwrap();
    assert!(!response.changed);
    assert_eq!(response.object["data"]["a"], "1");
    assert!(cluster.get(&place("configmaps"), "c").is_err());
    cluster
        .apply(
            &place("configmaps"),
            "c",
            &config(json!({"a": "1"})),
            &by("two"),
        )
        .unwrap();
    let other = config(json!({"a": "2"}));
    let refusal = refused(cluster.apply(&place("configmaps"), "c", &other, &dry));
    assert!(
        refusal
            .message
            .starts_with("Apply failed with 1 conflict: conflict with \"two\""),
        "{refusal:?}"
    );
    let kept = cluster.get(&place("configmaps"), "c").unwrap();
    assert_eq!(kept["data"]["a"], "1");
}

#[test]
fn status_apply_changes_and_owns_only_the_status() {
    let cluster = fresh();
    let deployments = place("deployments");
    let config = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    cluster
        .apply(&deployments, "d", &config, &by("user"))
        .unwrap();
    let status = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"replicas": 9}, "status": {"replicas": 3}});
    let options = ApplyOptions {
        subresource: "status".to_owned(),
        ..by("controller")
    };
    let response = cluster.apply(&deployments, "d", &status, &options).unwrap();
    assert_eq!(response.object["spec"]["replicas"], 1);
    assert_eq!(response.object["status"], json!({"replicas": 3}));
    // Writes of one second are sorted by the managers' names.
    let entry = &response.object["metadata"]["managedFields"][0];
    assert_eq!(entry["subresource"], "status");
    assert_eq!(entry["fieldsV1"], json!({"f:status": {"f:replicas": {}}}));
    let missing = refused(cluster.apply(&deployments, "no", &status, &options));
    assert_eq!(missing.message, "deployments.apps \"no\" not found");
}

fn meta(metadata: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "c"}})
}

/// Name, configuration, manager, and the response.
#[rustfmt::skip]
fn refusals() -> Vec<(&'static str, Value, &'static str, u16, &'static str)> {
    vec![
        ("c", meta(json!({"name": "c"})), "", 422,
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"),
        ("c", meta(json!({"name": "other"})), "m1", 400,
            "the name of the object (other) does not match the name on the URL (c)"),
        ("new", meta(json!({"name": "other"})), "m1", 400,
            "the name of the object (other) does not match the name on the URL (new)"),
        ("new", meta(json!({})), "m1", 400,
            "the name of the object (new based on URL) was undeterminable: name must be provided"),
        ("c", json!({"metadata": {"name": "c"}}), "m1", 400, "invalid object type: /, Kind="),
        ("c", json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "c"}}), "m1", 400,
            "invalid object type: /v1, Kind=Secret"),
        ("c", meta(json!({"name": "c", "managedFields": [{}]})), "m1", 400,
            "metadata.managedFields must be nil"),
        ("c", json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "foo": 1}), "m1", 500,
            "failed to create typed patch object (/c; /v1, Kind=ConfigMap): .foo: field not declared in schema"),
        ("c", meta(json!({"name": "c", "resourceVersion": "1"})), "m1", 409,
            "Operation cannot be fulfilled on configmaps \"c\": the object has been modified; please apply your changes to the latest version and try again"),
        ("c", meta(json!({"name": "c", "uid": "abc"})), "m1", 422,
            "ConfigMap \"c\" is invalid: metadata.uid: Invalid value: \"abc\": field is immutable"),
        ("new", meta(json!({"name": "new", "uid": "abc"})), "m1", 409,
            "Operation cannot be fulfilled on configmaps \"new\": uid mismatch: the provided object specified uid abc, and no existing object was found"),
    ]
}

#[test]
fn invalid_configurations_are_rejected_with_the_recorded_texts() {
    let cluster = fresh();
    apply(&cluster, "m1", json!({"a": "b"})).unwrap();
    for (name, config, manager, code, message) in refusals() {
        let status = refused(cluster.apply(&place("configmaps"), name, &config, &forced(manager)));
        assert_eq!((status.code, &*status.message), (code, message), "{config}");
    }
    let nameless = meta(json!({}));
    let response = cluster.apply(&place("configmaps"), "c", &nameless, &forced("m1"));
    assert_eq!(response.unwrap().object["data"]["a"], "c");
}
