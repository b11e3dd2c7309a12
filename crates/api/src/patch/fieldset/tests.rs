//! Tests of parsing, printing and combining sets.

use super::*;
use crate::json::{Value, json};

fn set(fields: &Value) -> FieldSet {
    FieldSet::from_fields_v1(fields).unwrap()
}

#[test]
fn field_sets_support_union_intersection_and_difference() {
    for (a, b, union, both, minus) in [
        (
            json!({"f:a": {}}),
            json!({"f:b": {}}),
            json!({"f:a": {}, "f:b": {}}),
            json!({}),
            json!({"f:a": {}}),
        ),
        (
            json!({"f:a": {"f:b": {}}}),
            json!({"f:a": {}}),
            json!({"f:a": {".": {}, "f:b": {}}}),
            json!({}),
            json!({"f:a": {"f:b": {}}}),
        ),
        (
            json!({"f:a": {".": {}, "f:b": {}}}),
            json!({"f:a": {"f:b": {}}}),
            json!({"f:a": {".": {}, "f:b": {}}}),
            json!({"f:a": {"f:b": {}}}),
            json!({"f:a": {}}),
        ),
        (
            json!({"k:{\"name\":\"x\"}": {".": {}, "f:i": {}}}),
            json!({"k:{\"name\":\"x\"}": {"f:i": {}, "f:j": {}}}),
            json!({"k:{\"name\":\"x\"}": {".": {}, "f:i": {}, "f:j": {}}}),
            json!({"k:{\"name\":\"x\"}": {"f:i": {}}}),
            json!({"k:{\"name\":\"x\"}": {}}),
        ),
        (
            json!({"v:1": {}, "v:2": {}}),
            json!({"v:2": {}, "v:3": {}}),
            json!({"v:1": {}, "v:2": {}, "v:3": {}}),
            json!({"v:2": {}}),
            json!({"v:1": {}}),
        ),
        (
            json!({"i:0": {}, "i:10": {}}),
            json!({"i:10": {}}),
            json!({"i:0": {}, "i:10": {}}),
            json!({"i:10": {}}),
            json!({"i:0": {}}),
        ),
        (
            json!({}),
            json!({"f:a": {}}),
            json!({"f:a": {}}),
            json!({}),
            json!({}),
        ),
    ] {
        let (a, b) = (set(&a), set(&b));
        assert_eq!(a.union(&b).to_fields_v1(), union);
        assert_eq!(b.union(&a).to_fields_v1(), union);
        assert_eq!(a.intersection(&b).to_fields_v1(), both);
        assert_eq!(a.difference(&b).to_fields_v1(), minus);
        assert!(a.is_subset(&a.union(&b)));
        assert_eq!(a.is_subset(&b), a.difference(&b).is_empty());
    }
    let a = set(&json!({"f:a": {".": {}, "f:b": {}}, "f:c": {"f:d": {}}}));
    let gone = set(&json!({"f:a": {}, "f:c": {"f:x": {}}}));
    assert_eq!(
        a.recursive_difference(&gone).to_fields_v1(),
        json!({"f:c": {"f:d": {}}})
    );
}

#[test]
fn field_paths_print_like_conflicts_with_leaves_first() {
    let fields = json!({
        "f:spec": {"f:containers": {"k:{\"name\":\"c\"}": {".": {}, "f:image": {},
            "f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {}}}}, "f:z": {}},
        "f:metadata": {"f:finalizers": {"v:\"a/b\"": {}}, "f:labels": {"f:app.io/x": {}}},
        "f:x": {"i:3": {}, "v:1": {}, "v:true": {}, "v:null": {}}});
    let paths: Vec<_> = set(&fields)
        .paths()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        paths,
        [
            ".metadata.finalizers[=\"a/b\"]",
            ".metadata.labels.app.io/x",
            ".spec.z",
            ".spec.containers[name=\"c\"]",
            ".spec.containers[name=\"c\"].image",
            ".spec.containers[name=\"c\"].ports[containerPort=80,protocol=\"TCP\"]",
            ".x[=1]",
            ".x[=true]",
            ".x[=null]",
            ".x[3]",
        ]
    );
}

#[test]
fn an_invalid_set_is_an_error() {
    for fields in [
        json!(1),
        json!([]),
        json!({"f:a": 1}),
        json!({"a": {}}),
        json!({"k:{": {}}),
        json!({"i:x": {}}),
        json!({"v:": {}}),
    ] {
        assert!(FieldSet::from_fields_v1(&fields).is_err(), "{fields}");
    }
    let unknown = set(&json!({"f:a": {}, "z:b": {"f:c": {}}}));
    assert_eq!(unknown.to_fields_v1(), json!({"f:a": {}}));
}

#[test]
fn field_set_contains_only_inserted_paths() {
    let field = |name: &str| PathElement::Field(name.into());
    let mut found = FieldSet::of_fields([&["metadata", "name"][..], &["kind"]]);
    assert_eq!(
        found.to_fields_v1(),
        json!({"f:kind": {}, "f:metadata": {"f:name": {}}})
    );
    assert!(found.contains(&[field("kind")]));
    assert!(!found.contains(&[field("metadata")]));
    assert!(!found.contains(&[]));
    found.insert([field("metadata")]);
    assert!(
        found.contains(&[field("metadata")]) && found.contains(&[field("metadata"), field("name")])
    );
}

proptest::proptest! {
    #[test]
    fn field_sets_round_trip_through_fields_v1(paths in proptest::collection::vec(proptest::collection::vec(0u8..12, 1..4), 0..12)) {
        let element = |n: &u8| match n {
            0..6 => PathElement::Field(format!("f{n}").as_str().into()),
            6..8 => PathElement::Index(i64::from(*n)),
            8 => PathElement::Value(json!("x")),
            9 => PathElement::Value(json!(10)),
            n => PathElement::Key(vec![("k".into(), json!(n)), ("name".into(), json!("y"))]),
        };
        let mut set = FieldSet::default();
        for path in &paths {
            set.insert(path.iter().map(element));
        }
        proptest::prop_assert_eq!(FieldSet::from_fields_v1(&set.to_fields_v1()), Ok(set.clone()));
        proptest::prop_assert_eq!(set.union(&set), set.clone());
        proptest::prop_assert!(set.difference(&set).is_empty());
        let half: FieldSet = paths.iter().take(paths.len() / 2).fold(FieldSet::default(), |mut half, path| {
            half.insert(path.iter().map(element));
            half
        });
        proptest::prop_assert!(half.is_subset(&set));
        proptest::prop_assert_eq!(set.difference(&half).union(&half), set.clone());
        proptest::prop_assert_eq!(set.intersection(&half), half);
    }
}
