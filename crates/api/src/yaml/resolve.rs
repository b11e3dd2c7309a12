//! Resolves plain scalars to null, booleans, numbers or strings by go-yaml v2's rules.

use std::borrow::Cow;

use super::float::format_g32;
use super::timestamp::is_timestamp;

/// A scalar and its meaning.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Merge,
    /// Read as a string, but written plain it would be a timestamp.
    Timestamp(Cow<'a, str>),
    Str(Cow<'a, str>),
}

/// The prefix of YAML's type tags.
const PREFIX: &str = "tag:yaml.org,2002:";

impl<'a> Scalar<'a> {
    /// Returns the short tag of the type in go-yaml's errors.
    fn tag(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Uint(_) => "int",
            Self::Float(_) => "float",
            Self::Merge => "merge",
            Self::Timestamp(_) => "timestamp",
            Self::Str(_) => "str",
        }
    }

    /// Returns the text of a map key, or `None` for null.
    pub(super) fn into_key(self) -> Option<Cow<'a, str>> {
        Some(match self {
            Self::Null => return None,
            Self::Bool(true) => Cow::Borrowed("true"),
            Self::Bool(false) => Cow::Borrowed("false"),
            Self::Int(n) => Cow::Owned(n.to_string()),
            Self::Uint(n) => Cow::Owned(n.to_string()),
            // kubectl prints floats in keys with 32-bit precision.
            Self::Float(n) => Cow::Owned(format_g32(n)),
            Self::Merge => Cow::Borrowed("<<"),
            Self::Timestamp(text) | Self::Str(text) => text,
        })
    }
}

/// Resolves a word without quotes and tag.
pub(super) fn resolve_plain(text: Cow<'_, str>) -> Scalar<'_> {
    match classify(&text) {
        Some(Scalar::Timestamp(_)) => Scalar::Timestamp(text),
        Some(scalar) => scalar,
        None => Scalar::Str(text),
    }
}

/// Resolves a plain scalar by the rules of go-yaml v3, which kustomize uses for resources: only `true` and `false` are
/// booleans, and a date becomes a timestamp.
pub(super) fn resolve_for_kustomize(text: Cow<'_, str>) -> Scalar<'_> {
    match classify(&text) {
        // YAML 1.2: only words that begin like `true` and `false` are booleans.
        Some(Scalar::Bool(_)) if !text.starts_with(['t', 'T', 'f', 'F']) => Scalar::Str(text),
        // A date without a time gets the one that Go's `time.Time` prints.
        Some(Scalar::Timestamp(_)) if text.len() == "2006-01-02".len() => {
            Scalar::Str(Cow::Owned(format!("{text}T00:00:00Z")))
        }
        Some(Scalar::Timestamp(_)) | None => Scalar::Str(text),
        Some(scalar) => scalar,
    }
}

/// Returns true if a string needs quotes because it would be read as another type. As in go-yaml, `<<` needs none.
pub(super) fn reads_as_other_type(text: &str) -> bool {
    // Nearly every string is such a word; no longer one than `false` has a meaning.
    if text.len() > LONGEST_WORD && text.as_bytes()[0].is_ascii_alphabetic() {
        return false;
    }
    is_base60(text) || classify(text).is_some_and(|scalar| scalar != Scalar::Merge)
}

/// Resolves a word with an explicit tag. `plain` is true if the word is not quoted.
///
/// # Errors
/// Returns the problem in go-yaml's words if the word does not have the tagged type.
pub(super) fn resolve_tagged<'a>(tag: &str, text: Cow<'a, str>) -> Result<Scalar<'a>, String> {
    let Some(wanted) = tag.strip_prefix(PREFIX) else {
        // kubectl ignores local tags.
        return Ok(Scalar::Str(text));
    };
    match wanted {
        "binary" => return binary(&text),
        "bool" | "int" | "float" | "null" | "timestamp" => {}
        _ => return Ok(Scalar::Str(text)),
    }
    match (wanted, resolve_plain(text.clone())) {
        #[expect(clippy::cast_precision_loss, reason = "the tag asks for it")]
        ("float", Scalar::Int(n)) => Ok(Scalar::Float(n as f64)),
        (_, scalar) if scalar.tag() == wanted => Ok(scalar),
        (_, scalar) => Err(format!(
            "cannot decode !!{} `{text}` as a !!{wanted}",
            scalar.tag()
        )),
    }
}

fn binary(text: &str) -> Result<Scalar<'static>, String> {
    use base64::Engine as _;
    // YAML allows line breaks in the data; base64 does not.
    let packed: String = text.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
    match base64::engine::general_purpose::STANDARD.decode(packed) {
        Ok(bytes) => Ok(Scalar::Str(Cow::Owned(
            String::from_utf8_lossy(&bytes).into_owned(),
        ))),
        Err(_) => Err("!!binary value contains invalid base64 data".to_owned()),
    }
}

/// Returns the meaning of a plain word, or `None` if it is a string. The first byte decides most cases.
fn classify(text: &str) -> Option<Scalar<'static>> {
    let Some(&first) = text.as_bytes().first() else {
        return Some(Scalar::Null);
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'<' if text == "<<" => Some(Scalar::Merge),
        b'.' => special_float(text).or_else(|| decimal(text)),
        b'+' | b'-' | b'0'..=b'9' => number(text),
        _ => None,
    }
}

/// The length of the longest word with a meaning.
const LONGEST_WORD: usize = "false".len();

fn word(text: &str) -> Option<Scalar<'static>> {
    if text.len() > LONGEST_WORD {
        return None;
    }
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        _ => return None,
    })
}

fn special_float(text: &str) -> Option<Scalar<'static>> {
    Some(Scalar::Float(match text {
        ".nan" | ".NaN" | ".NAN" => f64::NAN,
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => f64::INFINITY,
        "-.inf" | "-.Inf" | "-.INF" => f64::NEG_INFINITY,
        _ => return None,
    }))
}

fn number(text: &str) -> Option<Scalar<'static>> {
    if let Some(special) = special_float(text) {
        return Some(special);
    }
    if is_timestamp(text) {
        // The caller has the text and fills it in.
        return Some(Scalar::Timestamp(Cow::Borrowed("")));
    }
    let plain: Cow<'_, str> = if text.contains('_') {
        text.replace('_', "").into()
    } else {
        text.into()
    };
    // Integers come first: `1e3` is a float only because it is not an integer.
    integer(&plain)
        .or_else(|| decimal(&plain))
        .or_else(|| huge_integer(&plain))
}

/// Parses an integer of up to 64 bits in Go's base-0 notation.
fn integer(text: &str) -> Option<Scalar<'static>> {
    let (negative, unsigned) = split_sign(text);
    let signed = unsigned.len() < text.len();
    let (radix, digits) = split_radix(unsigned);
    if digits.is_empty() || digits.starts_with(['+', '-']) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    match i64::try_from(value) {
        Ok(n) => Some(Scalar::Int(if negative { -n } else { n })),
        // The only negative number whose absolute value does not fit.
        Err(_) if negative && value == 1 << 63 => Some(Scalar::Int(i64::MIN)),
        Err(_) if signed => None,
        Err(_) => Some(Scalar::Uint(value)),
    }
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

fn split_radix(unsigned: &str) -> (u32, &str) {
    match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &unsigned[2..]),
        [b'0', b'o' | b'O', ..] => (8, &unsigned[2..]),
        [b'0', b'b' | b'B', ..] => (2, &unsigned[2..]),
        // YAML 1.1 reads a leading zero as octal, as in the file mode `0644`.
        [b'0', _, ..] => (8, &unsigned[1..]),
        _ => (10, unsigned),
    }
}

/// Parses a number such as `1.5e3`; returns `None` if it is out of range.
fn decimal(text: &str) -> Option<Scalar<'static>> {
    let (_, unsigned) = split_sign(text);
    if !is_decimal(unsigned.as_bytes()) {
        return None;
    }
    text.parse::<f64>()
        .ok()
        // go-yaml reads a number that is out of range as a string.
        .filter(|n| n.is_finite())
        .map(Scalar::Float)
}

/// Returns true for `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_decimal(text: &[u8]) -> bool {
    let digits = |from: usize| {
        text[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let whole = digits(0);
    let mut at = whole;
    if text.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if whole + fraction == 0 {
            return false;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return false;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return false;
        }
        at += exponent;
    }
    at == text.len()
}

/// Parses an integer of more than 64 bits in another base. Go keeps it exactly; JSON readers take it for a float.
fn huge_integer(text: &str) -> Option<Scalar<'static>> {
    let (negative, unsigned) = split_sign(text);
    let (radix, digits) = split_radix(unsigned);
    // A decimal number of this size has already been read as a float.
    if radix == 10 || digits.is_empty() {
        return None;
    }
    let mut value = 0.0;
    for c in digits.chars() {
        value = value * f64::from(radix) + f64::from(c.to_digit(radix)?);
    }
    let fits = value < 18_446_744_073_709_551_615.0;
    (!fits && f64::is_finite(value)).then_some(Scalar::Float(if negative { -value } else { value }))
}

/// Returns true for `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`: a base-60 number of YAML 1.1, which go-yaml quotes
/// but does not read as one.
fn is_base60(text: &str) -> bool {
    let (_, unsigned) = split_sign(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let Some((whole, rest)) = unsigned.split_once(':') else {
        return false;
    };
    let whole_fits = whole.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let (groups, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    whole_fits
        && fraction.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        && groups
            .split(':')
            .all(|group| matches!(group.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
}
