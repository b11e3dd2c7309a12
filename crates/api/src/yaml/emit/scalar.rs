//! Writes strings in each of the four styles.

use super::analyze::{is_break, is_printable};
use super::{BEST_WIDTH, Emitter};

impl Emitter<'_> {
    fn put_char(&mut self, c: char) {
        let mut buffer = [0; 4];
        self.out
            .extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
        self.column += 1;
        self.fresh = false;
    }

    /// Writes text that needs no escapes.
    fn put_run(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
        self.column += match text.is_ascii() {
            true => text.len(),
            false => text.chars().count(),
        };
        self.fresh = false;
    }

    /// Writes a line break of the content; only LF starts a new line of output.
    fn put_break(&mut self, c: char) {
        let mut buffer = [0; 4];
        self.out
            .extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
        self.column = 0;
        self.fresh = true;
    }

    /// Returns true if the text fits on the line and need not be folded.
    fn fits(&self, text: &str) -> bool {
        self.column + text.len() <= BEST_WIDTH
    }

    pub(super) fn plain(&mut self, text: &str, indent: usize, fold: bool) {
        // The usual case: no character needs to be examined.
        if !fold || self.fits(text) {
            self.put_run(text);
            return;
        }
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            // go-yaml folds at the first single space after column 80.
            let folds = c == ' '
                && !after_space
                && self.column > BEST_WIDTH
                && text.as_bytes().get(at + 1) != Some(&b' ');
            if folds {
                self.new_line(indent);
            } else {
                self.put_char(c);
            }
            after_space = c == ' ';
        }
    }

    pub(super) fn single_quoted(&mut self, text: &str, indent: usize, fold: bool) {
        self.put("'");
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            let next = text.as_bytes().get(at + 1);
            let folds = c == ' '
                && fold
                && !after_space
                && self.column > BEST_WIDTH
                && at > 0
                && next.is_some_and(|b| *b != b' ');
            if folds {
                self.new_line(indent);
            } else if is_break(c) {
                self.put_break(c);
            } else {
                if self.fresh && c != ' ' {
                    self.pad(indent);
                }
                // A quote within single quotes is doubled.
                if c == '\'' {
                    self.put("'");
                }
                self.put_char(c);
            }
            after_space = c == ' ';
        }
        self.put("'");
    }

    pub(super) fn double_quoted(&mut self, text: &str, indent: usize, fold: bool) {
        self.put("\"");
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            if !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                self.escaped(c);
                after_space = false;
                continue;
            }
            let next = text.as_bytes().get(at + 1);
            if c == ' '
                && fold
                && !after_space
                && self.column > BEST_WIDTH
                && at > 0
                && next.is_some()
            {
                self.new_line(indent);
                // The space is escaped, because a folded line loses its leading blanks.
                if next == Some(&b' ') {
                    self.put("\\");
                }
            } else {
                self.put_char(c);
            }
            after_space = c == ' ';
        }
        self.put("\"");
    }

    fn escaped(&mut self, c: char) {
        let short = match c {
            '\0' => "\\0",
            '\x07' => "\\a",
            '\x08' => "\\b",
            '\t' => "\\t",
            '\n' => "\\n",
            '\x0B' => "\\v",
            '\x0C' => "\\f",
            '\r' => "\\r",
            '\x1B' => "\\e",
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{85}' => "\\N",
            '\u{A0}' => "\\_",
            '\u{2028}' => "\\L",
            '\u{2029}' => "\\P",
            _ => {
                let code = u32::from(c);
                let text = match code {
                    0..=0xFF => format!("\\x{code:02X}"),
                    0x100..=0xFFFF => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                };
                return self.put(&text);
            }
        };
        self.put(short);
    }

    pub(super) fn literal(&mut self, text: &str, indent: usize) {
        self.put("|");
        // A text that begins with a blank needs an explicit indentation.
        if text.starts_with(|c: char| c == ' ' || is_break(c)) {
            self.put("2");
        }
        let mut back = text.chars().rev();
        // `-` stands for no line break at the end, `+` for more than one.
        if !back.next().is_some_and(is_break) {
            self.put("-");
        } else if back.next().is_none_or(is_break) {
            self.put("+");
        }
        self.put_break('\n');
        let mut rest = text;
        while !rest.is_empty() {
            let len = rest.find(is_break).unwrap_or(rest.len());
            let (line, tail) = rest.split_at(len);
            if !line.is_empty() {
                self.pad(indent);
                self.put_run(line);
            }
            let mut chars = tail.chars();
            if let Some(c) = chars.next() {
                self.put_break(c);
            }
            rest = chars.as_str();
        }
    }
}
