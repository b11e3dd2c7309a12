//! The first pass over the bytes of a chunk, which finds the part that is valid YAML text.

use super::error::{Mark, YamlError};

/// The readable start of a chunk, and the error for the case that the parser reaches its end.
pub(super) struct Readable<'a> {
    pub(super) text: &'a str,
    pub(super) broken: Option<&'static str>,
}

/// Truncates `bytes` before the first byte that go-yaml's reader rejects.
pub(super) fn readable(bytes: &[u8]) -> Readable<'_> {
    let (text, mut broken) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let (good, bad) = bytes.split_at(error.valid_up_to());
            (
                std::str::from_utf8(good).unwrap_or_default(),
                Some(utf8_problem(bad)),
            )
        }
    };
    let mut end = text.len();
    if let Some(bad) = first_refused(text) {
        end = bad;
        // The text before the bad character is still parsed, because an earlier problem is reported first.
        broken = Some("control characters are not allowed");
    }
    Readable {
        text: &text[..end],
        broken,
    }
}

/// Returns the error at the end of a truncated text.
pub(super) fn broken_error(mark: Mark, problem: &str) -> YamlError {
    YamlError::plain(mark, problem)
}

fn utf8_problem(bad: &[u8]) -> &'static str {
    let Some(&first) = bad.first() else {
        return "incomplete UTF-8 octet sequence";
    };
    let width = match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    // Checked in go-yaml's order, because each case has its own message.
    if bad.len() < width {
        return "incomplete UTF-8 octet sequence";
    }
    if bad[1..width].iter().any(|b| b & 0xC0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    if first < 0xC2 || (first == 0xE0 && bad[1] < 0xA0) || (first == 0xF0 && bad[1] < 0x90) {
        return "invalid length of a UTF-8 sequence";
    }
    "invalid Unicode character"
}

/// Returns the offset of the first character that YAML does not allow.
fn first_refused(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let suspicious = |b: &u8| (*b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) || *b == 0x7F;
    let mut from = 0;
    while from < bytes.len() {
        // Windows of 64 bytes, which the compiler vectorizes.
        let window = &bytes[from..bytes.len().min(from + 64)];
        let plain = window
            .iter()
            .fold(true, |ok, b| ok & !suspicious(b) & (*b < 0x80));
        if !plain && let Some(found) = refused_in(bytes, from, from + window.len()) {
            return Some(found);
        }
        from += window.len();
    }
    None
}

fn refused_in(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    (from..to).find(|&i| match bytes[i] {
        b'\t' | b'\n' | b'\r' => false,
        0..0x20 | 0x7F => true,
        // U+0080..U+009F except NEL.
        0xC2 => bytes.get(i + 1).is_some_and(|b| *b < 0xA0 && *b != 0x85),
        // U+FFFE and U+FFFF.
        0xEF => bytes.get(i + 1) == Some(&0xBF) && bytes.get(i + 2).is_some_and(|b| *b >= 0xBE),
        _ => false,
    })
}
