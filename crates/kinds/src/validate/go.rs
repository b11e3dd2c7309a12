//! Formats values as Go shows them in error messages: quoted strings, plain numbers, and structs with the names of
//! Kubernetes' internal types.

use std::sync::LazyLock;

use crate::api::go;
use crate::api::json::Value;
use crate::tree::field;

pub use crate::api::go::quoted;

/// Kubernetes' internal structs that appear in messages: one line each, with the name and the fields in order. A
/// field is `Name:type` or `Name:type:json`; the JSON name defaults to the name with a lower-case first letter.
/// Types: `s` string, `i` number, `b` boolean, `?` any value or null, `[]T` list or null, `*T` struct or null, `T`
/// struct. The field `^` is the object's metadata, inlined.
const TABLE: &str = include_str!("../table/internal.txt");

type Struct = Vec<(&'static str, &'static str, String)>;

static STRUCTS: LazyLock<Vec<(&'static str, Struct)>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(parse_line).collect()
});

fn parse_line(line: &'static str) -> Option<(&'static str, Struct)> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let fields = words.map(|word| {
        let mut parts = word.split(':');
        let go = parts.next().unwrap_or("");
        let ty = parts.next().unwrap_or("?");
        let json = parts.next().map_or_else(|| lower_first(go), str::to_owned);
        (go, ty, json)
    });
    Some((name, fields.collect()))
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

/// Returns a value as error messages show it: strings quoted, numbers as Go prints them, all else as JSON.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Number(_) => go::GoValue(value).to_string(),
        other => json(other),
    }
}

/// Returns an object as Go's JSON encoder writes the internal struct called `name`.
pub fn shown_as(name: &str, value: &Value) -> String {
    let mut out = String::new();
    write_as(&mut out, name, value);
    out
}

/// Returns a list of objects, each formatted by [`shown_as`].
pub fn shown_list(name: &str, values: &[Value]) -> String {
    let items: Vec<_> = values.iter().map(|v| shown_as(name, v)).collect();
    format!("[{}]", items.join(","))
}

/// Returns the metadata of an object as Go's JSON encoder writes it.
pub fn shown_metadata(metadata: &Value) -> String {
    let mut out = "{".to_owned();
    write_metadata(&mut out, 1, metadata);
    out.push('}');
    out
}

/// Returns a value as JSON with Go's escapes.
fn json(value: &Value) -> String {
    go::escaped_json(value.to_string())
}

fn write_as(out: &mut String, ty: &str, value: &Value) {
    if let Some(inner) = ty.strip_prefix('*') {
        return match value {
            Value::Null => out.push_str("null"),
            value => write_as(out, inner, value),
        };
    }
    if let Some(item) = ty.strip_prefix("[]") {
        let Some(items) = value.as_array() else {
            return out.push_str("null");
        };
        out.push('[');
        for (index, value) in items.iter().enumerate() {
            out.push_str(if index > 0 { "," } else { "" });
            write_as(out, item, value);
        }
        return out.push(']');
    }
    match (ty, value) {
        // Fields of internal structs have no `omitempty`, so Go prints the zero value of an absent field.
        ("s", Value::Null) => out.push_str("\"\""),
        ("i", Value::Null) => out.push('0'),
        ("b", Value::Null) => out.push_str("false"),
        _ => match STRUCTS.iter().find(|(name, _)| *name == ty) {
            Some((_, fields)) => write_struct(out, fields, value),
            None => out.push_str(&json(value)),
        },
    }
}

fn write_struct(out: &mut String, fields: &Struct, value: &Value) {
    out.push('{');
    let start = out.len();
    for (go, ty, name) in fields {
        let omit = ty.starts_with('~');
        let inner = field(value, name);
        if *go == "^" {
            write_metadata(out, start, field(value, "metadata"));
            continue;
        }
        // A few internal structs do have JSON tags, which omit empty fields.
        if omit && inner.is_null() {
            continue;
        }
        out.push_str(if out.len() > start { ",\"" } else { "\"" });
        out.push_str(go);
        out.push_str("\":");
        let source = if name == "." { value } else { inner };
        write_as(out, ty.trim_start_matches('~'), source);
    }
    out.push('}');
}

fn write_metadata(out: &mut String, start: usize, metadata: &Value) {
    // The metadata is an embedded struct whose tags omit empty fields. The order is that of the struct.
    for name in [
        "name",
        "generateName",
        "namespace",
        "labels",
        "annotations",
        "finalizers",
    ] {
        let value = field(metadata, name);
        if !value.is_null() {
            out.push_str(if out.len() > start { ",\"" } else { "\"" });
            out.push_str(name);
            out.push_str("\":");
            out.push_str(&json(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn structs_are_shown_with_all_their_fields_in_order() {
        assert_eq!(
            shown_as("DeploymentStrategy", &json!({"type": "X"})),
            "{\"Type\":\"X\",\"RollingUpdate\":null}"
        );
        let selector = json!({"matchExpressions": [], "matchLabels": {"a": "b"}});
        assert_eq!(
            shown_as("LabelSelector", &selector),
            "{\"matchLabels\":{\"a\":\"b\"},\"matchExpressions\":[]}"
        );
    }

    #[test]
    fn texts_are_quoted_as_go_quotes_them() {
        assert_eq!(shown(&json!("a\"b\n")), "\"a\\\"b\\n\"");
        assert_eq!(shown(&json!({"a": ">"})), "{\"a\":\"\\u003e\"}");
    }
}
