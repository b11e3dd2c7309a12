//! Reads a few fields of an object's stored bytes without parsing all of it: a selector excludes most objects by
//! their labels alone.

/// Returns the value at a path of names in an object's compact JSON with sorted keys.
///
/// Fails if the bytes are not in the form that the store writes; such an object must be parsed.
pub(crate) fn at<'j>(json: &'j [u8], path: &[&str]) -> Result<Option<&'j [u8]>, NotCanonical> {
    match open_at(json, path)? {
        Some(value) => Ok(value.get(..value_end(value, 0)?)),
        None => Ok(None),
    }
}

/// Returns the value with the text after it.
fn open_at<'j>(json: &'j [u8], path: &[&str]) -> Result<Option<&'j [u8]>, NotCanonical> {
    let mut value = json;
    for name in path {
        match member(value, name.as_bytes())? {
            Some(found) => value = found,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// An object's labels, searched on demand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labels<'j>(Option<&'j [u8]>);

/// Returns an object's labels.
pub(crate) fn labels(json: &[u8]) -> Result<Labels<'_>, NotCanonical> {
    open_at(json, &["metadata", "labels"]).map(Labels)
}

impl<'j> Labels<'j> {
    /// Returns the value of a label, if it exists.
    pub(crate) fn get(self, name: &str) -> Result<Option<&'j str>, NotCanonical> {
        let Some(value) = self.0.map(|labels| member(labels, name.as_bytes())) else {
            return Ok(None);
        };
        let Some(value) = value? else {
            return Ok(None);
        };
        let text = value
            .get(1..string_end(value, 0)? - 1)
            .ok_or(NotCanonical)?;
        if text.contains(&b'\\') {
            return Err(NotCanonical);
        }
        std::str::from_utf8(text)
            .map(Some)
            .map_err(|_| NotCanonical)
    }
}

/// Bytes that are not in the store's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotCanonical;

/// Returns the value of a member of a map, if it has one with that name, and the text after it.
fn member<'j>(map: &'j [u8], name: &[u8]) -> Result<Option<&'j [u8]>, NotCanonical> {
    let mut at = 0;
    // `labels: null` has no members and is not odd.
    if map.first() != Some(&b'{') {
        return Ok(None);
    }
    if map.get(1) == Some(&b'}') {
        return Ok(None);
    }
    loop {
        let start = at + 2;
        let end = string_end(map, at + 1)?;
        if map.get(end) != Some(&b':') {
            return Err(NotCanonical);
        }
        let key = map.get(start..end - 1).ok_or(NotCanonical)?;
        if key == name {
            return map.get(end + 1..).map(Some).ok_or(NotCanonical);
        }
        // Keys are sorted by their text; an escaped key sorts by its unescaped text and may be anywhere.
        if key > name && !key.contains(&b'\\') {
            return Ok(None);
        }
        let value_end = value_end(map, end + 1)?;
        match map.get(value_end) {
            Some(b',') => at = value_end,
            Some(b'}') => return Ok(None),
            _ => return Err(NotCanonical),
        }
    }
}

/// Returns the position after the string that starts at `at`.
fn string_end(json: &[u8], at: usize) -> Result<usize, NotCanonical> {
    if json.get(at) != Some(&b'"') {
        return Err(NotCanonical);
    }
    let mut at = at + 1;
    loop {
        let rest = json.get(at..).ok_or(NotCanonical)?;
        let found = memchr::memchr2(b'"', b'\\', rest).ok_or(NotCanonical)?;
        match rest[found] {
            b'"' => return Ok(at + found + 1),
            // Skips the escaped character: an escaped quote does not end the string.
            _ => at += found + 2,
        }
    }
}

/// Returns the position after the value that starts at `at`.
fn value_end(json: &[u8], at: usize) -> Result<usize, NotCanonical> {
    let mut at = at;
    let mut depth = 0_usize;
    loop {
        match json.get(at) {
            None => return Err(NotCanonical),
            Some(b'"') => at = string_end(json, at)?,
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
                continue;
            }
            Some(b'}' | b']') => {
                depth = depth.checked_sub(1).ok_or(NotCanonical)?;
                at += 1;
            }
            Some(b',' | b':') if depth > 0 => {
                at += 1;
                continue;
            }
            Some(_) => {
                let rest = json.get(at..).unwrap_or_default();
                // The JSON is compact, so a number or a literal ends at a delimiter and never at a space.
                let end = rest.iter().position(|c| matches!(c, b',' | b'}' | b']'));
                at += end.filter(|end| *end > 0).ok_or(NotCanonical)?;
            }
        }
        if depth == 0 {
            return Ok(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::api::json::{Value, json};

    fn peek(value: &Value, path: &[&str]) -> Option<Value> {
        let json = serde_json::to_vec(value).unwrap();
        let found = at(&json, path).unwrap();
        found.map(|bytes| serde_json::from_slice(bytes).unwrap())
    }

    #[test]
    fn a_member_is_found_after_any_value() {
        let value = json!({"a": "x\"}\\", "b": [1, {"c": [[], {}]}, null], "d": {"e": -1.5e3, "f": true},
            "metadata": {"annotations": {"metadata": "{\"labels\":{}}"}, "labels": {"a/b": "c"}},
            "z": 1});
        assert_eq!(peek(&value, &["d", "e"]), Some(json!(-1500.0)));
        assert_eq!(peek(&value, &["d", "f"]), Some(json!(true)));
        assert_eq!(peek(&value, &["z"]), Some(json!(1)));
        assert_eq!(peek(&value, &["c"]), None);
        assert_eq!(peek(&value, &["z", "y"]), None);
        let json = serde_json::to_vec(&value).unwrap();
        let get = |json: &[u8], name| labels(json)?.get(name).map(|v| v.map(str::to_owned));
        assert_eq!(get(&json, "a/b"), Ok(Some("c".to_owned())));
        assert_eq!(get(&json, "a"), Ok(None));
        assert_eq!(get(b"{}", "a"), Ok(None));
        assert_eq!(get(b"{\"metadata\":{\"labels\":", "a"), Ok(None));
        assert_eq!(
            get(b"{\"metadata\":{\"labels\":{\"a\":", "a"),
            Err(NotCanonical)
        );
        assert_eq!(
            get(br#"{"metadata":{"labels":{"a":"\n"}}}"#, "a"),
            Err(NotCanonical)
        );
        assert_eq!(get(b"{\"metadata", "a"), Err(NotCanonical));
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-c\"\\\\{}\\[\\],:]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let key = "[a-c\"\\\\]{0,2}";
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map(key, inner, 0..4)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn peek_agrees_with_a_full_parse(value in tree(), a in "[a-c]{1,2}", b in "[a-c]{1,2}") {
            let value = json!({"a": value});
            for path in [&["a"][..], &["a", &a], &["a", &a, &b]] {
                let expected = path.iter().try_fold(&value, |v, name| v.as_object()?.get(*name));
                prop_assert_eq!(peek(&value, path), expected.cloned());
            }
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = at(&bytes, &["a", "b"]);
            let _ = labels(&bytes).and_then(|labels| labels.get("a").map(drop));
        }
    }
}
