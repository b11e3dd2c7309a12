//! Inspects FieldsV1 in an object without building a set.
//!
//! Most entries of managed fields need only a check: does a write touch or repeat their fields? The results are valid
//! for input that [`is_canonical`] accepts, such as the output of [`FieldSet::to_fields_v1`]. In doubt, the result
//! makes the caller build the set.

use super::element::PathElement;
use super::set::{Entry, FieldSet};
use crate::json::{Map, Value};

type Level = Map;

/// Returns true if `fields` has the canonical form that this server writes.
pub(in crate::patch) fn is_canonical(fields: &Value) -> bool {
    let level = fields.as_object();
    level.is_some_and(|level| !level.contains_key(".") && is_canonical_level(level))
}

fn is_canonical_level(level: &Level) -> bool {
    level.iter().all(|(name, below)| {
        // A lone `.` is not canonical: the server writes that item as an empty map.
        below.as_object().is_some_and(|below| match name.as_str() {
            "." => below.is_empty() && level.len() > 1,
            name => is_canonical_name(name) && is_canonical_level(below),
        })
    })
}

fn is_canonical_name(name: &str) -> bool {
    name.starts_with("f:")
        || is_plain_key(name)
        || PathElement::parse(name).is_some_and(|element| element.serialize() == name)
}

/// Returns true for a key of the form `k:{"name":"x"}` without characters that need escapes.
fn is_plain_key(name: &str) -> bool {
    let within = name
        .strip_prefix("k:{\"")
        .and_then(|n| n.strip_suffix("\"}"));
    within
        .and_then(|within| within.split_once("\":\""))
        .is_some_and(|(key, value)| [key, value].iter().all(|t| super::element::is_plain(t)))
}

/// Returns true only if `fields` certainly equals this set.
pub(in crate::patch) fn is_set(fields: &Value, set: &FieldSet) -> bool {
    fields.as_object().is_some_and(|level| is_level(level, set))
}

fn is_level(level: &Level, set: &FieldSet) -> bool {
    // Both have the same order unless an element contains numbers, which sort as text here and by value there. In that
    // case this returns false, although the sets may be equal.
    let mut named = level.iter().filter(|(name, _)| *name != ".");
    let same = set.entries().iter().all(|entry| {
        named.next().is_some_and(|(name, below)| {
            let Some(below) = below.as_object() else {
                return false;
            };
            entry.member == is_member(below)
                && entry.element.is_written(name)
                && is_level(below, &entry.below)
        })
    });
    same && named.next().is_none()
}

fn is_member(below: &Level) -> bool {
    below.is_empty() || below.contains_key(".")
}

/// Returns true if `fields` and the set might have a path in common.
pub(in crate::patch) fn may_touch(fields: &Value, set: &FieldSet) -> bool {
    let level = fields.as_object();
    level.is_none_or(|level| may_touch_level(level, set))
}

fn may_touch_level(level: &Level, set: &FieldSet) -> bool {
    set.entries()
        .iter()
        // A numeric key has two spellings, `80` and `80.0`. The result is then uncertain, and the caller builds the
        // set.
        .any(|entry| match below(level, &entry.element) {
            None => is_ambiguous(&entry.element),
            Some(below) => entry.member && is_member(below) || may_touch_level(below, &entry.below),
        })
}

/// Returns true only if `fields` certainly contains all paths of the set.
pub(in crate::patch) fn covers(fields: &Value, set: &FieldSet) -> bool {
    let level = fields.as_object();
    level.is_some_and(|level| covers_level(level, set))
}

fn covers_level(level: &Level, set: &FieldSet) -> bool {
    set.entries()
        .iter()
        .all(|entry| match below(level, &entry.element) {
            // A path with this spelling is missing. The slow path decides about other spellings.
            None => false,
            Some(below) => (is_member(below) || !entry.member) && covers_level(below, &entry.below),
        })
}

/// Returns the paths of `fields` that are not in the set, together with their parents. If in doubt about a path,
/// includes it.
pub(in crate::patch) fn beyond(fields: &Value, set: &FieldSet) -> Option<FieldSet> {
    beyond_level(fields.as_object()?, set)
}

fn beyond_level(level: &Level, set: &FieldSet) -> Option<FieldSet> {
    let (known, mut next) = (set.entries(), 0);
    let mut found = Vec::new();
    for (name, below) in level.iter().filter(|(name, _)| *name != ".") {
        let below = below.as_object()?;
        let member = is_member(below);
        // Both have mostly the same order, so they are walked in parallel. Only where the orders differ is a search
        // needed.
        let at = match known.get(next) {
            Some(entry) if entry.element.is_written(name) => Ok(next),
            _ => {
                let element = PathElement::parse(name)?;
                let at = known.binary_search_by(|entry| entry.element.cmp(&element));
                at.map_err(|_| element)
            }
        };
        let (element, below, missing) = match at {
            Ok(at) => {
                next = at + 1;
                let below = beyond_level(below, &known[at].below)?;
                let missing = member && !known[at].member || !below.is_empty();
                (known[at].element.clone(), below, missing)
            }
            Err(element) => (element, beyond_level(below, &FieldSet::default())?, true),
        };
        if missing {
            found.push(Entry {
                element,
                member,
                below,
            });
        }
    }
    // Numeric keys may sort differently.
    if !found.is_sorted_by(|a, b| a.element <= b.element) {
        found.sort_by(|a, b| a.element.cmp(&b.element));
    }
    Some(FieldSet::of_entries(found))
}

fn below<'l>(level: &'l Level, element: &PathElement) -> Option<&'l Level> {
    level.get(&element.serialize())?.as_object()
}

/// Returns true if an element has several spellings: 80 and 80.0 identify the same item.
fn is_ambiguous(element: &PathElement) -> bool {
    let number = |value: &Value| value.is_number();
    match element {
        PathElement::Field(_) | PathElement::Index(_) => false,
        PathElement::Value(value) => number(value),
        PathElement::Key(keys) => keys.iter().any(|(_, value)| number(value)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::json;

    fn set(paths: &[Vec<u8>]) -> FieldSet {
        let mut set = FieldSet::default();
        for path in paths {
            set.insert(path.iter().map(|n| match n {
                0..3 => PathElement::Field(format!("f{n}").as_str().into()),
                3 => PathElement::Key(vec![("name".into(), json!("y"))]),
                4 => PathElement::Key(vec![("name".into(), json!("y\"z"))]),
                5 => PathElement::Key(vec![("name".into(), json!("y")), ("port".into(), json!(9))]),
                6 => PathElement::Value(json!(80)),
                _ => PathElement::Value(json!("v")),
            }));
        }
        set
    }

    fn paths() -> impl Strategy<Value = Vec<Vec<u8>>> {
        proptest::collection::vec(proptest::collection::vec(0..8_u8, 1..4), 0..6)
    }

    proptest! {
        #[test]
        fn raw_field_set_checks_agree_with_parsed_sets(a in paths(), b in paths()) {
            let (a, b) = (set(&a), set(&b));
            let raw = a.to_fields_v1();
            prop_assert!(is_canonical(&raw), "{raw}");
            prop_assert!(!is_set(&raw, &b) || a == b);
            prop_assert!(may_touch(&raw, &b) || a.intersection(&b).is_empty());
            prop_assert!(may_touch(&raw, &b) || a.difference(&b) == a);
            prop_assert_eq!(covers(&raw, &b), b.is_subset(&a));
            let beyond = beyond(&raw, &b).unwrap();
            prop_assert!(beyond.is_subset(&a));
            prop_assert_eq!(beyond.is_empty(), a.is_subset(&b));
            prop_assert_eq!(beyond.difference(&b), a.difference(&b));
        }
    }

    #[test]
    fn only_the_server_field_set_encoding_is_canonical() {
        for (fields, canonical) in [
            (json!({}), true),
            (json!({"f:a": {".": {}, "f:b": {}}}), true),
            (
                json!({"f:a": {"k:{\"name\":\"x\"}": {".": {}, "f:name": {}}}}),
                true,
            ),
            (json!({"f:a": {".": {}}}), false),
            (json!({".": {}, "f:a": {}}), false),
            (json!({"f:a": {"k:{\"name\": \"x\"}": {}}}), false),
            (json!({"f:a": {"k:{\"name\":\"\\u0078\"}": {}}}), false),
            (json!({"f:a": {"k:[]": {}}}), false),
            (json!({"f:a": {"x:a": {}}}), false),
            (json!({"f:a": 1}), false),
            (json!([]), false),
        ] {
            assert_eq!(is_canonical(&fields), canonical, "{fields}");
        }
    }

    #[test]
    fn raw_field_set_equals_the_set_it_encodes() {
        let set = set(&[
            vec![0, 1],
            vec![0, 3],
            vec![0, 3, 2],
            vec![1],
            vec![2, 5, 0],
            vec![2, 7],
        ]);
        assert!(is_set(&set.to_fields_v1(), &set));
        assert!(!is_set(&json!({}), &set));
        assert!(is_set(&json!({}), &FieldSet::default()));
    }

    #[test]
    fn raw_integer_may_match_an_equal_float() {
        let fraction = PathElement::Value(json!(80.0));
        let mut set = FieldSet::default();
        set.insert([PathElement::Field("f".into()), fraction]);
        assert!(may_touch(&json!({"f:f": {"v:80": {}}}), &set));
    }
}
