//! Sets of completion indexes as Jobs write them: `0-2,5`.

use std::collections::BTreeSet;

/// A set of indexes.
pub(super) type Indexes = BTreeSet<i64>;

/// Parses `0-2,5`; skips parts that are not numbers.
pub(super) fn read(text: &str) -> Indexes {
    let mut indexes = Indexes::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
            indexes.extend(first..=last);
        }
    }
    indexes
}

/// Writes the set: two in a row stay two, three or more are a range.
pub(super) fn write(indexes: &Indexes) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = indexes.iter().copied().peekable();
    while let Some(first) = rest.next() {
        let mut last = first;
        while rest.next_if_eq(&(last + 1)).is_some() {
            last += 1;
        }
        match last - first {
            0 => parts.push(first.to_string()),
            1 => parts.extend([first.to_string(), last.to_string()]),
            _ => parts.push(format!("{first}-{last}")),
        }
    }
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_ranges_round_trip() {
        for (indexes, text) in [
            (vec![], ""),
            (vec![3], "3"),
            (vec![1, 2], "1,2"),
            (vec![0, 1, 2, 5], "0-2,5"),
            (vec![0, 2, 3, 7, 8, 9], "0,2,3,7-9"),
        ] {
            let indexes: Indexes = indexes.into_iter().collect();
            assert_eq!(write(&indexes), text);
            assert_eq!(read(text), indexes);
        }
    }
}
