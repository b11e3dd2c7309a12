//! Resource quantities such as `500m`, `1Gi` and `2e3`: their order and their canonical form.

use std::cmp::Ordering;
use std::fmt;

/// A quantity: an exact number of nano-units, and the notation it was written in.
///
/// As in Kubernetes, fractions of a nano-unit are rounded up, and values beyond 64 bits are clamped.
///
/// ```
/// use ctl_api::quantity::{ParseQuantityError, Quantity};
///
/// let mut requested = Quantity::parse("1500m")?;
/// requested.add(&Quantity::parse("0.5")?);
/// assert_eq!(requested.to_string(), "2");
/// assert!(requested < Quantity::parse("1Ki")?);
/// assert_eq!(Quantity::parse("two"), Err(ParseQuantityError::Format));
/// # Ok::<(), ParseQuantityError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    nanos: i128,
    notation: Notation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notation {
    Decimal,
    Binary,
    Exponent,
}

/// The error for a text that is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    /// The text does not match the regular expression.
    #[error(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )]
    Format,
    /// The suffix consists of the letters of suffixes, but is none.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

const NANO: i128 = 1_000_000_000;
const MAX: i128 = (i64::MAX as i128) * NANO;
const BINARY: [(&str, u32); 6] = [
    ("Ki", 1),
    ("Mi", 2),
    ("Gi", 3),
    ("Ti", 4),
    ("Pi", 5),
    ("Ei", 6),
];
const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

impl Quantity {
    /// The quantity zero.
    pub const ZERO: Self = Self {
        nanos: 0,
        notation: Notation::Decimal,
    };

    /// Parses a quantity as Kubernetes does.
    ///
    /// # Errors
    /// Returns an error if the text is empty, has no digits, or has an unknown suffix.
    pub fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        usual(text).map_or_else(|| Self::parse_any(text), Ok)
    }

    fn parse_any(text: &str) -> Result<Self, ParseQuantityError> {
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let end = unsigned
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(unsigned.len());
        let (digits, suffix) = unsigned.split_at(end);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return Err(ParseQuantityError::Format);
        }
        let (notation, scale) = parse_suffix(suffix)?;
        let nanos = scaled_nanos(whole, fraction, scale);
        let nanos = if negative { -nanos } else { nanos };
        Ok(Self { nanos, notation })
    }

    /// Returns an integer in decimal notation.
    pub fn from_int(value: i64) -> Self {
        Self {
            nanos: i128::from(value) * NANO,
            notation: Notation::Decimal,
        }
    }

    /// Returns the number of units, rounded up.
    pub fn ceil(&self) -> i64 {
        i64::try_from(div_ceil(self.nanos, NANO)).unwrap_or(i64::MAX)
    }

    /// Returns the number of thousandths, rounded up.
    pub fn milli(&self) -> i64 {
        i64::try_from(div_ceil(self.nanos, NANO / 1000)).unwrap_or(i64::MAX)
    }

    /// Returns true if the quantity is a whole number of units.
    pub fn is_whole(&self) -> bool {
        self.nanos % NANO == 0
    }

    /// Returns true if the quantity is a whole number of thousandths.
    pub fn is_whole_milli(&self) -> bool {
        self.nanos % (NANO / 1000) == 0
    }

    /// Returns the sign: -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match self.nanos.cmp(&0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    /// Adds another quantity. Keeps the notation, except that zero adopts the other's.
    pub fn add(&mut self, other: &Self) {
        if self.nanos == 0 {
            self.notation = other.notation;
        }
        self.nanos = (self.nanos + other.nanos).clamp(-MAX, MAX);
    }

    /// Subtracts another quantity. Keeps the notation, except that zero adopts the other's.
    pub fn subtract(&mut self, other: &Self) {
        let other = Self {
            nanos: -other.nanos,
            ..*other
        };
        self.add(&other);
    }

    /// Returns the quantity in the notation of another one: if it is a different one, as a whole number, rounded up.
    pub fn in_notation_of(&self, other: &Self) -> Self {
        match self.notation == other.notation {
            true => *self,
            false => Self {
                nanos: i128::from(self.ceil()) * NANO,
                notation: other.notation,
            },
        }
    }

    /// Returns the quantity as a floating-point number.
    pub fn to_f64(&self) -> f64 {
        self.nanos as f64 / NANO as f64
    }

    fn write_decimal(&self, f: &mut fmt::Formatter<'_>, exponent: bool) -> fmt::Result {
        let (mut mantissa, mut power) = (self.nanos, -9);
        while mantissa % 1000 == 0 && power < 18 {
            mantissa /= 1000;
            power += 3;
        }
        if exponent {
            return match power {
                0 => write!(f, "{mantissa}"),
                power => write!(f, "{mantissa}e{power}"),
            };
        }
        let suffix = DECIMAL
            .iter()
            .find(|(_, p)| *p == power)
            .map_or("", |s| s.0);
        write!(f, "{mantissa}{suffix}")
    }

    fn write_binary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut mantissa, mut power) = (self.nanos / NANO, 0);
        while mantissa % 1024 == 0 && power < BINARY.len() {
            mantissa /= 1024;
            power += 1;
        }
        let suffix = power.checked_sub(1).map_or("", |i| BINARY[i].0);
        write!(f, "{mantissa}{suffix}")
    }
}

/// Formats the canonical form: no fraction, and the largest suffix that leaves a whole number.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nanos == 0 {
            return f.write_str("0");
        }
        let small = self.nanos.abs() < 1024 * NANO;
        match self.notation {
            Notation::Binary if !small && self.is_whole() => self.write_binary(f),
            Notation::Exponent => self.write_decimal(f, true),
            _ => self.write_decimal(f, false),
        }
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

/// The factor of a suffix.
enum Scale {
    Ten(i32),
    Binary(u32),
}

/// Reads a quantity as people write it: a few digits with one of the most frequent suffixes. With the general parser
/// alone, quantities took 2 % of the creation of a Pod.
fn usual(text: &str) -> Option<Quantity> {
    let text = text.as_bytes();
    let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
    // Six digits with the largest of these suffixes are far below the limit.
    if !(1..=6).contains(&digits) {
        return None;
    }
    let (digits, suffix) = text.split_at(digits);
    let (notation, nanos) = match suffix {
        b"m" => (Notation::Decimal, NANO / 1000),
        b"" => (Notation::Decimal, NANO),
        b"Ki" => (Notation::Binary, NANO << 10),
        b"Mi" => (Notation::Binary, NANO << 20),
        b"Gi" => (Notation::Binary, NANO << 30),
        _ => return None,
    };
    let number = digits
        .iter()
        .fold(0, |number, digit| number * 10 + i128::from(digit - b'0'));
    Some(Quantity {
        nanos: number * nanos,
        notation,
    })
}

fn parse_suffix(suffix: &str) -> Result<(Notation, Scale), ParseQuantityError> {
    if let Some((_, power)) = DECIMAL.iter().find(|(s, _)| *s == suffix) {
        return Ok((Notation::Decimal, Scale::Ten(*power)));
    }
    if let Some((_, power)) = BINARY.iter().find(|(s, _)| *s == suffix) {
        return Ok((Notation::Binary, Scale::Binary(*power)));
    }
    let exponent = suffix
        .strip_prefix(['e', 'E'])
        .and_then(|digits| digits.parse::<i32>().ok())
        .ok_or_else(|| wrong_suffix(suffix))?;
    Ok((Notation::Exponent, Scale::Ten(exponent)))
}

fn wrong_suffix(suffix: &str) -> ParseQuantityError {
    let rest = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
    let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    match rest.bytes().all(|b| b.is_ascii_digit()) {
        true => ParseQuantityError::Suffix,
        false => ParseQuantityError::Format,
    }
}

/// Computes `whole.fraction * scale` in nano-units, rounds up, and clamps the result.
fn scaled_nanos(whole: &str, fraction: &str, scale: Scale) -> i128 {
    let digits = whole.bytes().chain(fraction.bytes());
    let mantissa = digits.fold(0_i128, |sum, digit| {
        sum.saturating_mul(10)
            .saturating_add(i128::from(digit - b'0'))
    });
    let mut power = 9 - i32::try_from(fraction.len()).unwrap_or(i32::MAX / 2);
    let mut value = mantissa;
    match scale {
        Scale::Ten(exponent) => power = power.saturating_add(exponent),
        Scale::Binary(exponent) => value = value.saturating_mul(1024_i128.pow(exponent)),
    }
    let factor = 10_i128.checked_pow(power.unsigned_abs());
    let nanos = match (factor, power >= 0) {
        (Some(factor), true) => value.saturating_mul(factor),
        (Some(factor), false) => div_ceil(value, factor),
        (None, true) => value.saturating_mul(i128::MAX),
        (None, false) => i128::from(value > 0),
    };
    nanos.min(MAX)
}

fn div_ceil(value: i128, by: i128) -> i128 {
    value.div_euclid(by) + i128::from(value.rem_euclid(by) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        Quantity::parse(text).map_or("error".to_owned(), |q| q.to_string())
    }

    #[test]
    fn usual_quantities_are_read_as_all_others() {
        for number in [
            "", "0", "007", "1", "250", "65536", "999999", "1000000", "+1", "-1", "1.5", ".",
        ] {
            for suffix in [
                "", "m", "Ki", "Mi", "Gi", "Ti", "n", "u", "k", "M", "e3", "x", " ",
            ] {
                let text = format!("{number}{suffix}");
                let parts = |quantity: Quantity| (quantity.nanos, quantity.notation);
                let (one, any) = (Quantity::parse(&text), Quantity::parse_any(&text));
                assert_eq!(one.map(parts), any.map(parts), "{text}");
            }
        }
        assert!(usual("250m").is_some() && usual("64Mi").is_some());
    }

    #[test]
    fn unknown_suffix_has_its_own_error() {
        for (text, error) in [
            ("10Mm", ParseQuantityError::Suffix),
            ("1e", ParseQuantityError::Suffix),
            ("1K5", ParseQuantityError::Suffix),
            ("1Gib", ParseQuantityError::Format),
            ("1.2.3", ParseQuantityError::Format),
            ("", ParseQuantityError::Format),
        ] {
            assert_eq!(Quantity::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn texts_become_canonical_as_kubernetes_writes_them() {
        for (text, canon) in [
            ("0", "0"),
            ("0.5", "500m"),
            ("1024Mi", "1Gi"),
            ("0.5Gi", "512Mi"),
            ("1.5Gi", "1536Mi"),
            ("128974848", "128974848"),
            ("1000", "1k"),
            ("1500", "1500"),
            ("1G", "1G"),
            ("100Ki", "100Ki"),
            ("0.5Ki", "512"),
            ("0.1m", "100u"),
            ("0.0000000001", "1n"),
            ("2e3", "2e3"),
            ("1E", "1E"),
            ("12e6", "12e6"),
            ("-1", "-1"),
            ("+1", "1"),
            (".5", "500m"),
            ("1.", "1"),
            ("9223372036854775807", "9223372036854775807"),
            ("100E", "9223372036854775807"),
        ] {
            assert_eq!(canonical(text), canon, "{text}");
        }
        for text in ["", "abc", "1Gib", "1 Gi", "m", "1.2.3", "--1", "1ki"] {
            assert_eq!(canonical(text), "error", "{text}");
        }
    }

    #[test]
    fn quantities_compare_by_value() {
        let parse = |text| Quantity::parse(text).unwrap();
        assert!(parse("1Gi") > parse("1G"));
        assert_eq!(parse("1"), parse("1000m"));
        for (text, other, shown) in [
            ("100M", "1Gi", "100000000"),
            ("256Mi", "2G", "268435456"),
            ("1500m", "1Ki", "2"),
            ("500m", "2", "500m"),
        ] {
            let converted = parse(text).in_notation_of(&parse(other));
            assert_eq!(converted.to_string(), shown, "{text}");
        }
        let mut sum = parse("500m");
        sum.add(&parse("1"));
        assert_eq!(sum.to_string(), "1500m");
        assert_eq!(parse("1500m").ceil(), 2);
        assert_eq!(parse("1").milli(), 1000);
    }
}
