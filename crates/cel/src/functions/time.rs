//! Timestamps and durations.

use std::str::FromStr as _;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use super::convert::not_convertible;
use crate::value::{Outcome, Value};

/// The units of durations, with their nanoseconds.
const UNITS: &[(&str, f64)] = &[
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
];

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match (name, args) {
        ("duration", [Value::Text(text)]) => {
            let wrong = || not_convertible("google.protobuf.Duration");
            Some(parse_duration(text).map(Value::Duration).ok_or_else(wrong))
        }
        ("duration", [Value::Int(nanos)]) => Some(Ok(Value::Duration(*nanos))),
        ("duration", [value @ Value::Duration(_)]) => Some(Ok(value.clone())),
        ("timestamp", [Value::Text(text)]) => {
            let wrong = |_| not_convertible("google.protobuf.Timestamp");
            Some(
                Timestamp::from_str(text)
                    .map(Value::Timestamp)
                    .map_err(wrong),
            )
        }
        ("timestamp", [Value::Int(seconds)]) => {
            let wrong = |_| "timestamp overflow".to_owned();
            Some(
                Timestamp::from_second(*seconds)
                    .map(Value::Timestamp)
                    .map_err(wrong),
            )
        }
        ("timestamp", [value @ Value::Timestamp(_)]) => Some(Ok(value.clone())),
        (_, [Value::Duration(nanos)]) => part_of_duration(name, *nanos),
        (_, [Value::Timestamp(time)]) => part_of_time(name, *time, "UTC"),
        (_, [Value::Timestamp(time), Value::Text(zone)]) => part_of_time(name, *time, zone),
        _ => None,
    }
}

/// Parses a duration in Go's notation, such as `1h30m`.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut nanos = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let after = &rest[digits..];
        let end = after
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(after.len());
        // Go's units, which do not include days and weeks.
        let (_, unit) = UNITS.iter().find(|(unit, _)| *unit == &after[..end])?;
        nanos += number * unit;
        rest = &after[end..];
    }
    // Durations are limited to 64 bits of nanoseconds.
    (!text.is_empty() && nanos < 9.2e18).then_some((sign * nanos) as i64)
}

/// Formats a duration in seconds, as CEL does.
pub(super) fn duration_text(nanos: i64) -> String {
    let seconds = nanos as f64 / 1e9;
    format!("{seconds}s")
}

fn part_of_duration(name: &str, nanos: i64) -> Option<Outcome> {
    let unit = match name {
        "getHours" => 3_600_000_000_000,
        "getMinutes" => 60_000_000_000,
        "getSeconds" => 1_000_000_000,
        "getMilliseconds" => 1_000_000,
        _ => return None,
    };
    Some(Ok(Value::Int(nanos / unit)))
}

fn part_of_time(name: &str, time: Timestamp, zone: &str) -> Option<Outcome> {
    let Some(zone) = zone_of(zone) else {
        return Some(Err(format!("unknown time zone {zone}")));
    };
    let local = time.to_zoned(zone);
    Some(Ok(Value::Int(i64::from(match name {
        "getFullYear" => i32::from(local.year()),
        // As in JavaScript, CEL counts months and days of the year from zero.
        "getMonth" => i32::from(local.month()) - 1,
        "getDate" => i32::from(local.day()),
        "getDayOfMonth" => i32::from(local.day()) - 1,
        "getDayOfYear" => i32::from(local.day_of_year()) - 1,
        "getDayOfWeek" => i32::from(local.weekday().to_sunday_zero_offset()),
        "getHours" => i32::from(local.hour()),
        "getMinutes" => i32::from(local.minute()),
        "getSeconds" => i32::from(local.second()),
        "getMilliseconds" => i32::from(local.millisecond()),
        _ => return None,
    }))))
}

/// Returns the time zone with this name or offset, such as `-08:00`.
fn zone_of(text: &str) -> Option<TimeZone> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    if let Some((hours, minutes)) = rest.split_once(':') {
        let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
        let seconds = hours
            .checked_mul(3600)?
            .checked_add(minutes.checked_mul(60)?)?;
        let offset = Offset::from_seconds(sign * seconds).ok()?;
        return Some(TimeZone::fixed(offset));
    }
    // Names are looked up in the system's time zone database.
    TimeZone::get(text).ok()
}
