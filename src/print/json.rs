//! JSON as `kubectl get -o json` prints it: four spaces, sorted keys, `<>&` escaped as Go does.

use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

/// An object as text, with a newline behind it.
pub fn to_string(value: &Value) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"    ");
    // Writing a tree into memory cannot fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    let mut out = escaped(&String::from_utf8(bytes).unwrap_or_default());
    out.push('\n');
    out
}

/// An object as compact text, as Go's encoder writes it.
pub fn one_line(value: &Value) -> String {
    escaped(&value.to_string())
}

/// Go escapes what HTML would read.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_indented_by_four_and_escaped_as_go_does() {
        let text = to_string(&json!({"b": [], "a": {"x": "<&>"}}));
        assert_eq!(
            text,
            "{\n    \"a\": {\n        \"x\": \"\\u003c\\u0026\\u003e\"\n    },\n    \"b\": []\n}\n"
        );
    }
}
