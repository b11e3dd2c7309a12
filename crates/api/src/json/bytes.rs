//! Converts trees to and from compact JSON without intermediate layers. The bytes and trees equal those of serde.
//!
//! Both directions can omit one member, which saves callers the copy of a tree that they would need to remove it.

use std::cell::RefCell;

use super::list::List;
use super::map::Map;
use super::recent::Recent;
use super::scanner::{Scanner, is_plain, plain};
use super::text::{self, Text};
use super::value::Value;
use serde_json::Number;

/// Returns a value as compact JSON without the member at this path. An empty path omits nothing.
pub fn to_bytes(value: &Value, without: &[&str]) -> Vec<u8> {
    // The size of a typical object. Growing the buffer by doubling would copy the bytes several times.
    let mut out = Vec::with_capacity(4096);
    RECENT.with_borrow_mut(|recent| write(value, without, &mut out, recent));
    out
}

thread_local! {
    static RECENT: RefCell<Recent> = const { RefCell::new(Recent::new()) };
}

fn write(value: &Value, without: &[&str], out: &mut Vec<u8>, recent: &mut Recent) {
    let is_part = without.is_empty() && matches!(value, Value::Array(_) | Value::Object(_));
    if !is_part {
        return write_anew(value, without, out, recent);
    }
    if let Some(json) = recent.find(value) {
        return out.extend_from_slice(json);
    }
    let start = out.len();
    write_anew(value, &[], out, recent);
    recent.note(value, &out[start..]);
}

fn write_anew(value: &Value, without: &[&str], out: &mut Vec<u8>, recent: &mut Recent) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_text(text, out),
        Value::Array(list) => {
            out.push(b'[');
            for (at, item) in list.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write(item, &[], out, recent);
            }
            out.push(b']');
        }
        Value::Object(map) => write_members(map, without, out, recent),
    }
}

fn write_members(map: &Map, without: &[&str], out: &mut Vec<u8>, recent: &mut Recent) {
    out.push(b'{');
    let mut first = true;
    for (name, value) in map {
        let below = match without {
            [own] if name == own => continue,
            [own, below @ ..] if name == own => below,
            _ => &[],
        };
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        write_text(name, out);
        out.push(b':');
        write(value, below, out, recent);
    }
    out.push(b'}');
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    match number.as_u64() {
        // Single-digit numbers are the most common: counts, flags, ordinals.
        Some(digit @ 0..10) => out.push(b'0' + digit as u8),
        // A write to memory cannot fail.
        _ => drop(serde_json::to_writer(out, number)),
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    // Also reserves room for the quotes, so that a text without escapes needs a single capacity check.
    out.reserve(bytes.len() + 3);
    out.push(b'"');
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
        return out.push(b'"');
    }
    let mut rest = bytes;
    loop {
        let (whole, special) = rest.split_at(plain(rest));
        out.extend_from_slice(whole);
        let Some((special, behind)) = special.split_first() else {
            break;
        };
        let short = match special {
            b'"' => b'"',
            b'\\' => b'\\',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                let digit = |half: u8| b"0123456789abcdef"[usize::from(half & 15)];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[digit(special >> 4), digit(*special)]);
                rest = behind;
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
        rest = behind;
    }
    out.push(b'"');
}

/// Parses a value and skips the member at this path. An empty path omits nothing.
///
/// # Errors
/// Returns an error if the text is not JSON.
pub fn from_bytes(json: &[u8], without: &[&str]) -> serde_json::Result<Value> {
    // The fast reader gives up on anything unusual and leaves the decision to serde.
    if let Some(value) = fast(json, without) {
        return Ok(value);
    }
    // Serde also provides the error message.
    let mut value: Value = serde_json::from_slice(json)?;
    remove(&mut value, without);
    Ok(value)
}

/// Parses the part at a path of names and skips everything else; returns null if the part is missing.
///
/// # Errors
/// Returns an error if the text is not JSON.
pub fn part_of_bytes(json: &[u8], path: &[&str]) -> serde_json::Result<Value> {
    let reader = Reader::new(json);
    if let Some(part) = reader.and_then(|mut reader| reader.part(path)) {
        return Ok(part);
    }
    let value: Value = serde_json::from_slice(json)?;
    let part = path.iter().try_fold(&value, |value, name| value.get(name));
    Ok(part.cloned().unwrap_or_default())
}

fn remove(value: &mut Value, path: &[&str]) {
    let Some((last, above)) = path.split_last() else {
        return;
    };
    let parent = above.iter().try_fold(value, |v, name| v.get_mut(*name));
    if let Some(members) = parent.and_then(Value::as_object_mut) {
        members.remove(*last);
    }
}

/// Parses the value; returns `None` if only serde can decide.
fn fast(json: &[u8], without: &[&str]) -> Option<Value> {
    let mut reader = Reader::new(json)?;
    // The reader does not track error positions, because serde reports them.
    let value = reader.value(without)?;
    reader.scan.peek().is_none().then_some(value)
}

/// The position in a text, together with the items and members read so far of the enclosing lists and objects. Lists
/// and objects are built once their length is known.
struct Reader<'t> {
    scan: Scanner<'t>,
    members: Vec<(Text, Value)>,
    items: Vec<Value>,
}

impl<'t> Reader<'t> {
    fn new(json: &'t [u8]) -> Option<Self> {
        Some(Self {
            scan: Scanner::new(json)?,
            members: Vec::new(),
            items: Vec::new(),
        })
    }

    fn value(&mut self, without: &[&str]) -> Option<Value> {
        match self.scan.peek()? {
            // Nearly every text has no escapes and is copied straight from the input.
            b'"' => self
                .scan
                .string()
                .map(|text| Value::String((&*text).into())),
            b'{' => self.object(without),
            b'[' => self.array(),
            b't' => self.scan.word("true").map(|()| Value::Bool(true)),
            b'f' => self.scan.word("false").map(|()| Value::Bool(false)),
            b'n' => self.scan.word("null").map(|()| Value::Null),
            _ => number(self.scan.number().as_bytes()),
        }
    }

    fn object(&mut self, without: &[&str]) -> Option<Value> {
        self.scan.enter()?;
        let start = self.members.len();
        let mut first = true;
        while self.scan.has_next(b'}', std::mem::take(&mut first))? {
            let name = self.scan.name()?;
            let below = match without {
                [own] if name == *own => {
                    self.scan.pass()?;
                    continue;
                }
                [own, below @ ..] if name == *own => below,
                _ => &[],
            };
            let value = self.value(below)?;
            self.members.push((text::name(&name), value));
        }
        // All levels share one vector, with the members of the outer objects first. This saves an allocation per
        // level.
        Some(Value::Object(self.members.drain(start..).collect::<Map>()))
    }

    /// Returns the part at a path, or null.
    fn part(&mut self, path: &[&str]) -> Option<Value> {
        let Some((own, below)) = path.split_first() else {
            return self.value(&[]);
        };
        if self.scan.peek()? != b'{' {
            return Some(Value::Null);
        }
        self.scan.enter()?;
        let mut first = true;
        while self.scan.has_next(b'}', std::mem::take(&mut first))? {
            if self.scan.name()? == *own {
                return self.part(below);
            }
            self.scan.pass()?;
        }
        Some(Value::Null)
    }

    fn array(&mut self) -> Option<Value> {
        self.scan.enter()?;
        let start = self.items.len();
        let mut first = true;
        while self.scan.has_next(b']', std::mem::take(&mut first))? {
            let value = self.value(&[])?;
            self.items.push(value);
        }
        Some(Value::Array(self.items.drain(start..).collect::<List>()))
    }
}

/// Returns true if a text consists of the digits of a `u64` and has no leading zeros.
pub(crate) fn is_short_integer(text: &[u8]) -> bool {
    // 18 digits always fit into a `u64`, so no overflow check is needed.
    let digits = text.len() <= 18 && text.iter().all(u8::is_ascii_digit);
    digits && (text.len() == 1 || text.first().is_some_and(|b| *b != b'0'))
}

fn number(text: &[u8]) -> Option<Value> {
    if is_short_integer(text) {
        let add = |sum: u64, b: &u8| sum * 10 + u64::from(b - b'0');
        return Some(Value::Number(text.iter().fold(0, add).into()));
    }
    serde_json::from_slice(text).ok().map(Value::Number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::json;

    fn value() -> impl Strategy<Value = Value> {
        let text = || {
            prop_oneof![
                "[a-z:./]{0,20}",
                ".{0,20}",
                "[\"\\\\\n\u{1}\u{8}\u{c}\tä]{0,12}"
            ]
        };
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(|f| json!(f)),
            (0u64..12).prop_map(Value::from),
            text().prop_map(|t| json!(t)),
        ];
        leaf.prop_recursive(4, 48, 8, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((text(), inner), 0..6)
                    .prop_map(|m| Value::Object(m.into_iter().collect::<Map>())),
            ]
        })
    }

    proptest! {
        #[test]
        fn parser_and_serializer_match_serde(value in value()) {
            let json = serde_json::to_vec(&value).unwrap();
            prop_assert_eq!(to_bytes(&value, &[]), &json[..]);
            let read: Value = serde_json::from_slice(&json).unwrap();
            prop_assert_eq!(from_bytes(&json, &[]).unwrap(), read.clone());
            let pretty = serde_json::to_vec_pretty(&value).unwrap();
            prop_assert_eq!(fast(&pretty, &[]).or_else(|| serde_json::from_slice(&pretty).ok()), Some(read));
        }

        #[test]
        fn invalid_json_has_serdes_error(text in "[\\[\\]{},:\"a0-9.eE \\\\utrlfns+-]{0,14}") {
            let (own, serdes) = (from_bytes(text.as_bytes(), &[]), serde_json::from_str::<Value>(&text));
            prop_assert_eq!(own.map_err(|e| e.to_string()), serdes.map_err(|e| e.to_string()));
        }

        #[test]
        fn excluded_member_is_neither_written_nor_read(inner in value(), other in value()) {
            let tree = json!({"a": other, "metadata": {"managedFields": inner, "name": other}, "z": inner});
            let mut expected = tree.clone();
            remove(&mut expected, &["metadata", "managedFields"]);
            let path = ["metadata", "managedFields"];
            let json = to_bytes(&tree, &[]);
            prop_assert_eq!(to_bytes(&tree, &path), to_bytes(&expected, &[]));
            let read: Value = serde_json::from_slice(&to_bytes(&expected, &[])).unwrap();
            prop_assert_eq!(from_bytes(&json, &path).unwrap(), read.clone());
            let name = part_of_bytes(&json, &["metadata", "name"]).unwrap();
            prop_assert_eq!(&name, &read["metadata"]["name"]);
            prop_assert_eq!(part_of_bytes(&json, &["z", "b"]).unwrap(), read["z"]["b"].clone());
        }
    }

    #[test]
    fn plain_prefix_ends_at_the_first_special_byte() {
        for special in [b'"', b'\\', 0, 0x1f] {
            for at in 0..20 {
                let mut bytes = "\u{80}ÿ a!#[]\u{7f} and so on".as_bytes().to_vec();
                bytes.insert(at, special);
                bytes.push(special);
                assert_eq!(plain(&bytes), at);
            }
        }
        assert_eq!(plain("\u{7f}äöü€ !#".as_bytes()), 13);
    }

    #[test]
    fn nesting_limit_equals_the_serde_limit() {
        for depth in [126, 127, 128, 300] {
            let json = "[".repeat(depth) + &"]".repeat(depth);
            let own = from_bytes(json.as_bytes(), &[]);
            assert_eq!(own.is_ok(), serde_json::from_str::<Value>(&json).is_ok());
            assert_eq!(fast(json.as_bytes(), &[]).is_some(), own.is_ok(), "{depth}");
        }
    }
}
