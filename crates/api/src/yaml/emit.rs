//! Writes values as `kubectl get -o yaml` does: block style, natural key order, lines folded at column 80.

mod analyze;
mod order;
mod scalar;
mod transcribe;

use super::float::format_g;
use crate::json::{Number, Text, Value};
use analyze::Style;

pub use transcribe::{Change, transcribe};

/// The column after which a space becomes a line break.
const BEST_WIDTH: usize = 80;
/// The maximum length in bytes of a key without a leading `? `.
const MAX_SIMPLE_KEY: usize = 128;

/// Appends a value as a YAML document.
pub fn emit(value: &Value, out: &mut Vec<u8>) {
    let mut emitter = Emitter::new(out);
    emitter.node(value, Place::Root);
    emitter.end();
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

/// The place of a value, with the indentation of its parent.
#[derive(Clone, Copy)]
enum Place {
    Root,
    /// Behind a key, where only scalars and empty values follow on the same line.
    AfterKey(usize),
    /// Behind a dash or the colon of an explicit key, where every value begins on the same line.
    SameLine(usize),
}

impl<'o> Emitter<'o> {
    fn new(out: &'o mut Vec<u8>) -> Self {
        Self {
            out,
            column: 0,
            fresh: true,
        }
    }

    /// Ends the document.
    fn end(&mut self) {
        self.new_line(0);
        // Only a literal that ends in a line break other than LF has no LF here.
        if !self.out.ends_with(b"\n") {
            // A final LF would be read as another line break of that literal.
            self.out.extend_from_slice(b"...\n");
        }
    }

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

    /// Writes a value in its place.
    fn node(&mut self, value: &Value, place: Place) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                let indent = self.open_map(place);
                // Nearly every map is already in this order.
                match order::sorted(map) {
                    None => self.entries(map.iter(), indent),
                    Some(entries) => self.entries(entries.into_iter(), indent),
                }
            }
            Value::Array(items) if !items.is_empty() => {
                let indent = self.open_list(place);
                for (index, item) in items.iter().enumerate() {
                    let place = self.dash(index == 0, indent);
                    self.node(item, place);
                }
            }
            Value::String(text) => self.text(text, place),
            Value::Number(number) => self.number(number),
            Value::Null => self.word("null"),
            Value::Bool(true) => self.word("true"),
            Value::Bool(false) => self.word("false"),
            Value::Array(_) => self.word("[]"),
            Value::Object(_) => self.word("{}"),
        }
    }

    fn entries<'v>(&mut self, entries: impl Iterator<Item = (&'v Text, &'v Value)>, indent: usize) {
        for (index, (key, value)) in entries.enumerate() {
            let place = self.key(key, index == 0, indent);
            self.node(value, place);
        }
    }

    /// Begins a map that is not empty. Returns its indentation.
    fn open_map(&mut self, place: Place) -> usize {
        match place {
            Place::Root => 0,
            Place::AfterKey(indent) => {
                self.new_line(indent + 2);
                indent + 2
            }
            Place::SameLine(indent) => indent + 2,
        }
    }

    /// Begins a list that is not empty. Returns its indentation.
    fn open_list(&mut self, place: Place) -> usize {
        match place {
            Place::Root => 0,
            Place::AfterKey(indent) => {
                // kubectl does not indent a list below its key.
                self.new_line(indent);
                indent
            }
            Place::SameLine(indent) => indent + 2,
        }
    }

    /// Goes to the beginning of a key or an item. The first one may be on the line of its parent's key or dash.
    fn begin(&mut self, is_first: bool, indent: usize) {
        if is_first {
            self.pad(indent);
        } else {
            self.new_line(indent);
        }
    }

    /// Writes a key with its colon. Returns the place of its value.
    fn key(&mut self, key: &str, is_first: bool, indent: usize) -> Place {
        self.begin(is_first, indent);
        let analysis = analyze::analyze(key);
        // A key that is too long or spans several lines needs the explicit form.
        if key.len() > MAX_SIMPLE_KEY || analysis.multiline {
            self.put("?");
            self.scalar(key, analyze::style(key, &analysis), indent + 2, true);
            self.new_line(indent);
            self.put(":");
            return Place::SameLine(indent);
        }
        // kubectl writes this key plain and cannot read it back. Quotes preserve it.
        let style = if key == "<<" {
            Style::Double
        } else {
            analyze::style(key, &analysis)
        };
        self.scalar(key, style, indent + 2, false);
        self.put(":");
        Place::AfterKey(indent)
    }

    /// Writes the dash of an item. Returns the place of its value.
    fn dash(&mut self, is_first: bool, indent: usize) -> Place {
        self.begin(is_first, indent);
        self.put("-");
        Place::SameLine(indent)
    }

    fn text(&mut self, text: &str, place: Place) {
        let analysis = analyze::analyze(text);
        let indent = match place {
            Place::Root => 2,
            Place::AfterKey(indent) | Place::SameLine(indent) => indent + 2,
        };
        self.scalar(text, analyze::style(text, &analysis), indent, true);
    }

    /// Writes a word that needs no quotes, or an empty list or map.
    fn word(&mut self, word: &str) {
        self.space();
        self.put(word);
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
        self.word(&text);
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
