//! Parses durations in the notation of flags and fields, and prints them as kubectl prints ages.

use jiff::SignedDuration;

/// The units, with their lengths in nanoseconds.
const UNITS: &[(&str, f64)] = &[
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
    ("d", 86_400e9),
    ("w", 604_800e9),
];

/// Parses Go durations such as `1h30m`, `1.5s` and `-2m`, and also days and weeks such as `3d`. Returns `None` for any
/// other text.
pub fn parse(text: &str) -> Option<SignedDuration> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // As in Go, only `0` may omit the unit.
    if rest == "0" {
        return Some(SignedDuration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = SignedDuration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.');
        let (unit, left) = rest.split_at(end.unwrap_or(rest.len()));
        let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
        // Rounds fractions of a nanosecond and rejects a sum that overflows.
        let part = SignedDuration::try_from_secs_f64(number * nanos / 1e9).ok()?;
        total = total.checked_add(part)?;
        rest = left;
    }
    Some(if negative { -total } else { total })
}

/// Formats an age of `seconds`. An age below -1 second is `<invalid>`.
pub fn human(seconds: i64) -> String {
    // As in kubectl's `HumanDuration`, a clock that is one second slow still prints 0s.
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    let seconds = seconds.max(0);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match () {
        // The thresholds are those of `k8s.io/apimachinery/pkg/util/duration`.
        () if seconds < 60 * 2 => format!("{seconds}s"),
        () if minutes < 10 => pair(minutes, "m", seconds % 60, "s"),
        () if minutes < 60 * 3 => format!("{minutes}m"),
        () if hours < 8 => pair(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 24 * 8 => pair(hours / 24, "d", hours % 24, "h"),
        () if hours < 24 * 365 * 2 => format!("{}d", hours / 24),
        () if hours < 24 * 365 * 8 => pair(hours / 24 / 365, "y", (hours / 24) % 365, "d"),
        () => format!("{}y", hours / 24 / 365),
    }
}

fn pair(large: i64, large_unit: &str, small: i64, small_unit: &str) -> String {
    match small {
        0 => format!("{large}{large_unit}"),
        small => format!("{large}{large_unit}{small}{small_unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_parsed_with_units_up_to_weeks() {
        for (text, seconds) in [
            ("0", 0.0),
            ("10s", 10.0),
            ("1h30m", 5400.0),
            ("1.5s", 1.5),
            ("250ms", 0.25),
            ("3d", 259_200.0),
            ("1w", 604_800.0),
            ("-2m", -120.0),
        ] {
            assert_eq!(
                parse(text).map(|d| d.as_secs_f64()),
                Some(seconds),
                "{text}"
            );
        }
        for text in [
            "",
            "-",
            "5",
            "s",
            "1x",
            "1h5",
            "1..5s",
            "99999999999999999999d",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn ages_print_like_kubectl() {
        for (seconds, text) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (600, "10m"),
            (3700, "61m"),
            (10800, "3h"),
            (11000, "3h3m"),
            (28800, "8h"),
            (172_800, "2d"),
            (198_000, "2d7h"),
            (691_200, "8d"),
            (63_072_000, "2y"),
            (64_000_000, "2y10d"),
            (252_288_000, "8y"),
        ] {
            assert_eq!(human(seconds), text, "{seconds}");
        }
    }
}
