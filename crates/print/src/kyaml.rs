//! KYAML: YAML in flow style, with unquoted keys if that is safe, and strings always in double quotes.

use super::json::float;
use super::order::Tree;
use crate::api::go::is_printable;
use crate::api::json::Value;

/// Formats a value as a KYAML document, with a `---` line.
pub(crate) fn to_string<'a>(value: impl Tree<'a>) -> String {
    let mut out = String::from("---\n");
    node(&mut out, value, 0);
    out.push('\n');
    out
}

fn indent(out: &mut String, level: usize) {
    out.extend(std::iter::repeat_n("  ", level));
}

fn node<'a>(out: &mut String, tree: impl Tree<'a>, level: usize) {
    match tree.value() {
        Value::Object(_) => mapping(out, tree.fields(), level),
        Value::Array(_) => sequence(out, &tree.items(), level),
        Value::String(text) => quoted(out, text, level + 1),
        Value::Number(number) => match number.as_f64() {
            Some(value) if number.is_f64() => out.push_str(&float(value)),
            _ => out.push_str(&number.to_string()),
        },
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
    }
}

fn mapping<'a>(out: &mut String, fields: Vec<(&'a str, impl Tree<'a>)>, level: usize) {
    if fields.is_empty() {
        return out.push_str("{}");
    }
    out.push_str("{\n");
    for (name, value) in fields {
        indent(out, level + 1);
        if is_bare(name) {
            out.push_str(name);
        } else {
            out.push('"');
            name.chars().for_each(|c| escape(out, c, "\\n"));
            out.push('"');
        }
        out.push_str(": ");
        node(out, value, level + 1);
        // Every entry ends with a comma, even the last one, which keeps diffs small.
        out.push_str(",\n");
    }
    indent(out, level);
    out.push('}');
}

fn sequence<'a>(out: &mut String, items: &[impl Tree<'a>], level: usize) {
    if items.is_empty() {
        return out.push_str("[]");
    }
    out.push('[');
    // kubectl joins the brackets of a list if it contains only maps and lists. With a scalar in it, each item is on a
    // line of its own.
    let is_joined = |item: &Value| item.is_object() || item.is_array();
    if items.iter().all(|item| is_joined(item.value())) {
        for (at, item) in items.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { ", " });
            node(out, *item, level);
        }
    } else {
        out.push('\n');
        for item in items {
            indent(out, level + 1);
            node(out, *item, level + 1);
            out.push_str(",\n");
        }
        indent(out, level);
    }
    out.push(']');
}

/// Writes a string in double quotes; a string of several lines is written line by line.
fn quoted(out: &mut String, text: &str, level: usize) {
    out.push('"');
    let many = text.contains('\n');
    if many {
        out.push_str("\\\n");
    }
    let mut fresh = many;
    for c in text.chars() {
        if fresh {
            indent(out, level);
            // White space at the start of a line would be lost unless it is escaped.
            out.push(if c == ' ' || c == '\t' { '\\' } else { ' ' });
        }
        escape(out, c, if many { "\\n\\\n" } else { "\\n" });
        fresh = many && c == '\n';
    }
    if many {
        if !fresh {
            out.push_str("\\\n");
        }
        indent(out, level);
    }
    out.push('"');
}

fn escape(out: &mut String, c: char, line_feed: &str) {
    let short = match c {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\n' => line_feed,
        '\u{7}' => "\\a",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        '\r' => "\\r",
        '\u{b}' => "\\v",
        '\0' => "\\0",
        '\u{1b}' => "\\e",
        '\u{85}' => "\\N",
        '\u{a0}' => "\\_",
        '\u{2028}' => "\\L",
        '\u{2029}' => "\\P",
        '\t' => "\t",
        c if is_printable(c) => return out.push(c),
        c => {
            let code = u32::from(c);
            return out.push_str(&match code {
                _ if code < 0x20 || code == 0x7f => format!("\\x{code:02x}"),
                _ if code < 0x10000 => format!("\\u{code:04x}"),
                _ => format!("\\U{code:08x}"),
            });
        }
    };
    out.push_str(short);
}

/// Returns true if a key needs no quotes: it has only letters, digits and a few signs, and reads as no other type.
fn is_bare(key: &str) -> bool {
    let last = key.chars().count().saturating_sub(1);
    let allowed = |(at, c): (usize, char)| {
        c.is_alphabetic()
            || c.is_numeric()
            || c == '_'
            || (0 < at && at < last && matches!(c, '-' | '.' | '/'))
    };
    !key.is_empty() && key.chars().enumerate().all(allowed) && !reads_as_another_type(key)
}

/// Returns true if any YAML parser would read a plain word as null, a boolean, a number or a time.
fn reads_as_another_type(word: &str) -> bool {
    // Includes the words of YAML 1.1, because KYAML must have the same meaning for every parser.
    const WORDS: [&str; 16] = [
        "null", "true", "false", "t", "f", "y", "n", "yes", "no", "on", "off", "inf", "infinity",
        "nan", "0", "1",
    ];
    let lower = word.to_lowercase();
    if WORDS.contains(&lower.as_str()) || is_date(word) {
        return true;
    }
    // YAML 1.1 allows underscores in numbers.
    let plain = lower.replace('_', "");
    is_based_integer(&plain) || is_number(&plain)
}

fn is_based_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let based = [("0x", 16), ("0o", 8), ("0b", 2), ("0", 8)];
    based.iter().any(|(prefix, radix)| {
        digits
            .strip_prefix(prefix)
            .is_some_and(|rest| i64::from_str_radix(rest, *radix).is_ok())
    })
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.') && text.parse::<f64>().is_ok()
}

/// Returns true for `2026-01-31` and texts that start like it.
fn is_date(word: &str) -> bool {
    let mut parts = word.splitn(3, '-');
    let mut number = |digits: std::ops::RangeInclusive<usize>, highest: u32| {
        let part = parts.next().unwrap_or_default();
        digits.contains(&part.len())
            && part.bytes().all(|b| b.is_ascii_digit())
            && part.parse().is_ok_and(|n: u32| n <= highest)
    };
    number(4..=4, 9999) && number(1..=2, 12) && number(1..=2, 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn kyaml_uses_braces_bare_keys_and_quoted_strings() {
        let value = json!({
            "apiVersion": "v1", "data": {"a.b/c": "x", "no": "y", "": "z", "-a": "b", "2026-01-01": "d", "0x1f": "h"},
            "items": [{"a": 1}, {"b": [1.0, null, true]}], "none": {}, "empty": [], "nested": [["a"], []],
        });
        assert_eq!(
            to_string(&value),
            "---\n{\n  apiVersion: \"v1\",\n  data: {\n    \"\": \"z\",\n    \"-a\": \"b\",\n    \
             \"0x1f\": \"h\",\n    \"2026-01-01\": \"d\",\n    a.b/c: \"x\",\n    \"no\": \"y\",\n  },\n  \
             empty: [],\n  items: [{\n    a: 1,\n  }, {\n    b: [\n      1,\n      null,\n      true,\n    ],\n  }],\n  \
             nested: [[\n    \"a\",\n  ], []],\n  none: {},\n}\n"
        );
    }

    #[test]
    fn texts_of_several_lines_keep_their_shape() {
        let value =
            json!({"a": "one\n  two\n\n\tthree", "b": "x\n", "c": "t\tq\"\\\u{1b}\u{2028}\u{1}"});
        assert_eq!(
            to_string(&value),
            "---\n{\n  a: \"\\\n     one\\n\\\n    \\  two\\n\\\n     \\n\\\n    \\\tthree\\\n    \",\n  \
             b: \"\\\n     x\\n\\\n    \",\n  c: \"t\tq\\\"\\\\\\e\\L\\x01\",\n}\n"
        );
    }

    #[test]
    fn ambiguous_keys_are_quoted() {
        for key in [
            "name",
            "a-b",
            "app.kubernetes.io/name",
            "_x",
            "v1",
            "straße",
            "1a",
            "e3",
        ] {
            assert!(is_bare(key), "{key}");
        }
        for key in [
            "", "~", "Null", "YES", "off", "1", "1_000", "0b11", "0o17", "017", "1e3", "1.5",
            "NaN", "a b", "a:", ".a", "a-", "2026-1-2", "T", "Infinity",
        ] {
            assert!(!is_bare(key), "{key}");
        }
    }

    #[test]
    fn written_values_read_back_equal() {
        let value =
            json!({"a": "one\n  two\n\n\tthree\r\n", "yes": ["", " x ", "\u{85}é"], "n": -1.5e30});
        let read = crate::api::yaml::parse_one(
            to_string(&value).as_bytes(),
            crate::api::yaml::Mode::Strict,
        );
        assert_eq!(read.unwrap(), Some(value));
    }
}
