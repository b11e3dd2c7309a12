//! Type errors of a tree that is converted to an object directly, as after a strategic merge patch. The messages
//! differ from those of the API server's JSON decoder.

use super::decode::{check_base64, check_quantity};
use super::table::{Schema, Type, of_kind};
use super::{go_types, time};
use crate::api::json::Value;
use crate::kind::Kind;

/// Returns the first mismatch with the types of the kind, if there is one.
pub fn mismatch(kind: &Kind, object: &Value) -> Option<String> {
    let schema = of_kind(kind.group, kind.version, kind.kind)?;
    structure(schema, object).err()
}

fn structure(schema: &'static Schema, value: &Value) -> Result<(), String> {
    let Some(object) = value.as_object() else {
        return Err(format!("cannot restore struct from: {}", go_kind(value)));
    };
    for (name, value) in object {
        // Unknown fields are reported elsewhere, depending on the field validation of the request.
        if let Some(field) = schema.field(name) {
            any(schema.go_name(), field.name, &field.ty, value)?;
        }
    }
    Ok(())
}

fn any(owner: &str, field: &str, ty: &Type, value: &Value) -> Result<(), String> {
    match (ty, value) {
        // Null sets any field to its zero value in Go.
        (Type::Any, _) | (_, Value::Null) => Ok(()),
        (Type::Object(_), _) => ty.object().map_or(Ok(()), |s| structure(s, value)),
        (Type::List(item), Value::Array(items)) => {
            items.iter().try_for_each(|v| any(owner, field, item, v))
        }
        (Type::Map(item), Value::Object(entries)) => entries
            .values()
            .try_for_each(|v| any(owner, field, item, v)),
        (Type::Map(_), _) => Err(format!("cannot restore map from {}", go_kind(value))),
        (Type::Bytes, Value::String(text)) => {
            check_base64(text).map_err(|e| format!("error decoding from json: {e}"))
        }
        (Type::List(_) | Type::Bytes, _) => {
            Err(format!("cannot restore slice from {}", go_kind(value)))
        }
        (Type::Quantity, _) => check_quantity(value),
        (Type::Time | Type::MicroTime, Value::String(text)) => {
            time::canonical(text, *ty == Type::MicroTime).map(drop)
        }
        (Type::Time | Type::MicroTime, _) => Err(decoded(value, "string")),
        (Type::IntOrString, Value::String(_) | Value::Number(_)) => Ok(()),
        (Type::IntOrString, _) => Err(decoded(value, "int32")),
        _ => scalar(owner, field, ty, value),
    }
}

/// Converts scalars as Go does, except that strings, numbers and booleans do not mix.
fn scalar(owner: &str, field: &str, ty: &Type, value: &Value) -> Result<(), String> {
    let whole = value.as_f64().is_some_and(|n| n.fract() == 0.0);
    let fits = match ty {
        Type::String => value.is_string(),
        Type::Boolean => value.is_boolean(),
        Type::Number => value.is_number(),
        _ => whole,
    };
    if fits {
        return Ok(());
    }
    let plain = match ty {
        Type::String => "string",
        Type::Boolean => "bool",
        Type::Number => "float64",
        Type::Int32 => "int32",
        _ => "int64",
    };
    let kind = go_kind(value);
    // Go could convert these: a number to a character, or a fraction by truncation. Upstream rejects them with a
    // message of their own.
    let convertible = match ty {
        Type::String => kind == "int64",
        Type::Int32 | Type::Int64 => kind == "float64",
        _ => false,
    };
    if !convertible {
        return Err(format!("unrecognized type: {plain}"));
    }
    let named = go_types::named(owner, field, false).filter(|_| *ty == Type::String);
    Err(format!(
        "cannot convert {kind} to {}",
        named.unwrap_or(plain)
    ))
}

fn decoded(value: &Value, into: &str) -> String {
    let kind = crate::api::go::json_kind(value);
    format!("json: cannot unmarshal {kind} into Go value of type {into}")
}

/// Returns the name of the Go kind that holds a value.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn wrong_types_have_the_texts_of_the_converter() {
        let kind = find("apps", "v1", "Deployment").unwrap();
        for (spec, text) in [
            (json!({"replicas": "x"}), Some("unrecognized type: int32")),
            (
                json!({"replicas": 1.5}),
                Some("cannot convert float64 to int32"),
            ),
            (json!({"replicas": 2.0}), None),
            (json!({"replicas": null}), None),
            (json!({"paused": 1}), Some("unrecognized type: bool")),
            (
                json!({"selector": "x"}),
                Some("cannot restore struct from: string"),
            ),
            (
                json!({"selector": {"matchLabels": []}}),
                Some("cannot restore map from slice"),
            ),
            (
                json!({"selector": {"matchLabels": {"a": 1}}}),
                Some("cannot convert int64 to string"),
            ),
            (
                json!({"template": {"spec": {"containers": {"name": "a"}}}}),
                Some("cannot restore slice from map"),
            ),
            (
                json!({"template": {"spec": {"restartPolicy": 1}}}),
                Some("cannot convert int64 to v1.RestartPolicy"),
            ),
            (
                json!({"template": {"metadata": {"creationTimestamp": 1}}}),
                Some("json: cannot unmarshal number into Go value of type string"),
            ),
            (
                json!({"strategy": {"rollingUpdate": {"maxSurge": true}}}),
                Some("json: cannot unmarshal bool into Go value of type int32"),
            ),
        ] {
            let object = json!({"spec": spec});
            assert_eq!(mismatch(kind, &object).as_deref(), text, "{object}");
        }
    }
}
