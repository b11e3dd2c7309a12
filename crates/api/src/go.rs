//! Prints JSON values as Go does, for error messages that quote values and for templates.

use std::fmt::{self, Display, Formatter, Write};

use super::yaml::format_g;
use crate::json::Value;

/// A value as Go's `%v` prints it: `map[a:1 b:[x y]]`.
///
/// ```
/// use ctl_api::go::{GoSyntax, GoValue};
/// use ctl_api::json::json;
///
/// let labels = json!({"app": "web", "tier": "front"});
/// assert_eq!(GoValue(&labels).to_string(), "map[app:web tier:front]");
/// assert_eq!(GoSyntax(&json!("web")).to_string(), "\"web\"");
/// ```
pub struct GoValue<'a>(pub &'a Value);

impl Display for GoValue<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("<nil>"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Number(n) => number(f, n),
            Value::String(s) => f.write_str(s),
            Value::Array(items) => {
                f.write_char('[')?;
                for (i, item) in items.iter().enumerate() {
                    let gap = if i == 0 { "" } else { " " };
                    write!(f, "{gap}{}", GoValue(item))?;
                }
                f.write_char(']')
            }
            Value::Object(fields) => {
                f.write_str("map[")?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    let gap = if i == 0 { "" } else { " " };
                    write!(f, "{gap}{name}:{}", GoValue(value))?;
                }
                f.write_char(']')
            }
        }
    }
}

fn number(f: &mut Formatter<'_>, number: &crate::json::Number) -> fmt::Result {
    match number.as_f64() {
        // Go keeps integers that fit as `int64`. All other numbers are floats, which it prints with `%g`.
        Some(float) if number.as_i64().is_none() => f.write_str(&format_g(float)),
        _ => write!(f, "{number}"),
    }
}

/// A value as Go's `%#v` prints it: `map[string]interface {}{"a":1}`.
pub struct GoSyntax<'a>(pub &'a Value);

impl Display for GoSyntax<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("interface {}(nil)"),
            Value::String(s) => f.write_str(&quoted(s)),
            Value::Array(items) => {
                f.write_str("[]interface {}{")?;
                for (i, item) in items.iter().enumerate() {
                    let gap = if i == 0 { "" } else { ", " };
                    write!(f, "{gap}{}", GoSyntax(item))?;
                }
                f.write_char('}')
            }
            Value::Object(fields) => {
                f.write_str("map[string]interface {}{")?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    let gap = if i == 0 { "" } else { ", " };
                    write!(f, "{gap}{}:{}", quoted(name), GoSyntax(value))?;
                }
                f.write_char('}')
            }
            scalar => write!(f, "{}", GoValue(scalar)),
        }
    }
}

/// Escapes JSON as Go's encoder does: characters with a special meaning in HTML or JavaScript become `\u` escapes.
pub fn escaped_json(json: String) -> String {
    // Most texts contain none of these characters and need no copy.
    if !json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 32);
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            other => out.push(other),
        }
    }
    out
}

/// Quotes a text as Go's `%q` does.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    // Quoted texts are short, so escaping character by character is fast enough.
    text.chars().for_each(|c| escape(&mut out, c, '"'));
    out.push('"');
    out
}

/// Appends a character, escaped as Go escapes it between these quotes.
pub fn escape(out: &mut String, c: char, quote: char) {
    let code = u32::from(c);
    match c {
        '\\' => out.push_str("\\\\"),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{b}' => out.push_str("\\v"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        c if c == quote => out.extend(['\\', c]),
        c if is_printable(c) => out.push(c),
        // Go picks one of three escape forms by the size of the code point.
        _ if code < 0x80 => out.push_str(&format!("\\x{code:02x}")),
        _ if code < 0x10000 => out.push_str(&format!("\\u{code:04x}")),
        _ => out.push_str(&format!("\\U{code:08x}")),
    }
}

/// Returns true if Go considers the character printable. The only printable space is the ASCII space.
pub fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic();
    }
    // `escape_debug` escapes a combining mark only at the start of a text, so a letter precedes it.
    let mut text = String::from("a");
    text.push(c);
    !c.is_whitespace() && text.escape_debug().nth(1) == Some(c)
}

/// Returns the name of the Go type that would hold the value.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Returns the name that Go's decoding errors use for the JSON type.
pub fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    #[test]
    fn values_print_as_go_prints_them() {
        for (value, plain, syntax) in [
            (json!(null), "<nil>", "interface {}(nil)"),
            (json!(1), "1", "1"),
            (json!(-1.5), "-1.5", "-1.5"),
            (json!(1e21), "1e+21", "1e+21"),
            (json!(0.00001), "1e-05", "1e-05"),
            (json!(1e6), "1e+06", "1e+06"),
            (json!("a\"b"), "a\"b", "\"a\\\"b\""),
            (json!([1, "x"]), "[1 x]", "[]interface {}{1, \"x\"}"),
            (
                json!({"b":true,"a":[]}),
                "map[a:[] b:true]",
                "map[string]interface {}{\"a\":[]interface {}{}, \"b\":true}",
            ),
        ] {
            assert_eq!(GoValue(&value).to_string(), plain);
            assert_eq!(GoSyntax(&value).to_string(), syntax);
        }
    }

    #[test]
    fn texts_are_quoted_as_go_quotes_them() {
        for (text, quoted_text) in [
            ("a\"b\\", r#""a\"b\\""#),
            ("\u{7}\u{8}\u{b}\u{c}\n\r\t", r#""\a\b\v\f\n\r\t""#),
            ("\u{1b}\u{7f}\0", r#""\x1b\x7f\x00""#),
            ("ä€日\u{301}", "\"ä€日\u{301}\""),
            ("\u{a0}\u{ad}\u{2028}", r#""\u00a0\u00ad\u2028""#),
            ("\u{e0001}", r#""\U000e0001""#),
        ] {
            assert_eq!(quoted(text), quoted_text);
        }
    }
}
