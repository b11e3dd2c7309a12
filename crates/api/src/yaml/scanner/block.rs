//! Literal (`|`) and folded (`>`) block scalars.

use std::borrow::Cow;

use super::super::error::{Mark, YamlError};
use super::{Kind, Scanner, Style, Token};

/// How trailing line breaks are treated.
#[derive(Clone, Copy, PartialEq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

impl Scanner<'_> {
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<(), YamlError> {
        let start = self.mark();
        self.pos += 1;
        let (chomp, increment) = self.block_header(start)?;
        let mut indent = match increment {
            0 => 0,
            n => self.indent.max(0) + n,
        };
        let (mut text, mut first, mut more) = (String::new(), "", String::new());
        self.block_breaks(&mut indent, &mut more, start)?;
        let mut leading_blank = false;
        while self.pos < self.text.len() && self.column() == indent {
            let blank = self.is_blank(0);
            // Folding joins two lines if neither is indented or empty.
            if !literal && first == "\n" && !leading_blank && !blank {
                if more.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(first);
            }
            text.push_str(&more);
            more.clear();
            leading_blank = blank;
            let from = self.pos;
            self.skip_to_break();
            text.push_str(&self.text[from..self.pos]);
            first = self.take_break();
            self.block_breaks(&mut indent, &mut more, start)?;
        }
        if chomp != Chomp::Strip {
            text.push_str(first);
        }
        if chomp == Chomp::Keep {
            text.push_str(&more);
        }
        self.tokens.push_back(Token {
            kind: Kind::Scalar(Cow::Owned(text), Style::Quoted),
            mark: start,
        });
        Ok(())
    }

    /// Reads a header such as `|2-` and the rest of its line. Returns the chomping and the indentation, which is 0 if
    /// it must be detected.
    fn block_header(&mut self, start: Mark) -> Result<(Chomp, isize), YamlError> {
        let mut chomp = self.chomping();
        let mut increment = 0;
        if self.byte(0).is_ascii_digit() {
            // The indicator 0 is not allowed; no indicator means that the indentation is detected.
            if self.byte(0) == b'0' {
                return Err(self.error_from(start, "found an indentation indicator equal to 0"));
            }
            increment = isize::from(self.byte(0) - b'0');
            self.pos += 1;
            if chomp.is_none() {
                chomp = self.chomping();
            }
        }
        self.skip_blanks();
        self.skip_comment();
        if !self.is_breakz(0) {
            return Err(self.error_from(start, "did not find expected comment or line break"));
        }
        self.take_break();
        Ok((chomp.unwrap_or(Chomp::Clip), increment))
    }

    fn chomping(&mut self) -> Option<Chomp> {
        let chomp = match self.byte(0) {
            b'+' => Chomp::Keep,
            b'-' => Chomp::Strip,
            _ => return None,
        };
        self.pos += 1;
        Some(chomp)
    }

    /// Skips indentation and empty lines. Detects the indentation if it is still 0.
    fn block_breaks(
        &mut self,
        indent: &mut isize,
        breaks: &mut String,
        start: Mark,
    ) -> Result<(), YamlError> {
        let mut widest = 0;
        loop {
            let mut column = self.column();
            while (*indent == 0 || column < *indent) && self.byte(0) == b' ' {
                self.pos += 1;
                column += 1;
            }
            widest = widest.max(column);
            // YAML allows tabs in content, but never in indentation.
            if (*indent == 0 || column < *indent) && self.byte(0) == b'\t' {
                let problem = "found a tab character where an indentation space is expected";
                return Err(self.error_from(start, problem));
            }
            if self.break_len(0) == 0 {
                break;
            }
            breaks.push_str(self.take_break());
        }
        // The first line that is not empty determines the indentation.
        if *indent == 0 {
            *indent = widest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
