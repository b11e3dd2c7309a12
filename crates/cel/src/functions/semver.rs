//! Semantic versions.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::value::{Outcome, Value};

/// A semantic version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    numbers: [u64; 3],
    pre: Vec<String>,
}

impl Version {
    /// Parses a version. A lenient one may begin with `v`, omit parts and have leading zeros.
    ///
    /// # Errors
    /// Returns the reason in the words of Kubernetes' parser.
    pub(crate) fn parse(text: &str, lenient: bool) -> Result<Self, String> {
        if lenient {
            return Self::parse(&normalized(text)?, false);
        }
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, rest] = parts[..] else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let (major, minor) = (number("Major", major)?, number("Minor", minor)?);
        let (rest, build) = cut(rest, '+');
        let (patch, pre) = cut(rest, '-');
        let patch = number("Patch", patch)?;
        for part in &pre {
            identifier("Prerelease", "prerelease", part)?;
            if digits(part) && leading_zero(part) {
                return Err(format!(
                    "Numeric PreRelease version must not contain leading zeroes {part:?}"
                ));
            }
        }
        for part in build {
            identifier("Build meta data", "build meta data", &part)?;
        }
        let numbers = [major, minor, patch];
        Ok(Self { numbers, pre })
    }

    fn order(&self, other: &Self) -> Ordering {
        let pre = || match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            // A release follows its pre-releases.
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => {
                let pairs = self.pre.iter().zip(&other.pre);
                let first = pairs.map(|(a, b)| identifiers(a, b)).find(|o| o.is_ne());
                // If one is a prefix of the other, the longer one is later.
                first.unwrap_or(self.pre.len().cmp(&other.pre.len()))
            }
        };
        self.numbers.cmp(&other.numbers).then_with(pre)
    }
}

/// Returns the text before a sign, and the parts after it.
fn cut(text: &str, sign: char) -> (&str, Vec<String>) {
    text.split_once(sign)
        .map_or((text, Vec::new()), |(text, rest)| {
            (text, rest.split('.').map(str::to_owned).collect())
        })
}

fn digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    if !digits(text) {
        let name = name.to_ascii_lowercase();
        return Err(format!(
            "Invalid character(s) found in {name} number {text:?}"
        ));
    }
    if leading_zero(text) {
        return Err(format!(
            "{name} number must not contain leading zeroes {text:?}"
        ));
    }
    let wrong = match text {
        "" => "invalid syntax",
        _ => "value out of range",
    };
    text.parse()
        .map_err(|_| format!("strconv.ParseUint: parsing {text:?}: {wrong}"))
}

fn identifier(name: &str, of: &str, text: &str) -> Result<(), String> {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    match (text, plain) {
        ("", _) => Err(format!("{name} is empty")),
        (_, true) => Ok(()),
        _ => Err(format!("Invalid character(s) found in {of} {text:?}")),
    }
}

/// Returns a lenient version in the strict form.
fn normalized(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = Vec::new();
    for part in text.splitn(3, '.') {
        let rest = part.trim_start_matches('0');
        let number = rest.starts_with(|c: char| c.is_ascii_digit());
        // A single zero is a number and leads none.
        parts.push(match part.len() {
            0 | 1 => part.to_owned(),
            _ if number => rest.to_owned(),
            // As upstream, also begin `rc` with a zero.
            _ => format!("0{rest}"),
        });
    }
    let marked = parts.last().is_some_and(|part| part.contains(['+', '-']));
    if parts.len() < 3 && marked {
        return Err("short version cannot contain PreRelease/Build meta data".to_owned());
    }
    parts.resize(3, "0".to_owned());
    Ok(parts.join("."))
}

fn identifiers(a: &str, b: &str) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        // Numbers sort before words.
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    let parse = |text: &str, lenient: bool| {
        Version::parse(text, lenient).map(|version| Value::Version(Arc::new(version)))
    };
    match args {
        [Value::Text(text)] if name == "semver" => Some(parse(text, false)),
        [Value::Text(text), Value::Bool(lenient)] if name == "semver" => {
            Some(parse(text, *lenient))
        }
        [Value::Text(text)] if name == "isSemver" => {
            Some(Ok(Value::Bool(Version::parse(text, false).is_ok())))
        }
        [Value::Text(text), Value::Bool(lenient)] if name == "isSemver" => {
            Some(Ok(Value::Bool(Version::parse(text, *lenient).is_ok())))
        }
        [Value::Version(version)] => {
            let at = ["major", "minor", "patch"]
                .iter()
                .position(|part| *part == name)?;
            let number = i64::try_from(version.numbers[at]).unwrap_or(i64::MAX);
            Some(Ok(Value::Int(number)))
        }
        [Value::Version(a), Value::Version(b)] => {
            let order = a.order(b);
            Some(Ok(match name {
                "isLessThan" => Value::Bool(order.is_lt()),
                "isGreaterThan" => Value::Bool(order.is_gt()),
                "compareTo" => Value::Int(order as i64),
                _ => return None,
            }))
        }
        _ => None,
    }
}
