//! Parses the numbers and quoted texts of templates.

use crate::api::go::quoted;

/// A number of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    /// The source text.
    pub(super) text: String,
    /// Its value, if it is whole.
    pub(super) int: Option<i64>,
    /// Its value, if it is a fraction.
    pub(super) float: Option<f64>,
}

impl Number {
    /// Parses a number or a character in single quotes.
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
                // The value of a character is its code point.
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
                // Exceeds an unsigned integer, or is an invalid octal number.
                match text.parse::<u64>() {
                    // Fits into 64 bits without a sign: valid for Go, but not usable by a template.
                    Ok(_) if !text.starts_with('0') => number(None, None),
                    _ => Err(format!("integer overflow: {}", quoted(text))),
                }
            }
            Ok(float) if !is_hex && float.is_finite() => {
                let whole = float as i64;
                // Only floats without a fraction are integers as well.
                let int = (whole as f64 == float).then_some(whole);
                number(int, Some(float))
            }
            _ => Err(format!("illegal number syntax: {}", quoted(text))),
        }
    }
}

/// Parses an integer in base 10, or in the base of its prefix.
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
        // A leading zero without a letter is octal, as in Go.
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    i64::from_str_radix(&format!("{sign}{}", digits.replace('_', "")), radix).ok()
}

/// Returns the text between double, single or raw quotes.
pub(super) fn unquote(text: &str) -> Result<String, &'static str> {
    const ERROR: &str = "invalid syntax";
    if let Some(raw) = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
    {
        // Raw texts lose their carriage returns, as in Go source code.
        return Ok(raw.replace('\r', ""));
    }
    crate::unquote::unquote(text).ok_or(ERROR)
}
