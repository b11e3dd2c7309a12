//! Reads and skips characters, and tracks lines and columns.

use super::super::error::Mark;
use super::{CommentToken, Scanner};

/// Returns true for bytes that can begin a line break: LF, CR, and the first bytes of NEL, LS and PS.
pub(super) fn may_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2)
}

impl<'a> Scanner<'a> {
    /// Returns the byte at an offset from the current position, or 0 at the end (the text contains no NUL).
    #[inline]
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.pos + ahead)
            .copied()
            .unwrap_or(0)
    }

    /// Returns the length of the line break at `ahead`, or 0 if there is none.
    #[inline]
    pub(super) fn break_len(&self, ahead: usize) -> usize {
        match self.byte(ahead) {
            b'\n' => 1,
            b'\r' => 1 + usize::from(self.byte(ahead + 1) == b'\n'),
            0xC2 if self.byte(ahead + 1) == 0x85 => 2,
            // LS and PS differ only in the last bit.
            0xE2 if self.byte(ahead + 1) == 0x80 && self.byte(ahead + 2) & 0xFE == 0xA8 => 3,
            _ => 0,
        }
    }

    #[inline]
    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    /// Returns true at a blank, a line break or the end.
    #[inline]
    pub(super) fn is_blankz(&self, ahead: usize) -> bool {
        match self.byte(ahead) {
            b' ' | b'\t' | 0 => true,
            byte => may_break(byte) && self.break_len(ahead) > 0,
        }
    }

    /// Returns true at a line break or the end.
    #[inline]
    pub(super) fn is_breakz(&self, ahead: usize) -> bool {
        match self.byte(ahead) {
            0 => true,
            byte => may_break(byte) && self.break_len(ahead) > 0,
        }
    }

    /// Returns the current position in amortized constant time: each byte of a line is counted once.
    pub(super) fn mark(&mut self) -> Mark {
        let (from, count) = self.counted;
        // Skips continuation bytes, because columns count characters.
        let bytes = &self.text.as_bytes()[from..self.pos.max(from)];
        let column = count + bytes.iter().filter(|b| **b & 0xC0 != 0x80).count();
        self.counted = (self.pos.max(from), column);
        Mark {
            line: self.line,
            column,
        }
    }

    /// Returns the current column, for comparison with an indentation.
    pub(super) fn column(&mut self) -> isize {
        super::column(self.mark())
    }

    /// Skips the line break and returns its text: LF, except for LS and PS.
    pub(super) fn take_break(&mut self) -> &'a str {
        let len = self.break_len(0);
        let raw = &self.text[self.pos..self.pos + len];
        self.pos += len;
        if len > 0 {
            self.line += 1;
            self.counted = (self.pos, 0);
        }
        match len {
            0 => "",
            3 => raw,
            _ => "\n",
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.pos += 1;
        }
    }

    /// Skips the comment that starts here, if any, up to the end of the line.
    pub(super) fn skip_comment(&mut self) {
        if self.byte(0) != b'#' {
            return;
        }
        let from = self.pos;
        let mark = self.comments.is_some().then(|| self.mark());
        self.skip_to_break();
        if let (Some(mark), Some(comments)) = (mark, &mut self.comments) {
            // A comment on a line of its own belongs to the line below.
            let before = self.text[..from].trim_end_matches([' ', '\t', '\u{feff}']);
            let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
            comments.push(CommentToken {
                mark,
                alone: before.is_empty() || before.ends_with(breaks),
                text: &self.text[from..self.pos],
            });
        }
    }

    pub(super) fn skip_to_break(&mut self) {
        while !self.is_breakz(0) {
            self.pos += 1;
        }
    }

    /// Returns true if this line starts with `---` or `...`.
    pub(super) fn at_document_indicator(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.pos..];
        (rest.starts_with(b"---") || rest.starts_with(b"..."))
            && self.is_blankz(3)
            && self.column() == 0
    }

    /// Returns true at a letter, a digit, `_` or `-`.
    pub(super) fn is_word(&self) -> bool {
        matches!(self.byte(0), b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-')
    }
}
