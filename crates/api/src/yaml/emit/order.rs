//! Sorts keys in natural order: `a9` comes before `a10`.

use crate::json::{Map, Text, Value};

/// Returns the entries in natural order, or `None` if the map is already in that order.
///
/// go-yaml's comparison is not transitive for every set of keys. The standard library's sort may panic on such a
/// comparison; this merge sort always ends.
pub(super) fn sorted(map: &Map) -> Option<Vec<(&Text, &Value)>> {
    // The keys of API objects are usually in order, so nothing is allocated for them.
    let in_order = map.keys().zip(map.keys().skip(1)).all(|(a, b)| !less(b, a));
    if in_order {
        return None;
    }
    let mut entries: Vec<_> = map.iter().collect();
    let mut width = 1;
    while width < entries.len() {
        let mut merged = Vec::with_capacity(entries.len());
        // Bottom-up: merges runs of doubling width until one is left.
        for run in entries.chunks(width * 2) {
            let (left, right) = run.split_at(width.min(run.len()));
            merge(left, right, &mut merged);
        }
        entries = merged;
        width *= 2;
    }
    Some(entries)
}

fn merge<'a>(
    mut left: &[(&'a Text, &'a Value)],
    mut right: &[(&'a Text, &'a Value)],
    out: &mut Vec<(&'a Text, &'a Value)>,
) {
    while let (Some(a), Some(b)) = (left.first(), right.first()) {
        if less(b.0, a.0) {
            out.push(*b);
            right = &right[1..];
        } else {
            out.push(*a);
            left = &left[1..];
        }
    }
    out.extend_from_slice(left);
    out.extend_from_slice(right);
}

/// Compares two keys as go-yaml does.
pub(super) fn less(a: &str, b: &str) -> bool {
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    // Steps back to the start of the character that differs.
    let at = (0..=same)
        .rev()
        .find(|i| a.is_char_boundary(*i) && b.is_char_boundary(*i))
        .unwrap_or(0);
    let (rest_a, rest_b) = (&a[at..], &b[at..]);
    let (Some(x), Some(y)) = (rest_a.chars().next(), rest_b.chars().next()) else {
        return a.len() < b.len();
    };
    // Letters sort after everything else.
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x < y,
        (false, false) => {}
        (_, second) => return second,
    }
    // A zero that follows other digits belongs to their number.
    let leading = (x == '0' || y == '0') && follows_number(&a[..at]);
    let start = i64::from(leading);
    let (number_a, len_a) = number(rest_a, start);
    let (number_b, len_b) = number(rest_b, start);
    if number_a != number_b {
        return number_a < number_b;
    }
    if len_a != len_b {
        return len_a < len_b;
    }
    x < y
}

/// Returns true if `text` ends in digits that are not all zeros.
fn follows_number(text: &str) -> bool {
    text.bytes()
        .rev()
        .take_while(u8::is_ascii_digit)
        .any(|b| b != b'0')
}

/// Parses the number at the start of `text`, wrapping as Go's arithmetic does. Returns its length as well.
fn number(text: &str, start: i64) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((start, 0), |(value, len), b| {
        (
            value.wrapping_mul(10).wrapping_add(i64::from(b - b'0')),
            len + 1,
        )
    })
}
