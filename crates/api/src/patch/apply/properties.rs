//! Properties that hold for any configuration and any object.

use proptest::prelude::*;

use super::*;
use crate::json::{List, Map, Value, json};
use crate::patch::fieldset::FieldSet;
use crate::patch::shape::{Shape, Untyped};
use crate::patch::testing::kind;

const MANAGERS: [&str; 3] = ["a", "b", "kubectl"];

/// Generates a part of a Deployment that fits its shape.
fn part() -> impl Strategy<Value = Value> {
    let names = (0..4usize).prop_flat_map(|count| {
        Just(vec!["a", "b", "c", "d"])
            .prop_shuffle()
            .prop_map(move |mut names| {
                names.truncate(count);
                names
            })
    });
    let labels = proptest::collection::btree_map("[a-c]", "[x-y]", 0..3);
    let pod = (names.clone(), names, "[x-y]", proptest::option::of(0..3i64));
    (labels, pod).prop_map(|(labels, (containers, finalizers, image, replicas))| {
        let container = |name: &&str| json!({"name": name, "image": image, "args": [name]});
        let list: Value = containers.iter().map(container).collect();
        let mut part = json!({
            "metadata": {"labels": labels},
            "spec": {"template": {"spec": {"containers": list, "nodeSelector": {image.clone(): "1"}}}}});
        if !finalizers.is_empty() {
            part["metadata"]["finalizers"] = finalizers.into();
        }
        if let Some(replicas) = replicas {
            part["spec"]["replicas"] = replicas.into();
        }
        part
    })
}

fn complete(mut config: Value) -> Value {
    config["apiVersion"] = "apps/v1".into();
    config["kind"] = "Deployment".into();
    config["metadata"]["name"] = "x".into();
    config
}

fn write<S: Shape>(
    live: Value,
    config: &Value,
    shape: &S,
    manager: &str,
    time: &str,
) -> Result<Value, ApplyError> {
    let (reset, empty) = (FieldSet::default(), json!({}));
    let writer = Writer {
        manager,
        api_version: "apps/v1",
        subresource: "",
        time,
        reset: &reset,
        empty: &empty,
    };
    let mut object = apply(&live, config, shape, &writer, true)?;
    object["metadata"]["uid"] = "u".into();
    Ok(object)
}

/// Generates any JSON.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..4i64).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        "[a-c]".boxed(),
        Just("spec".to_owned()).boxed(),
        Just("metadata".to_owned()).boxed(),
        Just("template".to_owned()).boxed(),
        Just("containers".to_owned()).boxed(),
        Just("managedFields".to_owned()).boxed(),
    ];
    leaf.prop_recursive(5, 48, 5, move |inner| {
        let fields = proptest::collection::btree_map(name.clone(), inner.clone(), 0..5)
            .prop_map(|fields| Value::from(fields.into_iter().collect::<Map>()));
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Value::from),
            fields
        ]
    })
}

proptest! {
    #[test]
    fn apply_is_idempotent(writes in proptest::collection::vec((0..3usize, part()), 1..5)) {
        let shape = kind("apps.v1.Deployment");
        let mut live = json!({});
        for (step, (manager, config)) in writes.into_iter().enumerate() {
            let config = complete(config);
            let time = format!("2026-01-01T00:00:0{step}Z");
            live = write(live, &config, &shape, MANAGERS[manager], &time).unwrap();
            let again = write(live.clone(), &config, &shape, MANAGERS[manager], "2026-02-01T00:00:00Z").unwrap();
            prop_assert_eq!(&again, &live);
            // Every applied field exists.
            let applied = to_set::to_set(&config, Some(&shape));
            let there = to_set::to_set(&live, Some(&shape));
            let empty = to_set::with_named_fields(&there, Some(&shape));
            let missing = applied.difference(&there).difference(&empty);
            prop_assert!(missing.paths().iter().all(|p| {
                let pointer = p.0.iter().map(|e| e.to_string().replace('.', "/")).collect::<String>();
                config.pointer(&pointer).is_none_or(|v| *v == json!([]) || *v == json!({}))
            }), "{:?}", missing.paths());
        }
    }

    #[test]
    fn empty_apply_removes_all_fields_of_the_manager(first in part(), second in part()) {
        let shape = kind("apps.v1.Deployment");
        let nothing = complete(json!({}));
        let time = "2026-01-01T00:00:00Z";
        let live = write(json!({}), &complete(first), &shape, "a", time).unwrap();
        let both = write(live, &complete(second.clone()), &shape, "b", time).unwrap();
        let left = write(both, &nothing, &shape, "a", time).unwrap();
        let alone = write(json!({}), &complete(second), &shape, "b", time).unwrap();
        let fields = |object: &Value| {
            let mut object = object.clone();
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("managedFields");
            }
            to_set::to_set(&object, Some(&shape))
        };
        let extra = fields(&left).difference(&fields(&alone));
        // The pruned object lacks lists and maps that the second apply emptied, so nothing else may remain.
        prop_assert!(extra.is_empty(), "{:?}", extra.paths());
        prop_assert_eq!(ManagedFieldsOf(&left).count("a"), 0);
    }

    #[test]
    fn apply_of_arbitrary_json_does_not_panic(live in anything(), config in anything(), new in anything()) {
        let shape = kind("apps.v1.Deployment");
        let mut config = config;
        if let Value::Object(fields) = &mut config {
            fields.insert("apiVersion", "apps/v1".into());
            fields.insert("kind", "Deployment".into());
        }
        let (reset, empty) = (FieldSet::default(), json!({}));
        let writer = Writer { manager: "a", api_version: "apps/v1", subresource: "", time: "t", reset: &reset, empty: &empty };
        let _ = apply(&live, &config, &shape, &writer, true);
        let _ = apply(&live, &config, &Untyped, &writer, false);
        let mut new = new;
        capture(&live, &mut new, &shape, &writer);
        let mut new = new.clone();
        capture(&live, &mut new, &Untyped, &writer);
    }
}

struct ManagedFieldsOf<'a>(&'a Value);

impl ManagedFieldsOf<'_> {
    fn count(&self, manager: &str) -> usize {
        let list = self.0["metadata"]["managedFields"].as_array();
        let list = list.map(List::as_slice).unwrap_or_default();
        list.iter().filter(|e| e["manager"] == manager).count()
    }
}
