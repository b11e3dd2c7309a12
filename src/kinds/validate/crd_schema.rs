//! The schemas of custom resources: structural, closed where they must be, with defaults that fit.

use std::cmp::Ordering;

use super::errors::Errors;
use super::go;
use super::path::Path;
use crate::api::json::{Text, Value};
use crate::kinds::custom::{check_rules, pattern};
use crate::kinds::tree::{entries, field, flag, has, len, list, text};

const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// The schema of a whole object.
pub(super) fn root(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    let (kind, before) = (text(schema, "type"), errors.len());
    walk(path, schema, Place::Root, errors);
    if kind.is_empty() {
        errors.required(&path.child("type"), "must not be empty at the root");
    } else if kind != "object" {
        let detail = "must be object at the root";
        errors.invalid_shown(&path.child("type"), &go::quoted(kind), detail);
    }
    let metadata = field(field(schema, "properties"), "metadata");
    let properties = field(metadata, "properties").as_object();
    let named = |key: &Text| matches!(key.as_str(), "name" | "generateName");
    if properties.is_some_and(|map| !map.keys().all(named)) {
        let path = path.child("properties");
        let detail = "must not specify anything other than name and generateName, but metadata is \
                      implicitly specified";
        errors.forbidden(&path.key("metadata"), detail);
    }
    if errors.len() == before {
        rules(path, schema, true, None, errors);
    }
}

/// Where a schema stands, as messages call it.
#[derive(Clone, Copy)]
enum Place {
    Root,
    Field,
    Item,
    /// Below a logical junctor: only value checks.
    Junctor,
}

fn walk(path: &Path<'_>, schema: &Value, place: Place, errors: &mut Errors) {
    forbidden(path, schema, errors);
    if !matches!(place, Place::Junctor) {
        structural(path, schema, place, errors);
    }
    lists(path, schema, errors);
    let pattern = text(schema, "pattern");
    if let Err(wrong) = pattern::compile(pattern) {
        let detail = format!("must be a valid regular expression, but isn't: {wrong}");
        errors.invalid_shown(&path.child("pattern"), &go::quoted(pattern), &detail);
    }
    if has(schema, "default") {
        fits(
            &path.child("default"),
            schema,
            field(schema, "default"),
            errors,
        );
    }
    for (path, inner, place) in below(path, schema) {
        walk(&Path::root(&path), inner, place, errors);
    }
    let open = flag(schema, "x-kubernetes-int-or-string");
    if !matches!(place, Place::Junctor) {
        for (at, inner) in junctors(path, schema) {
            unstructural(&Path::root(&at), inner, open, errors);
            specified(path, schema, &Path::root(&at), inner, errors);
        }
    }
}

/// The schemas of what is in values of a schema, with their paths.
fn inside<'a>(path: &Path<'_>, schema: &'a Value) -> Vec<(String, &'a Value, Place)> {
    let mut all = Vec::new();
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        all.push((properties.key(name).to_string(), inner, Place::Field));
    }
    for (name, place) in [
        ("additionalProperties", Place::Field),
        ("items", Place::Item),
    ] {
        if field(schema, name).is_object() {
            all.push((path.child(name).to_string(), field(schema, name), place));
        }
    }
    all
}

/// The schemas that a schema combines, with their paths.
fn junctors<'a>(path: &Path<'_>, schema: &'a Value) -> Vec<(String, &'a Value)> {
    let mut all = Vec::new();
    for name in ["allOf", "anyOf", "oneOf"] {
        let path = path.child(name);
        let schemas = list(schema, name).iter().enumerate();
        all.extend(schemas.map(|(index, inner)| (path.index(index).to_string(), inner)));
    }
    if has(schema, "not") {
        all.push((path.child("not").to_string(), field(schema, "not")));
    }
    all
}

fn below<'a>(path: &Path<'_>, schema: &'a Value) -> Vec<(String, &'a Value, Place)> {
    let combined = junctors(path, schema).into_iter();
    let combined = combined.map(|(path, inner)| (path, inner, Place::Junctor));
    inside(path, schema).into_iter().chain(combined).collect()
}

/// What a schema below a logical junctor may not say: it only checks values.
fn unstructural(path: &Path<'_>, schema: &Value, open: bool, errors: &mut Errors) {
    for name in ["type", "title", "description"] {
        // What may be a number or a text may say so.
        let allowed = open && name == "type" && matches!(text(schema, name), "integer" | "string");
        if !text(schema, name).is_empty() && !allowed {
            errors.forbidden(&path.child(name), "must be empty to be structural");
        }
    }
    for name in [
        "default",
        "x-kubernetes-preserve-unknown-fields",
        "additionalProperties",
    ] {
        if has(schema, name) {
            errors.forbidden(&path.child(name), "must be undefined to be structural");
        }
    }
    for name in [
        "nullable",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    ] {
        if flag(schema, name) {
            errors.forbidden(&path.child(name), "must be false to be structural");
        }
    }
    for (path, inner, _) in below(path, schema) {
        unstructural(&Path::root(&path), inner, open, errors);
    }
}

/// What a schema below a junctor checks has to be in the schema outside of it.
fn specified(path: &Path<'_>, schema: &Value, at: &Path<'_>, nested: &Value, errors: &mut Errors) {
    let (properties, from) = (path.child("properties"), at.child("properties"));
    for (name, inner) in entries(nested, "properties") {
        let (path, at) = (properties.key(name), from.key(name));
        match field(field(schema, "properties"), name) {
            Value::Null if flag(schema, "x-kubernetes-embedded-resource") => {}
            Value::Null => errors.required(&path, &format!("because it is defined in {at}")),
            outer => specified(&path, outer, &at, inner, errors),
        }
    }
    if field(nested, "items").is_object() && field(schema, "items").is_object() {
        let (path, at) = (path.child("items"), at.child("items"));
        specified(
            &path,
            field(schema, "items"),
            &at,
            field(nested, "items"),
            errors,
        );
    }
    for (at, inner) in junctors(at, nested) {
        specified(path, schema, &Path::root(&at), inner, errors);
    }
}

/// Checks the rules in CEL of a schema and of all in it. Below a list whose items have no names, what a
/// value was before cannot be told: `lost` is where that begins.
fn rules(path: &Path<'_>, schema: &Value, root: bool, lost: Option<&str>, errors: &mut Errors) {
    check_rules(path, schema, root, lost, errors);
    for (at, inner, place) in inside(path, schema) {
        let by_name = text(schema, "x-kubernetes-list-type") == "map";
        let lost = match (lost, place) {
            (None, Place::Item) if !by_name => Some(at.as_str()),
            (lost, _) => lost,
        };
        rules(&Path::root(&at), inner, false, lost, errors);
    }
}

/// What JSON schema has and custom resources may not use.
fn forbidden(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    if flag(schema, "uniqueItems") {
        let detail =
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.forbidden(&path.child("uniqueItems"), detail);
    }
    if len(schema, "properties") > 0 && has(schema, "additionalProperties") {
        let detail = "additionalProperties and properties are mutual exclusive";
        errors.forbidden(&path.child("additionalProperties"), detail);
    }
    for name in ["definitions", "dependencies", "patternProperties"] {
        if len(schema, name) > 0 {
            errors.forbidden(&path.child(name), &format!("{name} is not supported"));
        }
    }
    if has(schema, "$ref") {
        errors.forbidden(&path.child("$ref"), "$ref is not supported");
    }
    let name = "x-kubernetes-preserve-unknown-fields";
    let preserve = field(schema, name);
    if *preserve == Value::Bool(false) {
        errors.invalid(&path.child(name), preserve, "must be true or undefined");
    }
}

fn structural(path: &Path<'_>, schema: &Value, place: Place, errors: &mut Errors) {
    let kind = text(schema, "type");
    let open = flag(schema, "x-kubernetes-preserve-unknown-fields")
        || flag(schema, "x-kubernetes-int-or-string")
        || has(schema, "$ref");
    match (kind, place) {
        ("", Place::Field) if !open => {
            let detail = "must not be empty for specified object fields";
            errors.required(&path.child("type"), detail);
        }
        ("", Place::Item) if !open => {
            let detail = "must not be empty for specified array items";
            errors.required(&path.child("type"), detail);
        }
        ("", _) => {}
        (kind, _) if !TYPES.contains(&kind) => {
            errors.not_supported(&path.child("type"), field(schema, "type"), TYPES);
        }
        _ => {}
    }
    if kind == "array" && !has(schema, "items") {
        errors.required(&path.child("items"), "must be specified");
    }
}

fn lists(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    let name = "x-kubernetes-list-type";
    let kind = text(schema, name);
    if !kind.is_empty() && !matches!(kind, "atomic" | "set" | "map") {
        let supported = &["atomic", "set", "map"];
        errors.not_supported(&path.child(name), field(schema, name), supported);
    }
    let keys = "x-kubernetes-list-map-keys";
    match (kind == "map", len(schema, keys)) {
        (true, 0) => {
            let detail = "must not be empty if x-kubernetes-list-type is map";
            errors.required(&path.child(keys), detail);
        }
        (false, 1..) => {
            let detail = "must be undefined unless x-kubernetes-list-type is map";
            errors.invalid(&path.child(keys), field(schema, keys), detail);
        }
        _ => {}
    }
    let name = "x-kubernetes-map-type";
    let supported = &["granular", "atomic"];
    super::common::one_of(path, schema, name, supported, errors);
}

/// A default must be valid under its own schema.
fn fits(path: &Path<'_>, schema: &Value, value: &Value, errors: &mut Errors) {
    let expected = text(schema, "type");
    let found = json_type(value);
    let number = expected == "number" && found == "integer";
    let loose = flag(schema, "x-kubernetes-int-or-string") || expected.is_empty();
    if value.is_null() && flag(schema, "nullable") || loose {
        return;
    }
    if expected != found && !number {
        let detail = format!(" in body must be of type {expected}: \"{found}\"");
        return errors.type_invalid(path, &go::quoted(found), &detail);
    }
    if let Some(number) = value.as_f64() {
        for (name, wrong, text) in [
            ("minimum", Ordering::Less, "greater than or equal to"),
            ("maximum", Ordering::Greater, "less than or equal to"),
        ] {
            let bound = field(schema, name);
            let order = bound.as_f64().and_then(|b| number.partial_cmp(&b));
            if order == Some(wrong) {
                let detail = format!(" in body should be {text} {bound}");
                errors.invalid(path, value, &detail);
            }
        }
    }
    let allowed = list(schema, "enum");
    if !allowed.is_empty() && !allowed.contains(value) {
        let shown: Vec<_> = allowed.iter().map(|v| v.as_str().unwrap_or("")).collect();
        errors.not_supported(path, value, &shown);
    }
    for (name, inner) in entries(schema, "properties") {
        if has(value, name) {
            fits(&path.child(name), inner, field(value, name), errors);
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(&path.index(index), field(schema, "items"), item, errors);
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
