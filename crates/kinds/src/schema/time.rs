//! Parses and formats times as Go does.

use jiff::Timestamp;

const SECONDS: &str = "2006-01-02T15:04:05Z07:00";
const MICROS: &str = "2006-01-02T15:04:05.000000Z07:00";

/// Returns the canonical text of a time.
///
/// # Errors
/// Returns Go's error message if the time is malformed.
pub fn canonical(text: &str, micros: bool) -> Result<String, String> {
    // Nearly all times were written by the API server itself and need no parsing and formatting.
    if !micros && is_canonical(text) {
        return Ok(text.to_owned());
    }
    let layout = if micros { MICROS } else { SECONDS };
    if let Some((rest, element)) = first_mismatch(text) {
        return Err(format!(
            "parsing time {text:?} as \"{layout}\": cannot parse {rest:?} as \"{element}\""
        ));
    }
    if let Some((at, extra)) = text.split_once('Z').filter(|zone| !zone.1.is_empty()) {
        let whole = &text[..=at.len()];
        return canonical(whole, micros)
            .and_then(|_| Err(format!("parsing time {text:?}: extra text: {extra:?}")));
    }
    let stamp: Timestamp = text
        .parse()
        .map_err(|_| format!("parsing time {text:?}: {} out of range", out_of_range(text)))?;
    let format = match micros {
        true => "%Y-%m-%dT%H:%M:%S.%6fZ",
        false => "%Y-%m-%dT%H:%M:%SZ",
    };
    Ok(stamp.strftime(format).to_string())
}

/// Returns true if a time is in its stored form. Does not parse it, so false only means that it might not be.
pub(super) fn is_canonical(text: &str) -> bool {
    let text = text.as_bytes();
    let pair = |at: usize| (text[at].wrapping_sub(b'0'), text[at + 1].wrapping_sub(b'0'));
    let number = |at: usize| match pair(at) {
        (ten @ 0..=9, one @ 0..=9) => Some(ten * 10 + one),
        _ => None,
    };
    let within = |at: usize, range: std::ops::RangeInclusive<u8>| {
        number(at).is_some_and(|number| range.contains(&number))
    };
    let marks = [
        (4, b'-'),
        (7, b'-'),
        (10, b'T'),
        (13, b':'),
        (16, b':'),
        (19, b'Z'),
    ];
    text.len() == 20
        && marks.iter().all(|(at, mark)| text[*at] == *mark)
        && within(0, 0..=99)
        && within(2, 0..=99)
        && within(5, 1..=12)
        // Every month has 28 days. Leave later days to the full parser, which knows the months.
        && within(8, 1..=28)
        && within(11, 0..=23)
        && within(14, 0..=59)
        && within(17, 0..=59)
}

/// Returns the rest of the text from its first mismatch with the layout, and the layout element that was expected
/// there.
fn first_mismatch(text: &str) -> Option<(&str, &'static str)> {
    const ELEMENTS: [(&str, usize); 11] = [
        ("2006", 4),
        ("-", 0),
        ("01", 2),
        ("-", 0),
        ("02", 2),
        ("T", 0),
        ("15", 2),
        (":", 0),
        ("04", 2),
        (":", 0),
        ("05", 2),
    ];
    let mut rest = text;
    for (element, digits) in ELEMENTS {
        let taken = match digits {
            0 => rest.strip_prefix(element),
            count => rest
                .get(..count)
                .filter(|head| head.bytes().all(|b| b.is_ascii_digit()))
                .map(|_| &rest[count..]),
        };
        match taken {
            Some(after) => rest = after,
            None => return Some((rest, element)),
        }
    }
    // Go accepts fractional seconds even if the layout has none.
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    let zoned = rest.starts_with('Z') || (rest.len() == 6 && rest.starts_with(['+', '-']));
    (!zoned).then_some((rest, "Z07:00"))
}

fn out_of_range(text: &str) -> &'static str {
    const PARTS: [(&str, usize, std::ops::RangeInclusive<u8>); 4] = [
        ("month", 5, 1..=12),
        ("hour", 11, 0..=23),
        ("minute", 14, 0..=59),
        ("second", 17, 0..=59),
    ];
    let number = |from: usize| text.get(from..from + 2).and_then(|t| t.parse().ok());
    let wrong = PARTS
        .iter()
        .find(|(_, from, range)| number(*from).is_none_or(|n| !range.contains(&n)));
    // The text fits the layout. If no other part is out of range, the month does not have that many days.
    wrong.map_or("day", |(name, ..)| name)
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn times_are_converted_to_utc_or_fail_like_go() {
        let ok = |text, micros| canonical(text, micros).unwrap();
        assert_eq!(
            ok("2026-01-02T03:04:05+02:00", false),
            "2026-01-02T01:04:05Z"
        );
        assert_eq!(ok("2026-01-02T03:04:05.5Z", false), "2026-01-02T03:04:05Z");
        assert_eq!(
            ok("2026-01-02T03:04:05Z", true),
            "2026-01-02T03:04:05.000000Z"
        );
        assert_eq!(
            canonical("x", false).unwrap_err(),
            "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\""
        );
        assert_eq!(
            canonical("2026-01-02T03:04:05Zx", false).unwrap_err(),
            "parsing time \"2026-01-02T03:04:05Zx\": extra text: \"x\""
        );
        assert_eq!(
            canonical("2026-13-02T03:04:05Z", false).unwrap_err(),
            "parsing time \"2026-13-02T03:04:05Z\": month out of range"
        );
    }
}
