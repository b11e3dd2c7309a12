//! The schemas of built-in kinds, generated from the table of fields.

use super::{Format, SchemaNames, full_name};
use crate::api::json::{Map, Value, json};
use crate::kinds::schema::{ListType, Schema, Type, descriptions, of_any};

/// Returns a schema in the format of the document; adds the names of schemas that it refers to to `wanted`.
pub(super) fn object(schema: &'static Schema, format: Format, wanted: &mut SchemaNames) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in schema.fields() {
        let mut made = type_of(&field.ty, of_any(schema, field), format, wanted);
        if let Some(text) = descriptions::of_field(schema, field) {
            made["description"] = json!(text);
        }
        let values: Vec<&str> = field.item_values().collect();
        if !values.is_empty() {
            let of = match field.ty {
                Type::List(_) => &mut made["items"],
                _ => &mut made,
            };
            of["enum"] = json!(values);
        }
        let default = field
            .default
            // The tables contain defaults as JSON text; an invalid one is omitted.
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(default) = default {
            made["default"] = default;
        }
        let list_type = field.list_type.map(|kind| match kind {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        });
        if let Some(list_type) = list_type {
            made["x-kubernetes-list-type"] = json!(list_type);
        }
        let keys: Vec<&str> = field.list_map_keys().collect();
        if !keys.is_empty() {
            made["x-kubernetes-list-map-keys"] = json!(keys);
        }
        // Lists and maps express the same property by different extensions.
        if matches!(field.ty, Type::Map(_)) && field.is_atomic_map() {
            made["x-kubernetes-map-type"] = json!("atomic");
        }
        let strategies: Vec<&str> = field.patch_strategies().collect();
        if !strategies.is_empty() {
            made["x-kubernetes-patch-strategy"] = json!(strategies.join(","));
        }
        if let Some(key) = field.patch_merge_key {
            made["x-kubernetes-patch-merge-key"] = json!(key);
        }
        if field.required {
            required.push(field.name);
        }
        properties.insert(field.name.to_owned(), made);
    }
    // Present even without fields, because clients allow any field if a schema has no `properties`.
    let mut out = json!({"type": "object", "properties": properties});
    if let Some(text) = descriptions::of_type(schema.name) {
        out["description"] = json!(text);
    }
    if !required.is_empty() {
        out["required"] = json!(required);
    }
    if schema.atomic {
        out["x-kubernetes-map-type"] = json!("atomic");
    }
    out
}

/// Returns the schema of a type that has no fields in the table, by the name under which other schemas refer to it.
pub(super) fn scalar(name: &str, format: Format) -> Option<Value> {
    let mut out = match (name, format) {
        // Only version 3 has alternatives of types. A quantity is printed as a string and also accepted as a number.
        (QUANTITY, Format::V3) => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
        (QUANTITY, Format::V2) => json!({"type": "string"}),
        (INT_OR_STRING, Format::V3) => json!({
            "format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}],
        }),
        (INT_OR_STRING, Format::V2) => json!({"type": "string", "format": "int-or-string"}),
        (TIME | MICRO_TIME, _) => json!({"type": "string", "format": "date-time"}),
        ("meta.v1.FieldsV1" | "RawExtension", _) => json!({"type": "object"}),
        // A schema without a type allows any value: `additionalProperties` is either a schema or a boolean.
        ("apiextensions.v1.JSON", _) => json!({}),
        (name, _) if name.starts_with("apiextensions.v1.JSONSchemaPropsOr") => json!({}),
        _ => return None,
    };
    if let Some(text) = descriptions::of_type(name) {
        out["description"] = json!(text);
    }
    Some(out)
}

const QUANTITY: &str = "Quantity";
const INT_OR_STRING: &str = "IntOrString";
const TIME: &str = "meta.v1.Time";
const MICRO_TIME: &str = "meta.v1.MicroTime";

fn type_of(
    ty: &Type,
    any: Option<&'static str>,
    format: Format,
    wanted: &mut SchemaNames,
) -> Value {
    let mut refer = |name: &'static str| {
        wanted.insert(name);
        format.reference(&full_name(name))
    };
    match ty {
        Type::String => json!({"type": "string"}),
        Type::Bytes => json!({"type": "string", "format": "byte"}),
        Type::Int32 => json!({"type": "integer", "format": "int32"}),
        Type::Int64 => json!({"type": "integer", "format": "int64"}),
        Type::Number => json!({"type": "number", "format": "double"}),
        Type::Boolean => json!({"type": "boolean"}),
        // References rather than inline types, because `kubectl explain` prints their names.
        Type::Quantity => refer(QUANTITY),
        Type::IntOrString => refer(INT_OR_STRING),
        Type::Time => refer(TIME),
        Type::MicroTime => refer(MICRO_TIME),
        Type::Any => any.map_or_else(|| json!({"type": "object"}), refer),
        Type::Object(named) => refer(named.name),
        Type::List(item) => json!({"type": "array", "items": type_of(item, any, format, wanted)}),
        Type::Map(value) => {
            json!({"type": "object", "additionalProperties": type_of(value, any, format, wanted)})
        }
    }
}
