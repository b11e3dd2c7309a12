//! Encodes object trees into bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::MAGIC;
use super::schema::{Field, Label, Message, Schema, Type};
use super::special;
use super::wire::{put_bytes, put_fixed64, put_varint};
use crate::api::json::{Map, Value};

/// Encodes an object as a body; returns `None` if its kind has no message, such as a custom resource.
///
/// As with Go's types, fields that the kind does not have are left out.
pub fn encode(object: &Value) -> Option<Vec<u8>> {
    let map = object.as_object()?;
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let raw = fields(Schema::get().message_of(version, kind)?, map);
    let mut meta = Vec::new();
    put_bytes(&mut meta, 1, version.as_bytes());
    put_bytes(&mut meta, 2, kind.as_bytes());
    let mut out = MAGIC.to_vec();
    put_bytes(&mut out, 1, &meta);
    put_bytes(&mut out, 2, &raw);
    // Go writes both texts even though they are empty.
    put_bytes(&mut out, 3, b"");
    put_bytes(&mut out, 4, b"");
    Some(out)
}

/// Encodes an event of a watch as a frame: its length in four bytes and a `WatchEvent`, whose object is encoded like a
/// body. Returns `None` if the object's kind has no message.
pub fn encode_watch_event(kind: &str, object: &Value) -> Option<Vec<u8>> {
    let mut raw = Vec::new();
    put_bytes(&mut raw, 1, &encode(object)?);
    let mut event = Vec::new();
    put_bytes(&mut event, 1, kind.as_bytes());
    put_bytes(&mut event, 2, &raw);
    // Go's `LengthDelimitedFramer` puts four big-endian bytes before each frame of a stream.
    let length = u32::try_from(event.len()).ok()?;
    let mut out = length.to_be_bytes().to_vec();
    out.append(&mut event);
    Some(out)
}

fn fields(message: &Message, map: &Map) -> Vec<u8> {
    let mut out = Vec::new();
    for field in &message.fields {
        // An embedded struct has its own message on the wire, but its fields are in the surrounding JSON object.
        if field.inline {
            if let Type::Message(index) = field.ty {
                let inner = fields(Schema::get().message(index), map);
                if !inner.is_empty() {
                    put_bytes(&mut out, field.number, &inner);
                }
            }
        } else if let Some(value) = map.get(field.name) {
            put_field(&mut out, field, value);
        }
    }
    out
}

fn put_field(out: &mut Vec<u8>, field: &Field, value: &Value) {
    match (field.label, value) {
        // A null in JSON unsets a pointer, and an unset pointer is not written.
        (_, Value::Null) => {}
        (Label::One, value) => put(out, field.number, field.ty, value),
        (Label::Many, Value::Array(items)) => {
            items
                .iter()
                .for_each(|item| put(out, field.number, field.ty, item));
        }
        (Label::Map, Value::Object(members)) => {
            for (name, value) in members {
                let mut entry = Vec::new();
                put_bytes(&mut entry, 1, name.as_bytes());
                put(&mut entry, 2, field.ty, value);
                put_bytes(out, field.number, &entry);
            }
        }
        (Label::Many | Label::Map, _) => {}
    }
}

/// Appends one value; a value of another type than the field's is left out.
fn put(out: &mut Vec<u8>, number: u32, ty: Type, value: &Value) {
    let bytes = match (ty, value) {
        (Type::Bool, Value::Bool(set)) => return put_varint(out, number, u64::from(*set)),
        (Type::Int, value) => match value.as_i64() {
            Some(whole) => return put_varint(out, number, whole.cast_unsigned()),
            None => None,
        },
        (Type::Double, value) => match value.as_f64() {
            Some(double) => return put_fixed64(out, number, double.to_bits()),
            None => None,
        },
        (Type::String, Value::String(text)) => Some(text.as_bytes().to_vec()),
        (Type::Bytes, Value::String(text)) => STANDARD.decode(text.as_bytes()).ok(),
        (Type::Json, value) => serde_json::to_vec(value).ok().map(|json| first(&json)),
        (Type::Quantity, Value::String(text)) => Some(first(text.as_bytes())),
        // Kubernetes accepts a quantity as a JSON number too; on the wire it is always a text.
        (Type::Quantity, Value::Number(number)) => Some(first(number.to_string().as_bytes())),
        (Type::IntOrString, value) => special::put_int_or_string(value),
        (Type::Time, Value::String(text)) => special::put_time(text, false),
        (Type::MicroTime, Value::String(text)) => special::put_time(text, true),
        (Type::Duration, Value::String(text)) => duration(text),
        (Type::Strings, Value::Array(items)) => {
            let mut inner = Vec::new();
            let texts = items.iter().filter_map(Value::as_str);
            texts.for_each(|text| put_bytes(&mut inner, 1, text.as_bytes()));
            Some(inner)
        }
        (Type::OneOf(index), value) => Some(one_of(Schema::get().message(index), value)),
        (Type::Message(index), Value::Object(map)) => {
            Some(fields(Schema::get().message(index), map))
        }
        _ => None,
    };
    if let Some(bytes) = bytes {
        put_bytes(out, number, &bytes);
    }
}

/// Returns a message with bytes in its first field.
fn first(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, 1, bytes);
    out
}

fn duration(text: &str) -> Option<Vec<u8>> {
    let nanos = crate::api::duration::parse(text)?.as_nanos();
    let mut out = Vec::new();
    put_varint(&mut out, 1, i64::try_from(nanos).ok()?.cast_unsigned());
    Some(out)
}

fn one_of(message: &Message, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    for field in &message.fields {
        match (field.name, value) {
            ("schema", Value::Object(_)) => {
                // A schema in place of a boolean means true.
                if let Some(allows) = message.fields.iter().find(|f| f.name == "allows") {
                    put_varint(&mut out, allows.number, 1);
                }
                put(&mut out, field.number, field.ty, value);
            }
            ("allows", Value::Bool(_)) => put(&mut out, field.number, field.ty, value),
            (name, Value::Array(_)) if name != "schema" => put_field(&mut out, field, value),
            _ => {}
        }
    }
    out
}
