//! Tests of the patches that kubectl sends.

use super::*;
use crate::json::{Value, json};
use crate::patch::shape::Untyped;
use crate::patch::testing::kind;

fn spec(pod: Value) -> Value {
    json!({"spec": {"template": {"spec": pod}}})
}

fn two_way(old: Value, new: Value) -> Value {
    let shape = kind("apps.v1.Deployment");
    let patch = strategic_two_way(&spec(old), &spec(new), &shape).unwrap();
    patch
        .pointer("/spec/template/spec")
        .cloned()
        .unwrap_or(json!({}))
}

/// Parses containers from `name=image name=image`.
fn containers(text: &str) -> Value {
    let item = |word: &str| {
        let (name, image) = word.split_once('=').unwrap();
        json!({"name": name, "image": image})
    };
    json!({"containers": text.split(' ').map(item).collect::<Value>()})
}

#[test]
fn a_list_of_containers_is_patched_by_name() {
    let order =
        |names: &str| -> Value { names.split(' ').map(|name| json!({"name": name})).collect() };
    for (old, new, items, names) in [
        (
            "a=1 b=1",
            "a=1 b=2",
            json!([{"name": "b", "image": "2"}]),
            "a b",
        ),
        (
            "a=1 b=1",
            "a=1",
            json!([{"name": "b", "$patch": "delete"}]),
            "a",
        ),
        (
            "a=1",
            "b=1 a=1",
            json!([{"name": "b", "image": "1"}]),
            "b a",
        ),
        ("a=1 b=1", "b=1 a=1", json!(null), "b a"),
        (
            "a=1 c=1",
            "b=1 a=2",
            json!([{"name": "b", "image": "1"}, {"name": "a", "image": "2"},
            {"name": "c", "$patch": "delete"}]),
            "b a",
        ),
    ] {
        let patch = two_way(containers(old), containers(new));
        let mut expected = json!({"$setElementOrder/containers": order(names)});
        if !items.is_null() {
            expected["containers"] = items;
        }
        assert_eq!(patch, expected, "{old} -> {new}");
    }
    assert_eq!(two_way(containers("a=1"), containers("a=1")), json!({}));
    assert_eq!(two_way(json!({}), containers("a=1")), containers("a=1"));
    assert_eq!(
        two_way(containers("a=1"), json!({})),
        json!({"containers": null})
    );
    assert_eq!(
        two_way(json!({"containers": []}), containers("a=1")),
        containers("a=1")
    );
}

#[test]
fn fields_are_patched_by_their_schema() {
    for (old, new, patch) in [
        (json!({"a": 1}), json!({"a": 2}), json!({"a": 2})),
        (json!({"a": 1}), json!({}), json!({"a": null})),
        (
            json!({"a": {"b": 1, "c": 1}}),
            json!({"a": {"b": 1}}),
            json!({"a": {"c": null}}),
        ),
        (json!({"a": {"b": 1}}), json!({"a": [1]}), json!({"a": [1]})),
        (
            json!({"a": [1]}),
            json!({"a": {"b": 1}}),
            json!({"a": {"b": 1}}),
        ),
        (
            json!({"tolerations": [{"key": "a"}]}),
            json!({"tolerations": [{"key": "b"}]}),
            json!({"tolerations": [{"key": "b"}]}),
        ),
        (
            json!({"volumes": [{"name": "v", "emptyDir": {}}]}),
            json!({"volumes": [{"name": "v", "configMap": {"name": "c"}}]}),
            json!({"$setElementOrder/volumes": [{"name": "v"}],
                "volumes": [{"name": "v", "emptyDir": null, "configMap": {"name": "c"}, "$retainKeys": ["configMap", "name"]}]}),
        ),
    ] {
        assert_eq!(two_way(old.clone(), new.clone()), patch, "{old} -> {new}");
    }
    let deployment = kind("apps.v1.Deployment");
    let old =
        json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}});
    let new = json!({"spec": {"strategy": {"type": "Recreate"}}});
    let patch = strategic_two_way(&old, &new, &deployment);
    assert_eq!(
        patch,
        Ok(json!({"spec": {"strategy":
        {"$retainKeys": ["type"], "type": "Recreate", "rollingUpdate": null}}}))
    );
}

#[test]
fn finalizers_are_patched_as_a_set() {
    let shape = kind("core.v1.ConfigMap");
    for (old, new, patch) in [
        (
            json!(["a"]),
            json!(["a", "b"]),
            json!({"finalizers": ["b"], "$setElementOrder/finalizers": ["a", "b"]}),
        ),
        (
            json!(["a", "b"]),
            json!(["b"]),
            json!({"$deleteFromPrimitiveList/finalizers": ["a"], "$setElementOrder/finalizers": ["b"]}),
        ),
        (
            json!(["a", "b"]),
            json!(["b", "a"]),
            json!({"$setElementOrder/finalizers": ["b", "a"]}),
        ),
        (json!(["a", "b"]), json!(["a", "b"]), json!(null)),
        (
            json!([]),
            json!(["b", "a"]),
            json!({"finalizers": ["b", "a"]}),
        ),
    ] {
        let object = |list: &Value| json!({"metadata": {"finalizers": list}});
        let got = strategic_two_way(&object(&old), &object(&new), &shape).unwrap();
        assert_eq!(
            got.get("metadata").unwrap_or(&Value::Null),
            &patch,
            "{old} -> {new}"
        );
    }
}

#[test]
fn apply_removes_own_dropped_fields_and_keeps_foreign_fields() {
    let shape = kind("apps.v1.Deployment");
    let last = json!({"metadata": {"labels": {"a": "1", "b": "2"}}, "spec": {"replicas": 2, "template": {"spec": {
        "containers": [{"name": "main", "image": "nginx:1.25", "args": ["serve"],
            "env": [{"name": "ONE", "value": "1"}, {"name": "TWO", "value": "2"}], "ports": [{"containerPort": 80}]},
            {"name": "side", "image": "b"}]}}}});
    let live = json!({"metadata": {"labels": {"a": "1", "b": "other", "c": "3"}}, "spec": {"replicas": 3, "template": {"spec": {
        "containers": [{"name": "main", "image": "nginx:1.25", "imagePullPolicy": "Always", "args": ["serve"],
            "env": [{"name": "ONE", "value": "1"}, {"name": "TWO", "value": "2"}, {"name": "THREE", "value": "3"}],
            "ports": [{"containerPort": 80, "protocol": "TCP"}]}, {"name": "side", "image": "b"}]}}}});
    let new = json!({"metadata": {"labels": {"a": "1"}}, "spec": {"template": {"spec": {
        "containers": [{"name": "main", "image": "nginx:1.26", "env": [{"name": "ONE", "value": "1"}],
            "ports": [{"containerPort": 80}, {"containerPort": 443, "name": "tls"}]}]}}}});
    let patch = strategic_three_way(&last, &new, &live, &shape).unwrap();
    assert_eq!(
        patch,
        json!({"metadata": {"labels": {"b": null}}, "spec": {"replicas": null, "template": {"spec": {
        "$setElementOrder/containers": [{"name": "main"}],
        "containers": [
            {"name": "main", "image": "nginx:1.26", "args": null,
                "$setElementOrder/env": [{"name": "ONE"}], "env": [{"name": "TWO", "$patch": "delete"}],
                "$setElementOrder/ports": [{"containerPort": 80}, {"containerPort": 443}],
                "ports": [{"containerPort": 443, "name": "tls"}]},
            {"name": "side", "$patch": "delete"}]}}}})
    );
    let result = crate::patch::strategic::apply(live, &patch, &shape).unwrap();
    assert_eq!(
        result,
        json!({"metadata": {"labels": {"a": "1", "c": "3"}}, "spec": {"template": {"spec": {
        "containers": [{"name": "main", "image": "nginx:1.26", "imagePullPolicy": "Always",
            "env": [{"name": "ONE", "value": "1"}, {"name": "THREE", "value": "3"}],
            "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 443, "name": "tls"}]}]}}}})
    );
}

#[test]
fn config_map_data_is_patched_key_by_key() {
    let data = |text: &str| -> Value {
        let pairs = text
            .split_whitespace()
            .map(|pair| pair.split_once('=').unwrap());
        let value = |v: &str| if v == "null" { Value::Null } else { v.into() };
        json!({"data": pairs.map(|(k, v)| (k.to_owned(), value(v))).collect::<crate::json::Map>()})
    };
    let shape = kind("core.v1.ConfigMap");
    for (last, new, live, patch) in [
        (
            "keep=1 drop=2",
            "keep=1 new=4",
            "keep=1 drop=2 live=3",
            json!({"data": {"drop": null, "new": "4"}}),
        ),
        ("a=1", "a=1", "a=1 b=2", json!({})),
        ("a=1", "a=1", "a=2", json!({"data": {"a": "1"}})),
        ("a=1", "", "a=1 b=2", json!({"data": {"a": null}})),
        ("", "a=1", "", json!({"data": {"a": "1"}})),
        ("a=1 b=1", "a=1", "a=1", json!({"data": {"b": null}})),
        ("a=1", "a=null", "a=1", json!({"data": {"a": null}})),
    ] {
        let docs = [data(last), data(new), data(live)];
        let strategic = strategic_three_way(&docs[0], &docs[1], &docs[2], &shape).unwrap();
        assert_eq!(strategic, patch, "{last} | {new} | {live}");
        let merge = merge_three_way(&docs[0], &docs[1], &docs[2]);
        if new != "a=null" {
            assert_eq!(merge, patch, "{last} | {new} | {live}");
        }
    }
}

#[test]
fn custom_resources_get_json_merge_patches() {
    for (last, new, live, patch) in [
        (
            json!({"spec": {"list": [1], "a": {"b": 1}}}),
            json!({"spec": {"list": [2], "a": {}}}),
            json!({"spec": {"list": [1], "a": {"b": 1, "c": 2}}}),
            json!({"spec": {"list": [2], "a": {"b": null}}}),
        ),
        (
            json!({}),
            json!({"spec": {"empty": {}}}),
            json!({}),
            json!({"spec": {"empty": {}}}),
        ),
        (
            json!({"a": {"b": {"c": 1}}}),
            json!({"a": {}}),
            json!({"a": {"b": {"c": 1, "d": 2}}}),
            json!({"a": {"b": null}}),
        ),
        (
            json!({"a": 1}),
            json!({"a": 1}),
            json!({"a": 1, "status": {}}),
            json!({}),
        ),
    ] {
        assert_eq!(merge_three_way(&last, &new, &live), patch);
    }
    for (old, new, patch) in [
        (
            json!({"a": 1, "b": {"c": 1, "d": [1]}}),
            json!({"b": {"c": 2, "d": [1]}, "e": 1}),
            json!({"a": null, "b": {"c": 2}, "e": 1}),
        ),
        (
            json!({"a": [1, 2]}),
            json!({"a": [2, 1]}),
            json!({"a": [2, 1]}),
        ),
        (json!({"a": 1}), json!({"a": 1}), json!({})),
        (json!({"a": {"b": 1}}), json!({"a": 1}), json!({"a": 1})),
    ] {
        assert_eq!(merge_two_way(&old, &new), patch);
    }
}

#[test]
fn patch_of_api_version_kind_or_name_is_rejected() {
    for patch in [
        json!({"apiVersion": "v2"}),
        json!({"kind": null}),
        json!({"metadata": {"name": "y"}}),
    ] {
        let error = keeps_identity(&patch).unwrap_err();
        assert_eq!(
            error.to_string(),
            "at least one of apiVersion, kind and name was changed"
        );
    }
    assert_eq!(
        keeps_identity(&json!({"metadata": {"labels": {}}, "spec": 1})),
        Ok(())
    );
}

#[test]
fn lists_that_cannot_be_compared_are_errors() {
    for (old, new, message) in [
        (
            json!([{"name": "a"}]),
            json!([{"image": "x"}]),
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            json!([{"name": "a"}]),
            json!(["x"]),
            "list element types are not identical: [[map[name:a]] [x]]",
        ),
        (
            json!([["a"]]),
            json!([["x"]]),
            "lists of lists are not supported",
        ),
    ] {
        let shape = kind("apps.v1.Deployment");
        let doc = |list: Value| spec(json!({"containers": list}));
        let error = strategic_two_way(&doc(old), &doc(new), &shape).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let error =
        strategic_two_way(&json!({"$patch": 1}), &json!({"$patch": "x"}), &Untyped).unwrap_err();
    assert_eq!(error.to_string(), "invalid value for special key: $patch");
    let error = strategic_two_way(&json!(1), &json!({}), &Untyped).unwrap_err();
    assert_eq!(
        error.to_string(),
        "json: cannot unmarshal number into Go value of type map[string]interface {}"
    );
}
