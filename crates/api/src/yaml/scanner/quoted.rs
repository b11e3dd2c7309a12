//! Single- and double-quoted scalars with their escapes and folded lines.

use super::super::error::{Mark, YamlError};
use super::text::{Content, Gap};
use super::{Kind, Scanner, Style, Token};

impl<'a> Scanner<'a> {
    pub(super) fn scan_quoted(&mut self, single: bool) -> Result<(), YamlError> {
        let start = self.mark();
        self.pos += 1;
        let quote = if single { b'\'' } else { b'"' };
        let mut content = Content::new(self.text, self.pos);
        loop {
            if self.at_document_indicator() {
                return Err(self.error_from(start, "found unexpected document indicator"));
            }
            if self.pos >= self.text.len() {
                return Err(self.error_from(start, "found unexpected end of stream"));
            }
            let mut gap = Gap::default();
            if self.quoted_word(&mut content, single, start)? {
                gap.first = Some("");
            } else if self.byte(0) == quote {
                break;
            }
            self.quoted_gap(&mut gap);
            if gap.first == Some("") {
                // After an escaped line break, only empty lines are folded.
                let more = std::mem::take(&mut gap.more);
                content.push_str(&more);
            } else {
                content.join(&mut gap);
            }
        }
        self.pos += 1;
        self.tokens.push_back(Token {
            kind: Kind::Scalar(content.finish(), Style::Quoted),
            mark: start,
        });
        Ok(())
    }

    /// Reads up to white space or the closing quote. Returns true after an escaped line break.
    fn quoted_word(
        &mut self,
        content: &mut Content<'a>,
        single: bool,
        start: Mark,
    ) -> Result<bool, YamlError> {
        loop {
            let from = self.pos;
            self.skip_quoted_run();
            content.push_range(from, self.pos);
            match self.byte(0) {
                b'\'' if single && self.byte(1) == b'\'' => {
                    content.push('\'');
                    self.pos += 2;
                }
                b'\'' if single => return Ok(false),
                b'"' if !single => return Ok(false),
                b'\\' if !single && self.break_len(1) > 0 => {
                    self.pos += 1;
                    self.take_break();
                    return Ok(true);
                }
                b'\\' if !single => self.escape(content, start)?,
                _ if self.is_blankz(0) => return Ok(false),
                _ => {
                    content.push_range(self.pos, self.pos + 1);
                    self.pos += 1;
                }
            }
        }
    }

    fn skip_quoted_run(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.pos) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b'\'' | b'"' | b'\\' => return,
                0xC2 | 0xE2 if self.break_len(0) > 0 => return,
                _ => self.pos += 1,
            }
        }
    }

    fn quoted_gap(&mut self, gap: &mut Gap<'a>) {
        let from = self.pos;
        while self.take_space(gap, from) {}
    }

    fn escape(&mut self, content: &mut Content<'a>, start: Mark) -> Result<(), YamlError> {
        let digits = match self.byte(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            other => {
                let Some(character) = simple_escape(other) else {
                    return Err(self.error_from(start, "found unknown escape character"));
                };
                content.push(character);
                self.pos += 2;
                return Ok(());
            }
        };
        self.pos += 2;
        let mut code: u32 = 0;
        for at in 0..digits {
            let Some(digit) = char::from(self.byte(at)).to_digit(16) else {
                return Err(self.error_from(start, "did not find expected hexadecimal number"));
            };
            code = (code << 4) | digit;
        }
        let Some(character) = char::from_u32(code) else {
            return Err(self.error_from(start, "found invalid Unicode character escape code"));
        };
        content.push(character);
        self.pos += digits;
        Ok(())
    }
}

/// Returns the character of a one-letter escape. `\/` comes from JSON rather than YAML 1.1.
fn simple_escape(letter: u8) -> Option<char> {
    Some(match letter {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0B',
        b'f' => '\x0C',
        b'r' => '\r',
        b'e' => '\x1B',
        b' ' => ' ',
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'N' => '\u{85}',
        b'_' => '\u{A0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        _ => return None,
    })
}
