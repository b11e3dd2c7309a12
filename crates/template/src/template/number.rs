//! Numbers as templates write them, and texts in quotes.

use crate::api::go::quoted;

/// A number of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    /// As it is written.
    pub(super) text: String,
    /// Its value, if it is whole.
    pub(super) int: Option<i64>,
    /// Its value, if it is written as a fraction.
    pub(super) float: Option<f64>,
}

impl Number {
    /// Reads a number or a character in single quotes.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let number = |int, float| {
            let text = text.to_owned();
            Ok(Self { text, int, float })
        };
        if text.starts_with('\'') {
            let inner =
                unquote(text).map_err(|_| format!("malformed character constant: {text}"))?;
            let mut chars = inner.chars();
            return match (chars.next(), chars.next()) {
                // A character is its code point.
                (Some(c), None) => number(Some(i64::from(u32::from(c))), None),
                _ => Err(format!("malformed character constant: {text}")),
            };
        }
        if let Some(int) = integer(text) {
            return number(Some(int), None);
        }
        let is_hex = text
            .trim_start_matches(['+', '-'])
            .to_lowercase()
            .starts_with("0x");
        let plain = text.replace('_', "");
        match plain.parse::<f64>() {
            Ok(_) if !is_hex && !text.contains(['.', 'e', 'E']) => {
                // Beyond what an unsigned number holds, or an octal number that is none.
                match text.parse::<u64>() {
                    // Fits into 64 bits without a sign: a number for Go, but none that a template
                    // can use.
                    Ok(_) if !text.starts_with('0') => number(None, None),
                    _ => Err(format!("integer overflow: {}", quoted(text))),
                }
            }
            Ok(float) if !is_hex && float.is_finite() => {
                let whole = float as i64;
                // Only fractions without a remainder are whole numbers as well.
                let int = (whole as f64 == float).then_some(whole);
                number(int, Some(float))
            }
            _ => Err(format!("illegal number syntax: {}", quoted(text))),
        }
    }
}

/// A whole number in base 10, or another one that its prefix tells.
fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        // A leading zero alone is octal, as in Go.
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    i64::from_str_radix(&format!("{sign}{}", digits.replace('_', "")), radix).ok()
}

/// The text that stands between quotes, double, single or raw.
pub(super) fn unquote(text: &str) -> Result<String, &'static str> {
    const ERROR: &str = "invalid syntax";
    if let Some(raw) = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
    {
        // Raw texts lose their carriage returns, as in Go source.
        return Ok(raw.replace('\r', ""));
    }
    crate::unquote::unquote(text).ok_or(ERROR)
}
