//! The schemas of custom resources, converted from their CustomResourceDefinitions to a form that clients can read.

use super::{Format, MARK, SchemaNames, full_name, marks};
use crate::api::json::{Map, Value, json};
use crate::kinds::Kind;
use crate::kinds::schema::descriptions;
use crate::kinds::tree::flag;

/// The schemas of the metadata of objects and of lists.
const METADATA: [&str; 2] = ["meta.v1.ObjectMeta", "meta.v1.ListMeta"];

/// The extension of a schema that allows unspecified fields.
const FREE: &str = "x-kubernetes-preserve-unknown-fields";

/// Adds the schemas of a kind and of its list.
pub(super) fn add(
    kind: &'static Kind,
    format: Format,
    schemas: &mut Map,
    wanted: &mut SchemaNames,
) {
    let Some(custom) = kind.custom else {
        return;
    };
    let [metadata, list_metadata] = METADATA.map(|name| {
        // No other schema refers to these, so they are requested here.
        wanted.insert(name);
        described(format.reference(&full_name(name)), "metadata")
    });
    let free = format == Format::V2 && flag(&custom.schema, FREE);
    let mut schema = match custom.schema.is_null() || free {
        true => json!({"type": "object"}),
        false => {
            let mut schema = published(&custom.schema, format, &metadata);
            add_common(&mut schema, &metadata);
            schema
        }
    };
    schema[MARK] = marks(kind, kind.kind);
    // Omitted if empty, as in the API server's document, because clients compare the two.
    if !custom.selectable_fields.is_empty() {
        let fields = custom.selectable_fields.iter();
        let fields: Vec<Value> = fields.map(|path| json!({"fieldPath": path})).collect();
        schema["x-kubernetes-selectable-fields"] = json!(fields);
    }
    let own = name(kind, kind.kind);
    let mut list = json!({
        "type": "object", "required": ["items"],
        "description": format!("{} is a list of {}", custom.list_kind, kind.kind),
        "properties": {"items": {
            "type": "array", "items": format.reference(&own),
            "description": format!(
                "List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
                kind.plural
            ),
        }},
    });
    add_common(&mut list, &list_metadata);
    list[MARK] = marks(kind, &custom.list_kind);
    schemas.insert(name(kind, &custom.list_kind), list);
    schemas.insert(own, schema);
}

/// Returns the name of the schema of a kind. The group is reversed, as kubectl expects: `com.example` for
/// `example.com`.
pub(super) fn name(kind: &Kind, of: &str) -> String {
    let mut words: Vec<&str> = kind.group.split('.').rev().collect();
    words.extend([kind.version, of]);
    words.join(".")
}

fn add_common(schema: &mut Value, metadata: &Value) {
    for name in ["apiVersion", "kind"] {
        schema["properties"][name] = described(json!({"type": "string"}), name);
    }
    schema["properties"]["metadata"] = metadata.clone();
}

fn described(mut schema: Value, field: &str) -> Value {
    if let Some(text) = descriptions::of_common(field) {
        schema["description"] = json!(text);
    }
    schema
}

/// Returns a schema without the parts that the format cannot express.
fn published(schema: &Value, format: Format, metadata: &Value) -> Value {
    let Some(map) = schema.as_object() else {
        return schema.clone();
    };
    // The API server converts only the schemas below these three fields; `allOf` and its siblings declare no fields.
    let below = |inner: &Value| published(inner, format, metadata);
    let mut out = Map::new();
    for (name, value) in map {
        let made = match name.as_str() {
            "properties" => {
                let fields = value.as_object().into_iter().flatten();
                Value::Object(
                    fields
                        .map(|(name, inner)| (name.clone(), below(inner)))
                        .collect(),
                )
            }
            "items" | "additionalProperties" => below(value),
            _ => value.clone(),
        };
        out.insert(name.clone(), made);
    }
    let mut out = Value::Object(out);
    if flag(schema, "x-kubernetes-embedded-resource") {
        add_common(&mut out, metadata);
    }
    // After the nested schemas, because a schema that loses its type here keeps their result.
    if format == Format::V2 {
        simplify(&mut out);
    }
    out
}

/// Removes the parts that Swagger 2.0 does not support, by the rules of the API server.
fn simplify(schema: &mut Value) {
    let is_set = |schema: &Value, name: &str| flag(schema, name);
    let (nullable, free) = (is_set(schema, "nullable"), is_set(schema, FREE));
    let text = is_set(schema, "x-kubernetes-int-or-string");
    let Some(map) = schema.as_object_mut() else {
        return;
    };
    for name in ["allOf", "anyOf", "oneOf", "not", "nullable"] {
        map.remove(name);
    }
    // A type would exclude null, or one of the two types, and kubectl would reject such a value.
    if nullable || text {
        map.remove("type");
    }
    // kubectl would reject any field that is not declared, so none are declared.
    if free {
        for name in ["items", "properties", "type"] {
            map.remove(name);
        }
    }
}
