//! Conflicts and configurations that do not fit, with the API server's texts.

use super::*;

#[test]
fn recorded_config_map_apply_session_is_reproduced() {
    let mut server = Server::configmaps();
    server.apply(
        "kubectl",
        json!({"metadata": {"labels": {"from": "first"}}, "data": {"a": "1", "b": "2"}}),
    );
    let first =
        json!({"f:data": {"f:a": {}, "f:b": {}}, "f:metadata": {"f:labels": {"f:from": {}}}});
    server.owned(&[("kubectl Apply", first)]);
    server.apply("second", json!({"data": {"c": "3"}}));
    server.fails(
        "second",
        json!({"data": {"b": "two", "c": "3"}}),
        "Apply failed with 1 conflict: conflict with \"kubectl\": .data.b",
    );
    server.force("second", json!({"data": {"b": "two", "c": "3"}}));
    server.owned(&[
        (
            "kubectl Apply",
            json!({"f:data": {"f:a": {}}, "f:metadata": {"f:labels": {"f:from": {}}}}),
        ),
        ("second Apply", json!({"f:data": {"f:b": {}, "f:c": {}}})),
    ]);
    server.apply("second", json!({"data": {"a": "1"}}));
    assert_eq!(server.at("/data"), json!({"a": "1"}));
    server.apply("kubectl", json!({"data": {}}));
    assert_eq!(server.at("/data"), json!({"a": "1"}));
    assert_eq!(server.at("/metadata/labels"), Value::Null);
    server.owned(&[
        ("second Apply", json!({"f:data": {"f:a": {}}})),
        ("kubectl Apply", json!({"f:data": {}})),
    ]);
    server.patch(
        "kubectl-label",
        json!({"metadata": {"labels": {"tone": "low"}}}),
    );
    server.patch("hand", json!({"data": {"a": "one"}}));
    server.owned(&[
        ("kubectl Apply", json!({"f:data": {}})),
        (
            "kubectl-label Update",
            json!({"f:metadata": {"f:labels": {".": {}, "f:tone": {}}}}),
        ),
        ("hand Update", json!({"f:data": {"f:a": {}}})),
    ]);
    server.fails(
        "second",
        json!({"metadata": {"labels": {"tone": "high"}}, "data": {"a": "1"}}),
        "Apply failed with 2 conflicts: conflicts with \"hand\" using v1:\n- .data.a\nconflicts with \"kubectl-label\" using v1:\n- .metadata.labels.tone",
    );
    server.fails(
        "kubectl",
        json!({"metadata": {"namespace": "default"}, "data": {"num": 1}}),
        "failed to create typed patch object (default/x; /v1, Kind=K): .data.num: expected string, got &value.valueUnstructured{Value:1}",
    );
}

#[test]
fn configuration_that_violates_the_schema_is_rejected() {
    for (config, error) in [
        (json!({"foo": 1}), ".foo: field not declared in schema"),
        (
            json!({"spec": {"template": {"spec": {"containers": [{"name": "c"}, {"name": "c"}]}}}}),
            ".spec.template.spec.containers: duplicate entries for key [name=\"c\"]",
        ),
        (
            json!({"spec": {"replicas": "x"}}),
            ".spec.replicas: expected numeric (int or float), got string",
        ),
        (
            json!({"spec": {"paused": "x"}}),
            ".spec.paused: expected boolean, got &{x}",
        ),
        (
            json!({"spec": {"template": []}}),
            ".spec.template: expected map, got &{[]}",
        ),
        (
            json!({"spec": {"template": {"spec": {"containers": {"a": 1}}}}}),
            ".spec.template.spec.containers: expected list, got &{map[a:1]}",
        ),
        (
            json!({"spec": {"template": {"spec": {"containers": ["x"]}}}}),
            ".spec.template.spec.containers: element 0: associative list with keys may not have non-map elements",
        ),
        (
            json!({"metadata": {"labels": {"a": true}}}),
            ".metadata.labels.a: expected string, got &value.valueUnstructured{Value:true}",
        ),
        (
            json!({"metadata": {"finalizers": [{}]}}),
            ".metadata.finalizers: element 0: associative list without keys has an element that's a map type",
        ),
        (
            json!({"metadata": {"finalizers": ["a", "a"]}}),
            ".metadata.finalizers: duplicate entries for key [=\"a\"]",
        ),
        (
            json!({"a": 1, "b": 2}),
            "errors:\n  .a: field not declared in schema\n  .b: field not declared in schema",
        ),
        (
            json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "ports": [{"protocol": "TCP"}]}]}}}}),
            "",
        ),
    ] {
        let mut server = Server::deployments();
        if error.is_empty() {
            server.apply("a", config);
        } else {
            let message =
                format!("failed to create typed patch object (/x; apps/v1, Kind=K): {error}");
            server.fails("a", config, &message);
        }
    }
    let mut server = Server::configmaps();
    server.fails(
        "a",
        json!({"metadata": {"managedFields": [{}]}}),
        "metadata.managedFields must be nil",
    );
}

#[test]
fn apply_requires_matching_api_version_and_kind() {
    let (reset, empty) = (FieldSet::default(), json!({}));
    let writer = Writer {
        manager: "a",
        api_version: "v1",
        subresource: "",
        time: T0,
        reset: &reset,
        empty: &empty,
    };
    let shape = kind("core.v1.ConfigMap");
    for (config, message) in [
        (
            json!({"metadata": {"name": "x"}}),
            "invalid object type: /, Kind=",
        ),
        (
            json!({"apiVersion": "v2", "kind": "ConfigMap"}),
            "incorrect version specified in apply patch. Specified patch version: v2, expected: v1",
        ),
    ] {
        let error = apply(&json!({}), &config, &shape, &writer, true).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn kubectl_apply_takes_over_its_client_side_fields() {
    let annotation = "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"1\"},\"kind\":\"K\",\"metadata\":{\"name\":\"x\"}}\n";
    let object = json!({"metadata": {"annotations": {LAST_APPLIED: annotation}}, "data": {"a": "1", "b": "1"}});
    let mut server = Server::configmaps();
    server.put("kubectl-client-side-apply", object.clone());
    server.fails("other", json!({"data": {"a": "2"}}),
        "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using v1: .data.a");
    server.fails("kubectl", json!({"data": {"a": "2", "b": "2"}}),
        "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using v1: .data.b");
    server.apply("kubectl", json!({"data": {"a": "2"}}));
    assert_eq!(server.at("/data"), json!({"a": "2", "b": "1"}));
    assert_eq!(
        server.live["metadata"]["annotations"][LAST_APPLIED],
        "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"2\"},\"kind\":\"K\",\"metadata\":{\"name\":\"x\"}}\n"
    );
}

#[test]
fn kubectl_apply_rewrites_the_annotation_of_its_own_configuration() {
    let mut server = Server::configmaps();
    let config = json!({"metadata": {"annotations": {LAST_APPLIED: "saved"}}, "data": {"x": "1"}});
    server.apply("kubectl", config);
    let annotations = server.at("/metadata/annotations");
    let now = json!({"apiVersion": "v1", "kind": "K", "data": {"x": "1"},
        "metadata": {"annotations": {}, "name": "x"}});
    assert_eq!(annotations[LAST_APPLIED], format!("{now}\n"));
}

#[test]
fn kubectl_apply_takes_over_no_field_that_changed_since_its_client_side_apply() {
    let annotated = |version: &str| {
        let annotation = format!(
            "{{\"apiVersion\":\"{version}\",\"data\":{{\"a\":\"1\",\"b\":\"1\"}},\"kind\":\"K\"}}\n"
        );
        let mut server = Server::configmaps();
        let object = json!({"metadata": {"annotations": {LAST_APPLIED: annotation}}, "data": {"a": "1", "b": "1"}});
        server.put("kubectl-client-side-apply", object);
        server
    };
    let mut server = annotated("v1");
    server.patch("kubectl-edit", json!({"data": {"a": "5"}}));
    server.fails(
        "kubectl",
        json!({"data": {"a": "1", "b": "2"}}),
        "Apply failed with 1 conflict: conflict with \"kubectl-edit\" using v1: .data.a",
    );
    assert_eq!(server.at("/data"), json!({"a": "5", "b": "1"}));
    // A removed field has no owner, so nothing conflicts.
    server.patch("kubectl-edit", json!({"data": {"a": null}}));
    server.apply("kubectl", json!({"data": {"a": "1", "b": "2"}}));
    let mut old = annotated("v1beta1");
    old.fails(
        "kubectl",
        json!({"data": {"a": "2"}}),
        "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using v1: .data.a",
    );
}

#[test]
fn one_conflict_and_several_have_the_servers_texts() {
    let mut server = Server::configmaps();
    server.apply("m1", json!({"data": {"a": "b"}}));
    server.fails(
        "m2",
        json!({"data": {"a": "c"}}),
        "Apply failed with 1 conflict: conflict with \"m1\": .data.a",
    );
    server.patch("kubectl-edit", json!({"data": {"a": "zz", "b": "1"}}));
    server.fails("m2", json!({"data": {"a": "c", "b": "2"}}),
        "Apply failed with 2 conflicts: conflicts with \"kubectl-edit\" using v1:\n- .data.a\n- .data.b");
    let config = server.complete(json!({"data": {"a": "c"}}));
    let (reset, empty) = (FieldSet::default(), json!({}));
    let writer = Writer {
        manager: "m2",
        api_version: "v1",
        subresource: "",
        time: T0,
        reset: &reset,
        empty: &empty,
    };
    let error = apply(&server.live, &config, &server.shape, &writer, false).unwrap_err();
    let ApplyError::Conflicts(conflicts) = error else {
        panic!("{error}")
    };
    assert_eq!(
        conflicts.list[0].message(),
        "conflict with \"kubectl-edit\" using v1"
    );
    assert_eq!(conflicts.list[0].field, ".data.a");
}
