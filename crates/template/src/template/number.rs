//! Parses the numbers and quoted strings of templates.

use crate::api::go::quoted;

/// A number of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    /// The source text.
    pub(super) text: String,
    /// The value, if it is a whole number.
    pub(super) int: Option<i64>,
    /// The value, if it is written as a fraction.
    pub(super) float: Option<f64>,
}

impl Number {
    /// Parses a number, or a character in single quotes.
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
                // A character has the value of its code point.
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
                // The number is too large for an `i64`, or an invalid octal number.
                match text.parse::<u64>() {
                    // It fits into an unsigned integer: Go accepts that, but a template cannot use it.
                    Ok(_) if !text.starts_with('0') => number(None, None),
                    _ => Err(format!("integer overflow: {}", quoted(text))),
                }
            }
            Ok(float) if !is_hex && float.is_finite() => {
                let whole = float as i64;
                // A float without a fraction is also an integer.
                let int = (whole as f64 == float).then_some(whole);
                number(int, Some(float))
            }
            _ => Err(format!("illegal number syntax: {}", quoted(text))),
        }
    }
}

/// Parses an integer in base 10, or in the base that its prefix names.
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
        // As in Go, a leading zero without a letter means octal.
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    i64::from_str_radix(&format!("{sign}{}", digits.replace('_', "")), radix).ok()
}

/// Returns the content of a string in double, single or raw quotes.
pub(super) fn unquote(text: &str) -> Result<String, &'static str> {
    const ERROR: &str = "invalid syntax";
    if let Some(raw) = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
    {
        // As in Go source code, raw strings lose their carriage returns.
        return Ok(raw.replace('\r', ""));
    }
    crate::unquote::unquote(text).ok_or(ERROR)
}
