//! JSON values as Go prints them, for errors that quote values in Go's own notation.

use std::fmt::{self, Display, Formatter, Write};

use serde_json::Value;

/// A value as Go's `%v` prints it: `map[a:1 b:[x y]]`.
pub(super) struct GoValue<'a>(pub(super) &'a Value);

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

fn number(f: &mut Formatter<'_>, number: &serde_json::Number) -> fmt::Result {
    match number.as_f64() {
        Some(float) if number.is_f64() => {
            let size = float.abs();
            if size != 0.0 && !(1e-4..1e21).contains(&size) {
                let text = format!("{float:e}");
                let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let (sign, exponent) = match exponent.strip_prefix('-') {
                    Some(exponent) => ('-', exponent),
                    None => ('+', exponent),
                };
                write!(f, "{digits}e{sign}{exponent:0>2}")
            } else {
                write!(f, "{float}")
            }
        }
        _ => write!(f, "{number}"),
    }
}

/// A value as Go's `%#v` prints it: `map[string]interface {}{"a":1}`.
pub(super) struct GoSyntax<'a>(pub(super) &'a Value);

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

/// Text as Go's `%q` prints it, as far as JSON's quoting agrees with it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if u32::from(c) < 0x20 || u32::from(c) == 0x7f => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The name of the Go type that holds the value.
pub(super) fn type_name(value: &Value) -> &'static str {
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

/// The name of the JSON type in Go's decoding errors.
pub(super) fn json_kind(value: &Value) -> &'static str {
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
    use serde_json::json;

    #[test]
    fn values_print_as_go_prints_them() {
        for (value, plain, syntax) in [
            (json!(null), "<nil>", "interface {}(nil)"),
            (json!(1), "1", "1"),
            (json!(-1.5), "-1.5", "-1.5"),
            (json!(1e21), "1e+21", "1e+21"),
            (json!(0.00001), "1e-05", "1e-05"),
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
}
