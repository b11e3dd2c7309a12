//! Tests of merging a configuration into an object.

use super::*;

#[test]
fn containers_are_owned_one_by_one() {
    let mut server = Server::deployments();
    let main = json!({"name": "nginx", "image": "nginx:1"});
    server.apply("kubectl", deployment(json!([main])));
    let log =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "log", "image": "b:1"}]}}}});
    server.apply("sidecar", log.clone());
    let names = |server: &Server<FactShape>| {
        let list = server.at("/spec/template/spec/containers");
        let names = list.as_array().unwrap().iter();
        names
            .map(|c| c["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&server), ["nginx", "log"]);
    server.patch("kubectl/scale", json!({"spec": {"replicas": 3}}));
    server.fails(
        "kubectl",
        deployment(json!([main])),
        "Apply failed with 1 conflict: conflict with \"kubectl\" with subresource \"scale\" using apps/v1: .spec.replicas",
    );
    server.force("kubectl", deployment(json!([main])));
    assert_eq!(names(&server), ["nginx", "log"]);
    server.apply("sidecar", json!({"spec": {"template": {"spec": {}}}}));
    assert_eq!(names(&server), ["nginx"]);
    assert_eq!(server.owners().len(), 2);
}

#[test]
fn dropped_field_is_removed_unless_another_manager_applies_it() {
    let mut server = Server::deployments();
    let with = |image: &str, extra: Value| {
        let mut container = json!({"name": "c", "image": image});
        container
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        deployment(json!([container]))
    };
    server.apply(
        "a",
        with(
            "i",
            json!({"env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}]}),
        ),
    );
    server.apply(
        "b",
        json!({"spec": {"template": {"spec": {"containers": [
        {"name": "c", "env": [{"name": "X", "value": "1"}]}]}}}}),
    );
    server.patch(
        "hand",
        json!({"metadata": {"annotations": {"note": "mine"}}}),
    );
    server.apply("a", with("i", json!({})));
    assert_eq!(
        server.at("/spec/template/spec/containers"),
        json!([{"name": "c", "image": "i", "env": [{"name": "X", "value": "1"}]}])
    );
    assert_eq!(server.at("/metadata/annotations"), json!({"note": "mine"}));
    server.apply("b", json!({}));
    assert_eq!(
        server.at("/spec/template/spec/containers"),
        json!([{"name": "c", "image": "i"}])
    );
    server.apply("a", json!({"metadata": {"labels": {"k": "v"}}}));
    assert_eq!(server.at("/spec"), Value::Null);
    assert_eq!(server.at("/metadata/labels"), json!({"k": "v"}));
}

#[test]
fn applied_list_order_wins_over_live_order() {
    for (live, config, expected) in [
        ("abc", "abc", "abc"),
        ("abc", "c", "abc"),
        ("abc", "d", "abcd"),
        ("abc", "cba", "cba"),
        ("abc", "db", "adbc"),
        ("abc", "bd", "abcd"),
        ("abc", "ca", "bca"),
        ("ab", "xaby", "xaby"),
        ("", "ba", "ba"),
        ("abcd", "da", "bcda"),
    ] {
        let mut server = Server::deployments();
        let list = |names: &str| {
            let items = names
                .chars()
                .map(|c| json!({"name": c.to_string(), "image": "i"}));
            deployment(items.collect())
        };
        server.apply("a", list(live));
        server.apply("b", list(config));
        let containers = server.at("/spec/template/spec/containers");
        let got: String = containers
            .as_array()
            .into_iter()
            .flatten()
            .map(|c| c["name"].as_str().unwrap())
            .collect();
        assert_eq!(got, expected, "{config} applied to {live}");
    }
}

#[test]
fn container_fields_merge_by_their_schema() {
    // The path, the live value, the applied value, and the result.
    let pod = "/spec/template/spec";
    for (at, live, config, expected) in [
        ("args", json!(["a", "b"]), json!(["c"]), json!(["c"])),
        ("command", json!(["a"]), json!([]), json!([])),
        (
            "ports",
            json!([{"containerPort": 80, "protocol": "TCP"}]),
            json!([{"containerPort": 80, "name": "web"}]),
            json!([{"containerPort": 80, "protocol": "TCP", "name": "web"}]),
        ),
        (
            "ports",
            json!([{"containerPort": 80, "protocol": "TCP"}]),
            json!([{"containerPort": 80, "protocol": "UDP"}]),
            json!([{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80, "protocol": "UDP"}]),
        ),
        (
            "volumeMounts",
            json!([{"name": "v", "mountPath": "/a"}]),
            json!([{"name": "w", "mountPath": "/b"}]),
            json!([{"name": "v", "mountPath": "/a"}, {"name": "w", "mountPath": "/b"}]),
        ),
        (
            "resources",
            json!({"limits": {"cpu": "1"}}),
            json!({"limits": {"memory": "1Gi"}}),
            json!({"limits": {"cpu": "1", "memory": "1Gi"}}),
        ),
        (
            "env",
            json!([{"name": "A", "value": "1"}]),
            json!([{"name": "B", "value": "2"}]),
            json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]),
        ),
        (
            "envFrom",
            json!([{"prefix": "a"}]),
            json!([{"prefix": "b"}]),
            json!([{"prefix": "b"}]),
        ),
        (
            "securityContext",
            json!({"runAsUser": 1}),
            json!({"runAsGroup": 2}),
            json!({"runAsUser": 1, "runAsGroup": 2}),
        ),
    ] {
        let mut server = Server::deployments();
        server.put("other", deployment(json!([{"name": "c", at: live}])));
        let config =
            json!({"spec": {"template": {"spec": {"containers": [{"name": "c", at: config}]}}}});
        server.force("a", config);
        assert_eq!(
            server.at(&format!("{pod}/containers/0/{at}")),
            expected,
            "{at}"
        );
    }
}

#[test]
fn pod_fields_merge_by_their_schema() {
    let pod = "/spec/template/spec";
    for (path, live, config, expected) in [
        (
            "nodeSelector",
            json!({"a": "1"}),
            json!({"b": "2"}),
            json!({"b": "2"}),
        ),
        (
            "tolerations",
            json!([{"key": "a"}]),
            json!([{"key": "b"}]),
            json!([{"key": "b"}]),
        ),
        (
            "imagePullSecrets",
            json!([{"name": "a"}]),
            json!([{"name": "b"}]),
            json!([{"name": "a"}, {"name": "b"}]),
        ),
        (
            "hostAliases",
            json!([{"ip": "1"}]),
            json!([{"ip": "2"}]),
            json!([{"ip": "1"}, {"ip": "2"}]),
        ),
        (
            "topologySpreadConstraints",
            json!([{"topologyKey": "z", "whenUnsatisfiable": "X", "maxSkew": 1}]),
            json!([{"topologyKey": "z", "whenUnsatisfiable": "X", "maxSkew": 2}]),
            json!([{"topologyKey": "z", "whenUnsatisfiable": "X", "maxSkew": 2}]),
        ),
    ] {
        let mut server = Server::deployments();
        server.put(
            "other",
            json!({"spec": {"template": {"spec": {path: live}}}}),
        );
        server.force("a", json!({"spec": {"template": {"spec": {path: config}}}}));
        assert_eq!(server.at(&format!("{pod}/{path}")), expected, "{path}");
    }
}

#[test]
fn finalizers_are_a_set() {
    let mut server = Server::configmaps();
    server.apply(
        "a",
        json!({"metadata": {"finalizers": ["x.io/a", "x.io/b"]}}),
    );
    server.apply(
        "b",
        json!({"metadata": {"finalizers": ["x.io/b", "x.io/c"]}}),
    );
    assert_eq!(
        server.at("/metadata/finalizers"),
        json!(["x.io/a", "x.io/b", "x.io/c"])
    );
    server.owned(&[
        (
            "a Apply",
            json!({"f:metadata": {"f:finalizers": {"v:\"x.io/a\"": {}, "v:\"x.io/b\"": {}}}}),
        ),
        (
            "b Apply",
            json!({"f:metadata": {"f:finalizers": {"v:\"x.io/b\"": {}, "v:\"x.io/c\"": {}}}}),
        ),
    ]);
    server.apply("a", json!({}));
    assert_eq!(
        server.at("/metadata/finalizers"),
        json!(["x.io/b", "x.io/c"])
    );
    server.owned(&[(
        "b Apply",
        json!({"f:metadata": {"f:finalizers": {"v:\"x.io/b\"": {}, "v:\"x.io/c\"": {}}}}),
    )]);
}

#[test]
fn custom_resources_merge_maps_and_replace_lists() {
    let mut server = Server::custom();
    server.apply(
        "a",
        json!({"spec": {"list": [1, 2], "map": {"x": 1, "y": {"z": 1}}}}),
    );
    server.owned(&[("a Apply", json!({"f:spec": {".": {}, "f:list": {}, "f:map": {".": {}, "f:x": {}, "f:y": {".": {}, "f:z": {}}}}}))]);
    server.fails(
        "b",
        json!({"spec": {"list": [3]}}),
        "Apply failed with 1 conflict: conflict with \"a\": .spec.list",
    );
    server.apply("b", json!({"spec": {"map": {"w": true}}}));
    server.apply("a", json!({"spec": {"map": {"x": 1}}}));
    assert_eq!(server.at("/spec"), json!({"map": {"x": 1, "w": true}}));
}

#[test]
fn container_without_a_name_becomes_a_separate_item() {
    let mut server = Server::deployments();
    server.apply("a", deployment(json!([{"name": "c", "image": "a"}])));
    server.force(
        "m1",
        json!({"spec": {"template": {"spec": {"containers": [{"image": "a"}]}}}}),
    );
    let containers = server.at("/spec/template/spec/containers");
    assert_eq!(
        containers,
        json!([{"name": "c", "image": "a"}, {"image": "a"}])
    );
}
