//! Decodes bytes into object trees.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use super::MAGIC;
use super::schema::{Field, Label, Message, Schema, Type};
use super::special;
use super::wire::{Reader, Wire};
use crate::api::json::{Map, Value};

/// The maximum depth of a message. The schemas of custom resources can nest without limit.
const MAX_DEPTH: usize = 128;

/// The reason for rejecting bytes as an object.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DecodeError {
    /// The first four bytes are not those of the encoding.
    #[error(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
    )]
    Prefix,
    /// The bytes end too early or are not protobuf.
    #[error("proto: {0}: illegal wire data")]
    Broken(&'static str),
    /// The kind has no message, as with custom resources.
    #[error("no kind \"{kind}\" is registered for version \"{version}\"")]
    UnknownKind {
        /// The `apiVersion`.
        version: String,
        /// The `kind`.
        kind: String,
    },
}

/// Decodes a body.
///
/// # Errors
/// Returns an error if the bytes are not an object, or if its kind has no message.
pub fn decode(bytes: &[u8]) -> Result<Value, DecodeError> {
    envelope(bytes, 0)
}

/// The parts of a `runtime.Unknown`.
#[derive(Default)]
struct Envelope<'b> {
    version: &'b str,
    kind: &'b str,
    raw: &'b [u8],
    content_type: &'b str,
}

fn envelope(bytes: &[u8], depth: usize) -> Result<Value, DecodeError> {
    let body = bytes.strip_prefix(MAGIC).ok_or(DecodeError::Prefix)?;
    let envelope = read_envelope(body).map_err(|()| DecodeError::Broken("Unknown"))?;
    // For kinds without a generated message, `runtime.Unknown` may contain JSON.
    if envelope.content_type == "application/json" {
        return serde_json::from_slice(envelope.raw).map_err(|_| DecodeError::Broken("Unknown"));
    }
    let (version, kind) = (envelope.version, envelope.kind);
    let schema = Schema::get();
    let message = schema.message_of(version, kind);
    let message = message.ok_or_else(|| DecodeError::UnknownKind {
        version: version.to_owned(),
        kind: kind.to_owned(),
    })?;
    let mut map = Map::new();
    map.insert("apiVersion", version.into());
    map.insert("kind", kind.into());
    fields(message, envelope.raw, &mut map, depth + 1)
        .map_err(|()| DecodeError::Broken("object"))?;
    Ok(Value::Object(map))
}

fn read_envelope(body: &[u8]) -> Result<Envelope<'_>, ()> {
    let mut envelope = Envelope::default();
    let mut reader = Reader::new(body);
    while let Some(field) = reader.field()? {
        match field {
            (1, Wire::Bytes(meta)) => {
                let mut reader = Reader::new(meta);
                while let Some(field) = reader.field()? {
                    match field {
                        (1, Wire::Bytes(text)) => envelope.version = utf8(text)?,
                        (2, Wire::Bytes(text)) => envelope.kind = utf8(text)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(raw)) => envelope.raw = raw,
            (4, Wire::Bytes(text)) => envelope.content_type = utf8(text)?,
            _ => {}
        }
    }
    Ok(envelope)
}

/// Decodes the fields of a message into a map.
fn fields(message: &Message, bytes: &[u8], map: &mut Map, depth: usize) -> Result<(), ()> {
    // The body is untrusted: without a limit, deep nesting would exhaust the stack.
    if depth > MAX_DEPTH {
        return Err(());
    }
    // Lists and maps arrive element by element, so they are collected first.
    let mut lists: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    let mut maps: BTreeMap<u32, BTreeMap<String, Value>> = BTreeMap::new();
    let mut reader = Reader::new(bytes);
    while let Some((number, wire)) = reader.field()? {
        // A client may send fields that are newer than the table.
        let Some(field) = message.field(number) else {
            continue;
        };
        match (field.label, wire) {
            (Label::Map, Wire::Bytes(entry)) => {
                let (key, value) = map_entry(field, entry, depth)?;
                maps.entry(number).or_default().insert(key, value);
            }
            // proto2 does not pack lists by default, but parsers must accept both forms.
            (Label::Many, Wire::Bytes(packed)) if is_packed(field.ty) => {
                let list = lists.entry(number).or_default();
                let mut elements = Reader::new(packed);
                while !elements.is_empty() {
                    list.push(scalar(field.ty, Wire::Varint(elements.varint()?))?);
                }
            }
            // An empty element counts, too: a list of two zero times has two elements.
            (Label::Many, wire) => {
                let value = value(field.ty, wire, depth)?.unwrap_or_default();
                lists.entry(number).or_default().push(value);
            }
            // Go embeds the struct; `json:",inline"` adds its fields to the surrounding object.
            (_, Wire::Bytes(inner)) if field.inline => {
                if let Type::Message(index) = field.ty {
                    fields(Schema::get().message(index), inner, map, depth + 1)?;
                }
            }
            (_, wire) => {
                if let Some(value) = value(field.ty, wire, depth)?
                    && (field.keeps_zero || !is_scalar(field.ty) || !is_zero(&value))
                {
                    map.insert(field.name, value);
                }
            }
        }
    }
    let name = |number: u32| message.field(number).map_or("", |field| field.name);
    for (number, list) in lists {
        map.insert(name(number), Value::from(list));
    }
    for (number, members) in maps {
        map.insert(name(number), members.into_iter().collect());
    }
    Ok(())
}

/// Returns true if the elements of a list of this type may be packed.
fn is_packed(ty: Type) -> bool {
    matches!(ty, Type::Int | Type::Bool)
}

/// Returns true for types whose zero values Go omits from JSON. A message is either present or absent.
fn is_scalar(ty: Type) -> bool {
    matches!(
        ty,
        Type::String | Type::Bytes | Type::Bool | Type::Int | Type::Double
    )
}

/// Returns true for the zero value, which Go's protobuf encoder writes even if the field is not set.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(set) => !set,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn map_entry(field: &Field, entry: &[u8], depth: usize) -> Result<(String, Value), ()> {
    let (mut key, mut found) = (String::new(), None);
    let mut reader = Reader::new(entry);
    while let Some(part) = reader.field()? {
        match part {
            (1, Wire::Bytes(text)) => key = utf8(text)?.to_owned(),
            (2, wire) => found = value(field.ty, wire, depth)?,
            _ => {}
        }
    }
    // A missing value of a map entry is the zero value.
    let empty = || match field.ty {
        Type::String | Type::Bytes => Value::from(""),
        Type::Quantity => Value::from("0"),
        Type::Strings => Value::from(Vec::<Value>::new()),
        _ => Value::Object(Map::new()),
    };
    Ok((key, found.unwrap_or_else(empty)))
}

/// Decodes one value; returns `None` if the field is not set.
fn value(ty: Type, wire: Wire<'_>, depth: usize) -> Result<Option<Value>, ()> {
    let Wire::Bytes(bytes) = wire else {
        return scalar(ty, wire).map(Some);
    };
    Ok(match ty {
        Type::String => Some(utf8(bytes)?.into()),
        Type::Bytes => Some(STANDARD.encode(bytes).into()),
        Type::Json => json(bytes, depth)?,
        Type::Quantity => Some(
            special::text(bytes)?
                .filter(|t| !t.is_empty())
                .unwrap_or("0")
                .into(),
        ),
        Type::IntOrString => Some(special::int_or_string(bytes)?),
        Type::Time => special::time(bytes, false)?.map(Value::from),
        Type::MicroTime => special::time(bytes, true)?.map(Value::from),
        Type::Duration => Some(special::go_duration(special::number(bytes)?).into()),
        Type::Strings => Some(strings(bytes)?),
        Type::OneOf(index) => one_of(Schema::get().message(index), bytes, depth)?,
        Type::Message(index) => {
            let mut map = Map::new();
            fields(Schema::get().message(index), bytes, &mut map, depth + 1)?;
            Some(Value::Object(map))
        }
        Type::Bool | Type::Int | Type::Double => return Err(()),
    })
}

fn scalar(ty: Type, wire: Wire<'_>) -> Result<Value, ()> {
    match (ty, wire) {
        (Type::Bool, Wire::Varint(value)) => Ok(Value::Bool(value != 0)),
        (Type::Int, Wire::Varint(value)) => Ok(value.cast_signed().into()),
        (Type::Double, Wire::Fixed64(bits)) => Ok(number(f64::from_bits(bits))),
        _ => Err(()),
    }
}

/// Converts a number to JSON: a whole number becomes an integer.
fn number(value: f64) -> Value {
    // Beyond 9e15, doubles cannot represent every integer, so an integer would suggest more precision than there is.
    let whole = value as i64;
    if whole as f64 == value && value.abs() < 9e15 {
        return whole.into();
    }
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Reads the raw JSON in the first field of a message. An embedded object may also be an encoded body.
fn json(bytes: &[u8], depth: usize) -> Result<Option<Value>, ()> {
    let mut raw = None;
    let mut reader = Reader::new(bytes);
    while let Some(field) = reader.field()? {
        if let (1, Wire::Bytes(value)) = field {
            raw = Some(value);
        }
    }
    match raw {
        None | Some([]) => Ok(None),
        // A `RawExtension` contains either JSON or an encoded body, as do the items of a `v1.List`.
        Some(raw) if raw.starts_with(MAGIC) => match depth < MAX_DEPTH {
            true => envelope(raw, depth + 1).map(Some).map_err(|_| ()),
            false => Err(()),
        },
        Some(raw) => serde_json::from_slice(raw).map(Some).map_err(|_| ()),
    }
}

fn strings(bytes: &[u8]) -> Result<Value, ()> {
    let mut list: Vec<Value> = Vec::new();
    let mut reader = Reader::new(bytes);
    while let Some(field) = reader.field()? {
        if let (1, Wire::Bytes(text)) = field {
            list.push(utf8(text)?.into());
        }
    }
    Ok(Value::from(list))
}

/// Decodes a schema or one of its alternatives: a boolean, a list of schemas, or a list of names.
fn one_of(message: &Message, bytes: &[u8], depth: usize) -> Result<Option<Value>, ()> {
    let mut map = Map::new();
    fields(message, bytes, &mut map, depth + 1)?;
    if let Some(schema) = map.remove("schema") {
        return Ok(Some(schema));
    }
    let other = message.fields.iter().find(|field| field.name != "schema");
    let other = other.and_then(|field| map.remove(field.name));
    // A `JSONSchemaPropsOrBool` without fields is `false`, the default of its boolean.
    let allows = message.fields.iter().any(|field| field.name == "allows");
    Ok(other.or(allows.then_some(Value::Bool(false))))
}

fn utf8(bytes: &[u8]) -> Result<&str, ()> {
    std::str::from_utf8(bytes).map_err(|_| ())
}
