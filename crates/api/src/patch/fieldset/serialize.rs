//! Serializes sets as FieldsV1.
//!
//! The Pods of one template have the same owners. The last results are therefore cached, and a new result shares its
//! equal parts with them: a thousand Pods share one copy.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::set::FieldSet;
use crate::json::{Map, Text, Value, name};

/// The number of cached sets, enough for the managers of objects that are created together.
const KEPT: usize = 8;

thread_local! {
    static LAST: RefCell<VecDeque<Value>> = RefCell::default();
}

/// Serializes a set as FieldsV1.
pub(super) fn write(set: &FieldSet) -> Value {
    LAST.with_borrow_mut(|last| {
        // Consecutive Pods of one template have the same owners, or differ only in an address. A set is compared with a
        // single earlier one: comparing it with all of them took as long as writing it.
        let alike = last.iter().find(|value| has_names(value, set, 0)).cloned();
        let written = level(set, false, alike.as_ref());
        if alike.is_none_or(|alike| !alike.is(&written)) {
            // The most recent set comes first, because objects of one kind are created in runs.
            last.truncate(KEPT - 1);
            last.push_front(written.clone());
        }
        written
    })
}

/// Returns true if the members of a serialized level, after the first `skipped` ones, are the elements of a set.
fn has_names(level: &Value, set: &FieldSet, skipped: usize) -> bool {
    let entries = set.entries();
    level.as_object().is_some_and(|level| {
        let names = level.keys().skip(skipped);
        let mut pairs = entries.iter().zip(names.clone());
        names.len() == entries.len() && pairs.all(|(entry, name)| entry.element.is_written(name))
    })
}

/// Serializes one level of FieldsV1; `member` is true if the path to it is in the set. Shares equal parts of `like`.
fn level(set: &FieldSet, member: bool, like: Option<&Value>) -> Value {
    like.and_then(|like| shared(set, member, like))
        .unwrap_or_else(|| fresh(set, member, like))
}

/// Serializes a level with the names of `like`; returns `None` if it has others.
fn shared(set: &FieldSet, member: bool, like: &Value) -> Option<Value> {
    let has_dot = member && !set.is_empty();
    let its = like.as_object()?;
    if has_dot != its.contains_key(".") || !has_names(like, set, usize::from(has_dot)) {
        return None;
    }
    let mut written = like.clone();
    let values = its.iter().skip(usize::from(has_dot));
    for (entry, (name, value)) in set.entries().iter().zip(values) {
        let below = level(&entry.below, entry.member, Some(value));
        // An equal level is shared rather than written again.
        if !below.is(value) {
            written[name] = below;
        }
    }
    Some(written)
}

fn fresh(set: &FieldSet, member: bool, like: Option<&Value>) -> Value {
    let entries = set.entries();
    // The names sort as text, the entries by value.
    let mut fields = Vec::with_capacity(entries.len() + usize::from(member));
    if member && !entries.is_empty() {
        fields.push((Text::from("."), Value::Object(Map::new())));
    }
    for entry in entries {
        let name: Text = name(&entry.element.serialize());
        let like = like.and_then(|like| like.get(&name));
        let below = level(&entry.below, entry.member, like);
        fields.push((name, below));
    }
    Value::Object(fields.into_iter().collect())
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
