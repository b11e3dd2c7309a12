//! Structural schemas: each field has a type outside of `allOf`, `anyOf`, `oneOf` and `not` (the junctors), and a
//! schema within a junctor only validates values.
//!
//! Follows `ValidateStructural` of apiextensions-apiserver.

use crate::api::json::{Value, json};
use crate::custom::pattern;
use crate::tree::{entries, field, flag, has, len, list, text};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The position of a schema, as error messages name it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Returns the reasons why a schema is not structural, sorted by their text.
pub(super) fn check(path: &Path<'_>, schema: &Value) -> Errors {
    let mut errors = Errors::default();
    invariants(path, schema, Level::Root, &mut errors);
    // As in the API server, only the value validations of the root are compared with its structure.
    for (at, nested) in junctors(path, schema) {
        complete(path, schema, &Path::root(&at), nested, &mut errors);
    }
    // The API server iterates over Go maps in random order and therefore sorts the errors by their text.
    errors.sort();
    errors
}

fn invariants(path: &Path<'_>, schema: &Value, level: Level, errors: &mut Errors) {
    let items = field(schema, "items");
    if text(schema, "type") == "array" && items.is_null() {
        errors.required(&path.child("items"), "must be specified");
    }
    if items.is_object() {
        invariants(&path.child("items"), items, Level::Item, errors);
    }
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        invariants(&properties.key(name), inner, Level::Field, errors);
    }
    let more = field(schema, "additionalProperties");
    let more_path = path.child("additionalProperties");
    if !more.is_null() && level == Level::Root {
        errors.forbidden(&more_path, "must not be used at the root");
    }
    if more.is_object() {
        invariants(&more_path, more, Level::Field, errors);
    }
    if flag(schema, INT_OR_STRING) {
        let detail = "must be false if x-kubernetes-int-or-string is true";
        for name in [PRESERVE, EMBEDDED] {
            if flag(schema, name) {
                errors.invalid(&path.child(name), &json!(true), detail);
            }
        }
    }
    // Two forms of int-or-string may have types within a junctor: a lone `anyOf`, and an `anyOf` in the first schema
    // of `allOf`, which leaves room for further value validations.
    let first = list(schema, "allOf").first().unwrap_or(&Value::Null);
    values(
        path,
        schema,
        &IntOrString {
            any_of: int_or_string(schema),
            first_of_all: int_or_string(first),
        },
        errors,
    );
    types(path, schema, level, errors);
    own_fields(path, schema, level, errors);
}

/// Validates the type of a schema at its position.
fn types(path: &Path<'_>, schema: &Value, level: Level, errors: &mut Errors) {
    let kind = text(schema, "type");
    let (at, more) = (path.child("type"), path.child("additionalProperties"));
    if flag(schema, EMBEDDED) && kind != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        match kind {
            "" => errors.required(&at, detail),
            kind => errors.invalid_shown(&at, &go::quoted(kind), detail),
        }
    // These two extensions replace the type: one permits two types, the other any type.
    } else if kind.is_empty() && !flag(schema, INT_OR_STRING) && !flag(schema, PRESERVE) {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.required(&at, detail);
    }
    if flag(schema, EMBEDDED) && has(schema, "additionalProperties") {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.forbidden(&more, detail);
    }
    if level == Level::Root && !kind.is_empty() && kind != "object" {
        errors.invalid_shown(&at, &go::quoted(kind), "must be object at the root");
    }
}

/// Validates `apiVersion`, `kind` and `metadata` of the object itself and of embedded objects.
fn own_fields(path: &Path<'_>, schema: &Value, level: Level, errors: &mut Errors) {
    let own = level == Level::Root || flag(schema, EMBEDDED);
    let (all, properties) = (field(schema, "properties"), path.child("properties"));
    let mut must_be = |name: &str, expected: &str| {
        let found = text(field(all, name), "type");
        if own && has(all, name) && found != expected {
            let detail = format!("must be {expected}");
            let at = properties.key(name);
            errors.invalid_shown(&at.child("type"), &go::quoted(found), &detail);
        }
    };
    must_be("kind", "string");
    must_be("apiVersion", "string");
    must_be("metadata", "object");
    // The API server validates the metadata itself. Definitions may restrict only names further, because clients rely
    // on all other metadata to work alike for every kind.
    if level == Level::Root && has(all, "metadata") && restricts(field(all, "metadata")) {
        let detail = "must not specify anything other than name and generateName, but metadata is \
                      implicitly specified";
        errors.forbidden(&properties.key("metadata"), detail);
    }
    if flag(schema, EMBEDDED) && !flag(schema, PRESERVE) && len(schema, "properties") == 0 {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        errors.required(&properties, detail);
    }
}

/// Returns true if a metadata schema restricts more than names.
fn restricts(metadata: &Value) -> bool {
    let empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let mut said = metadata.as_object().into_iter().flatten();
    said.any(|(name, value)| match name.as_str() {
        // Upstream removes these fields, `name` and `generateName` from a copy, and compares it with an empty schema.
        // In Go, empty values equal absent ones.
        "type" | "default" | "externalDocs" | "example" => false,
        "properties" => !entries(metadata, "properties")
            .all(|(name, _)| matches!(name, "name" | "generateName")),
        _ => !empty(value),
    })
}

/// Returns true if `anyOf` has the one form that may contain types: a number or a string.
fn int_or_string(schema: &Value) -> bool {
    *field(schema, "anyOf") == json!([{"type": "integer"}, {"type": "string"}])
}

/// The junctors in which types are permitted.
struct IntOrString {
    /// True if `anyOf` has the permitted form.
    any_of: bool,
    /// True if `anyOf` in the first schema of `allOf` has the permitted form.
    first_of_all: bool,
}

/// Validates the value validations of a schema.
fn values(path: &Path<'_>, schema: &Value, skip: &IntOrString, errors: &mut Errors) {
    // `skip` hides only the two types of int-or-string. A pattern or `not` next to them is still checked.
    for (name, skipped) in [("anyOf", skip.any_of), ("allOf", false), ("oneOf", false)] {
        let path = path.child(name);
        for (index, inner) in list(schema, name).iter().enumerate().filter(|_| !skipped) {
            let skip = name == "allOf" && index == 0 && skip.first_of_all;
            nested(&path.index(index), inner, skip, errors);
        }
    }
    if has(schema, "not") {
        nested(&path.child("not"), field(schema, "not"), false, errors);
    }
    let pattern = text(schema, "pattern");
    if let Err(wrong) = pattern::compile(pattern) {
        let detail = format!("must be a valid regular expression, but isn't: {wrong}");
        errors.invalid_shown(&path.child("pattern"), &go::quoted(pattern), &detail);
    }
}

/// Validates a schema within a junctor.
fn nested(path: &Path<'_>, schema: &Value, skip: bool, errors: &mut Errors) {
    let skip = IntOrString {
        any_of: skip,
        first_of_all: false,
    };
    values(path, schema, &skip, errors);
    if field(schema, "items").is_object() {
        nested(&path.child("items"), field(schema, "items"), false, errors);
    }
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        nested(&properties.key(name), inner, false, errors);
    }
    let mut forbid = |names: &[&str], given: &dyn Fn(&str) -> bool, must: &str| {
        for name in names.iter().filter(|name| given(name)) {
            errors.forbidden(
                &path.child(name),
                &format!("must be {must} to be structural"),
            );
        }
    };
    let says = |name: &str| !text(schema, name).is_empty();
    forbid(&["type", "title", "description"], &says, "empty");
    let is = |name: &str| has(schema, name);
    let undefined = [
        "additionalProperties",
        "default",
        "externalDocs",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
    ];
    forbid(&undefined, &is, "undefined");
    let on = |name: &str| flag(schema, name);
    forbid(
        &["nullable", PRESERVE, EMBEDDED, INT_OR_STRING],
        &on,
        "false",
    );
    let some = |name: &str| len(schema, name) > 0;
    let lists = ["x-kubernetes-list-map-keys", "x-kubernetes-validations"];
    forbid(&lists, &some, "empty");
    // Metadata rules within a junctor would evade the limit to names.
    if has(field(schema, "properties"), "metadata") {
        let detail = "must not be specified in a nested context";
        errors.forbidden(&properties.key("metadata"), detail);
    }
}

/// Returns the schemas in the junctors of a schema, with their paths.
fn junctors<'a>(path: &Path<'_>, schema: &'a Value) -> Vec<(String, &'a Value)> {
    let mut all = Vec::new();
    if has(schema, "not") {
        all.push((path.child("not").to_string(), field(schema, "not")));
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        let path = path.child(name);
        let schemas = list(schema, name).iter().enumerate();
        all.extend(schemas.map(|(index, inner)| (path.index(index).to_string(), inner)));
    }
    all
}

/// Requires each field of a schema within a junctor to be in the outer schema as well.
fn complete(path: &Path<'_>, schema: &Value, at: &Path<'_>, nested: &Value, errors: &mut Errors) {
    let because = |at: &Path<'_>| format!("because it is defined in {at}");
    if field(nested, "items").is_object() {
        // Pruning and defaulting follow only the outer schema. A field that exists only within a junctor would be
        // pruned before the junctor could validate it.
        let (path, at) = (path.child("items"), at.child("items"));
        match field(schema, "items") {
            Value::Null => errors.required(&path, &because(&at)),
            outer => complete(&path, outer, &at, field(nested, "items"), errors),
        }
    }
    let (properties, from) = (path.child("properties"), at.child("properties"));
    for (name, inner) in entries(nested, "properties") {
        let (path, at) = (properties.key(name), from.key(name));
        match field(field(schema, "properties"), name) {
            Value::Null => errors.required(&path, &because(&at)),
            outer => complete(&path, outer, &at, inner, errors),
        }
    }
    // Junctors may contain junctors; compare each with the same outer schema.
    for (at, inner) in junctors(at, nested) {
        complete(path, schema, &Path::root(&at), inner, errors);
    }
}
