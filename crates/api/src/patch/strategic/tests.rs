//! Patches as kubectl users write them, with the API server's results.

use super::*;
use crate::json::{Value, json};
use crate::patch::shape::Untyped;
use crate::patch::testing::kind;

fn pod_spec(object: Value, patch: Value) -> Result<Value, String> {
    let wrap = |spec: Value| json!({"spec": {"template": {"spec": spec}}});
    let shape = kind("apps.v1.Deployment");
    let result = apply(wrap(object), &wrap(patch), &shape).map_err(|e| e.to_string())?;
    Ok(result["spec"]["template"]["spec"].clone())
}

/// Parses containers from `name=image name=image`. `-name` deletes an item; `!` is `$patch: replace`.
fn containers(text: &str) -> Value {
    let item = |word: &str| match word.split_once('=') {
        Some((name, image)) => json!({"name": name, "image": image}),
        None if word == "!" => json!({"$patch": "replace"}),
        None => json!({"name": word.trim_start_matches('-'), "$patch": "delete"}),
    };
    text.split_whitespace().map(item).collect()
}

#[test]
fn containers_merge_by_name_and_keep_their_order() {
    for (live, patch, expected) in [
        ("main=1 side=1", "side=2 new=1", "main=1 side=2 new=1"),
        ("main=1 side=1 new=1", "-new", "main=1 side=1"),
        ("main=1 side=1", "! only=1", "only=1"),
        ("main=1 side=1", "only=1 !", "only=1"),
        ("main=1 side=1", "-main side=2", "side=2"),
        ("main=1 side=1", "-none", "main=1 side=1"),
        ("a=1 b=1 c=1", "c=2 a=2", "b=1 c=2 a=2"),
        ("a=1 b=1 c=1", "b=2", "a=1 b=2 c=1"),
        ("a=1 b=1", "new=1 b=2", "new=1 a=1 b=2"),
        ("a=1 b=1", "new=1 a=2", "new=1 a=2 b=1"),
        ("a=1", "", "a=1"),
        ("", "a=1 b=1", "a=1 b=1"),
        ("a=1", "b=1 b=2", "b=2 a=1"),
        ("a=1", "-a a=2", "a=2"),
        ("a=1 a=2 b=1", "-a", "b=1"),
        ("a=1", "!", ""),
    ] {
        let object = json!({"containers": containers(live)});
        let got = pod_spec(object, json!({"containers": containers(patch)})).unwrap();
        assert_eq!(got["containers"], containers(expected), "{patch} on {live}");
    }
}

#[test]
fn items_are_in_the_order_of_the_directive() {
    for (live, patch, order, expected) in [
        ("a=1 b=1 c=1", "", "c b a", "c=1 b=1 a=1"),
        ("a=1 b=1 c=1", "", "c a", "b=1 c=1 a=1"),
        ("a=1 b=1 c=1", "d=1", "d a b c", "d=1 a=1 b=1 c=1"),
        ("a=1 b=1 live=1", "c=1", "c a b", "c=1 a=1 b=1 live=1"),
        ("live=1 a=1 b=1", "c=1", "a b c", "live=1 a=1 b=1 c=1"),
        ("a=1 live=1 b=1", "", "b a", "live=1 b=1 a=1"),
        ("a=1 b=1", "b=2 -a", "b", "b=2"),
        ("", "a=1 b=1", "a b", "a=1 b=1"),
        ("a=1 b=1 c=1", "! x=1 y=1", "x y", "x=1 y=1"),
    ] {
        let order: Value = order.split(' ').map(|name| json!({"name": name})).collect();
        let mut object = json!({"containers": containers(live)});
        if live.is_empty() {
            object = json!({});
        }
        let mut body =
            json!({"containers": containers(patch), "$setElementOrder/containers": order});
        if patch.is_empty() {
            body.as_object_mut().unwrap().remove("containers");
        }
        let got = pod_spec(object, body).unwrap();
        assert_eq!(
            got["containers"],
            containers(expected),
            "{patch} in {order} on {live}"
        );
    }
}

#[test]
fn maps_merge_and_directives_replace_them() {
    for (live, patch, expected) in [
        (
            json!({"a": {"b": 1, "c": 2}}),
            json!({"a": {"b": null, "d": 3}}),
            json!({"a": {"c": 2, "d": 3}}),
        ),
        (
            json!({"a": {"b": 1}}),
            json!({"a": {"$patch": "replace", "c": 2}}),
            json!({"a": {"c": 2}}),
        ),
        (
            json!({"a": {"b": 1}}),
            json!({"a": {"$patch": "delete"}}),
            json!({"a": {}}),
        ),
        (json!({"a": {"b": 1}}), json!({"a": null}), json!({})),
        (
            json!({"a": 1}),
            json!({"a": {"b": null, "c": 1}}),
            json!({"a": {"c": 1}}),
        ),
        (json!({"a": {"b": 1}}), json!({"a": 1}), json!({"a": 1})),
        (
            json!({}),
            json!({"a": {"$retainKeys": ["b"], "b": 1}}),
            json!({"a": {"b": 1}}),
        ),
        (
            json!({}),
            json!({"a": [{"$patch": "delete", "name": "x"}, {"name": "y"}]}),
            json!({"a": [{"name": "y"}]}),
        ),
        (json!({"a": [1, 2]}), json!({"a": [3]}), json!({"a": [3]})),
        (json!({"a": [{"n": 1}]}), json!({"a": []}), json!({"a": []})),
        (
            json!({"a": {"b": 1, "c": 2}}),
            json!({"a": {"$retainKeys": ["b", "d"], "d": 3}}),
            json!({"a": {"b": 1, "d": 3}}),
        ),
        (
            json!({"a": 1}),
            json!({"$patch": "replace", "b": 2}),
            json!({"b": 2}),
        ),
        (json!({"a": 1}), json!({"$patch": "delete"}), json!({})),
    ] {
        let got = apply(live.clone(), &patch, &Untyped);
        assert_eq!(got, Ok(expected), "{patch} on {live}");
    }
}

#[test]
fn each_list_merges_by_its_schema() {
    for (field, live, patch, expected) in [
        (
            "tolerations",
            json!([{"key": "a"}]),
            json!([{"key": "b"}]),
            json!([{"key": "b"}]),
        ),
        (
            "nodeSelector",
            json!({"a": "1"}),
            json!({"b": "2"}),
            json!({"a": "1", "b": "2"}),
        ),
        (
            "imagePullSecrets",
            json!([{"name": "a"}]),
            json!([{"name": "b"}]),
            json!([{"name": "b"}, {"name": "a"}]),
        ),
        (
            "hostAliases",
            json!([{"ip": "1", "hostnames": ["a"]}]),
            json!([{"ip": "1", "hostnames": ["b"]}]),
            json!([{"ip": "1", "hostnames": ["b"]}]),
        ),
        (
            "volumes",
            json!([{"name": "v", "emptyDir": {}}]),
            json!([{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "c"}}]),
            json!([{"name": "v", "configMap": {"name": "c"}}]),
        ),
        (
            "volumes",
            json!([{"name": "v", "emptyDir": {}}]),
            json!([{"name": "v", "configMap": {"name": "c"}}]),
            json!([{"name": "v", "emptyDir": {}, "configMap": {"name": "c"}}]),
        ),
        (
            "topologySpreadConstraints",
            json!([{"topologyKey": "z", "maxSkew": 1}]),
            json!([{"topologyKey": "z", "maxSkew": 2}]),
            json!([{"topologyKey": "z", "maxSkew": 2}]),
        ),
        (
            "initContainers",
            json!([{"name": "i", "env": [{"name": "A", "value": "1"}]}]),
            json!([{"name": "i", "env": [{"name": "B", "value": "2"}]}]),
            json!([{"name": "i", "env": [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]}]),
        ),
        (
            "containers",
            json!([{"name": "m", "ports": [{"containerPort": 80, "name": "x"}]}]),
            json!([{"name": "m", "ports": [{"containerPort": 443}]}]),
            json!([{"name": "m", "ports": [{"containerPort": 443}, {"containerPort": 80, "name": "x"}]}]),
        ),
    ] {
        let got = pod_spec(json!({field: live}), json!({field: patch})).unwrap();
        assert_eq!(got[field], expected, "{field}");
    }
}

#[test]
fn finalizers_are_a_set_with_a_deletion_list() {
    let config_map = kind("core.v1.ConfigMap");
    for (live, patch, expected) in [
        (
            json!(["a", "b"]),
            json!({"finalizers": ["c"]}),
            json!(["c", "a", "b"]),
        ),
        (
            json!(["a", "b"]),
            json!({"finalizers": ["b"]}),
            json!(["a", "b"]),
        ),
        (
            json!(["a", "b"]),
            json!({"$deleteFromPrimitiveList/finalizers": ["a"]}),
            json!(["b"]),
        ),
        (
            json!(["a", "b"]),
            json!({"$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c"]}),
            json!(["c", "b"]),
        ),
        (
            json!(["a", "b"]),
            json!({"$setElementOrder/finalizers": ["b", "a"]}),
            json!(["b", "a"]),
        ),
        (
            json!(["a", "b", "x"]),
            json!({"$deleteFromPrimitiveList/finalizers": ["a"],
            "$setElementOrder/finalizers": ["c", "b"], "finalizers": ["c"]}),
            json!(["c", "b", "x"]),
        ),
        (json!(["a"]), json!({"finalizers": null}), json!(null)),
        (
            json!(null),
            json!({"$deleteFromPrimitiveList/finalizers": ["a"]}),
            json!(null),
        ),
    ] {
        let mut object = json!({"metadata": {"finalizers": live}});
        if live.is_null() {
            object = json!({"metadata": {}});
        }
        let got = apply(object, &json!({"metadata": patch}), &config_map).unwrap();
        assert_eq!(got["metadata"]["finalizers"], expected, "{patch} on {live}");
    }
}

#[test]
fn a_deployment_strategy_keeps_only_the_retained_keys() {
    let live =
        json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}});
    let patch = json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}});
    let got = apply(live, &patch, &kind("apps.v1.Deployment")).unwrap();
    assert_eq!(got, json!({"spec": {"strategy": {"type": "Recreate"}}}));
}

#[test]
fn a_budget_selector_is_replaced_as_a_whole() {
    let live = json!({"spec": {"selector": {"matchLabels": {"a": "1"}}, "minAvailable": 1}});
    let patch = json!({"spec": {"selector": {"matchLabels": {"b": "2"}}}});
    let got = apply(live, &patch, &kind("policy.v1.PodDisruptionBudget")).unwrap();
    assert_eq!(
        got,
        json!({"spec": {"selector": {"matchLabels": {"b": "2"}}, "minAvailable": 1}})
    );
}

#[test]
fn strategic_patch_errors_match_the_api_server() {
    let two = || json!({"containers": containers("c=1")});
    for (patch, message) in [
        (
            json!({"containers": [{"image": "x"}]}),
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            json!({"containers": [{"$patch": "foo", "name": "c"}]}),
            "unknown patch type: foo in map: map[$patch:foo name:c]",
        ),
        (
            json!({"containers": [{"$patch": "merge", "name": "c"}]}),
            "merging lists cannot yet be specified in the patch",
        ),
        (
            json!({"containers": [{"$patch": "delete"}]}),
            "map: map[$patch:delete] does not contain declared merge key: name",
        ),
        (
            json!({"containers": ["x"]}),
            "list element types are not identical: [[map[image:1 name:c]] [x]]",
        ),
        (
            json!({"containers": [["x"]]}),
            "list element types are not identical: [[map[image:1 name:c]] [[x]]]",
        ),
        (
            json!({"$patch": "foo"}),
            "unknown patch type: foo in map: map[$patch:foo]",
        ),
        (
            json!({"$patch": 1}),
            "unknown patch type: 1 in map: map[$patch:1]",
        ),
        (
            json!({"$retainKeys": "x"}),
            "invalid patch format of retainKeys",
        ),
        (
            json!({"$retainKeys": ["x"], "hostNetwork": true}),
            "patch content doesn't match retainKeys list",
        ),
        (
            json!({"$setElementOrder/containers": {}}),
            "expected a []interface {}, but received a map[string]interface {}",
        ),
        (
            json!({"$setElementOrder/containers": [{"name": "z"}], "containers": containers("c=2")}),
            "The order in patch list:\n[map[image:2 name:c]]\n doesn't match $setElementOrder list:\n[map[name:z]]\n",
        ),
        (
            json!({"$setElementOrder": []}),
            "invalid patch format of setElementOrder list",
        ),
        (
            json!({"$deleteFromPrimitiveList": []}),
            "invalid patch format of primitive list",
        ),
        (
            json!({"$setElementOrder/containers": [{"x": 1}]}),
            "map: map[x:1] does not contain declared merge key: name",
        ),
    ] {
        assert_eq!(
            pod_spec(two(), patch.clone()),
            Err(message.into()),
            "{patch}"
        );
    }
    let error = apply(json!({}), &json!([]), &Untyped).unwrap_err();
    assert_eq!(
        error.to_string(),
        "json: cannot unmarshal array into Go value of type map[string]interface {}"
    );
}

#[test]
fn merging_twenty_thousand_containers_succeeds() {
    let list = |from: usize, to: usize, image: &str| -> Value {
        (from..to)
            .map(|n| json!({"name": format!("n{n}"), "image": image}))
            .collect()
    };
    let object = json!({"containers": list(0, 20_000, "1")});
    let got = pod_spec(object, json!({"containers": list(10_000, 30_000, "2")})).unwrap();
    assert_eq!(got["containers"].as_array().unwrap().len(), 30_000);
    assert_eq!(got["containers"][10_000]["image"], "2");
}
