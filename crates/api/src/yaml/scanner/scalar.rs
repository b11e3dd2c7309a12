//! Plain scalars and anchors: words without quotes.

use super::super::error::YamlError;
use super::text::{Content, Gap};
use super::{Kind, Scanner, Style, Token};

impl<'a> Scanner<'a> {
    pub(super) fn scan_plain(&mut self) -> Result<(), YamlError> {
        let start = self.mark();
        let indent = self.indent + 1;
        let mut content = Content::new(self.text, self.pos);
        let mut gap = Gap::default();
        loop {
            if self.byte(0) == b'#' || self.at_document_indicator() {
                break;
            }
            let from = self.pos;
            self.skip_plain_word();
            if self.pos > from {
                content.join(&mut gap);
                content.push_range(from, self.pos);
            }
            if !self.is_blank(0) && self.break_len(0) == 0 {
                break;
            }
            self.plain_gap(&mut gap, indent, start)?;
            if self.flow == 0 && gap.first.is_some() && self.column() < indent {
                break;
            }
        }
        if gap.first.is_some() {
            self.key_allowed = true;
        }
        self.tokens.push_back(Token {
            kind: Kind::Scalar(content.finish(), Style::Plain),
            mark: start,
        });
        Ok(())
    }

    /// Skips the characters of a plain scalar up to white space or an indicator that ends it.
    fn skip_plain_word(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.pos) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => return,
                b':' if self.is_blankz(1) => return,
                b',' | b'?' | b'[' | b']' | b'{' | b'}' if self.flow > 0 => return,
                0xC2 | 0xE2 if self.break_len(0) > 0 => return,
                _ => self.pos += 1,
            }
        }
    }

    fn plain_gap(
        &mut self,
        gap: &mut Gap<'a>,
        indent: isize,
        start: super::super::error::Mark,
    ) -> Result<(), YamlError> {
        let from = self.pos;
        loop {
            if self.byte(0) == b'\t' && gap.first.is_some() && self.column() < indent {
                let problem = "found a tab character that violates indentation";
                return Err(self.error_from(start, problem));
            }
            if !self.take_space(gap, from) {
                return Ok(());
            }
        }
    }

    /// Adds a blank or a line break to the gap that begins at `from`. Returns false for anything else.
    pub(super) fn take_space(&mut self, gap: &mut Gap<'a>, from: usize) -> bool {
        if self.is_blank(0) {
            self.pos += 1;
            if gap.first.is_none() {
                gap.blanks = Some((from, self.pos));
            }
        } else if self.break_len(0) > 0 {
            let read = self.take_break();
            match gap.first {
                None => gap.first = Some(read),
                Some(_) => gap.more.push_str(read),
            }
        } else {
            return false;
        }
        true
    }

    pub(super) fn scan_anchor(&mut self, alias: bool) -> Result<(), YamlError> {
        let mark = self.mark();
        self.pos += 1;
        let from = self.pos;
        while self.is_word() {
            self.pos += 1;
        }
        let name = &self.text[from..self.pos];
        let ends = self.is_blankz(0)
            || matches!(
                self.byte(0),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if name.is_empty() || !ends {
            let problem = "did not find expected alphabetic or numeric character";
            return Err(self.error_from(mark, problem));
        }
        let kind = if alias {
            Kind::Alias(name)
        } else {
            Kind::Anchor(name)
        };
        self.tokens.push_back(Token { kind, mark });
        Ok(())
    }
}
