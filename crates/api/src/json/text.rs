//! Texts: short ones are stored inline, long ones are shared.

use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

/// A string in a tree. Up to 15 bytes are stored inline; clones of longer ones share their memory.
pub type Text = ecow::EcoString;

/// The maximum number of long names kept for sharing. Without a limit, names that clients invent could fill the
/// memory.
const KEPT: usize = 2048;

thread_local! {
    static NAMES: RefCell<HashSet<Text>> = RefCell::default();
}

/// Returns the text of a member's name. Long names are shared, because the same fields recur in every object.
pub fn name(name: &str) -> Text {
    // Short names are stored inline, so there is nothing to share.
    if let Some(short) = Text::try_inline(name) {
        return short;
    }
    NAMES.with_borrow_mut(|names| {
        if let Some(known) = names.get(name) {
            return known.clone();
        }
        let new = Text::from(name);
        // Once the table is full, new names are not shared.
        if names.len() < KEPT {
            names.insert(new.clone());
        }
        new
    })
}

/// Returns true if two names of the same length are equal. Names are short, so comparing a few words is faster than
/// calling the general comparison.
#[inline]
pub(super) fn is_same(own: &[u8], other: &[u8]) -> bool {
    match own.len() {
        8..=16 => {
            // Two overlapping words cover every length from 8 to 16.
            own.first_chunk::<8>() == other.first_chunk()
                && own.last_chunk::<8>() == other.last_chunk()
        }
        4..8 => {
            own.first_chunk::<4>() == other.first_chunk()
                && own.last_chunk::<4>() == other.last_chunk()
        }
        2..4 => {
            own.first_chunk::<2>() == other.first_chunk()
                && own.last_chunk::<2>() == other.last_chunk()
        }
        17..=32 => {
            own.first_chunk::<16>() == other.first_chunk()
                && own.last_chunk::<16>() == other.last_chunk()
        }
        _ => own == other,
    }
}

/// Returns true if two texts are equal.
#[inline]
pub(super) fn is_equal(own: &Text, other: &Text) -> bool {
    let (own, other) = (own.as_bytes(), other.as_bytes());
    own.len() == other.len() && (own.as_ptr() == other.as_ptr() || is_same(own, other))
}

/// Returns the first four bytes of a name as a number that sorts like the bytes. A shorter name is padded with zeros.
#[inline]
pub(super) fn head(name: &[u8]) -> u32 {
    match name.first_chunk::<4>() {
        // Big-endian, so that the numbers sort like the bytes.
        Some(head) => u32::from_be_bytes(*head),
        None => name
            .iter()
            .fold(0, |head, byte| head << 8 | u32::from(*byte))
            .checked_shl(8 * (4 - name.len() as u32))
            .unwrap_or(0),
    }
}

/// Compares two names by their bytes; the first bytes decide most comparisons.
#[inline]
pub(super) fn in_order(own: &str, other: &str) -> Ordering {
    let (own, other) = (own.as_bytes(), other.as_bytes());
    match head(own).cmp(&head(other)) {
        Ordering::Equal if own.len() == other.len() && is_same(own, other) => Ordering::Equal,
        Ordering::Equal => own.cmp(other),
        order => order,
    }
}

/// Returns true if two equal texts use separate memory.
pub(super) fn is_apart(own: &Text, other: &Text) -> bool {
    // Short texts are stored inline and cannot be shared.
    own.len() > Text::INLINE_LIMIT && own.as_ptr() != other.as_ptr()
}

/// A type that can name a member of an object.
///
/// ```
/// use ctl_api::json::{Map, Name, Value};
///
/// fn set(labels: &mut Map, name: impl Name, value: &str) {
///     labels.insert(name, Value::from(value));
/// }
///
/// let mut labels = Map::new();
/// set(&mut labels, "app", "web");
/// assert_eq!(labels["app"], "web");
/// ```
pub trait Name: AsRef<str> {
    /// Converts the name into the form that the map stores.
    fn into_text(self) -> Text;
}

impl Name for Text {
    fn into_text(self) -> Text {
        self
    }
}

impl Name for &Text {
    fn into_text(self) -> Text {
        self.clone()
    }
}

macro_rules! named {
    ($($from:ty),*) => {$(
        impl Name for $from {
            fn into_text(self) -> Text {
                name(self.as_ref())
            }
        }
    )*};
}

named!(
    &str,
    String,
    &String,
    &&str,
    Cow<'_, str>,
    Arc<str>,
    &Arc<str>,
    Box<str>
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_compare_as_their_bytes_do() {
        let mut names: Vec<String> = ["", "a", "b", "ab", "abc", "a\u{0}"]
            .map(String::from)
            .to_vec();
        for length in 1..20 {
            let plain = "metadata.annotations"[..length].to_owned();
            for (at, new) in [
                (0, "x"),
                (length / 2, "x"),
                (length - 1, "x"),
                (length - 1, "é"),
            ] {
                let mut other = plain.clone();
                other.replace_range(at..=at, new);
                names.push(other);
            }
            names.push(plain);
        }
        for one in &names {
            for two in &names {
                assert_eq!(in_order(one, two), one.cmp(two), "{one} {two}");
                if one.len() == two.len() {
                    assert_eq!(
                        is_same(one.as_bytes(), two.as_bytes()),
                        one == two,
                        "{one} {two}"
                    );
                }
            }
        }
    }
}
