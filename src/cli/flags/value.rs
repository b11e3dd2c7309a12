//! Parses the values of flags as kubectl does: numbers, switches and durations, with kubectl's errors.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

use clap::Arg;

use crate::api::go::quoted;

/// The type of a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    /// An integer of this many bits.
    Int(u32),
    /// A non-negative integer of this many bits.
    Uint(u32),
    Span,
    Pairs,
    Map,
    /// Any text.
    Text,
}

impl Type {
    /// Returns the type of a flag's value.
    pub(super) fn from_flag(flag: &Arg) -> Self {
        let id = flag.get_value_parser().type_id();
        let is = |wanted: TypeId| id == wanted;
        if matches!(flag.get_action(), clap::ArgAction::SetTrue) || is(TypeId::of::<bool>()) {
            Self::Bool
        } else if is(TypeId::of::<i64>()) {
            Self::Int(64)
        } else if is(TypeId::of::<i32>()) {
            Self::Int(32)
        } else if is(TypeId::of::<u16>()) {
            Self::Uint(16)
        } else if is(TypeId::of::<Span>()) {
            Self::Span
        } else if is(TypeId::of::<Pairs>()) {
            Self::Pairs
        } else if is(TypeId::of::<StringMap>()) {
            Self::Map
        } else {
            Self::Text
        }
    }

    /// Returns a value in its plain form, or the error.
    pub(super) fn check(self, text: &str) -> Result<String, String> {
        match self {
            // The errors are those of Go's strconv, which kubectl's flag library passes on.
            Self::Text => Ok(text.to_owned()),
            Self::Bool => match text {
                "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok("true".to_owned()),
                "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok("false".to_owned()),
                _ => Err(refused("ParseBool", text, "invalid syntax")),
            },
            Self::Int(bits) => match whole(text) {
                Some(n) if fits(n, bits) => Ok(n.to_string()),
                Some(_) => Err(refused("ParseInt", text, "value out of range")),
                None => Err(refused("ParseInt", text, "invalid syntax")),
            },
            Self::Uint(bits) => match whole(text) {
                Some(n) if n >= 0 && n < 1 << bits && !text.starts_with('+') => Ok(n.to_string()),
                Some(n) if n >= 0 => Err(refused("ParseUint", text, "value out of range")),
                _ => Err(refused("ParseUint", text, "invalid syntax")),
            },
            Self::Span => text.parse::<Span>().map(|_| text.to_owned()),
            Self::Pairs => text.parse::<Pairs>().map(|_| text.to_owned()),
            Self::Map => text.parse::<StringMap>().map(|_| text.to_owned()),
        }
    }
}

fn refused(function: &str, text: &str, why: &str) -> String {
    format!("strconv.{function}: parsing {}: {why}", quoted(text))
}

fn fits(n: i128, bits: u32) -> bool {
    let limit = 1_i128 << (bits - 1);
    (-limit..limit).contains(&n)
}

/// Parses an integer: decimal, or in another base after 0x, 0o, 0b or a leading zero. Underscores may separate digits.
fn whole(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    // Go allows underscores only in a number with a base prefix, one of them directly after the prefix.
    let prefixed = lower.starts_with('0') && lower.len() > 1;
    let good = if prefixed {
        digits.strip_prefix('_').unwrap_or(digits)
    } else {
        digits
    };
    let bad = good.is_empty() || good.starts_with('_') || good.ends_with('_');
    if bad || good.contains("__") || (base == 10 && good.contains('_')) {
        return None;
    }
    let mut n: i128 = 0;
    for digit in good.chars().filter(|c| *c != '_') {
        let digit = digit.to_digit(base)?;
        n = n
            .saturating_mul(i128::from(base))
            .saturating_add(i128::from(digit));
    }
    Some(if negative { -n } else { n })
}

/// The value of a flag that is a map in kubectl, such as `a=1,b=2`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// Keys and values, in the order of the command line.
    pub(crate) all: Vec<(String, String)>,
}

impl FromStr for Pairs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The value of a single pair may contain commas.
        let parts: Vec<&str> = match text.matches('=').count() {
            1 => vec![text.trim_matches('"')],
            _ => text.split(',').collect(),
        };
        let read = |part: &str| match part.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("{part} must be formatted as key=value")),
        };
        let all: Result<_, String> = parts.into_iter().map(read).collect();
        Ok(Self { all: all? })
    }
}

/// The value of a flag that is a `MapStringString` in kubectl. It differs from [`Pairs`] in spaces, empty parts and
/// errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StringMap {
    entries: BTreeMap<String, String>,
}

impl StringMap {
    /// Returns the combined entries of all values of a flag.
    pub(crate) fn joined(values: &[Self]) -> BTreeMap<&str, &str> {
        let entries = values.iter().flat_map(|map| &map.entries);
        entries
            .map(|entry| (entry.0.as_str(), entry.1.as_str()))
            .collect()
    }
}

impl FromStr for StringMap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').filter(|part| !part.is_empty());
        let read = |part: &str| match part.split_once('=') {
            Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
            None => Err("malformed pair, expect string=string".to_owned()),
        };
        let entries: Result<_, String> = parts.map(read).collect();
        Ok(Self { entries: entries? })
    }
}

/// A duration in the format of kubectl's flags: `30s`, `1h5m`, `-1s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    /// The duration in nanoseconds.
    nanos: i64,
}

impl Span {
    /// Returns a duration of whole seconds.
    pub(crate) const fn seconds(seconds: i64) -> Self {
        Self {
            nanos: seconds * 1_000_000_000,
        }
    }

    /// Returns true if the duration is zero.
    pub(crate) fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Returns true if the duration is negative.
    pub(crate) fn is_negative(self) -> bool {
        self.nanos < 0
    }

    /// Returns the duration rounded to seconds.
    pub(crate) fn round_to_seconds(self) -> i64 {
        // Like Go's `Duration.Round`, rounds half a second away from zero.
        let half = 500_000_000 * self.nanos.signum();
        self.nanos.saturating_add(half) / 1_000_000_000
    }

    /// Returns the time to wait; zero if the duration is negative.
    pub(crate) fn duration(self) -> Duration {
        Duration::from_nanos(u64::try_from(self.nanos).unwrap_or(0))
    }
}

/// Formats a duration as kubectl does: `1h5m0s`, `1.5s`, `250ms`.
impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.nanos < 0 { "-" } else { "" };
        let nanos = self.nanos.unsigned_abs();
        let (unit, name): (u64, _) = match nanos {
            0 => return f.write_str("0s"),
            1..1_000 => (1, "ns"),
            // Go prints a duration below a second in the largest unit with a nonzero integer part.
            1_000..1_000_000 => (1_000, "µs"),
            1_000_000..1_000_000_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        let digits = unit.ilog10() as usize;
        let (whole, part) = (nanos / unit, nanos % unit);
        let part = match part {
            0 => String::new(),
            part => format!(".{}", format!("{part:0digits$}").trim_end_matches('0')),
        };
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
        match (name, whole) {
            ("s", 3600..) => write!(f, "{sign}{hours}h{minutes}m{rest}{part}s"),
            ("s", 60..) => write!(f, "{sign}{minutes}m{rest}{part}s"),
            _ => write!(f, "{sign}{whole}{part}{name}"),
        }
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("time: invalid duration {}", quoted(text));
        let (negative, mut rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            Some(_) => (false, text),
            None => return Err(bad()),
        };
        // Zero is the only duration that Go accepts without a unit.
        if rest == "0" {
            return Ok(Self::default());
        }
        if rest.is_empty() {
            return Err(bad());
        }
        let mut nanos: i128 = 0;
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            let (number, tail) = rest.split_at(end.unwrap_or(rest.len()));
            if number.is_empty() || number == "." || number.matches('.').count() > 1 {
                return Err(bad());
            }
            let end = tail.find(|c: char| c.is_ascii_digit() || c == '.');
            let (unit, after) = tail.split_at(end.unwrap_or(tail.len()));
            if unit.is_empty() {
                return Err(format!("time: missing unit in duration {}", quoted(text)));
            }
            let Some(scale) = scale(unit) else {
                let (unit, text) = (quoted(unit), quoted(text));
                return Err(format!("time: unknown unit {unit} in duration {text}"));
            };
            nanos = nanos.saturating_add(scaled(number, scale).ok_or_else(bad)?);
            rest = after;
        }
        let nanos = if negative { -nanos } else { nanos };
        let nanos = i64::try_from(nanos).map_err(|_| bad())?;
        Ok(Self { nanos })
    }
}

fn scale(unit: &str) -> Option<i128> {
    Some(match unit {
        "ns" => 1,
        // Go accepts both the micro sign and the Greek letter mu, which look alike.
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// Multiplies a decimal number such as `1.5` by a scale.
fn scaled(number: &str, scale: i128) -> Option<i128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let whole: i128 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let mut total = whole.checked_mul(scale)?;
    let mut unit = scale;
    for digit in part.chars() {
        unit /= 10;
        total += i128::from(digit.to_digit(10)?) * unit;
    }
    Some(total)
}
