//! Writes JSON as `kubectl get -o json` does: indented by four spaces, with sorted keys, `<>&` escaped and numbers in
//! Go's format.

use std::io::{self, Write};

use crate::api::json::Value;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Formats an object, with a final newline.
pub fn to_string(value: &Value) -> String {
    let mut out = indented(value, b"    ");
    out.push('\n');
    out
}

/// Formats an object with this indentation and without a final newline.
pub fn indented(value: &impl Serialize, indent: &[u8]) -> String {
    written(value, GoFormatter(PrettyFormatter::with_indent(indent)))
}

/// Formats an object compactly, as Go's encoder does.
pub fn one_line(value: &impl Serialize) -> String {
    written(value, GoFormatter(CompactFormatter))
}

fn written<F: Formatter>(value: &impl Serialize, formatter: F) -> String {
    let mut bytes = Vec::with_capacity(256);
    // Writing to memory cannot fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    String::from_utf8(bytes).unwrap_or_default()
}

/// Combines the layout of another formatter with Go's strings and numbers.
struct GoFormatter<F>(F);

impl<F: Formatter> Formatter for GoFormatter<F> {
    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        out.write_all(float(value).as_bytes())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        // Nearly every string contains none of these. Go escapes them to make JSON safe within HTML.
        if !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            return out.write_all(text.as_bytes());
        }
        for c in text.chars() {
            match c {
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    write!(out, "\\u{:04x}", u32::from(c))?
                }
                c => write!(out, "{c}")?,
            }
        }
        Ok(())
    }

    // The inner formatter determines the layout.
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

/// Formats a float as Go's JSON encoder does: without an exponent unless the number is tiny or huge.
pub fn float(value: f64) -> String {
    let size = value.abs();
    // In this range, Go's JSON encoder uses no exponent.
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return format!("{value}");
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        // Go writes a plus sign before a positive exponent.
        Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn json_is_indented_by_four_and_escaped_as_go_does() {
        let text = to_string(&json!({"b": [], "a": {"x": "<&>\u{2028}\u{1}\n"}}));
        assert_eq!(
            text,
            "{\n    \"a\": {\n        \"x\": \"\\u003c\\u0026\\u003e\\u2028\\u0001\\n\"\n    },\n    \"b\": []\n}\n"
        );
    }

    #[test]
    fn numbers_are_written_as_go_writes_them() {
        for (value, text) in [
            (json!(1.0), "1"),
            (json!(-1.5), "-1.5"),
            (json!(1e6), "1000000"),
            (json!(1e21), "1e+21"),
            (json!(1.5e-7), "1.5e-7"),
            (json!(0.0), "0"),
            (json!(7), "7"),
        ] {
            assert_eq!(one_line(&value), text);
        }
    }
}
