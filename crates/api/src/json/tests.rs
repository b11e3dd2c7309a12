use proptest::prelude::*;

use super::*;

fn tree() -> Value {
    let name = "metadata";
    json!({
        "kind": "Pod", (name): {"name": "a", "labels": {}},
        "spec": {"containers": [{"image": "nginx"}, null, 1, [true]], "nodeName": null},
    })
}

#[test]
fn object_members_are_sorted_by_name() {
    assert_eq!(
        tree().to_string(),
        r#"{"kind":"Pod","metadata":{"labels":{},"name":"a"},"spec":{"containers":[{"image":"nginx"},null,1,[true]],"nodeName":null}}"#
    );
}

#[test]
fn a_change_does_not_affect_a_clone() {
    let first = tree();
    let mut second = first.clone();
    second["spec"]["containers"][0]["image"] = json!("redis");
    second["metadata"]["labels"]["a-name-of-more-than-fifteen-bytes"] = json!("x");
    assert_eq!(first, tree());
    assert_eq!(second["spec"]["containers"][0]["image"], "redis");
    assert_eq!(first["metadata"]["labels"], json!({}));
}

#[test]
fn unchanged_parts_of_a_clone_are_shared() {
    let first = tree();
    let mut second = first.clone();
    second["metadata"]["name"] = json!("b");
    let part = |v: &Value, name: &str| v[name].as_object().cloned().unwrap();
    assert!(part(&first, "spec").is(&part(&second, "spec")));
    assert!(!part(&first, "metadata").is(&part(&second, "metadata")));
}

#[test]
fn a_value_is_no_larger_than_three_words() {
    assert_eq!(size_of::<Value>(), 24);
    assert_eq!(size_of::<(Text, Value)>(), 40);
}

#[test]
fn json_pointers_find_nested_values() {
    let mut tree = json!({"a/b": [{"~": 1}], "": 2});
    assert_eq!(tree.pointer("/a~1b/0/~0"), Some(&json!(1)));
    assert_eq!(tree.pointer("/"), Some(&json!(2)));
    assert_eq!(tree.pointer("").map(Value::is_object), Some(true));
    assert_eq!(tree.pointer("/a~1b/00"), None);
    assert_eq!(tree.pointer("a"), None);
    *tree.pointer_mut("/a~1b/0").unwrap() = json!([]);
    assert_eq!(tree, json!({"a/b": [[]], "": 2}));
}

#[test]
fn last_of_two_duplicate_members_wins() {
    let tree: Value = r#"{"b": 1, "a": 2, "b": 3}"#.parse().unwrap();
    assert_eq!(tree, json!({"a": 2, "b": 3}));
}

#[test]
fn map_entry_inserts_a_missing_key_once() {
    let mut map = Map::new();
    *map.entry("b").or_insert(json!(1)) = json!(2);
    map.entry("a").or_insert_with(|| json!(0));
    map.entry("b")
        .and_modify(|v| *v = json!(3))
        .or_insert(json!(4));
    assert_eq!(Value::Object(map), json!({"a": 0, "b": 3}));
}

#[test]
fn lists_change_as_slices_do() {
    let mut value = json!([3, 1, 2, 2]);
    let list = value.as_array_mut().unwrap();
    list.sort_by_key(Value::as_i64);
    list.dedup();
    list.retain(|v| *v != 1);
    assert_eq!(list.drain(..1).collect::<Vec<_>>(), [json!(2)]);
    assert_eq!(value, json!([3]));
}

#[test]
fn name_table_survives_ten_thousand_names() {
    for i in 0..10_000 {
        assert_eq!(
            name(&format!("a-name-that-is-long-{i}")),
            format!("a-name-that-is-long-{i}")
        );
    }
    // A name that was added before the table was full is shared; a later one is not.
    let is_shared = |text: &str| std::ptr::eq(name(text).as_ptr(), name(text).as_ptr());
    assert!(is_shared("a-name-that-is-long-0"));
    assert!(!is_shared("a-name-that-is-long-9999"));
}

/// Generates trees of serde_json's type.
fn any() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        proptest::arbitrary::any::<bool>().prop_map(Into::into),
        proptest::arbitrary::any::<i64>().prop_map(Into::into),
        proptest::arbitrary::any::<u64>().prop_map(Into::into),
        (-1e9..1e9f64).prop_map(Into::into),
        ".{0,24}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map("[a-d]{0,2}|[a-z]{16,18}", inner, 0..6)
                .prop_map(|m| serde_json::Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn value_round_trip_matches_serde_json(other in any()) {
        let text = other.to_string();
        let other: serde_json::Value = text.parse().unwrap();
        let own: Value = text.parse().unwrap();
        prop_assert_eq!(own.to_string(), other.to_string());
        prop_assert_eq!(format!("{own:#}"), format!("{other:#}"));
    }

    #[test]
    fn map_behaves_like_a_btree_map(steps in prop::collection::vec(("[a-f]{1,2}", 0..4u8), 0..60)) {
        let (mut own, mut model) = (Map::new(), std::collections::BTreeMap::new());
        for (name, step) in steps {
            let before = own.clone();
            match step {
                0 => prop_assert_eq!(own.remove(&name), model.remove(&name)),
                1 => prop_assert_eq!(own.get(&name), model.get(&name)),
                _ => prop_assert_eq!(own.insert(&name, json!(step)), model.insert(name.clone(), json!(step))),
            }
            prop_assert!(before.len().abs_diff(own.len()) <= 1);
        }
        prop_assert_eq!(own.into_iter().map(|(n, v)| (n.to_string(), v)).collect::<Vec<_>>(), model.into_iter().collect::<Vec<_>>());
    }
}
