//! Serializes sets as FieldsV1.
//!
//! The Pods of one template have the same owners. The last results are therefore cached, and a new result shares its
//! equal parts with them: a thousand Pods share one copy.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::set::{Entry, FieldSet};
use crate::json::{Map, Text, Value, name};

/// The number of cached sets, enough for the managers of objects that are created together.
const KEPT: usize = 8;

thread_local! {
    static LAST: RefCell<VecDeque<(FieldSet, Value)>> = RefCell::default();
}

/// Serializes a set as FieldsV1.
pub(super) fn write(set: &FieldSet) -> Value {
    LAST.with_borrow_mut(|last| {
        // Consecutive Pods of one template have the same owners.
        if let Some((_, same)) = last.iter().find(|(other, _)| other == set) {
            return same.clone();
        }
        let alike = last.iter().find(|(other, _)| is_alike(other, set));
        let written = level(
            set,
            false,
            alike.map(|(other, value)| (other, false, value)),
        );
        // The most recent set comes first, because objects of one kind are created in runs.
        last.truncate(KEPT - 1);
        last.push_front((set.clone(), written.clone()));
        written
    })
}

/// Returns true if two sets start with the same fields.
fn is_alike(one: &FieldSet, other: &FieldSet) -> bool {
    let elements = |set: &FieldSet| set.entries().len();
    let same = |(a, b): (&Entry, &Entry)| a.element == b.element;
    elements(one) == elements(other) && one.entries().iter().zip(other.entries()).all(same)
}

/// A serialized level: its set, true if its path is a member, and the value.
type Level<'a> = (&'a FieldSet, bool, &'a Value);

/// Serializes one level of FieldsV1; `member` is true if the path to it is in the set.
fn level(set: &FieldSet, member: bool, like: Option<Level<'_>>) -> Value {
    // An equal level is shared rather than written again.
    if let Some((other, its, value)) = like
        && its == member
        && other == set
    {
        return value.clone();
    }
    let entries = set.entries();
    // The names sort as text, the entries by value.
    let mut fields = Vec::with_capacity(entries.len() + usize::from(member));
    if member && !entries.is_empty() {
        fields.push((Text::from("."), Value::Object(Map::new())));
    }
    for entry in entries {
        let like = like.and_then(|(other, _, value)| below(other, value, entry));
        let name: Text = match like {
            Some((name, _)) => name.clone(),
            None => name(&entry.element.serialize()),
        };
        let below = level(&entry.below, entry.member, like.map(|(_, level)| level));
        fields.push((name, below));
    }
    Value::Object(fields.into_iter().collect())
}

/// Returns an entry's name and level in a serialized parent level.
fn below<'a>(set: &'a FieldSet, value: &'a Value, entry: &Entry) -> Option<(&'a Text, Level<'a>)> {
    let entries = set.entries();
    let at = entries
        .binary_search_by(|e| e.element.cmp(&entry.element))
        .ok()?;
    let found = &entries[at];
    let name = found.element.serialize();
    let (name, value) = value.as_object()?.get_key_value(&name)?;
    Some((name, (&found.below, found.member, value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    fn set(address: &str) -> FieldSet {
        let item = format!("k:{{\"ip\":\"{address}\"}}");
        let fields = json!({"f:status": {
            "f:phase": {}, "f:conditions": {".": {}, "k:{\"type\":\"Ready\"}": {"f:status": {}}},
            "f:podIPs": {(item): {".": {}, "f:ip": {}}},
        }});
        FieldSet::from_fields_v1(&fields).unwrap()
    }

    #[test]
    fn equal_parts_of_two_sets_are_shared() {
        let (first, second) = (write(&set("10.0.0.1")), write(&set("10.0.0.2")));
        let part = |v: &Value, name: &str| {
            std::ptr::from_ref(
                v["f:status"][name]
                    .as_object()
                    .unwrap()
                    .get("k:{\"type\":\"Ready\"}")
                    .unwrap_or(&Value::Null),
            )
        };
        assert_eq!(part(&first, "f:conditions"), part(&second, "f:conditions"));
        assert_ne!(first, second);
        assert_eq!(second, level(&set("10.0.0.2"), false, None));
        assert_eq!(first, write(&set("10.0.0.1")));
    }
}
