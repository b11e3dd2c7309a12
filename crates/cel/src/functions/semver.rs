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
    pub(crate) fn parse(text: &str, lenient: bool) -> Option<Self> {
        let text = if lenient {
            text.trim_start_matches('v')
        } else {
            text
        };
        // Build metadata does not affect the order.
        let (text, _build) = text.split_once('+').unwrap_or((text, ""));
        let (core, pre) = text.split_once('-').unwrap_or((text, ""));
        let mut parts: Vec<&str> = core.split('.').collect();
        // A lenient version may omit parts and have leading zeros.
        while lenient && parts.len() < 3 {
            parts.push("0");
        }
        let [major, minor, patch] = parts[..] else {
            return None;
        };
        let number = |part: &str| {
            let part = if lenient {
                part.trim_start_matches('0')
            } else {
                part
            };
            let plain = part.bytes().all(|b| b.is_ascii_digit());
            let zeros = part.len() > 1 && part.starts_with('0');
            let part = if part.is_empty() && lenient {
                "0"
            } else {
                part
            };
            part.parse().ok().filter(|_| plain && !zeros)
        };
        let identifier = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        // An empty pre-release (`1.0.0-`) is an error, a missing one is not.
        let pre: Vec<String> = match text.contains('-') {
            true => pre.split('.').map(str::to_owned).collect(),
            false => Vec::new(),
        };
        pre.iter().all(|part| identifier(part)).then_some(())?;
        Some(Self {
            numbers: [number(major)?, number(minor)?, number(patch)?],
            pre,
        })
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
        let wrong = || format!("failed to parse {text:?} as a semantic version");
        let version = Version::parse(text, lenient).ok_or_else(wrong)?;
        Ok(Value::Version(Arc::new(version)))
    };
    match args {
        [Value::Text(text)] if name == "semver" => Some(parse(text, false)),
        [Value::Text(text), Value::Bool(lenient)] if name == "semver" => {
            Some(parse(text, *lenient))
        }
        [Value::Text(text)] if name == "isSemver" => {
            Some(Ok(Value::Bool(Version::parse(text, false).is_some())))
        }
        [Value::Text(text), Value::Bool(lenient)] if name == "isSemver" => {
            Some(Ok(Value::Bool(Version::parse(text, *lenient).is_some())))
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
