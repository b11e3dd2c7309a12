//! Types that JSON does not represent as an object of their fields.

use jiff::Timestamp;

use super::wire::{Reader, Wire, put_bytes, put_varint};
use crate::api::json::Value;

/// The units of Go durations in nanoseconds, the largest first.
const UNITS: &[(i64, &str)] = &[(3_600_000_000_000, "h"), (60_000_000_000, "m")];

/// Returns the time of a `Time` or `MicroTime`, or `None` for an empty message, which is Go's zero time.
pub(crate) fn time(bytes: &[u8], micros: bool) -> Result<Option<String>, ()> {
    let (mut seconds, mut nanos) = (0, 0);
    let mut reader = Reader::new(bytes);
    while let Some(field) = reader.field()? {
        match field {
            (1, Wire::Varint(value)) => seconds = value.cast_signed(),
            (2, Wire::Varint(value)) => {
                nanos = i32::try_from(value.cast_signed()).map_err(|_| ())?
            }
            _ => {}
        }
    }
    // `metav1.Time` marshals its zero value as an empty message; JSON has null for it.
    if seconds == 0 && nanos == 0 {
        return Ok(None);
    }
    // `metav1.Time` has a resolution of seconds. A fraction from another client is dropped, as in JSON.
    let moment = Timestamp::new(seconds, if micros { nanos } else { 0 }).map_err(|_| ())?;
    Ok(Some(match micros {
        true => moment.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
        false => moment.to_string(),
    }))
}

/// A time or duration to be encoded.
pub(crate) enum Moment {
    Time { seconds: i64, nanos: i32 },
    Duration { nanos: i64 },
}

impl Moment {
    /// Parses a time; returns `None` if the text is not one.
    pub(crate) fn parse(text: &str, micros: bool) -> Option<Self> {
        let moment: Timestamp = text.parse().ok()?;
        Some(Self::Time {
            seconds: moment.as_second(),
            nanos: match micros {
                true => moment.subsec_nanosecond() / 1000 * 1000,
                false => 0,
            },
        })
    }

    /// Parses a duration; returns `None` if the text is not one.
    pub(crate) fn of_duration(text: &str) -> Option<Self> {
        let nanos = crate::api::duration::parse(text)?.as_nanos();
        let nanos = i64::try_from(nanos).ok()?;
        Some(Self::Duration { nanos })
    }

    /// Appends the fields of the message.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Time { seconds, nanos } => {
                put_varint(out, 1, seconds.cast_unsigned());
                put_varint(out, 2, i64::from(*nanos).cast_unsigned());
            }
            Self::Duration { nanos } => put_varint(out, 1, nanos.cast_unsigned()),
        }
    }
}

/// Returns the integer or string of an `IntOrString`.
pub(crate) fn int_or_string(bytes: &[u8]) -> Result<Value, ()> {
    let (mut is_text, mut number, mut text) = (false, 0, "");
    let mut reader = Reader::new(bytes);
    while let Some(field) = reader.field()? {
        match field {
            (1, Wire::Varint(value)) => is_text = value == 1,
            (2, Wire::Varint(value)) => number = value.cast_signed(),
            (3, Wire::Bytes(value)) => text = std::str::from_utf8(value).map_err(|_| ())?,
            _ => {}
        }
    }
    Ok(match is_text {
        true => Value::from(text),
        false => Value::from(number),
    })
}

/// Appends the fields of an `IntOrString` that holds an integer.
pub(crate) fn put_int(out: &mut Vec<u8>, number: i64) {
    // Go's type tag is 0 for an integer and 1 for a string. A zero is written, too, because the field is not a
    // pointer.
    put_varint(out, 1, 0);
    put_varint(out, 2, number.cast_unsigned());
}

/// Appends the fields of an `IntOrString` that holds a string.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, 1, 1);
    put_bytes(out, 3, text.as_bytes());
}

/// Returns the string in the first field of a message, such as a `Quantity`.
pub(crate) fn text(bytes: &[u8]) -> Result<Option<&str>, ()> {
    let mut found = None;
    let mut reader = Reader::new(bytes);
    while let Some(field) = reader.field()? {
        if let (1, Wire::Bytes(value)) = field {
            found = Some(std::str::from_utf8(value).map_err(|_| ())?);
        }
    }
    Ok(found)
}

/// Returns the number in the first field of a message, such as a `Duration`.
pub(crate) fn number(bytes: &[u8]) -> Result<i64, ()> {
    let mut found = 0;
    let mut reader = Reader::new(bytes);
    while let Some(field) = reader.field()? {
        if let (1, Wire::Varint(value)) = field {
            found = value.cast_signed();
        }
    }
    Ok(found)
}

/// Formats a duration as Go does: `1h0m0s`, `1.5s`, `300ms`.
pub(crate) fn go_duration(nanos: i64) -> String {
    let mut out = String::new();
    let mut rest = nanos.unsigned_abs();
    if nanos < 0 {
        out.push('-');
    }
    if rest < 1_000_000_000 {
        let (unit, name) = match rest {
            0 => return "0s".to_owned(),
            1..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "µs"),
            _ => (1_000_000, "ms"),
        };
        return out + &decimal(rest, unit) + name;
    }
    for (unit, name) in UNITS {
        let unit = unit.unsigned_abs();
        if rest >= unit || out.len() > usize::from(nanos < 0) {
            out.push_str(&format!("{}{name}", rest / unit));
        }
        rest %= unit;
    }
    out + &decimal(rest, 1_000_000_000) + "s"
}

/// Formats a quotient without trailing zeros.
fn decimal(value: u64, unit: u64) -> String {
    let digits = unit.ilog10() as usize;
    let fraction = format!("{:0digits$}", value % unit);
    match fraction.trim_end_matches('0') {
        _ if unit == 1 => value.to_string(),
        "" => (value / unit).to_string(),
        fraction => format!("{}.{fraction}", value / unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_seconds_or_six_decimals() {
        let put_time = |text: &str, micros| {
            let mut out = Vec::new();
            Moment::parse(text, micros)?.put(&mut out);
            Some(out)
        };
        let bytes = put_time("2026-01-02T03:04:05.123456Z", true).unwrap();
        assert_eq!(
            time(&bytes, true),
            Ok(Some("2026-01-02T03:04:05.123456Z".to_owned()))
        );
        let bytes = put_time("2026-01-02T03:04:05Z", false).unwrap();
        assert_eq!(
            time(&bytes, false),
            Ok(Some("2026-01-02T03:04:05Z".to_owned()))
        );
        assert_eq!(
            time(&bytes, true),
            Ok(Some("2026-01-02T03:04:05.000000Z".to_owned()))
        );
        assert_eq!(time(b"", false), Ok(None));
        assert_eq!(put_time("tomorrow", false), None);
    }

    #[test]
    fn durations_are_printed_as_go_does() {
        for (nanos, text) in [
            (0, "0s"),
            (1, "1ns"),
            (1_500, "1.5µs"),
            (300_000_000, "300ms"),
            (1_500_000_000, "1.5s"),
            (60_000_000_000, "1m0s"),
            (3_600_000_000_000, "1h0m0s"),
            (-5_000_000_000, "-5s"),
            (-3_661_000_000_000, "-1h1m1s"),
        ] {
            assert_eq!(go_duration(nanos), text);
        }
    }
}
