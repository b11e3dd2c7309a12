//! Formats floating-point numbers as Go does, and converts them to JSON.

use crate::json::Number;

/// Formats a finite number like Go's `FormatFloat(value, 'g', -1, 64)`.
pub fn format_g(value: f64) -> String {
    // Rust and Go produce the same shortest digits; only the layout differs.
    layout_g(&format!("{value:e}"))
}

/// Formats a number with 32-bit precision, as kubectl does for map keys.
pub(super) fn format_g32(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "Go prints keys at this precision"
    )]
    let narrow = value as f32;
    match () {
        () if value.is_nan() => ".nan".to_owned(),
        () if narrow.is_infinite() && value > 0.0 => ".inf".to_owned(),
        () if narrow.is_infinite() => "-.inf".to_owned(),
        () => layout_g(&format!("{narrow:e}")),
    }
}

/// Converts a float as a round trip through Go's JSON does: whole numbers that fit into 64 bits become integers.
pub(super) fn float_value(n: f64) -> Option<Number> {
    // Go writes whole floats without a fraction, and reads them back as integers.
    if n.fract() == 0.0 && n.abs() < 9_223_372_036_854_775_808.0 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within range")]
        return Some((n as i64).into());
    }
    debug_assert!(!n.is_finite() || format_g(n).parse::<f64>() == Ok(n));
    Number::from_f64(n)
}

/// Converts Rust's notation `1.5e3` to Go's `1500` or `1.5e+06`.
fn layout_g(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    // Go's rule for the shortest form uses an exponent as if the precision were 6.
    if !(-4..6).contains(&exponent) {
        return exponential(sign, mantissa, exponent);
    }
    fixed(sign, &digits, exponent)
}

fn exponential(sign: &str, mantissa: &str, exponent: i32) -> String {
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{mantissa}e{direction}{:02}", exponent.abs())
}

fn fixed(sign: &str, digits: &str, exponent: i32) -> String {
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    let point = usize::try_from(exponent + 1).unwrap_or(0);
    if exponent < 0 {
        format!("{sign}0.{}{digits}", zeros(-exponent - 1))
    } else if point >= digits.len() {
        format!(
            "{sign}{digits}{}",
            zeros(exponent + 1 - i32::try_from(digits.len()).unwrap_or(0))
        )
    } else {
        format!("{sign}{}.{}", &digits[..point], &digits[point..])
    }
}
