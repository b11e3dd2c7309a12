//! Tests of the list in an object's metadata.

use super::*;
use crate::json::{Value, json};
use crate::patch::fieldset::FieldSet;

fn entry(manager: &str, operation: &str, version: &str, time: &str, field: &str) -> Value {
    json!({"manager": manager, "operation": operation, "apiVersion": version, "time": time,
        "fieldsType": "FieldsV1", "fieldsV1": {field: {}}})
}

#[test]
fn entries_are_sorted_by_operation_time_and_name() {
    let sorted = json!([
        entry("z", "Apply", "v1", "2026-01-01T00:00:00Z", "f:a"),
        entry("a", "Apply", "v1", "2026-01-02T00:00:00Z", "f:a"),
        entry("b", "Update", "v1", "2026-01-01T00:00:00Z", "f:a"),
        entry("b", "Update", "v2", "2026-01-01T00:00:00Z", "f:a"),
        entry("c", "Update", "v1", "2026-01-01T00:00:00Z", "f:a"),
        entry("a", "Update", "v1", "2026-01-03T00:00:00Z", "f:a"),
    ]);
    let mut shuffled = sorted.as_array().unwrap().clone();
    shuffled.swap(0, 1);
    shuffled.rotate_right(1);
    let managed = ManagedFields::read(&Value::Array(shuffled)).unwrap();
    assert_eq!(managed.to_value(), sorted);
    let mut object = json!({"metadata": {}});
    managed.write_to(&mut object);
    assert_eq!(ManagedFields::of_object(&object).to_value(), sorted);
    ManagedFields::default().write_to(&mut object);
    assert_eq!(object, json!({"metadata": {}}));
}

#[test]
fn applier_has_one_entry_and_updater_one_per_version() {
    let list = json!([
        entry("m", "Apply", "v1", "2026-01-01T00:00:00Z", "f:a"),
        entry("m", "Apply", "v2", "2026-01-01T00:00:00Z", "f:b"),
        entry("m", "Update", "v1", "2026-01-01T00:00:00Z", "f:a"),
        entry("m", "Update", "v2", "2026-01-01T00:00:00Z", "f:b"),
    ]);
    let managed = ManagedFields::read(&list).unwrap();
    assert_eq!(managed.entries().len(), 3);
    assert_eq!(managed.entries()[0].api_version, "v2");
}

#[test]
fn invalid_managed_fields_read_as_none() {
    for list in [
        json!({}),
        json!([1]),
        json!([{"manager": "a", "operation": "Apply"}]),
        json!([{"manager": "a", "operation": "Other", "apiVersion": "v1", "fieldsType": "FieldsV1"}]),
        json!([{"manager": "a", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV2"}]),
        json!([{"manager": "a", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"x": {}}}]),
    ] {
        assert_eq!(ManagedFields::read(&list), None, "{list}");
        let object = json!({"metadata": {"managedFields": list}});
        assert!(ManagedFields::of_object(&object).is_empty());
    }
}

#[test]
fn ancient_changes_are_kept_apart_by_version() {
    let list: Value = (0..14)
        .map(|n| {
            let version = if n % 2 == 0 { "v1" } else { "v2" };
            let time = format!("2026-01-{:02}T00:00:00Z", n + 1);
            entry(
                &format!("m{n:02}"),
                "Update",
                version,
                &time,
                &format!("f:k{n:02}"),
            )
        })
        .collect();
    let mut managed = ManagedFields::read(&list).unwrap();
    managed.cap();
    let left = managed.to_value();
    let names: Vec<_> = left
        .as_array()
        .unwrap()
        .iter()
        .map(|e| {
            (
                e["manager"].as_str().unwrap(),
                e["apiVersion"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(names.len(), 10);
    assert_eq!(
        names[..3],
        [
            ("ancient-changes", "v1"),
            ("ancient-changes", "v2"),
            ("m06", "v1")
        ]
    );
    assert_eq!(
        left[0]["fieldsV1"],
        json!({"f:k00": {}, "f:k02": {}, "f:k04": {}})
    );
    assert_eq!(left[0]["time"], "2026-01-05T00:00:00Z");
}

#[test]
fn taking_fields_leaves_no_empty_entry() {
    let list = json!([
        entry("a", "Update", "v1", "2026-01-01T00:00:00Z", "f:x"),
        entry("b", "Update", "v1", "2026-01-01T00:00:00Z", "f:y"),
    ]);
    let mut managed = ManagedFields::read(&list).unwrap();
    let before = managed.clone();
    managed.take(&FieldSet::default(), None);
    assert!(managed.same_owners(&before));
    let b = before.entries()[1].clone();
    managed.take(&FieldSet::of_fields([&["x"][..], &["y"]]), Some(&b));
    assert_eq!(managed.entries(), std::slice::from_ref(&b));
    assert!(!managed.same_owners(&before));
    assert_eq!(b.describe(), "\"b\" using v1");
}

#[test]
fn writes_of_one_second_are_sorted_by_the_names_of_their_managers() {
    let time = "2026-01-01T00:00:00Z";
    let list = json!([
        entry("kubectl-create", "Update", "v1", time, "f:a"),
        entry("kube-controller-manager", "Update", "v2", time, "f:b"),
        entry("kube-controller-manager", "Update", "v1", time, "f:c"),
        entry("kubectl", "Apply", "v1", time, "f:d"),
    ]);
    let sorted = ManagedFields::read(&list).unwrap().to_value();
    let order = |e: &Value| {
        format!(
            "{} {}",
            e["manager"].as_str().unwrap(),
            e["apiVersion"].as_str().unwrap()
        )
    };
    let order: Vec<String> = sorted.as_array().unwrap().iter().map(order).collect();
    assert_eq!(
        order,
        [
            "kubectl v1",
            "kube-controller-manager v1",
            "kube-controller-manager v2",
            "kubectl-create v1"
        ]
    );
}
