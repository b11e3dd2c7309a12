//! Scans JSON text token by token, for trees and for other encodings.
//!
//! Must not know: how callers use the tokens.

use std::borrow::Cow;

/// The maximum nesting depth, equal to serde_json's.
const DEPTH: usize = 127;

/// Returns a word whose lowest set bit marks the first of eight bytes that JSON must escape: a quote, a backslash or a
/// control character.
#[inline]
fn escaped_in(word: u64) -> u64 {
    // The well-known test for a zero byte, once per kind of character to escape.
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let quote = zero(word ^ (ONES * u64::from(b'"')));
    let backslash = zero(word ^ (ONES * u64::from(b'\\')));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    // A borrow can set false marks only after the first match.
    (quote | backslash | control) & HIGH
}

fn is_escaped(byte: &u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

/// Counts the bytes before the first one that JSON must escape.
pub fn plain(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let found = escaped_in(u64::from_le_bytes(*word));
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let before = bytes.len() - rest.len();
    before + rest.iter().position(is_escaped).unwrap_or(rest.len())
}

/// Returns true if JSON need not escape any of the bytes. The last word overlaps the one before it, so that short
/// texts, the usual case, need no loop over single bytes.
#[inline]
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let has = |word: &[u8; 8]| escaped_in(u64::from_le_bytes(*word)) != 0;
    if words.iter().any(has) {
        return false;
    }
    match (
        bytes.last_chunk::<8>(),
        rest.first_chunk::<4>(),
        rest.last_chunk::<4>(),
    ) {
        (Some(last), ..) => !has(last),
        (None, Some([a, b, c, d]), Some([e, f, g, h])) => !has(&[*a, *b, *c, *d, *e, *f, *g, *h]),
        _ => !rest.iter().any(is_escaped),
    }
}

/// A position in a JSON text. Methods return `None` at anything unusual, which is left to serde. A copy of the scanner
/// marks a position to return to.
///
/// ```
/// use ctl_api::json::Scanner;
///
/// # fn members() -> Option<()> {
/// let mut json = Scanner::new(br#"{"a":1,"b":{"c":[2]}}"#)?;
/// json.enter()?;
/// let mut parts = Vec::new();
/// while json.has_next(b'}', parts.is_empty())? {
///     parts.push((json.name()?, json.pass()?));
/// }
/// assert_eq!(parts, [("a".into(), "1"), ("b".into(), r#"{"c":[2]}"#)]);
/// # Some(())
/// # }
/// # assert!(members().is_some());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Scanner<'t> {
    /// Returns a scanner at the beginning of a text.
    pub fn new(json: &'t [u8]) -> Option<Self> {
        Some(Self {
            text: std::str::from_utf8(json).ok()?,
            at: 0,
            depth: 0,
        })
    }

    /// Returns the position in the text.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the next byte that is not white space.
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Skips the bracket that opens an object or a list.
    pub fn enter(&mut self) -> Option<()> {
        self.at += 1;
        self.depth += 1;
        // Equal to the limit of serde, so that both readers reject the same texts.
        (self.depth <= DEPTH).then_some(())
    }

    /// Returns true if another item follows, either the first one or after a comma. Otherwise skips the closing
    /// bracket `end`.
    pub fn has_next(&mut self, end: u8, first: bool) -> Option<bool> {
        let next = self.peek()?;
        if next == end {
            self.at += 1;
            self.depth -= 1;
            return Some(false);
        }
        if !first {
            self.take(b',')?;
        }
        Some(true)
    }

    /// Skips a literal such as `true`.
    pub fn word(&mut self, word: &str) -> Option<()> {
        let is_there = self.text[self.at..].starts_with(word);
        is_there.then(|| self.at += word.len())
    }

    /// Returns the characters of a number.
    pub fn number(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let part = |b: u8| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let end = rest.bytes().position(|b| !part(b)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Reads a text up to its closing quote if it contains no escapes.
    fn simple(&mut self) -> Option<&'t str> {
        self.take(b'"')?;
        let start = self.at;
        let end = start + plain(&self.text.as_bytes()[start..]);
        // Steps back to the opening quote, where the slow path starts.
        if self.text.as_bytes().get(end) != Some(&b'"') {
            self.at -= 1;
            return None;
        }
        self.at = end + 1;
        Some(&self.text[start..end])
    }

    /// Reads a text.
    pub fn string(&mut self) -> Option<Cow<'t, str>> {
        // Nearly every text has no escapes.
        if let Some(text) = self.simple() {
            return Some(Cow::Borrowed(text));
        }
        let start = self.at;
        self.pass_text()?;
        // Serde resolves escapes, because it handles surrogate pairs.
        let text = serde_json::from_str(&self.text[start..self.at]);
        text.ok().map(Cow::Owned)
    }

    /// Reads a name and the colon after it.
    pub fn name(&mut self) -> Option<Cow<'t, str>> {
        let name = (self.peek()? == b'"').then(|| self.string())?;
        self.take(b':')?;
        name
    }

    /// Skips the text that begins here.
    fn pass_text(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            at += plain(&bytes[at..]);
            match bytes.get(at)? {
                b'"' => break,
                // An escaped quote does not end the text.
                b'\\' => at = (at + 2).min(bytes.len()),
                _ => return None,
            }
        }
        self.at = at + 1;
        Some(())
    }

    /// Skips a value inside an object or a list, and returns its source text.
    pub fn pass(&mut self) -> Option<&'t str> {
        self.peek()?;
        let start = self.at;
        // Counts brackets instead of recursing, because a skipped value may be nested to any depth.
        let mut open = 0usize;
        loop {
            match self.peek()? {
                b'"' => self.pass_text()?,
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    open = open.checked_sub(1)?;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
            let end = self.at;
            // A scalar outside of brackets ends at the next comma or bracket.
            if open == 0 && matches!(self.peek()?, b',' | b'}' | b']') {
                return self.text.get(start..end);
            }
        }
    }
}
