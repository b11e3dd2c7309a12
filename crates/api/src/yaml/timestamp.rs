//! Recognizes the plain words that go-yaml reads as timestamps. They stay strings, but are quoted when written.

/// Returns true for go-yaml's four formats: a date, a date and time, and either RFC 3339 form with short fields.
pub(super) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 8 || bytes[4] != b'-' || !bytes[..4].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let year = bytes[..4]
        .iter()
        .fold(0, |n, b| n * 10 + u32::from(b - b'0'));
    parse(year, &bytes[5..]).is_some()
}

fn parse(year: u32, rest: &[u8]) -> Option<()> {
    let (month, rest) = number(rest, 1, 12)?;
    let rest = rest.strip_prefix(b"-")?;
    let (_, rest) = number(rest, 1, days(year, month))?;
    let (&separator, rest) = match rest.split_first() {
        None => return Some(()),
        Some(split) => split,
    };
    let (_, rest) = number(rest, 0, 23)?;
    let (_, rest) = number(rest.strip_prefix(b":")?, 0, 59)?;
    let (_, rest) = number(rest.strip_prefix(b":")?, 0, 59)?;
    let rest = fraction(rest);
    match separator {
        b' ' => rest.is_empty().then_some(()),
        b'T' | b't' => zone(rest),
        _ => None,
    }
}

/// Parses one or two digits and checks their range.
fn number(text: &[u8], low: u32, high: u32) -> Option<(u32, &[u8])> {
    let len = text
        .iter()
        .take(2)
        .take_while(|b| b.is_ascii_digit())
        .count();
    let value = text[..len]
        .iter()
        .fold(0, |n, b| n * 10 + u32::from(b - b'0'));
    (len > 0 && (low..=high).contains(&value)).then(|| (value, &text[len..]))
}

fn fraction(text: &[u8]) -> &[u8] {
    match text {
        [b'.' | b',', b'0'..=b'9', ..] => {
            let digits = text[1..].iter().take_while(|b| b.is_ascii_digit()).count();
            &text[1 + digits..]
        }
        _ => text,
    }
}

fn zone(text: &[u8]) -> Option<()> {
    match text {
        b"Z" => Some(()),
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            let two = |a: u8, b: u8| {
                (a.is_ascii_digit() && b.is_ascii_digit()).then(|| (a - b'0') * 10 + (b - b'0'))
            };
            (two(*h1, *h2)? <= 24 && two(*m1, *m2)? <= 60).then_some(())
        }
        _ => None,
    }
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
