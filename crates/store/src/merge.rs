//! Three-way merge of object trees: the changes of a hand edit, applied to later changes.

use crate::api::json::{Map, Value};

/// Both sides changed this field, to different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clash(pub(crate) String);

/// Applies the changes from `base` to `mine` to `theirs`.
///
/// Maps merge field by field; lists and scalars are atomic: a list that both sides changed differently is a conflict.
pub(crate) fn merge(base: &Value, theirs: &Value, mine: &Value) -> Result<Value, Clash> {
    merge_at("", Some(base), Some(theirs), Some(mine)).map(Option::unwrap_or_default)
}

fn merge_at(
    path: &str,
    base: Option<&Value>,
    theirs: Option<&Value>,
    mine: Option<&Value>,
) -> Result<Option<Value>, Clash> {
    // The order of the checks is the rule of a merge: an unchanged side never overrides a changed one.
    if mine == base || mine == theirs {
        return Ok(theirs.cloned());
    }
    if theirs == base {
        return Ok(mine.cloned());
    }
    let empty = Map::new();
    // Lists are atomic: without a merge key it is unknown which items correspond.
    let (Some(Value::Object(theirs)), Some(Value::Object(mine))) = (theirs, mine) else {
        return Err(Clash(path.trim_start_matches('.').to_owned()));
    };
    let base = base.and_then(Value::as_object).unwrap_or(&empty);
    let added = mine.keys().filter(|k| !theirs.contains_key(*k));
    let merged = theirs.keys().chain(added).map(|key| {
        let deeper = format!("{path}.{key}");
        let value = merge_at(&deeper, base.get(key), theirs.get(key), mine.get(key))?;
        Ok(value.map(|value| (key, value)))
    });
    let merged: Vec<_> = merged
        .filter_map(Result::transpose)
        .collect::<Result<_, _>>()?;
    Ok(Some(Value::Object(merged.into_iter().collect())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use proptest::prelude::*;

    #[test]
    fn changes_to_different_fields_are_merged() {
        let base = json!({"spec": {"replicas": 1, "paused": true}, "status": {"ready": 0}});
        let theirs = json!({"spec": {"replicas": 1, "paused": true}, "status": {"ready": 1}});
        let mine = json!({"spec": {"replicas": 3}, "status": {"ready": 0}});
        let merged = merge(&base, &theirs, &mine).unwrap();
        assert_eq!(
            merged,
            json!({"spec": {"replicas": 3}, "status": {"ready": 1}})
        );
    }

    #[test]
    fn changes_to_the_same_field_conflict_with_its_path() {
        let (base, theirs, mine) = (
            json!({"a": {"b": 1}}),
            json!({"a": {"b": 2}}),
            json!({"a": {"b": 3}}),
        );
        assert_eq!(merge(&base, &theirs, &mine), Err(Clash("a.b".to_owned())));
        assert_eq!(merge(&base, &mine, &mine), Ok(mine.clone()));
        let removed = json!({"a": {}});
        assert_eq!(
            merge(&base, &theirs, &removed),
            Err(Clash("a.b".to_owned()))
        );
        let lists = (
            json!({"a": [1]}),
            json!({"a": [1, 2]}),
            json!({"a": [0, 1]}),
        );
        assert_eq!(
            merge(&lists.0, &lists.1, &lists.2),
            Err(Clash("a".to_owned()))
        );
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), (0..3i32).prop_map(Value::from)];
        leaf.prop_recursive(3, 16, 3, |inner| {
            proptest::collection::btree_map("[a-c]", inner, 0..3)
                .prop_map(|m| Value::Object(m.into_iter().collect()))
        })
    }

    proptest! {
        #[test]
        fn one_sided_changes_win_and_sides_are_equal(base in tree(), other in tree()) {
            prop_assert_eq!(merge(&base, &base, &other), Ok(other.clone()));
            prop_assert_eq!(merge(&base, &other, &base), Ok(other.clone()));
            prop_assert_eq!(merge(&base, &other, &other), Ok(other));
        }
    }
}
