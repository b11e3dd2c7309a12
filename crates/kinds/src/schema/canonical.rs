//! The canonical shape in which the API server stores and returns an object: no nulls, no empty optional
//! fields, canonical values.

use super::known::StoredFields;
use super::table::{Field, Schema, Type, Unset};
use super::time;
use crate::api::json::{Map, Value, json};
use crate::api::quantity::Quantity;

/// Converts `object` to the shape in which the API server stores and returns it.
///
/// Removes unknown fields, nulls and optional zero values, adds the fields that are always written, and makes
/// quantities and times canonical. The object must have passed [`super::decode::check`]: values of a wrong type are
/// left alone. Skips parts shared with a valid object.
pub fn apply(schema: &'static Schema, object: &mut Value, known: StoredFields<'_>) {
    // Usually nothing changes. The check borrows immutably, so that the object keeps sharing its memory (design note
    // 5).
    let done = |map: &Map| is_done(schema, map, known);
    if known.is(object) || object.as_object().is_none_or(done) {
        return;
    }
    let Some(map) = object.as_object_mut() else {
        return;
    };
    let mut gone = 0;
    for (key, value) in map.iter_mut() {
        let known = known.member(key, value);
        let stays = schema
            .field(key)
            .is_some_and(|field| keep(field, value, known));
        if !stays {
            // Mark members first and remove them in one pass, because each single removal would move all later
            // members.
            *value = Value::Null;
            gone += 1;
        }
    }
    if gone > 0 {
        map.retain(|_, value| !value.is_null());
    }
    for field in schema.always_written() {
        if !map.contains_key(field.name)
            && let Some(value) = unset_value(field)
        {
            map.insert(field.name.to_owned(), value);
        }
    }
}

/// Returns true if an object has the canonical shape. A cache of canonical parts by address was tried and dropped: this
/// check is so fast that the cache saved little (design note 5).
fn is_done(schema: &'static Schema, map: &Map, known: StoredFields<'_>) -> bool {
    let stays = |field: &Field, value: &Value| match field.unset {
        Unset::Null if value.is_null() => true,
        Unset::Omit if is_zero(&field.ty, value) => false,
        _ => {
            let known = known.member(field.name, value);
            !value.is_null() && is_canonical(&field.ty, value, known)
        }
    };
    let all = map.iter().all(|(key, value)| {
        let field = schema.field(key);
        field.is_some_and(|field| stays(field, value))
    });
    all && schema
        .always_written()
        .all(|field| map.contains_key(field.name))
}

fn is_canonical(ty: &Type, value: &Value, known: StoredFields<'_>) -> bool {
    match (ty, value) {
        _ if known.is(value) => true,
        (Type::Object(_), Value::Object(map)) => {
            ty.object().is_none_or(|schema| is_done(schema, map, known))
        }
        (Type::List(item), Value::Array(items)) => {
            let objects = matches!(**item, Type::Object(_));
            let done = |(at, value): (usize, &Value)| {
                !(objects && value.is_null()) && is_canonical(item, value, known.item(at))
            };
            items.iter().enumerate().all(done)
        }
        (Type::Map(item), Value::Object(entries)) => {
            let done = |value: &Value| {
                !value.is_null() && is_canonical(item, value, StoredFields::NOTHING)
            };
            entries.values().all(done)
        }
        (Type::Quantity, Value::String(text)) => is_plain_amount(text),
        (Type::Quantity, _) => false,
        (Type::Time, Value::String(text)) => time::is_canonical(text),
        // The quick check knows only times in seconds.
        (Type::MicroTime, Value::String(_)) => false,
        _ => true,
    }
}

/// Returns true if a quantity is obviously canonical. All others need a full parse.
fn is_plain_amount(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let units = [
        "", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti",
    ];
    (1..=3).contains(&digits) && !text.starts_with('0') && units.contains(&&text[digits..])
}

/// Makes the value canonical and returns true if it counts as set.
fn keep(field: &Field, value: &mut Value, known: StoredFields<'_>) -> bool {
    if value.is_null() {
        return false;
    }
    if !is_canonical(&field.ty, value, known) {
        canonical_value(&field.ty, value, known);
    }
    match field.unset {
        Unset::Omit => !is_zero(&field.ty, value),
        _ => true,
    }
}

fn canonical_value(ty: &Type, value: &mut Value, known: StoredFields<'_>) {
    match (ty, &mut *value) {
        (Type::Object(_), Value::Object(_)) => {
            if let Some(schema) = ty.object() {
                apply(schema, value, known);
            }
        }
        (Type::List(item), Value::Array(items)) => {
            for (at, value) in items.iter_mut().enumerate() {
                let known = known.item(at);
                if value.is_null() && matches!(**item, Type::Object(_)) {
                    // Go decodes null in a list of structs as an empty struct.
                    *value = json!({});
                }
                if !is_canonical(item, value, known) {
                    canonical_value(item, value, known);
                }
            }
        }
        (Type::Map(item), Value::Object(entries)) => canonical_map(item, entries),
        (Type::Quantity, _) => {
            let text = match &*value {
                Value::String(text) => text.trim().to_owned(),
                other => other.to_string(),
            };
            if let Ok(quantity) = Quantity::parse(&text) {
                *value = json!(quantity.to_string());
            }
        }
        (Type::Time | Type::MicroTime, Value::String(text)) => {
            if let Ok(canonical) = time::canonical(text, *ty == Type::MicroTime) {
                *text = canonical.into();
            }
        }
        _ => {}
    }
}

fn canonical_map(item: &Type, entries: &mut Map) {
    for value in entries.values_mut() {
        // Likewise in maps: the key stays, with the zero value of its type.
        if value.is_null() {
            *value = zero(item);
        }
        canonical_value(item, value, StoredFields::NOTHING);
    }
}

fn is_zero(ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        // Go's `omitempty` never omits a struct, so it stays even without fields.
        (Type::Any | Type::Object(_) | Type::IntOrString, _) => false,
        (_, Value::String(text)) => text.is_empty(),
        (_, Value::Bool(flag)) => !flag,
        (_, Value::Number(number)) => number.as_f64() == Some(0.0),
        (_, Value::Array(items)) => items.is_empty(),
        (_, Value::Object(entries)) => entries.is_empty(),
        (_, Value::Null) => true,
    }
}

fn unset_value(field: &Field) -> Option<Value> {
    match field.unset {
        Unset::Omit | Unset::Pointer => None,
        Unset::Null => Some(Value::Null),
        Unset::Zero => Some(zero(&field.ty)),
        Unset::Struct => {
            let mut value = zero(&field.ty);
            canonical_value(&field.ty, &mut value, StoredFields::NOTHING);
            Some(value)
        }
    }
}

fn zero(ty: &Type) -> Value {
    match ty {
        Type::String | Type::Bytes => json!(""),
        Type::Int32 | Type::Int64 | Type::Number | Type::IntOrString => json!(0),
        Type::Boolean => json!(false),
        Type::Quantity => json!("0"),
        Type::Object(_) => json!({}),
        Type::Time | Type::MicroTime | Type::Any | Type::List(_) | Type::Map(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::of_kind;

    #[test]
    fn canonicalizing_a_canonical_object_keeps_shared_memory() {
        let schema = of_kind("", "v1", "Pod").unwrap();
        let mut pod = json!({
            "metadata": {"name": "p", "creationTimestamp": "2026-01-02T03:04:05Z"},
            "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "500m"}}}]},
        });
        apply(schema, &mut pod, StoredFields::NOTHING);
        let container = |pod: &Value| {
            let containers = pod["spec"]["containers"].as_array().unwrap();
            std::ptr::from_ref(containers.as_slice())
        };
        let (was, mut again) = (pod.clone(), pod.clone());
        apply(schema, &mut again, StoredFields::NOTHING);
        assert_eq!(container(&again), container(&was));
        again["metadata"]["labels"] = json!({});
        apply(schema, &mut again, StoredFields::NOTHING);
        assert_eq!(again, was);
        assert_eq!(container(&again), container(&was));
    }

    #[test]
    fn plain_quantities_are_canonical() {
        for number in [
            "0", "00", "1", "9", "10", "010", "999", "1000", "1024", "5.0", "",
        ] {
            for unit in [
                "", "n", "u", "m", "k", "K", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3",
            ] {
                let text = format!("{number}{unit}");
                let canonical = Quantity::parse(&text).map(|q| q.to_string());
                if is_plain_amount(&text) {
                    assert_eq!(canonical.unwrap(), text);
                }
            }
        }
    }

    #[test]
    fn zero_values_are_removed_only_if_they_equal_unset() {
        let mut object = json!({
            "metadata": {"name": "d", "creationTimestamp": null, "labels": {}},
            "spec": {"replicas": 0, "minReadySeconds": 0, "paused": false, "foo": 1,
                "template": {"spec": {"containers": [
                    {"name": "c", "resources": {"limits": {"cpu": 0.5}}, "command": []}]}}},
        });
        let schema = of_kind("apps", "v1", "Deployment").unwrap();
        apply(schema, &mut object, StoredFields::NOTHING);
        assert_eq!(
            object,
            json!({
                "metadata": {"name": "d"},
                "spec": {"replicas": 0, "strategy": {},
                    "template": {"metadata": {}, "spec": {"containers": [
                        {"name": "c", "resources": {"limits": {"cpu": "500m"}}}]}}},
                "status": {},
            })
        );
    }
}
