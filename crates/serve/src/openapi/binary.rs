//! The document at `/openapi/v2` in protobuf, the only format that kubectl reads.
//!
//! The messages are those of the gnostic project (`openapi.v2`). Extensions and values of any type are YAML texts;
//! JSON is valid YAML.

use crate::api::json::Value;
use crate::kinds::tree::{entries, field, list, text, texts};
use crate::protobuf::wire::{put_bytes, put_fixed64, put_varint};

/// The media type of the document in protobuf.
pub(crate) const MEDIA_TYPE: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// The media type that kubectl requests. It is not valid because of the `@`: kubectl rejects a response that uses it.
pub(super) const OLD_MEDIA_TYPE: &str =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// The fields of `Schema` with their numbers, in the order of encoding.
const SCHEMA: &[(&str, u32, Form)] = &[
    ("$ref", 1, Form::Text),
    ("format", 2, Form::Text),
    ("title", 3, Form::Text),
    ("description", 4, Form::Text),
    ("default", 5, Form::Any),
    ("multipleOf", 6, Form::Double),
    ("maximum", 7, Form::Double),
    ("exclusiveMaximum", 8, Form::Flag),
    ("minimum", 9, Form::Double),
    ("exclusiveMinimum", 10, Form::Flag),
    ("maxLength", 11, Form::Integer),
    ("minLength", 12, Form::Integer),
    ("pattern", 13, Form::Text),
    ("maxItems", 14, Form::Integer),
    ("minItems", 15, Form::Integer),
    ("uniqueItems", 16, Form::Flag),
    ("maxProperties", 17, Form::Integer),
    ("minProperties", 18, Form::Integer),
    ("required", 19, Form::Text),
    ("enum", 20, Form::Anys),
    ("additionalProperties", 21, Form::SchemaOrFlag),
    ("type", 22, Form::Texts),
    ("items", 23, Form::Wrapped),
    ("properties", 25, Form::Named),
];

/// The number of the field for a schema's extensions.
const SCHEMA_EXTENSION: u32 = 31;

/// How a field is encoded.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Any,
    /// A list of values of any type.
    Anys,
    Double,
    Flag,
    Integer,
    SchemaOrFlag,
    /// A message that contains a list of strings.
    Texts,
    /// A message that contains a schema.
    Wrapped,
    /// A message that contains schemas by name.
    Named,
}

/// Encodes the document in protobuf.
pub(crate) fn encode(document: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    // Security is omitted, because kubectl has its own credentials and ignores it.
    put_text(&mut out, 1, text(document, "swagger"));
    let info = field(document, "info");
    let info = message(|out| {
        put_text(out, 1, text(info, "title"));
        put_text(out, 2, text(info, "version"));
    });
    put_bytes(&mut out, 2, &info);
    let paths = message(|out| {
        for (path, item) in entries(document, "paths") {
            put_named(out, 2, path, &path_item(item));
        }
    });
    put_bytes(&mut out, 8, &paths);
    // Sorted by name, which keeps caches stable; client-go does not require it.
    let definitions = message(|out| {
        for (name, definition) in entries(document, "definitions") {
            put_named(out, 1, name, &schema(definition));
        }
    });
    put_bytes(&mut out, 9, &definitions);
    out
}

fn path_item(item: &Value) -> Vec<u8> {
    message(|out| {
        for (method, number) in [
            ("get", 2),
            ("put", 3),
            ("post", 4),
            ("delete", 5),
            ("options", 6),
            ("head", 7),
            ("patch", 8),
        ] {
            if let Some(operation) = item.get(method) {
                put_bytes(out, number, &self::operation(operation));
            }
        }
        for parameter in list(item, "parameters") {
            put_parameter(out, 9, parameter);
        }
    })
}

/// Writes a parameter. It is nested four messages deep, because its types are alternatives of alternatives.
fn put_parameter(out: &mut Vec<u8>, number: u32, parameter: &Value) {
    if text(parameter, "in") == "body" {
        let body = message(|out| {
            put_text(out, 2, text(parameter, "name"));
            put_text(out, 3, "body");
            if parameter["required"] == true {
                put_varint(out, 4, 1);
            }
            put_bytes(out, 5, &schema(&parameter["schema"]));
        });
        let own = message(|out| put_bytes(out, 1, &body));
        return put_bytes(out, number, &message(|out| put_bytes(out, 1, &own)));
    }
    let is_in_path = text(parameter, "in") == "path";
    let own = message(|out| {
        if is_in_path {
            put_varint(out, 1, 1);
        }
        put_text(out, 2, text(parameter, "in"));
        put_text(out, 4, text(parameter, "name"));
        // Parameters of a query have one field more, `allow_empty_value`, so the later fields have other numbers.
        let (kind, unique) = if is_in_path { (5, 19) } else { (6, 20) };
        put_text(out, kind, text(parameter, "type"));
        put_varint(out, unique, 1);
    });
    let place = if is_in_path { 4 } else { 3 };
    let other = message(|out| put_bytes(out, place, &own));
    let own = message(|out| put_bytes(out, 2, &other));
    put_bytes(out, number, &message(|out| put_bytes(out, 1, &own)));
}

fn operation(operation: &Value) -> Vec<u8> {
    message(|out| {
        texts(operation, "tags").for_each(|tag| put_text(out, 1, tag));
        put_text(out, 5, text(operation, "operationId"));
        texts(operation, "consumes").for_each(|media| put_text(out, 7, media));
        for parameter in list(operation, "parameters") {
            put_parameter(out, 8, parameter);
        }
        let responses = message(|out| {
            for (code, response) in entries(operation, "responses") {
                let said = message(|out| {
                    put_text(out, 1, text(response, "description"));
                    if let Some(body) = response.get("schema") {
                        put_bytes(out, 2, &message(|out| put_bytes(out, 1, &schema(body))));
                    }
                });
                put_named(out, 1, code, &message(|out| put_bytes(out, 1, &said)));
            }
        });
        put_bytes(out, 9, &responses);
        put_extensions(out, 13, operation);
    })
}

fn schema(schema: &Value) -> Vec<u8> {
    message(|out| {
        // In the order of the table rather than the document, because decoders are fastest if fields are in order.
        for (name, number, form) in SCHEMA {
            if let Some(value) = schema.get(name) {
                put(out, *number, *form, value);
            }
        }
        put_extensions(out, SCHEMA_EXTENSION, schema);
    })
}

fn put(out: &mut Vec<u8>, number: u32, form: Form, value: &Value) {
    match (form, value) {
        // A list is encoded as one field per item.
        (Form::Text, Value::Array(all)) => {
            all.iter().for_each(|item| put(out, number, form, item));
        }
        (Form::Anys, value) => {
            let all = value.as_array().into_iter().flatten();
            all.for_each(|item| put_bytes(out, number, &any(item)));
        }
        (Form::Text, value) => put_text(out, number, value.as_str().unwrap_or_default()),
        (Form::Any, value) => put_bytes(out, number, &any(value)),
        (Form::Double, value) => {
            put_fixed64(out, number, value.as_f64().unwrap_or_default().to_bits());
        }
        (Form::Flag, value) => put_varint(out, number, u64::from(value == &Value::Bool(true))),
        (Form::Integer, value) => put_varint(out, number, value.as_u64().unwrap_or_default()),
        (Form::SchemaOrFlag, Value::Bool(flag)) => {
            put_bytes(
                out,
                number,
                &message(|out| put_varint(out, 2, u64::from(*flag))),
            );
        }
        (Form::Texts, value) => {
            put_bytes(out, number, &message(|out| put(out, 1, Form::Text, value)));
        }
        (Form::SchemaOrFlag | Form::Wrapped, value) => {
            put_bytes(
                out,
                number,
                &message(|out| put_bytes(out, 1, &schema(value))),
            );
        }
        (Form::Named, value) => {
            let all = message(|out| {
                for (name, inner) in value.as_object().into_iter().flatten() {
                    put_named(out, 1, name, &schema(inner));
                }
            });
            put_bytes(out, number, &all);
        }
    }
}

fn put_extensions(out: &mut Vec<u8>, number: u32, of: &Value) {
    for (name, value) in of.as_object().into_iter().flatten() {
        // Other fields are either in the table or unknown to Swagger 2.0.
        if name.starts_with("x-") {
            put_named(out, number, name, &any(value));
        }
    }
}

fn put_named(out: &mut Vec<u8>, number: u32, name: &str, value: &[u8]) {
    let entry = message(|out| {
        put_text(out, 1, name);
        put_bytes(out, 2, value);
    });
    put_bytes(out, number, &entry);
}

fn put_text(out: &mut Vec<u8>, number: u32, text: &str) {
    put_bytes(out, number, text.as_bytes());
}

fn any(value: &Value) -> Vec<u8> {
    // Field 1 would contain a packed message, which no client of this document unpacks.
    message(|out| put_text(out, 2, &value.to_string()))
}

fn message(fill: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    fill(&mut out);
    out
}
