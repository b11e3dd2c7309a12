//! The cells of custom resources: the name, and the columns that the CustomResourceDefinition declares.

use jiff::Timestamp;

use super::format::{age, since};
use super::name;
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
    match (text(column, "type"), value) {
        ("integer", Value::Number(number)) => number
            .as_i64()
            .or_else(|| number.as_f64().map(|f| f as i64))
            .map_or(Value::Null, |n| json!(n)),
        ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => value.clone(),
        ("date", Value::String(_)) => json!(since(value, now)),
        ("string", Value::String(text)) => json!(text),
        ("string", other) => json!(other.to_string()),
        // The API server does not convert a value to the type of its column, so a value of another type prints as
        // empty.
        _ => Value::Null,
    }
}

/// Returns true if kubectl's JSONPath has the syntax of every bracket in the path.
pub(crate) fn is_json_path(path: &str) -> bool {
    let mut rest = path;
    while let Some((_, after)) = rest.split_once('[') {
        let (end, filter) = match after.starts_with("?(") {
            true => (")]", true),
            false => ("]", false),
        };
        let Some((inside, tail)) = after.split_once(end) else {
            return false;
        };
        let quoted = inside.len() > 1 && inside.starts_with('\'') && inside.ends_with('\'');
        let numbers = |c: char| c.is_ascii_digit() || "-:,".contains(c);
        if !filter && !quoted && inside != "*" && !inside.chars().all(numbers) {
            return false;
        }
        rest = tail;
    }
    true
}

/// Returns the first value at a path of names, quoted names in brackets, indexes, `[*]` and `[?(@.type=="x")]`.
fn find<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    let mut value = object;
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[?(") {
            let (condition, tail) = after.split_once(")]")?;
            // Some items may lack the rest of the path, so take the first item that has it.
            let mut items = value
                .as_array()?
                .iter()
                .filter(|item| holds(item, condition));
            // A table shows only the first result of a JSONPath.
            return items.find_map(|item| find(item, tail));
        }
        if let Some(tail) = rest.strip_prefix("[*]") {
            return value.as_array()?.iter().find_map(|item| find(item, tail));
        }
        if let Some(after) = rest.strip_prefix('[') {
            let (inside, tail) = after.split_once(']')?;
            value = match inside.parse::<i64>() {
                Ok(index) => at(value.as_array()?, index)?,
                Err(_) => value.get(inside.trim_matches(['\'', '"']))?,
            };
            rest = tail;
            continue;
        }
        let after = rest.strip_prefix('.').unwrap_or(rest);
        let end = name_end(after);
        value = value.get(after[..end].replace("\\.", "."))?;
        rest = &after[end..];
    }
    Some(value)
}

/// Returns an item by index; a negative index counts from the end.
fn at(items: &[Value], index: i64) -> Option<&Value> {
    let from_end = i64::try_from(items.len()).ok()?;
    let index = if index < 0 { index + from_end } else { index };
    items.get(usize::try_from(index).ok()?)
}

/// Returns true if an item meets a condition such as `@.type=="Ready"` or, without an operator, has the field.
fn holds(item: &Value, condition: &str) -> bool {
    let field = |path: &str| find(item, path.trim().trim_start_matches('@'));
    for (operator, equal) in [("==", true), ("!=", false)] {
        if let Some((left, right)) = condition.split_once(operator) {
            let found = match field(left) {
                Some(Value::String(text)) => text.to_string(),
                Some(other) => other.to_string(),
                None => return false,
            };
            return (found == right.trim().trim_matches(['\'', '"'])) == equal;
        }
    }
    field(condition).is_some()
}

/// Returns the end of a name: the position of a bracket or of a dot that is not escaped.
fn name_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\\' => escaped = true,
            '.' if escaped => escaped = false,
            '.' | '[' => return at,
            _ => escaped = false,
        }
    }
    text.len()
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
        ] {
            assert_eq!(find(&object, path).and_then(Value::as_str), found, "{path}");
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
            "spec": {"n": 2, "list": ["x", "z"], "when": "2026-01-01T00:00:00Z"}});
        let now: Timestamp = "2026-01-01T01:01:40Z".parse().unwrap();
        let column = |kind: &str, path: &str| json!({"type": kind, "jsonPath": path});
        let columns = [
            column("integer", ".spec.n"),
            column("string", ".spec.list"),
            column("string", ".spec.list[1]"),
            column("date", ".spec.when"),
            column("string", ".metadata.labels.a\\.b"),
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
                Value::Null,
                Value::Null
            ]
        );
        assert_eq!(custom(&[], &object, now), [json!("b"), json!("<unknown>")]);
    }
}
