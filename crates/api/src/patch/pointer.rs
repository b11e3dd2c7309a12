//! JSON pointers (RFC 6901) as the API server parses them.

use std::borrow::Cow;

use crate::json::Value;

/// A pointer, split into the path of the parent and the name or index in the parent.
pub(super) struct Path<'a> {
    parents: Vec<Cow<'a, str>>,
    pub(super) last: Cow<'a, str>,
}

impl<'a> Path<'a> {
    /// Splits a pointer and ignores the text before the first slash.
    ///
    /// Returns `None` if there is no slash.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        // The server's library ignores this text, too.
        let mut parts = text.split('/').skip(1).map(unescape).collect::<Vec<_>>();
        let last = parts.pop()?;
        let parents = parts;
        Some(Self { parents, last })
    }

    /// Returns the object or list that should contain the last part.
    pub(super) fn parent<'v>(&self, doc: &'v Value) -> Option<&'v Value> {
        self.parents
            .iter()
            .try_fold(doc, |value, part| match value {
                Value::Object(fields) => fields.get(&**part),
                Value::Array(items) => items.get(index(part, items.len())?),
                _ => None,
            })
    }

    /// Returns the object or list that should contain the last part, for modification.
    pub(super) fn parent_mut<'v>(&self, doc: &'v mut Value) -> Option<&'v mut Value> {
        self.parents
            .iter()
            .try_fold(doc, |value, part| match value {
                Value::Object(fields) => fields.get_mut(&**part),
                Value::Array(items) => {
                    let index = index(part, items.len())?;
                    items.get_mut(index)
                }
                _ => None,
            })
    }
}

/// Parses an index into a list of `len` items. A negative index counts from the end.
pub(super) fn index(text: &str, len: usize) -> Option<usize> {
    let number: i64 = text.parse().ok()?;
    let len = i64::try_from(len).ok()?;
    // An extension of the server's library: a negative index counts from the end.
    let number = if number < 0 { number + len } else { number };
    usize::try_from(number).ok().filter(|_| number < len)
}

fn unescape(part: &str) -> Cow<'_, str> {
    if part.contains('~') {
        // `~1` comes first, because `~01` must not become a slash.
        part.replace("~1", "/").replace("~0", "~").into()
    } else {
        part.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_index_may_be_negative_within_bounds() {
        for (text, len, expected) in [
            ("0", 1, Some(0)),
            ("1", 1, None),
            ("-1", 2, Some(1)),
            ("-2", 2, Some(0)),
            ("-3", 2, None),
            ("x", 2, None),
            ("", 2, None),
            ("-", 2, None),
            ("99999999999999999999", 2, None),
        ] {
            assert_eq!(index(text, len), expected, "{text} in {len}");
        }
    }

    #[test]
    fn the_parts_of_a_pointer_are_unescaped() {
        let path = Path::parse("/a~1b/c~01/d").unwrap();
        assert_eq!(path.parents, ["a/b", "c~1"]);
        assert_eq!(path.last, "d");
        assert!(Path::parse("").is_none());
        assert!(Path::parse("data").is_none());
    }
}
