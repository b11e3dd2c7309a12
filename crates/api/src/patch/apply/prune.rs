//! Removes the fields of a manager's previous configuration that its new one lacks.

use super::walk::{ItemNames, Parts, parts};
use crate::json::{List, Map, Value};
use crate::patch::fieldset::{Entry, FieldSet};
use crate::patch::shape::{Shape, child};

/// Removes the fields of `last` from `value` that no manager owns any more.
///
/// An item of a list or map that nobody owns any more is removed with all its content, whoever owns that. A struct
/// keeps the fields that others own. A list or map that loses all its content is removed, too, but its parent is not.
pub(super) fn prune<S: Shape>(
    value: Value,
    last: &FieldSet,
    owned: &FieldSet,
    shape: Option<&S>,
) -> Value {
    let scope = PruneScope {
        last: Some(last),
        owned: Some(owned),
        unowned: false,
        below_owned: false,
    };
    // The object itself is never removed.
    walk(value, scope, shape).unwrap_or_else(|| Value::Object(Map::new()))
}

/// The position in the object, with the sets of fields below it.
#[derive(Clone, Copy)]
struct PruneScope<'s> {
    /// The fields of the previous configuration, relative to this position.
    last: Option<&'s FieldSet>,
    /// The fields that still have an owner, relative to this position.
    owned: Option<&'s FieldSet>,
    /// True if the previous configuration owned a parent of this position.
    below_owned: bool,
    /// True if a field at or below that parent has no owner any more.
    unowned: bool,
}

/// The outcome for a field or an item.
enum Outcome<'s> {
    /// Kept with all its content.
    Kept,
    /// Removed.
    Removed,
    /// Part of the content may be removed.
    Partial(PruneScope<'s>),
}

impl<'s> PruneScope<'s> {
    /// Determines the outcome for a field or item from its entries in both sets. A `named` field counts as a member of
    /// a set if any path below it is one.
    fn into(self, last: Option<&'s Entry>, owned: Option<&'s Entry>, named: bool) -> Outcome<'s> {
        let holds = |entry: Option<&Entry>| {
            entry.is_some_and(|e| e.member || (named && !e.below.is_empty()))
        };
        let was_applied = holds(last);
        let below_owned = self.below_owned || was_applied;
        // If no manager owns the parent any more, everything below came with it.
        let unowned = self.unowned || (below_owned && !holds(owned));
        match last {
            Some(_) if was_applied && unowned => Outcome::Removed,
            Some(last) if !last.below.is_empty() => Outcome::Partial(PruneScope {
                last: Some(&last.below),
                owned: owned.map(|e| &e.below),
                below_owned,
                unowned,
            }),
            _ => Outcome::Kept,
        }
    }
}

/// Returns what remains of the value, or `None` if nothing does.
fn walk<S: Shape>(value: Value, scope: PruneScope<'_>, shape: Option<&S>) -> Option<Value> {
    match parts(&value, shape) {
        Parts::Leaf | Parts::Empty => Some(value),
        Parts::Map(_) => match value {
            Value::Object(fields) => walk_map(fields, scope, shape).map(Value::Object),
            other => Some(other),
        },
        Parts::Items(_) => match value {
            Value::Array(items) => walk_list(items, scope, shape).map(Value::Array),
            other => Some(other),
        },
    }
}

fn walk_map<S: Shape>(mut fields: Map, scope: PruneScope<'_>, shape: Option<&S>) -> Option<Map> {
    let had = fields.len();
    let mut gone = 0;
    fields.retain(|name, value| {
        let last = scope.last.and_then(|set| set.field(name));
        if last.is_none() {
            return true;
        }
        let owned = scope.owned.and_then(|set| set.field(name));
        let declared = shape.is_some_and(|s| s.field(name).is_some());
        match scope.into(last, owned, declared) {
            Outcome::Kept => true,
            Outcome::Removed => {
                gone += 1;
                false
            }
            Outcome::Partial(scope) => {
                let left = walk(value.take(), scope, child(shape, name).as_ref());
                let stays = left.is_some();
                *value = left.unwrap_or_default();
                stays
            }
        }
    });
    // A map that lost every field is removed, too; one that was empty before is kept.
    (gone < had).then_some(fields)
}

fn walk_list<S: Shape>(items: List, scope: PruneScope<'_>, shape: Option<&S>) -> Option<List> {
    let names = ItemNames::new(shape);
    let keep = |item: Value| {
        // Items without an identity have no owner.
        let Ok(element) = names.element(&item) else {
            return Some(item);
        };
        let last = scope.last.and_then(|set| set.entry(&element));
        let owned = scope.owned.and_then(|set| set.entry(&element));
        match scope.into(last, owned, false) {
            Outcome::Kept => Some(item),
            Outcome::Removed => None,
            Outcome::Partial(scope) => walk(item, scope, names.shape()),
        }
    };
    let items: List = items.into_iter().filter_map(keep).collect();
    (!items.is_empty()).then_some(items)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::to_set::{to_set, with_named_fields};
    use super::*;
    use crate::json::json;
    use crate::patch::fieldset::raw;
    use crate::patch::shape::Untyped;
    use crate::patch::testing::{FactShape, kind};

    /// Removes the fields of `gone` as the server does. A value that loses everything becomes null.
    fn remove<S: Shape>(value: &Value, gone: &FieldSet, shape: Option<&S>) -> Value {
        match parts(value, shape) {
            Parts::Leaf | Parts::Empty => value.clone(),
            Parts::Map(fields) => {
                let mut out = Map::new();
                for (name, value) in fields {
                    match gone.field(name) {
                        None => drop(out.insert(name.clone(), value.clone())),
                        Some(entry) if entry.member => {}
                        Some(entry) => {
                            let inner = child(shape, name);
                            let value = remove(value, &entry.below, inner.as_ref());
                            out.insert(name.clone(), value);
                        }
                    }
                }
                match out.is_empty() {
                    true => Value::Null,
                    false => Value::Object(out),
                }
            }
            Parts::Items(items) => {
                let names = ItemNames::new(shape);
                let mut out = Vec::new();
                for item in items {
                    let element = names.element(item).ok();
                    match element.and_then(|e| gone.entry(&e)) {
                        None => out.push(item.clone()),
                        Some(entry) if entry.member => {}
                        Some(entry) => out.push(remove(item, &entry.below, names.shape())),
                    }
                }
                match out.is_empty() {
                    true => Value::Null,
                    false => Value::Array(out.into()),
                }
            }
        }
    }

    /// Implements the server's algorithm in three passes: removes the applied fields, adds back those of other
    /// managers, and adds back those that were not applied.
    fn in_steps<S: Shape>(value: &Value, last: &FieldSet, applied: &FieldSet, shape: &S) -> Value {
        let shape = Some(shape);
        let named = |set: &FieldSet| with_named_fields(set, shape);
        let fields = |value: &Value| named(&to_set(value, shape));
        let (all, last) = (fields(value), named(last));
        let kept = fields(&remove(value, &last, shape)).union(&named(applied));
        let kept = fields(&remove(value, &all.difference(&kept), shape));
        remove(value, &all.difference(&kept).intersection(&last), shape)
    }

    fn without_nulls(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.iter().filter(|(_, value)| !value.is_null());
                fields
                    .map(|(name, value)| (name.clone(), without_nulls(value)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(without_nulls).collect(),
            other => other.clone(),
        }
    }

    fn check<S: Shape>(value: &Value, last: &Value, applied: &Value, shape: &S) {
        let set = |value: &Value| to_set(value, Some(shape));
        let (last, applied) = (set(last), set(applied));
        // Fields that are still applied need no check.
        let beyond = raw::beyond(&last.to_fields_v1(), &applied).unwrap();
        assert_eq!(
            prune(value.clone(), &beyond, &applied, Some(shape)),
            prune(value.clone(), &last, &applied, Some(shape)),
            "{value} last {last:?} applied {applied:?}"
        );
        let expected = without_nulls(&in_steps(value, &last, &applied, shape));
        let expected = match expected {
            Value::Null => json!({}),
            other => other,
        };
        let got = prune(value.clone(), &last, &applied, Some(shape));
        assert_eq!(got, expected, "{value} last {last:?} applied {applied:?}");
    }

    fn deployment() -> impl Strategy<Value = Value> {
        let container = ("[a-c]", proptest::option::of("[x-y]"), 0..3usize).prop_map(
            |(name, image, variables)| {
                let mut container = json!({"name": name});
                if let Some(image) = image {
                    container["image"] = image.into();
                }
                if variables > 0 {
                    let env =
                        (0..variables).map(|i| json!({"name": format!("V{i}"), "value": "1"}));
                    container["env"] = env.collect();
                }
                container
            },
        );
        let labels = proptest::collection::btree_map("[a-c]", "[x-y]", 0..3);
        let containers = proptest::collection::btree_map("[a-c]", container, 0..3);
        (labels, containers, any::<bool>()).prop_map(|(labels, containers, selected)| {
            let containers: Vec<Value> = containers
                .into_iter()
                .map(|(name, mut container)| {
                    container["name"] = name.into();
                    container
                })
                .collect();
            let mut object = json!({"metadata": {"labels": labels},
                "spec": {"template": {"spec": {"containers": containers}}}});
            if selected {
                object["spec"]["selector"] = json!({"matchLabels": {"a": "b"}});
            }
            object
        })
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(json!(1)), Just(json!([1, 2])), Just(json!({}))];
        let map = leaf.prop_recursive(3, 12, 3, |inner| {
            proptest::collection::btree_map("[a-c]", inner, 0..3)
                .prop_map(|m| Value::Object(m.into_iter().collect()))
        });
        proptest::collection::btree_map("[a-c]", map, 0..3)
            .prop_map(|m| Value::Object(m.into_iter().collect()))
    }

    fn shape() -> FactShape {
        kind("apps.v1.Deployment")
    }

    proptest! {
        #[test]
        fn single_pass_prune_equals_the_multi_step_prune(
            value in deployment(), last in deployment(), applied in deployment()
        ) {
            check(&value, &last, &applied, &shape());
        }

        #[test]
        fn untyped_single_pass_prune_equals_the_multi_step_prune(value in tree(), last in tree(), applied in tree()) {
            check(&value, &last, &applied, &Untyped);
        }
    }
}
