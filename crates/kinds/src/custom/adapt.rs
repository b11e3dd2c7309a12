//! Converts values of custom resources and their schemas to the form that CEL expressions use.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::sync::Arc;

use crate::api::json::Value as Json;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::cel::value::{Identity, Key, List};
use crate::cel::{Type, Value, duration_of, escaped};
use crate::tree::{entries, field, flag, has, text, texts};

/// Returns true if a schema describes whole objects, with `apiVersion`, `kind` and `metadata`.
pub(super) fn is_resource(schema: &Json, root: bool) -> bool {
    root || flag(schema, "x-kubernetes-embedded-resource")
}

/// The metadata fields that expressions may use.
const METADATA: [&str; 2] = ["name", "generateName"];

/// Returns the CEL type for a schema; `root` marks the schema of whole objects.
pub(crate) fn type_of(schema: &Json, root: bool) -> Type {
    if flag(schema, "x-kubernetes-int-or-string") {
        return Type::Dyn;
    }
    match (text(schema, "type"), text(schema, "format")) {
        ("boolean", _) => Type::Bool,
        ("integer", _) => Type::Int,
        ("number", _) => Type::Double,
        ("string", "byte") => Type::Bytes,
        ("string", "duration") => Type::Duration,
        ("string", "date" | "date-time") => Type::Timestamp,
        ("string", _) => Type::Text,
        ("array", _) => Type::list(type_of(field(schema, "items"), false)),
        ("object", _) if field(schema, "additionalProperties").is_object() => {
            Type::map(type_of(field(schema, "additionalProperties"), false))
        }
        ("object", _) => Type::Object(Arc::new(fields(schema, root))),
        _ => Type::Dyn,
    }
}

fn fields(schema: &Json, root: bool) -> BTreeMap<String, Type> {
    let properties = entries(schema, "properties");
    let named =
        properties.filter_map(|(name, inner)| Some((escaped(name)?, type_of(inner, false))));
    let mut fields: BTreeMap<String, Type> = named.collect();
    if is_resource(schema, root) {
        let metadata = METADATA.map(|name| (name.to_owned(), Type::Text));
        fields.insert(
            "metadata".to_owned(),
            Type::Object(Arc::new(metadata.into())),
        );
        for name in ["apiVersion", "kind"] {
            fields.insert(name.to_owned(), Type::Text);
        }
    }
    fields
}

/// Returns a value without a schema in the form that expressions use.
pub fn untyped(json: &Json) -> Value {
    value(&Json::Null, json, false)
}

/// Returns a value in the form that expressions use.
pub(super) fn value(schema: &Json, json: &Json, root: bool) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => {
            // JSON does not distinguish 1 from 1.0, so the schema decides. At compile time, CEL rejects a comparison
            // of a double with an integer literal.
            let whole = number.as_i64().filter(|_| text(schema, "type") != "number");
            match whole {
                Some(whole) => Value::Int(whole),
                None => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
            }
        }
        Json::String(text) => string(schema, text),
        Json::Array(items) => {
            let inner = field(schema, "items");
            let items = items.iter().map(|item| value(inner, item, false)).collect();
            let identity = match text(schema, "x-kubernetes-list-type") {
                "set" => Identity::Value,
                // CEL compares these lists by their keys and sets in any order, just as the API merges them.
                "map" => {
                    let keys = texts(schema, "x-kubernetes-list-map-keys");
                    Identity::Keys(keys.filter_map(escaped).collect())
                }
                _ => Identity::Place,
            };
            Value::List(Arc::new(List { items, identity }))
        }
        Json::Object(map) => object(schema, map, root),
    }
}

fn string(schema: &Json, given: &str) -> Value {
    let typed = text(schema, "type") == "string";
    let known = match text(schema, "format") {
        "byte" if typed => STANDARD
            .decode(given)
            .ok()
            .map(|bytes| Value::Bytes(bytes.into())),
        "duration" if typed => duration_of(given).map(Value::Duration),
        "date-time" if typed => jiff::Timestamp::from_str(given).ok().map(Value::Timestamp),
        "date" if typed => {
            let time = jiff::Timestamp::from_str(&format!("{given}T00:00:00Z"));
            time.ok().map(Value::Timestamp)
        }
        _ => None,
    };
    known.unwrap_or_else(|| Value::text(given))
}

fn object(schema: &Json, map: &crate::api::json::Map, root: bool) -> Value {
    let properties = field(schema, "properties");
    let more = field(schema, "additionalProperties");
    let structured = text(schema, "type") == "object" && !more.is_object();
    let mut out = BTreeMap::new();
    for (name, json) in map {
        let (name, inner) = match (has(properties, name), structured) {
            (true, true) if !json.is_null() => (escaped(name), field(properties, name)),
            // Expressions cannot use fields that the schema does not have, and null counts as absent.
            (_, true) => continue,
            (_, false) => (Some(name.to_string()), more),
        };
        if let Some(name) = name {
            out.insert(Key::Text(name.into()), value(inner, json, false));
        }
    }
    if is_resource(schema, root) {
        for name in ["apiVersion", "kind"] {
            if let Some(Json::String(text)) = map.get(name) {
                out.insert(Key::Text(name.into()), Value::text(text));
            }
        }
        let metadata = map.get("metadata").unwrap_or(&Json::Null);
        let own = METADATA.into_iter().filter(|name| has(metadata, name));
        let own = own.map(|name| (Key::Text(name.into()), Value::text(text(metadata, name))));
        out.insert(
            Key::Text("metadata".into()),
            Value::Map(Arc::new(own.collect())),
        );
    }
    Value::Map(Arc::new(out))
}
