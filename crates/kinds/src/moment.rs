//! Times and durations in objects.

use crate::api::json::Value;
use crate::api::timestamp::printed;
use jiff::{SignedDuration, Timestamp};

/// Returns the time in a field, if there is one.
pub fn read(value: &Value) -> Option<Timestamp> {
    let text = value.as_str()?;
    printed(text.as_bytes()).or_else(|| text.parse().ok())
}

/// Formats a time as Kubernetes does: in UTC, with whole seconds.
pub fn text(at: Timestamp) -> String {
    match at.as_second() {
        // Formatting with a pattern takes three times as long as `Display`.
        0.. => whole(at).to_string(),
        _ => at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    }
}

/// Formats a time as leases and events do: with microseconds.
pub fn micro(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}

/// Returns a time truncated to the second, as objects store it.
pub fn whole(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}

/// Returns the time `seconds` later, to the millisecond.
pub fn after(at: Timestamp, seconds: f64) -> Timestamp {
    // Three centuries count as forever, so that a huge number in an annotation does not overflow.
    let seconds = seconds.clamp(-1e10, 1e10);
    let millis = SignedDuration::try_from_secs_f64(seconds).unwrap_or(SignedDuration::ZERO);
    at.checked_add(millis).unwrap_or(at)
}

/// Returns the time that has passed since `at`; negative if it is in the future.
pub fn since(at: Timestamp, now: Timestamp) -> SignedDuration {
    now.duration_since(at)
}

/// Parses a duration such as `1m30s`, `500ms` or `1.5h`, or a bare number of seconds, and returns the seconds.
pub fn duration(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Some(seconds).filter(|s| s.is_finite() && *s >= 0.0);
    }
    let (mut rest, mut total) = (text, 0.0);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..];
        let end = unit
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(unit.len());
        total += number
            * match &unit[..end] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                // Go has no unit for days, but the settings and annotations of ctl accept one.
                "d" => 86400.0,
                _ => return None,
            };
        rest = &unit[end..];
    }
    (!text.is_empty()).then_some(total)
}

/// Formats a duration as Go does for whole seconds: `10s`, `5m0s`, `1h0m0s`.
pub fn go_duration(seconds: i64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match () {
        () if hours > 0 => format!("{hours}h{minutes}m{rest}s"),
        () if minutes > 0 => format!("{minutes}m{rest}s"),
        () => format!("{rest}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_whole_seconds() {
        for time in [
            "1969-12-31T23:59:58.5Z",
            "1970-01-01T00:00:00Z",
            "2026-01-02T12:00:00.999999999Z",
            "9999-12-30T22:00:00Z",
        ] {
            let at: Timestamp = time.parse().unwrap();
            let shown = at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            assert_eq!(text(at), shown);
        }
    }

    #[test]
    fn times_are_read_as_the_general_parser_reads_them() {
        for text in [
            "2026-01-02T03:04:05Z",
            "2024-02-29T23:59:59Z",
            "2026-02-29T00:00:00Z",
            "2026-01-02T03:04:60Z",
            "2026-01-02T24:00:00Z",
            "2026-1-02T03:04:05+0Z",
            "2026-01-02t03:04:05z",
            "2026-01-02 03:04:05Z",
            "0000-01-01T00:00:00Z",
            "-026-01-01T00:00:00Z",
            "2026-01-02T03:04:05.678901Z",
            "2026-01-02T03:04:05+02:00",
            "",
        ] {
            let expected: Option<Timestamp> = text.parse().ok();
            assert_eq!(read(&Value::from(text)), expected, "{text}");
        }
        assert!(printed(b"2026-01-02T03:04:05Z").is_some());
    }

    #[test]
    fn durations_are_parsed_and_printed_like_go() {
        for (text, seconds) in [
            ("5", Some(5.0)),
            ("1m30s", Some(90.0)),
            ("500ms", Some(0.5)),
            ("1.5h", Some(5400.0)),
            ("", None),
            ("5x", None),
            ("s", None),
            ("-1", None),
        ] {
            assert_eq!(duration(text), seconds, "{text}");
        }
        assert_eq!(go_duration(10), "10s");
        assert_eq!(go_duration(300), "5m0s");
        assert_eq!(go_duration(3600), "1h0m0s");
    }

    #[test]
    fn times_are_written_in_seconds_and_read_back() {
        let at: Timestamp = "2026-01-02T03:04:05.678901Z".parse().unwrap();
        assert_eq!(text(at), "2026-01-02T03:04:05Z");
        assert_eq!(micro(at), "2026-01-02T03:04:05.678901Z");
        assert_eq!(read(&Value::from(text(at))), Some(whole(at)));
        assert_eq!(text(after(at, 2.5)), "2026-01-02T03:04:08Z");
        assert_eq!(since(at, after(at, 3.0)).as_secs(), 3);
    }
}
