//! Writes stored objects without the values that may differ between runs.
//!
//! It reads the bytes of the store and builds no tree: comparing the final states of a rolling update of 100 Pods takes
//! a tenth of the instructions.

use std::borrow::Cow;
use std::net::IpAddr;
use std::ops::Range;

use crate::api::json::{Scanner, json, part_of_bytes};
use crate::fast_map::FastMap;

/// The general names of objects whose names were generated.
pub(super) type Names = FastMap<String, String>;

/// The letters of a generated suffix, and its length.
const SUFFIX: (&[u8], usize) = (b"bcdfghjklmnpqrstvwxz2456789", 5);

/// The prefix of the volumes with tokens, whose names are generated without `generateName`.
const TOKENS: &str = "kube-api-access-";

/// The length of a uid.
const UID: usize = 36;

/// Returns the general name of an object whose name was generated.
pub(super) fn generated(name: &str, json: &[u8]) -> Option<String> {
    if !ends_in_suffix(name) {
        return None;
    }
    let prefix = part_of_bytes(json, &["metadata", "generateName"]).ok()?;
    let prefix = prefix.as_str()?;
    is_suffix(name.strip_prefix(prefix)?).then(|| format!("{prefix}*"))
}

/// Returns true for a suffix as the API generates it. The ordinal of a StatefulSet's Pod is none.
fn is_suffix(text: &str) -> bool {
    text.len() == SUFFIX.1 && text.bytes().all(|b| SUFFIX.0.contains(&b))
}

/// Returns true if a text ends as a generated name does.
fn ends_in_suffix(text: &str) -> bool {
    let end = text.len().saturating_sub(SUFFIX.1);
    text.get(end..).is_some_and(is_suffix)
}

fn is_uid(text: &[u8]) -> bool {
    text.len() == UID
        && text.iter().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 20
        && bytes[4] == b'-'
        && bytes[10] == b'T'
        && (is_plain_time(bytes) || text.parse::<jiff::Timestamp>().is_ok())
}

/// Returns true for a time in whole seconds of a day that every month has. Parsing takes ten times as long.
fn is_plain_time(text: &[u8]) -> bool {
    let number = |at: usize| {
        let [tens, ones] = [text[at], text[at + 1]].map(|b| b.wrapping_sub(b'0'));
        if tens > 9 || ones > 9 {
            u8::MAX
        } else {
            tens * 10 + ones
        }
    };
    let within = |at: usize, most: u8| number(at) <= most;
    let between = |at: usize, most: u8| (1..=most).contains(&number(at));
    let separators = [(7, b'-'), (13, b':'), (16, b':'), (19, b'Z')];
    text.len() == 20
        && separators.iter().all(|(at, sign)| text[*at] == *sign)
        && between(0, 99)
        && within(2, 99)
        && between(5, 12)
        && between(8, 28)
        && within(11, 23)
        && within(14, 59)
        && within(17, 59)
}

fn is_address(text: &str) -> bool {
    let first = text.bytes().next();
    // Most texts are not addresses, and parsing fails more slowly than this.
    first.is_some_and(|b| b.is_ascii_hexdigit() || b == b':')
        && text.bytes().any(|b| b == b'.' || b == b':')
        && text.parse::<IpAddr>().is_ok()
}

/// The part of an object that a value is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Top,
    Metadata,
    Status,
    Other,
}

impl Part {
    /// Returns the part of the value of a member.
    fn below(self, name: &[u8]) -> Self {
        match (self, name) {
            (Self::Top, b"status") | (Self::Status, _) => Self::Status,
            (Self::Top, b"metadata") => Self::Metadata,
            _ => Self::Other,
        }
    }
}

/// Writes values without the parts that may differ.
pub(super) struct Canonical<'n> {
    pub(super) names: &'n Names,
}

impl Canonical<'_> {
    /// Returns the general text of an object; `None` if it is not in the form in which a cluster stores it.
    pub(super) fn text(&self, json: &[u8]) -> Option<String> {
        let mut from = Scanner::new(json)?;
        // Dropped fields and short placeholders: the result is never longer by much.
        let mut out = String::with_capacity(json.len());
        self.write(&mut from, Part::Top, &mut out)?;
        (from.at() == json.len()).then_some(out)
    }

    fn write(&self, from: &mut Scanner<'_>, part: Part, out: &mut String) -> Option<()> {
        match from.peek()? {
            b'{' => self.object(from, part, out),
            b'[' => self.list(from, part, out),
            _ => {
                let value = from.pass()?;
                match value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) {
                    Some(text) => {
                        out.push('"');
                        out.push_str(&self.general(text));
                        out.push('"');
                    }
                    None => out.push_str(value),
                }
                Some(())
            }
        }
    }

    fn list(&self, from: &mut Scanner<'_>, part: Part, out: &mut String) -> Option<()> {
        from.enter()?;
        out.push('[');
        let (begin, mut items, mut objects) = (out.len(), Vec::new(), true);
        while from.has_next(b']', items.is_empty())? {
            if !items.is_empty() {
                out.push(',');
            }
            let start = out.len();
            objects &= from.peek()? == b'{';
            self.write(from, part, out)?;
            items.push(start..out.len());
        }
        // The order of conditions and endpoints depends on the order of the writers.
        if objects {
            sort(out, begin, &mut items);
        }
        out.push(']');
        Some(())
    }

    fn object(&self, from: &mut Scanner<'_>, part: Part, out: &mut String) -> Option<()> {
        from.enter()?;
        out.push('{');
        let begin = out.len();
        let mut last: Option<Cow<'_, str>> = None;
        while from.has_next(b'}', last.is_none())? {
            let name = from.name()?;
            // Only sorted names, each once, are compared member by member.
            if last.is_some_and(|last| last >= name) {
                return None;
            }
            if is_dropped(from, name.as_bytes(), part)? {
                from.pass()?;
            } else {
                if out.len() > begin {
                    out.push(',');
                }
                match &name {
                    Cow::Borrowed(name) => out.extend(["\"", name, "\":"]),
                    // It was escaped.
                    Cow::Owned(name) => out.extend([json!(name).to_string().as_str(), ":"]),
                }
                self.write(from, part.below(name.as_bytes()), out)?;
            }
            last = Some(name);
        }
        out.push('}');
        Some(())
    }

    /// Returns a text without the parts that differ between runs. An escaped text stays escaped.
    pub(super) fn general<'t>(&'t self, text: &'t str) -> Cow<'t, str> {
        if ends_in_suffix(text)
            && let Some(general) = self.names.get(text)
        {
            return general.into();
        }
        if is_time(text) {
            return "<time>".into();
        }
        if is_address(text) {
            return "<address>".into();
        }
        if let Some(suffix) = text.strip_prefix(TOKENS)
            && is_suffix(suffix)
        {
            return format!("{TOKENS}*").into();
        }
        // The volume of a claim is named after the uid of the claim.
        let at = text.len().saturating_sub(UID);
        match text.get(at..).filter(|end| is_uid(end.as_bytes())) {
            Some(_) => format!("{}<uid>", &text[..at]).into(),
            None => text.into(),
        }
    }
}

/// Sorts the items of a list, whose texts follow each other from `begin` on.
fn sort(out: &mut String, begin: usize, items: &mut [Range<usize>]) {
    let text = |item: &Range<usize>| &out[item.clone()];
    if items.is_sorted_by(|one, other| text(one) <= text(other)) {
        return;
    }
    items.sort_by(|one, other| text(one).cmp(text(other)));
    let items: Vec<&str> = items.iter().map(text).collect();
    let sorted = items.join(",");
    out.truncate(begin);
    out.push_str(&sorted);
}

/// Returns true if the next value counts writes, depends on which of several equal objects was first, or describes the
/// history instead of the state.
fn is_dropped(from: &mut Scanner<'_>, name: &[u8], part: Part) -> Option<bool> {
    let first = from.peek()?;
    let (text, number) = (first == b'"', first == b'-' || first.is_ascii_digit());
    Some(match name {
        b"generation" | b"observedGeneration" | b"nodePort" => number,
        b"resourceVersion" | b"nodeName" | b"containerID" | b"generateName" => text,
        b"uid" => {
            let mut ahead = *from;
            text && is_uid(ahead.pass()?.trim_matches('"').as_bytes())
        }
        // Messages contain names and numbers that other fields contain as well.
        b"message" => text && part == Part::Status,
        // The largest part of an object.
        b"managedFields" => part == Part::Metadata,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::to_bytes;

    #[test]
    fn only_generated_strings_are_replaced_by_placeholders() {
        let names = Names::from_iter([("web-bcdfg".to_owned(), "web-*".to_owned())]);
        let canonical = Canonical { names: &names };
        let uid = "5f8a7b1c-1111-4222-8333-123456789abc";
        for (text, general) in [
            ("web-bcdfg", "web-*"),
            ("web-bcdfh", "web-bcdfh"),
            ("2026-01-02T12:00:00Z", "<time>"),
            ("2026-01-31T12:00:00.000001Z", "<time>"),
            ("2026-02-31T12:00:00Z", "2026-02-31T12:00:00Z"),
            ("2026-01-02T24:00:00Z", "2026-01-02T24:00:00Z"),
            ("10.0.0.1", "<address>"),
            ("1.27", "1.27"),
            ("nginx:1", "nginx:1"),
            ("kube-api-access-bcdfg", "kube-api-access-*"),
            ("web-0", "web-0"),
        ] {
            assert_eq!(canonical.general(text), general);
        }
        assert_eq!(canonical.general(&format!("pvc-{uid}")), "pvc-<uid>");
        assert!(!is_suffix("0") && !is_suffix("00000") && is_uid(uid.as_bytes()));
    }

    #[test]
    fn an_object_keeps_only_what_runs_have_in_common() {
        let names = Names::from_iter([("web-bcdfg".to_owned(), "web-*".to_owned())]);
        let text = |json: &str| Canonical { names: &names }.text(json.as_bytes());
        let uid = "5f8a7b1c-1111-4222-8333-123456789abc";
        let pod = json!({
            "metadata": {"name": "web-bcdfg", "uid": uid, "generation": 3, "managedFields": [{"a": ["}"]}]},
            "spec": {"message": "a \"b\" \\", "uid": 7, "managedFields": {}, "empty": [], "last": -1.5e3},
            "status": {"message": "c", "list": [{"type": "b"}, {"message": "d", "type": "a"}], "order": ["b", "a"]},
        });
        let pod = String::from_utf8(to_bytes(&pod, &[])).unwrap();
        let general = concat!(
            r#"{"metadata":{"name":"web-*"},"#,
            r#""spec":{"empty":[],"last":-1500.0,"managedFields":{},"message":"a \"b\" \\","uid":7},"#,
            r#""status":{"list":[{"type":"a"},{"type":"b"}],"order":["b","a"]}}"#
        );
        assert_eq!(text(&pod).as_deref(), Some(general));
        let others = [
            r#"{"b":1,"a":2}"#,
            "{} ",
            "{",
            r#"{"a":"\"#,
            r#"{"a":"b\"}"#,
            "[1,]x",
        ];
        for other in others {
            assert_eq!(text(other), None, "{other}");
        }
    }
}
