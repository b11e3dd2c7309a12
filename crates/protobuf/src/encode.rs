//! Encodes objects straight from their compact JSON, the form in which lists keep their items. Building a tree of each
//! would take longer than everything else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::MAGIC;
use super::members::Numbers;
use super::schema::{Field, Label, Message, Schema, Type};
use super::special::{self, Moment};
use super::wire::{begin, close, put_bytes, put_fixed64, put_varint};
use crate::api::json::{Scanner, Value, to_bytes};

/// Encodes an object as a body; returns `None` if its kind has no message, as with custom resources.
///
/// As with Go's types, unknown fields are dropped.
pub fn encode(object: &Value) -> Option<Vec<u8>> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let message = Schema::get().message_of(version, kind)?;
    let mut out = Vec::new();
    let raw = head(version, kind, &mut out);
    fields(message, &to_bytes(object, &[]), &mut out)?;
    close(&mut out, raw);
    out.extend(TAIL);
    Some(out)
}

/// Go writes the content encoding and the content type even if they are empty.
const TAIL: &[u8] = b"\x1a\x00\x22\x00";

/// Writes a body up to its object; returns the position of the object's length.
fn head(version: &str, kind: &str, out: &mut Vec<u8>) -> usize {
    out.extend(MAGIC);
    let meta = begin(out, 1);
    put_bytes(out, 1, version.as_bytes());
    put_bytes(out, 2, kind.as_bytes());
    close(out, meta);
    begin(out, 2)
}

/// Encodes a watch event as a frame: a length of four bytes and a `WatchEvent`, which contains the object encoded like
/// a body. Returns `None` if the object's kind has no message.
pub fn encode_watch_event(kind: &str, object: &Value) -> Option<Vec<u8>> {
    let mut raw = Vec::new();
    put_bytes(&mut raw, 1, &encode(object)?);
    let mut event = Vec::new();
    put_bytes(&mut event, 1, kind.as_bytes());
    put_bytes(&mut event, 2, &raw);
    // Go's `LengthDelimitedFramer` writes four big-endian bytes before each frame of a stream.
    let length = u32::try_from(event.len()).ok()?;
    let mut out = length.to_be_bytes().to_vec();
    out.append(&mut event);
    Some(out)
}

/// Encodes a list from the JSON of its objects.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_protobuf::{List, decode};
///
/// let list = List::for_kind("v1", "PodList").ok_or("a built-in kind")?;
/// let mut items = Vec::new();
/// list.item(br#"{"metadata":{"name":"web"}}"#, &mut items).ok_or("JSON")?;
/// let (head, tail) = list.around(&json!({"resourceVersion": "7"}), items.len()).ok_or("JSON")?;
/// let read = decode(&[&head, &items[..], tail].concat())?;
/// assert_eq!(read["items"][0]["metadata"]["name"], "web");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct List<'k> {
    version: &'k str,
    kind: &'k str,
    message: &'static Message,
    /// The number of the `items` field, and the message of an item.
    items: (u32, &'static Message),
}

impl<'k> List<'k> {
    /// Returns the encoder for a list kind, or `None` if the kind has no message.
    pub fn for_kind(version: &'k str, kind: &'k str) -> Option<Self> {
        let message = Schema::get().message_of(version, kind)?;
        // The items are written last. Only one list has another order, in a version that is not served.
        let last = message.fields.last()?;
        let Type::Message(item) = last.ty else {
            return None;
        };
        (last.name == "items").then(|| Self {
            version,
            kind,
            message,
            items: (last.number, Schema::get().message(item)),
        })
    }

    /// Appends an object. Returns `None` if the text is not JSON; a part of it may have been appended.
    pub fn item(&self, json: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let length = begin(out, self.items.0);
        fields(self.items.1, json, out)?;
        close(out, length);
        Some(())
    }

    /// Returns the bytes before and after the items, whose total length is `items`.
    pub fn around(&self, metadata: &Value, items: usize) -> Option<(Vec<u8>, &'static [u8])> {
        let mut own = Vec::new();
        let metadata = Value::Object([("metadata", metadata.clone())].into_iter().collect());
        fields(self.message, &to_bytes(&metadata, &[]), &mut own)?;
        let mut out = Vec::new();
        head(self.version, self.kind, &mut out);
        // The length must include the items, which are not part of these bytes.
        out.pop();
        super::wire::varint(&mut out, (own.len() + items) as u64);
        out.append(&mut own);
        Some((out, TAIL))
    }
}

/// Appends the fields of a message from its JSON object. Returns `None` if the text is not JSON.
fn fields(message: &Message, json: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut encoder = Encoder {
        json: Scanner::new(json)?,
        out,
        parts: Vec::new(),
        moved: Vec::new(),
    };
    encoder.fields(message)
}

/// Reads JSON from front to back and writes each member at once. JSON members are sorted by name, protobuf fields by
/// number, so the parts of a message are reordered at its end.
struct Encoder<'t, 'o> {
    json: Scanner<'t>,
    out: &'o mut Vec<u8>,
    /// The parts of all messages that are being written.
    parts: Vec<Part>,
    /// A buffer for the parts of a message while they are reordered.
    moved: Vec<u8>,
}

/// The bytes of a field.
#[derive(Clone, Copy, Debug)]
struct Part {
    path: Numbers,
    start: usize,
    end: usize,
}

impl Encoder<'_, '_> {
    fn fields(&mut self, message: &Message) -> Option<()> {
        let (start, own) = (self.out.len(), self.parts.len());
        self.json.enter()?;
        let mut first = true;
        while self.json.has_next(b'}', std::mem::take(&mut first))? {
            let name = self.json.name()?;
            let Some(member) = message.members.get(&name) else {
                self.json.pass()?;
                continue;
            };
            let start = self.out.len();
            self.field(&member.field)?;
            let end = self.out.len();
            if end > start {
                let path = member.path;
                self.parts.push(Part { path, start, end });
            }
        }
        self.put_in_order(start, own);
        Some(())
    }

    /// Sorts the parts from `own` on by their numbers; their bytes begin at `start`.
    fn put_in_order(&mut self, start: usize, own: usize) {
        let parts = &mut self.parts[own..];
        let is_inlined = parts.iter().any(|part| part.path[1] > 0);
        if is_inlined || !parts.is_sorted_by_key(|part| part.path) {
            parts.sort_unstable_by_key(|part| part.path);
            self.moved.clear();
            self.moved.extend_from_slice(&self.out[start..]);
            self.out.truncate(start);
            let moved = Moved {
                bytes: &self.moved,
                start,
            };
            moved.put(parts, 0, self.out);
        }
        self.parts.truncate(own);
    }

    fn field(&mut self, field: &Field) -> Option<()> {
        match (field.label, self.json.peek()?) {
            (Label::One, next) if next != b'n' => self.one(field.number, field.ty),
            (Label::Many, b'[') => self.items(|this| this.one(field.number, field.ty)),
            (Label::Map, b'{') => self.entries(field),
            // A null in JSON leaves a pointer unset, and unset pointers are not written.
            _ => self.json.pass().map(drop),
        }
    }

    fn items(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.json.enter()?;
        let mut first = true;
        while self.json.has_next(b']', std::mem::take(&mut first))? {
            item(self)?;
        }
        Some(())
    }

    fn entries(&mut self, field: &Field) -> Option<()> {
        self.json.enter()?;
        let mut first = true;
        while self.json.has_next(b'}', std::mem::take(&mut first))? {
            let entry = begin(self.out, field.number);
            let name = self.json.name()?;
            put_bytes(self.out, 1, name.as_bytes());
            self.one(2, field.ty)?;
            close(self.out, entry);
        }
        Some(())
    }

    /// Appends one value. A value of the wrong type is dropped.
    fn one(&mut self, number: u32, ty: Type) -> Option<()> {
        let next = self.json.peek()?;
        let is_number = next == b'-' || next.is_ascii_digit();
        match (ty, next) {
            (Type::Message(index), b'{') => {
                let message = begin(self.out, number);
                self.fields(Schema::get().message(index))?;
                close(self.out, message);
            }
            (Type::String, b'"') => {
                let text = self.json.string()?;
                put_bytes(self.out, number, text.as_bytes());
            }
            (Type::Bool, b't' | b'f') => {
                self.json.pass()?;
                put_varint(self.out, number, u64::from(next == b't'));
            }
            (Type::Json, _) => {
                let json = self.json.pass()?;
                self.first(number, json.as_bytes());
            }
            (Type::Strings, b'[') => self.strings(number)?,
            (Type::OneOf(index), _) => self.one_of(number, Schema::get().message(index))?,
            (_, b'"') => self.text(number, ty)?,
            _ if is_number => self.number(number, ty)?,
            _ => self.json.pass().map(drop)?,
        }
        Some(())
    }

    /// Appends a message that has bytes in its first field.
    fn first(&mut self, number: u32, bytes: &[u8]) {
        let message = begin(self.out, number);
        put_bytes(self.out, 1, bytes);
        close(self.out, message);
    }

    /// Appends a value that JSON represents as a string although its type is another one.
    fn text(&mut self, number: u32, ty: Type) -> Option<()> {
        let text = self.json.string()?;
        let moment = match ty {
            Type::Quantity => {
                self.first(number, text.as_bytes());
                None
            }
            Type::Bytes => {
                if let Ok(bytes) = STANDARD.decode(text.as_bytes()) {
                    put_bytes(self.out, number, &bytes);
                }
                None
            }
            Type::IntOrString => {
                let message = begin(self.out, number);
                special::put_text(self.out, &text);
                close(self.out, message);
                None
            }
            Type::Time => Moment::parse(&text, false),
            Type::MicroTime => Moment::parse(&text, true),
            Type::Duration => Moment::of_duration(&text),
            _ => None,
        };
        if let Some(moment) = moment {
            let message = begin(self.out, number);
            moment.put(self.out);
            close(self.out, message);
        }
        Some(())
    }

    fn number(&mut self, number: u32, ty: Type) -> Option<()> {
        let digits = self.json.number();
        match ty {
            Type::Int => {
                if let Ok(whole) = digits.parse::<i64>() {
                    put_varint(self.out, number, whole.cast_unsigned());
                }
            }
            Type::IntOrString => {
                if let Ok(whole) = digits.parse::<i64>() {
                    let message = begin(self.out, number);
                    special::put_int(self.out, whole);
                    close(self.out, message);
                }
            }
            Type::Double => {
                // Parsed as in a tree, because both encoders must produce the same number.
                let double: f64 = serde_json::from_str(digits).ok()?;
                put_fixed64(self.out, number, double.to_bits());
            }
            // Kubernetes also accepts a JSON number for a quantity; on the wire, it is always a string.
            Type::Quantity => self.first(number, digits.as_bytes()),
            _ => {}
        }
        Some(())
    }

    fn strings(&mut self, number: u32) -> Option<()> {
        let message = begin(self.out, number);
        self.items(|this| match this.json.peek()? {
            b'"' => {
                let text = this.json.string()?;
                put_bytes(this.out, 1, text.as_bytes());
                Some(())
            }
            _ => this.json.pass().map(drop),
        })?;
        close(self.out, message);
        Some(())
    }

    fn one_of(&mut self, number: u32, message: &Message) -> Option<()> {
        let outer = begin(self.out, number);
        let next = self.json.peek()?;
        let named = |name: &str| message.fields.iter().find(|field| field.name == name);
        let is_list = |field: &&Field| field.label == Label::Many;
        let field = match next {
            b'{' => named("schema"),
            b't' | b'f' => named("allows"),
            b'[' => message.fields.iter().find(is_list),
            _ => None,
        };
        // A schema in place of a boolean implies true.
        if next == b'{'
            && let Some(allows) = named("allows")
        {
            put_varint(self.out, allows.number, 1);
        }
        match field {
            Some(field) => self.field(field)?,
            None => drop(self.json.pass()?),
        }
        close(self.out, outer);
        Some(())
    }
}

/// The bytes of a message before their reordering.
struct Moved<'m> {
    bytes: &'m [u8],
    /// The position of the first byte when it was written.
    start: usize,
}

impl Moved<'_> {
    /// Appends sorted parts. Parts with the same number at a level belong to one message at that level.
    fn put(&self, parts: &[Part], level: usize, out: &mut Vec<u8>) {
        for same in parts.chunk_by(|one, next| one.path[level] == next.path[level]) {
            let path = same[0].path;
            match path.get(level + 1) {
                Some(inner) if *inner > 0 => {
                    let message = begin(out, path[level]);
                    self.put(same, level + 1, out);
                    close(out, message);
                }
                _ => {
                    for part in same {
                        let bytes = &self.bytes[part.start - self.start..part.end - self.start];
                        out.extend_from_slice(bytes);
                    }
                }
            }
        }
    }
}
