//! The cells of custom resources: the name, and the columns that the CustomResourceDefinition declares.

use jiff::Timestamp;

use super::format::{age, parse, since};
use super::name;
use crate::api::go::GoValue;
use crate::api::json::{Value, json};
use crate::jsonpath::{JsonPath, PathValue};
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

/// Returns true if kubectl's JSONPath can parse the path.
pub(crate) fn is_json_path(path: &str) -> bool {
    parsed(path).is_some()
}

fn parsed(path: &str) -> Option<JsonPath> {
    JsonPath::parse(&format!("{{{path}}}")).ok()
}

/// Returns the first value at a path, because a table shows only one. An error counts as no value.
fn find<'a>(object: &'a Value, path: &str) -> Option<PathValue<'a>> {
    let found = parsed(path)?.find(object, true).ok()?;
    found.into_iter().next()?.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_path_filter_selects_list_items() {
        let object = json!({"status": {"conditions": [
            {"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True"}]}});
        for (path, found) in [
            (
                r#".status.conditions[?(@.type=="Ready")].status"#,
                Some("True"),
            ),
            (r".status.conditions[?(@.type=='Lost')].status", None),
            (
                r#".status.conditions[?(@.type!="Ready")].status"#,
                Some("False"),
            ),
            (".status.conditions[-1].type", Some("Ready")),
            (".status.conditions[*].type", Some("Synced")),
            (".status.conditions[1:].type", Some("Ready")),
            (".status.conditions[9].type", None),
            (".status.*[0]['type']", Some("Synced")),
            ("..type", Some("Synced")),
        ] {
            let value = find(&object, path);
            assert_eq!(value.as_deref().and_then(Value::as_str), found, "{path}");
        }
    }

    #[test]
    fn brackets_hold_an_index_a_quoted_name_or_a_filter() {
        for path in [
            ".a",
            ".a[0].b[-1][0:2]",
            ".a['b.c']",
            ".a[*].b[?(@.c==\"[\")].d",
        ] {
            assert!(is_json_path(path), "{path}");
        }
        for path in [".a[", ".a[?(", ".a[?(@.b]", ".a[b]", ".a[\"b\"]"] {
            assert!(!is_json_path(path), "{path}");
        }
    }

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
