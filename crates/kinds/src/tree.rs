//! Access to JSON trees. Absent fields read as the zero value of their type, as in Go.

use crate::api::json::{List, Map, Value};

// References to absent fields point here.
static NULL: Value = Value::Null;

/// Returns the field, or null.
pub fn field<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&NULL)
}

/// Returns the field at a path of names, or null.
pub fn at<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(value, |value, name| field(value, name))
}

/// Returns true if the field is present and not null.
pub fn has(value: &Value, name: &str) -> bool {
    !field(value, name).is_null()
}

/// Returns the text of a field, or the empty text.
pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    field(value, name).as_str().unwrap_or("")
}

/// Returns the text itself, or the empty text.
pub fn as_text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// Returns the number in a field, if there is one.
pub fn opt_int(value: &Value, name: &str) -> Option<i64> {
    field(value, name).as_i64()
}

/// Returns the number in a field, or 0.
pub fn int(value: &Value, name: &str) -> i64 {
    opt_int(value, name).unwrap_or(0)
}

/// Returns true if a field is true.
pub fn flag(value: &Value, name: &str) -> bool {
    field(value, name).as_bool().unwrap_or(false)
}

/// Returns the items of a list field; none if there is no list.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    field(value, name).as_array().map_or(&[], List::as_slice)
}

/// Returns the texts of a list field.
pub fn texts<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a str> {
    list(value, name).iter().map(as_text)
}

/// Returns the entries of a map field, sorted by key.
pub fn entries<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    // The maps are sorted, so the order of errors and table cells does not depend on the order in the file.
    let map = field(value, name).as_object();
    map.into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value))
}

/// Returns the number of entries or items of a field.
pub fn len(value: &Value, name: &str) -> usize {
    match field(value, name) {
        Value::Array(items) => items.len(),
        Value::Object(entries) => entries.len(),
        _ => 0,
    }
}

/// Sets a field if it is absent or null.
pub fn set_default(value: &mut Value, name: &str, default: impl Into<Value>) {
    if let Some(map) = value.as_object_mut()
        && map.get(name).is_none_or(Value::is_null)
    {
        map.insert(name, default.into());
    }
}

/// Sets a field.
pub fn set(value: &mut Value, name: &str, to: impl Into<Value>) {
    if let Some(map) = value.as_object_mut() {
        map.insert(name, to.into());
    }
}

/// Sets a field, or removes it if `to` is `None`.
pub fn set_or_remove(value: &mut Value, name: &str, to: Option<Value>) {
    match to {
        Some(to) => set(value, name, to),
        None => drop(take(value, name)),
    }
}

/// Removes a field and returns its value.
pub fn take(value: &mut Value, name: &str) -> Option<Value> {
    value.as_object_mut()?.remove(name)
}

/// Returns the field as an object, and creates it if it is absent or null.
///
/// Returns the value itself if it is not an object, so that later writes are lost rather than misplaced.
pub fn ensure<'a>(value: &'a mut Value, name: &str) -> &'a mut Value {
    match value {
        Value::Object(map) => {
            let child = map.entry(name).or_insert_with(empty);
            if child.is_null() {
                *child = empty();
            }
            child
        }
        other => other,
    }
}

/// Returns the field, if it exists and is not null.
pub fn child<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    value.get_mut(name).filter(|child| !child.is_null())
}

/// Returns the items of a list field for modification.
pub fn items<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = value.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

/// Appends an item to a list field, and creates the list if it is absent.
pub fn push(value: &mut Value, name: &str, item: impl Into<Value>) {
    set_default(value, name, Value::Array(List::new()));
    if let Some(Value::Array(list)) = value.get_mut(name) {
        list.push(item.into());
    }
}

/// Returns an empty object.
pub fn empty() -> Value {
    Value::Object(Map::new())
}
