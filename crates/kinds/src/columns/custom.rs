//! The cells of custom resources: the name, and the columns that the CustomResourceDefinition declares.

use jiff::Timestamp;

use super::format::{age, parse, since};
use super::name;
use super::path::find;
use crate::api::go::GoValue;
use crate::api::json::{Value, json};
use crate::tree::text;

/// Returns the cells of a custom resource; `columns` are the `additionalPrinterColumns` of the version.
///
/// If no columns are declared, the cells are name and age.
pub fn custom(columns: &[Value], object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = vec![name(object)];
    if columns.is_empty() {
        cells.push(json!(age(object, now)));
    }
    cells.extend(columns.iter().map(|column| cell(column, object, now)));
    cells
}

fn cell(column: &Value, object: &Value, now: Timestamp) -> Value {
    let Some(value) = find(object, text(column, "jsonPath")) else {
        return Value::Null;
    };
    match (text(column, "type"), &*value) {
        ("integer", Value::Number(number)) => number
            .as_i64()
            .or_else(|| number.as_f64().map(|f| f as i64))
            .map_or(Value::Null, |n| json!(n)),
        ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => value.as_ref().clone(),
        ("date", Value::String(time)) if !time.is_empty() && parse(&value).is_none() => {
            json!("<invalid>")
        }
        ("date", Value::String(_)) => json!(since(&value, now)),
        ("string", Value::Null | Value::Array(_) | Value::Object(_)) => json!(value.to_string()),
        ("string", scalar) => json!(GoValue(scalar).to_string()),
        // The API server does not convert a value to the type of its column, so a value of another type prints as
        // empty.
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_cells_are_formatted_by_column_type() {
        let object = json!({"metadata": {"name": "b", "labels": {"a.b": "c"}},
            "spec": {"n": 2, "list": ["x", "z"], "when": "2026-01-01T00:00:00Z",
            "day": "2026-01-01", "size": 12345678.5}});
        let now: Timestamp = "2026-01-01T01:01:40Z".parse().unwrap();
        let column = |kind: &str, path: &str| json!({"type": kind, "jsonPath": path});
        let columns = [
            column("integer", ".spec.n"),
            column("string", ".spec.list"),
            column("string", ".spec.list[1]"),
            column("date", ".spec.when"),
            column("string", ".metadata.labels.a\\.b"),
            column("string", ".metadata.labels['a\\.b']"),
            column("date", ".spec.day"),
            column("string", ".spec.size"),
            column("integer", ".spec.list"),
            column("string", ".spec.missing"),
        ];
        assert_eq!(
            custom(&columns, &object, now),
            [
                json!("b"),
                json!(2),
                json!("[\"x\",\"z\"]"),
                json!("z"),
                json!("61m"),
                json!("c"),
                json!("c"),
                json!("<invalid>"),
                json!("1.23456785e+07"),
                Value::Null,
                Value::Null
            ]
        );
        assert_eq!(custom(&[], &object, now), [json!("b"), json!("<unknown>")]);
    }
}
