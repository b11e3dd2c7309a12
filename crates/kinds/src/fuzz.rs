//! Entry points for fuzzers and their counterparts in `cargo test`. No input to patches, selectors and quantities may
//! cause a panic, and the results must have the documented properties.

use super::schema::patch_shape;
use super::strategy::reset_fields;
use super::{find, shape};
use crate::api::json::{Value, json};
use crate::api::patch::apply::{Writer, apply, capture};
use crate::api::patch::managed::ManagedFields;
use crate::api::patch::shape::Shape;
use crate::api::patch::{diff, json as json_patch, merge, strategic};
use crate::api::quantity::Quantity;
use crate::api::selector::{FieldSelector, LabelSelector};

const KINDS: [(&str, &str); 5] = [
    ("apps", "Deployment"),
    ("", "Pod"),
    ("", "Service"),
    ("", "ConfigMap"),
    ("networking.k8s.io", "NetworkPolicy"),
];

/// Reads up to three lines of JSON as an object, a patch for it and another object.
pub fn patch(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let mut lines = rest
        .split(|byte| *byte == b'\n')
        .map(|line| serde_json::from_slice::<Value>(line).unwrap_or_default());
    let mut line = || lines.next().unwrap_or_default();
    let (object, change, other) = (line(), line(), line());
    patches(usize::from(*first), &object, &change, &other);
}

/// Applies every kind of patch to an object of one of a few kinds.
pub fn patches(kind: usize, object: &Value, change: &Value, other: &Value) {
    let (group, name) = KINDS[kind % KINDS.len()];
    let Some(kind) = find(group, "v1", name) else {
        return;
    };
    let Some(types) = patch_shape(kind) else {
        return;
    };
    let mut stepped = object.clone();
    // For any input, an error is a valid result but a panic is not.
    let _ = json_patch::apply(&mut stepped, change);
    merges(object, change, other);
    strategically(object, change, other, &types);
    let mut config = change.clone();
    if config.is_object() {
        config["apiVersion"] = json!(kind.api_version());
        config["kind"] = json!(kind.kind);
    }
    let api_version = kind.api_version();
    let empty = json!({});
    let by = Writer {
        manager: "fuzz",
        api_version: &api_version,
        subresource: "",
        time: "2026-01-01T00:00:00Z",
        reset: reset_fields(kind, ""),
        empty: &empty,
    };
    applies(object, &config, &types, &by);
    if let Ok(decoded) = shape::read(kind, &config) {
        applies(&decoded.object, &config, &types, &by);
    }
}

/// Checks that a merge patch is idempotent, and that the patch computed from two objects turns one into the other.
fn merges(object: &Value, change: &Value, other: &Value) {
    let mut once = object.clone();
    merge::apply(&mut once, change);
    let mut twice = once.clone();
    merge::apply(&mut twice, change);
    assert_eq!(once, twice, "{object} {change}");
    // A merge patch cannot set a field to null: null removes it.
    if object.is_object() && other.is_object() && !has_null(other) {
        let mut there = object.clone();
        merge::apply(&mut there, &diff::merge_two_way(object, other));
        assert_eq!(there, *other, "{object}");
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.values().any(has_null),
        // A list is replaced as a whole, including its nulls.
        _ => false,
    }
}

fn strategically<S: Shape>(object: &Value, change: &Value, other: &Value, types: &S) {
    if let Ok(merged) = strategic::apply(object.clone(), change, types) {
        assert!(merged.is_object(), "{object} {change}");
    }
    let _ = diff::strategic_two_way(object, other, types);
    let _ = diff::strategic_three_way(change, other, object, types);
}

/// Checks that an applied configuration is present and owned, and that a second apply changes nothing.
fn applies<S: Shape>(live: &Value, config: &Value, types: &S, by: &Writer<'_>) {
    if !live.is_object() {
        return;
    }
    let mut noted = live.clone();
    capture(by.empty, &mut noted, types, by);
    let _ = ManagedFields::of_object(&noted);
    let mut live = live.clone();
    match live.get_mut("metadata").and_then(Value::as_object_mut) {
        Some(metadata) => drop(metadata.insert("uid".to_owned(), json!("u"))),
        None => return,
    }
    let Ok(object) = apply(&live, config, types, by, true) else {
        return;
    };
    // A configuration with a uid refers to one particular object, so a second apply may conflict.
    if object["metadata"]["uid"] != "u" {
        return;
    }
    let again = apply(&object, config, types, by, false);
    assert_eq!(again.as_ref(), Ok(&object), "{live} {config}");
}

/// Parses a text as selectors, and parses the formatted form of each again.
pub fn selector(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let object = json!({"metadata": {"labels": {"a": "b", "app": "web"}, "name": "x"}});
    if let Ok(selector) = LabelSelector::parse(text) {
        let again = LabelSelector::parse(&selector.to_string());
        let same = again.map(|again| again.matches_object(&object));
        assert_eq!(same, Ok(selector.matches_object(&object)), "{text}");
    }
    if let Ok(selector) = FieldSelector::parse(text) {
        let again = FieldSelector::parse(&selector.to_string());
        let value = |selector: FieldSelector| selector.matches(str::to_owned);
        assert_eq!(again.map(value), Ok(value(selector)), "{text}");
    }
}

/// Parses a text as a quantity. Its canonical form must be an equal quantity and must not change when parsed again.
pub fn quantity(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(quantity) = Quantity::parse(text) {
        let canonical = quantity.to_string();
        let again = Quantity::parse(&canonical);
        let again = again.map(|q| (q.to_f64(), q.to_string()));
        assert_eq!(again, Ok((quantity.to_f64(), canonical)), "{text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Generates trees that often look like parts of objects and patches.
    fn tree() -> impl Strategy<Value = Value> {
        let word = prop::sample::select(vec![
            "a", "b", "c", "http", "TCP", "merge", "delete", "replace", "", "1", "25%",
        ]);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-2..90i64).prop_map(Value::from),
            word.prop_map(Value::from),
        ];
        let key = prop::sample::select(vec![
            "metadata",
            "spec",
            "template",
            "containers",
            "initContainers",
            "name",
            "image",
            "env",
            "value",
            "ports",
            "port",
            "containerPort",
            "protocol",
            "labels",
            "annotations",
            "finalizers",
            "ownerReferences",
            "uid",
            "selector",
            "matchLabels",
            "data",
            "volumes",
            "emptyDir",
            "strategy",
            "type",
            "rollingUpdate",
            "status",
            "conditions",
            "$patch",
            "$retainKeys",
            "$setElementOrder/containers",
            "$deleteFromPrimitiveList/finalizers",
            "op",
            "path",
            "a",
        ]);
        leaf.prop_recursive(6, 48, 4, move |inner| {
            prop_oneof![
                1 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                3 => proptest::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..4)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn patches_of_arbitrary_trees_do_not_panic(
            kind in 0..5usize, object in tree(), change in tree(), other in tree()
        ) {
            patches(kind, &object, &change, &other);
        }

        #[test]
        fn patch_of_arbitrary_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            patch(&bytes);
        }

        #[test]
        fn selector_of_arbitrary_text_does_not_panic(
            text in "([a-z]{1,3}|[!=<>(),\\\\ .]|in|notin|exists|[0-9]|\\PC){0,12}"
        ) {
            selector(text.as_bytes());
        }

        #[test]
        fn quantity_of_arbitrary_text_does_not_panic(
            text in "[+-]?[0-9]{0,22}(\\.[0-9]{0,12})?([eE][+-]?[0-9]{0,3}|[numkMGTPE]i?|)"
        ) {
            quantity(text.as_bytes());
        }
    }
}
