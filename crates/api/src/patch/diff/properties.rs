//! Properties that hold for any two or three documents.

use proptest::prelude::*;

use super::*;
use crate::json::{Map, Value, json};
use crate::patch::shape::Untyped;
use crate::patch::testing::kind;
use crate::patch::{json as json_patch, merge, strategic};

/// Generates any JSON without nulls, which patches cannot set.
fn value(depth: u32) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (-3..4i64).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(depth, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object_of(inner),
        ]
    })
    .boxed()
}

fn object_of(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[a-d]", inner, 0..4)
        .prop_map(|fields| fields.into_iter().collect::<Map>().into())
}

fn document() -> impl Strategy<Value = Value> {
    object_of(value(3))
}

/// Generates any JSON that resembles a patch.
fn anything() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        "[a-d]".boxed(),
        Just("spec".to_owned()).boxed(),
        Just("containers".to_owned()).boxed(),
        Just("template".to_owned()).boxed(),
        Just("name".to_owned()).boxed(),
        Just("$patch".to_owned()).boxed(),
        Just("$retainKeys".to_owned()).boxed(),
        Just("$setElementOrder/containers".to_owned()).boxed(),
        Just("$deleteFromPrimitiveList/containers".to_owned()).boxed(),
        Just("op".to_owned()).boxed(),
        Just("path".to_owned()).boxed(),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(json!("delete")),
        Just(json!("replace")),
        Just(json!("/a/0")),
        Just(json!("copy")),
        (-3..4i64).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
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

/// Generates a Deployment whose merging lists have the server's form: none is empty, and names are unique.
fn deployment() -> impl Strategy<Value = Value> {
    let names = |count| {
        Just(vec!["a", "b", "c", "d"])
            .prop_shuffle()
            .prop_map(move |mut names| {
                names.truncate(count);
                names
            })
    };
    let env = (0..4usize).prop_flat_map(names);
    let containers = (1..4usize).prop_flat_map(names);
    let item = (env, "[x-z]", any::<bool>()).prop_map(|(env, image, probe)| {
        let mut item = json!({"image": image});
        if !env.is_empty() {
            item["env"] = env
                .iter()
                .map(|n| json!({"name": n, "value": image}))
                .collect();
        }
        if probe {
            item["args"] = json!([image, "q"]);
        }
        item
    });
    let items = proptest::collection::vec(item, 4);
    let volume = prop_oneof![
        Just(json!({"emptyDir": {}})),
        Just(json!({"configMap": {"name": "c"}}))
    ];
    (containers, items, 0..3i64, proptest::option::of(volume), names(2)).prop_map(
        |(containers, items, replicas, volume, finalizers)| {
            let named = containers.iter().zip(items).map(|(name, mut item)| {
                item["name"] = (*name).into();
                item
            });
            let mut object = json!({
                "metadata": {"name": "x", "finalizers": finalizers},
                "spec": {"replicas": replicas, "template": {"spec": {"containers": named.collect::<Value>()}}}});
            if let Some(mut volume) = volume {
                volume["name"] = "v".into();
                object["spec"]["template"]["spec"]["volumes"] = json!([volume]);
            }
            object
        },
    )
}

proptest! {
    #[test]
    fn two_way_merge_patch_produces_the_target(a in document(), b in document()) {
        let mut got = a.clone();
        merge::apply(&mut got, &merge_two_way(&a, &b));
        prop_assert_eq!(got, b);
    }

    #[test]
    fn untyped_two_way_strategic_patch_produces_the_target(a in document(), b in document()) {
        let patch = strategic_two_way(&a, &b, &Untyped).unwrap();
        prop_assert_eq!(strategic::apply(a, &patch, &Untyped), Ok(b));
    }

    #[test]
    fn two_way_strategic_patch_produces_the_target_deployment(a in deployment(), b in deployment()) {
        let shape = kind("apps.v1.Deployment");
        let patch = strategic_two_way(&a, &b, &shape).unwrap();
        prop_assert_eq!(strategic::apply(a, &patch, &shape), Ok(b), "{}", patch);
    }

    #[test]
    fn three_way_strategic_patch_updates_an_unchanged_object(a in deployment(), b in deployment()) {
        let shape = kind("apps.v1.Deployment");
        let patch = strategic_three_way(&a, &b, &a, &shape).unwrap();
        prop_assert_eq!(strategic::apply(a, &patch, &shape), Ok(b), "{}", patch);
    }

    #[test]
    fn three_way_merge_patch_updates_an_unchanged_object(a in document(), b in document()) {
        let patch = merge_three_way(&a, &b, &a);
        let mut got = a;
        merge::apply(&mut got, &patch);
        prop_assert_eq!(got, b);
    }

    #[test]
    fn second_three_way_strategic_patch_changes_nothing(a in deployment(), b in deployment(), live in deployment()) {
        let shape = kind("apps.v1.Deployment");
        let patch = strategic_three_way(&a, &b, &live, &shape).unwrap();
        let once = strategic::apply(live, &patch, &shape).unwrap();
        let again = strategic_three_way(&b, &b, &once, &shape).unwrap();
        prop_assert_eq!(strategic::apply(once.clone(), &again, &shape), Ok(once));
    }

    #[test]
    fn patching_with_arbitrary_json_does_not_panic(object in anything(), patch in anything(), third in anything()) {
        let shape = kind("apps.v1.Deployment");
        let _ = strategic::apply(object.clone(), &patch, &shape);
        let _ = strategic::apply(object.clone(), &patch, &Untyped);
        let _ = strategic_two_way(&object, &patch, &shape);
        let _ = strategic_three_way(&object, &patch, &third, &shape);
        let _ = merge_three_way(&object, &patch, &third);
        let _ = json_patch::apply(&mut object.clone(), &patch);
        merge::apply(&mut object.clone(), &patch);
    }
}
