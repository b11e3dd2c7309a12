//! Writes values as `kubectl get -o yaml` does: block style, natural key order, lines folded at column 80.

mod analyze;
mod order;
mod scalar;

use super::float::format_g;
use crate::json::{Map, Number, Text, Value};
use analyze::Style;

/// The column after which a space becomes a line break.
const BEST_WIDTH: usize = 80;
/// The maximum length in bytes of a key without a leading `? `.
const MAX_SIMPLE_KEY: usize = 128;

/// Appends a value as a YAML document.
pub fn emit(value: &Value, out: &mut Vec<u8>) {
    let mut emitter = Emitter {
        out,
        column: 0,
        fresh: true,
    };
    match value {
        Value::Object(map) if !map.is_empty() => emitter.mapping(map, 0),
        Value::Array(items) if !items.is_empty() => emitter.sequence(items, 0),
        other => emitter.leaf(other, 2, true),
    }
    emitter.new_line(0);
    // Only a literal that ends in a line break other than LF has no LF here.
    if !emitter.out.ends_with(b"\n") {
        // A final LF would be read as another line break of that literal.
        emitter.out.extend_from_slice(b"...\n");
    }
}

/// Returns a value as a YAML document.
pub fn to_string(value: &Value) -> String {
    let mut out = Vec::with_capacity(1024);
    emit(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Returns true if a string is written as a literal block (`|`).
pub(super) fn is_literal(text: &str) -> bool {
    matches!(
        analyze::style(text, &analyze::analyze(text)),
        Style::Literal
    )
}

/// The output, and the current column in its last line.
struct Emitter<'o> {
    out: &'o mut Vec<u8>,
    column: usize,
    /// True at the start of a line.
    fresh: bool,
}

impl Emitter<'_> {
    /// Ends the current line, if it has content, and indents the next one.
    fn new_line(&mut self, indent: usize) {
        if !self.fresh {
            self.out.push(b'\n');
            self.column = 0;
        }
        self.pad(indent);
        self.fresh = indent == 0 && self.column == 0;
    }

    fn pad(&mut self, indent: usize) {
        // Writes many spaces at once, because deep objects consist mostly of indentation.
        const SPACES: [u8; 64] = [b' '; 64];
        while self.column < indent {
            let count = (indent - self.column).min(SPACES.len());
            self.out.extend_from_slice(&SPACES[..count]);
            self.column += count;
        }
    }

    /// Writes ASCII text.
    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
        self.column += text.len();
        self.fresh = false;
    }

    /// Writes a space unless the line is empty or ends in one.
    fn space(&mut self) {
        if !self.fresh && self.out.last().is_some_and(|b| !matches!(b, b' ' | b'\n')) {
            self.put(" ");
        }
    }

    /// Writes a map whose first key goes on the current line, or on a new line at `indent`.
    fn mapping(&mut self, map: &Map, indent: usize) {
        // Nearly every map is already in this order.
        match order::sorted(map) {
            None => map
                .iter()
                .enumerate()
                .for_each(|(i, (key, value))| self.entry(i, key, value, indent)),
            Some(entries) => {
                entries
                    .into_iter()
                    .enumerate()
                    .for_each(|(i, (key, value))| self.entry(i, key, value, indent));
            }
        }
    }

    fn entry(&mut self, index: usize, key: &Text, value: &Value, indent: usize) {
        if index > 0 {
            self.new_line(indent);
        } else {
            self.pad(indent);
        }
        let analysis = analyze::analyze(key);
        // A key that is too long or spans several lines needs the explicit form.
        if key.len() > MAX_SIMPLE_KEY || analysis.multiline {
            self.put("?");
            self.scalar(key, analyze::style(key, &analysis), indent + 2, true);
            self.new_line(indent);
            self.put(":");
            self.inline_node(value, indent);
            return;
        }
        // kubectl writes this key plain and cannot read it back. Quotes preserve it.
        let style = if key == "<<" {
            Style::Double
        } else {
            analyze::style(key, &analysis)
        };
        self.scalar(key, style, indent + 2, false);
        self.put(":");
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.new_line(indent + 2);
                self.mapping(map, indent + 2);
            }
            Value::Array(items) if !items.is_empty() => {
                // kubectl does not indent a list below its key.
                self.new_line(indent);
                self.sequence(items, indent);
            }
            other => self.leaf(other, indent + 2, true),
        }
    }

    fn sequence(&mut self, items: &[Value], indent: usize) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.new_line(indent);
            } else {
                self.pad(indent);
            }
            self.put("-");
            self.inline_node(item, indent);
        }
    }

    /// Writes a node on the same line as its dash or colon.
    fn inline_node(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Object(map) if !map.is_empty() => self.mapping(map, indent + 2),
            Value::Array(items) if !items.is_empty() => self.sequence(items, indent + 2),
            other => self.leaf(other, indent + 2, true),
        }
    }

    /// Writes any value except a non-empty list or map.
    fn leaf(&mut self, value: &Value, indent: usize, fold: bool) {
        match value {
            Value::String(text) => {
                let analysis = analyze::analyze(text);
                self.scalar(text, analyze::style(text, &analysis), indent, fold);
            }
            other => {
                self.space();
                match other {
                    Value::Null => self.put("null"),
                    Value::Bool(true) => self.put("true"),
                    Value::Bool(false) => self.put("false"),
                    Value::Number(number) => self.number(number),
                    Value::Array(_) => self.put("[]"),
                    _ => self.put("{}"),
                }
            }
        }
    }

    /// Writes a number as Go writes it after a round trip through JSON.
    fn number(&mut self, number: &Number) {
        let text = match number.as_f64() {
            // Go writes whole floats that fit into 64 bits without a fraction.
            Some(float) if number.is_f64() => {
                if float.fract() == 0.0
                    && (-9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&float)
                {
                    let digits = format!("{float}");
                    // A zero that went through an integer loses its sign in Go's JSON.
                    if digits == "-0" {
                        "0".to_owned()
                    } else {
                        digits
                    }
                } else {
                    format_g(float)
                }
            }
            _ => number.to_string(),
        };
        self.put(&text);
    }

    fn scalar(&mut self, text: &str, style: Style, indent: usize, fold: bool) {
        self.space();
        match style {
            Style::Plain => self.plain(text, indent, fold),
            Style::Single => self.single_quoted(text, indent, fold),
            Style::Double => self.double_quoted(text, indent, fold),
            Style::Literal => self.literal(text, indent),
        }
    }
}
