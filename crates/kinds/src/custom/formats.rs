//! The string formats that schemas may name.

use std::net::IpAddr;
use std::str::FromStr as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::pattern::compile;
use crate::api::{addresses, names};
use crate::cel::is_url;

/// Returns true if `text` has the format `format`.
pub(super) fn fits(format: &str, text: &str) -> bool {
    match format {
        // An empty string is not a time; an optional time must be omitted.
        "date-time" | "datetime" => time(text),
        "date" => date(text),
        "duration" => duration(text),
        "ipv4" => text.contains('.') && address(text),
        "ipv6" => text.contains(':') && address(text),
        "ip" => IpAddr::from_str(text).is_ok(),
        "cidr" => addresses::parse_cidr(text).is_some(),
        // Go's decoder ignores line breaks.
        "byte" => STANDARD.decode(text.replace(['\r', '\n'], "")).is_ok(),
        "uri" => is_url(text),
        "email" => email(text),
        "hostname" => hostname(text),
        "mac" => matches(
            r"^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$|^([0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}$",
            text,
        ),
        "uuid" => matches(
            r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$",
            text,
        ),
        "uuid3" => matches(
            r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$",
            text,
        ),
        "uuid4" => matches(
            r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$",
            text,
        ),
        "uuid5" => matches(
            r"(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$",
            text,
        ),
        "bsonobjectid" => matches("^[0-9a-fA-F]{24}$", text),
        "hexcolor" => matches("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", text),
        "rgbcolor" => matches(RGB, text),
        "ssn" => matches(r"^\d{3}[- ]?\d{2}[- ]?\d{4}$", text),
        "isbn10" => isbn10(text),
        "isbn13" => isbn13(text),
        "isbn" => isbn10(text) || isbn13(text),
        "creditcard" => credit_card(text),
        "k8s-short-name" => names::dns1123_label(text).is_empty(),
        "k8s-long-name" => names::dns1123_subdomain(text).is_empty(),
        // The API documentation of `format` says that unknown formats are ignored.
        _ => true,
    }
}

const RGB: &str = concat!(
    r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,",
    r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$"
);

fn matches(pattern: &str, text: &str) -> bool {
    compile(pattern).is_ok_and(|regex| regex.is_match(text))
}

fn date(text: &str) -> bool {
    jiff::civil::Date::from_str(text).is_ok() && text.len() == 10
}

fn time(text: &str) -> bool {
    // In upstream's pattern, any character may precede the fraction.
    let clock = r"(?i)^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(.\d+)?(Z|[+-]\d\d:\d\d)$";
    let parts = text.split_once(['T', 't']);
    parts.is_some_and(|(day, time)| date(day) && matches(clock, time))
}

/// Returns true for an address, which may have leading zeros.
fn address(text: &str) -> bool {
    let wrong = addresses::ip(text, false);
    wrong.iter().all(|wrong| wrong == addresses::LEADING_ZEROS)
}

/// Returns true for Go durations such as `1h30m`, and for durations in words such as `2 days`.
fn duration(text: &str) -> bool {
    let go = r"^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$";
    let words = r"(?i)^(\d+\s*(nanoseconds?|ns|microseconds?|us|µs|milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)\s*)+$";
    matches(go, text) || matches(words, text)
}

fn email(text: &str) -> bool {
    matches(
        r#"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$"#,
        text,
    )
}

/// Returns true for upstream's host names, which may contain letters and symbols of any language.
fn hostname(text: &str) -> bool {
    let fits = match text.rsplit_once('.') {
        // A single label may have only one dash, after its first character.
        None => matches(r"^[0-9\pL\pS](-?[0-9\pL\pS]*)$", text),
        Some((labels, last)) => {
            let label = |label| matches(r"^[0-9\pL\pS]([-0-9\pL\pS]*[0-9\pL\pS])?$", label);
            labels.split('.').all(label) && matches(r"^\pL\pL+$", last)
        }
    };
    fits && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63)
}

fn digits(text: &str) -> Vec<u32> {
    let plain = text.chars().filter(|c| !matches!(c, '-' | ' '));
    plain
        // 99 is not a digit of any of the three numbers, so the text fails their range checks.
        .map(|c| c.to_digit(10).unwrap_or(if c == 'X' { 10 } else { 99 }))
        .collect()
}

fn isbn10(text: &str) -> bool {
    let digits = digits(text);
    let sum: u32 = digits.iter().zip((1..=10).rev()).map(|(d, w)| d * w).sum();
    digits.len() == 10
        && digits[..9].iter().all(|d| *d < 10)
        && digits[9] < 11
        && sum.is_multiple_of(11)
}

fn isbn13(text: &str) -> bool {
    let digits = digits(text);
    let weights = [1, 3].into_iter().cycle();
    let sum: u32 = digits.iter().zip(weights).map(|(d, w)| d * w).sum();
    digits.len() == 13 && digits.iter().all(|d| *d < 10) && sum.is_multiple_of(10)
}

fn credit_card(text: &str) -> bool {
    let digits = digits(text);
    // The Luhn algorithm counts from the right, so the check digit is never doubled.
    let double = |(at, d): (usize, &u32)| match (at % 2, d * 2) {
        (0, _) => *d,
        (_, doubled) => doubled / 10 + doubled % 10,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(double).sum();
    (13..=19).contains(&digits.len()) && digits.iter().all(|d| *d < 10) && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn string_formats_are_validated() {
        for (format, good, bad) in [
            ("date-time", "2026-01-02T03:04:05.6Z", "2026-01-02"),
            ("date-time", "2026-01-02T03:04:05+01:00", "tomorrow"),
            ("date", "2026-01-02", "2026-13-02"),
            ("duration", "1h30m", "soon"),
            ("duration", "2 days", "2 moons"),
            ("ipv4", "10.0.0.1", "10.0.0.256"),
            ("ipv6", "fe80::1", "10.0.0.1"),
            ("cidr", "10.0.0.0/8", "10.0.0.0"),
            ("byte", "YQ==", "?"),
            ("uri", "https://example.com/a", "no uri"),
            ("email", "a@example.com", "a.example.com"),
            ("hostname", "a.example.com", "-a"),
            ("hostname", "é.com", "a.b1"),
            ("hostname", "w-eb", "example.com."),
            (
                "date-time",
                "2020-01-01T00:00:00,5Z",
                "2020-01-01 00:00:00Z",
            ),
            ("date-time", "2020-01-01t23:59:59z", "2020-01-01T23:59:60Z"),
            ("ipv4", "::ffff:1.2.3.4", "::1"),
            ("ipv6", "::ffff:1.2.3.4", "1.2.3.4"),
            ("uri", "http://a/b c", "http://a:b/"),
            ("byte", "aGVs\nbG8=", "a"),
            ("mac", "00:11:22:33:44:55", "00:11"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
            (
                "uuid4",
                "123e4567-e89b-42d3-a456-426614174000",
                "123e4567-e89b-12d3-a456-426614174000",
            ),
            ("hexcolor", "#ffaa00", "red"),
            ("rgbcolor", "rgb(1, 2, 255)", "rgb(1, 2, 256)"),
            ("isbn10", "0-306-40615-2", "0-306-40615-3"),
            ("isbn13", "978-0-306-40615-7", "978-0-306-40615-8"),
            ("creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"),
            ("k8s-short-name", "web-1", "web.1"),
        ] {
            assert!(fits(format, good), "{good} is no {format}");
            assert!(!fits(format, bad), "{bad} is a {format}");
        }
        assert!(fits("password", "") && fits("unheard-of", "x"));
    }
}
