//! Holding custom resources against their schema. Rules in CEL are not evaluated here.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use regex::Regex;
use serde_json::{Value, json};

use super::definition::CustomKind;
use crate::api::status::Cause;
use crate::kinds::tree::{as_text, field, flag, has, list, text, texts};
use crate::kinds::validate::{Errors, Path, go, metadata_of_create, metadata_of_update};

/// The rules that a new custom resource breaks.
pub fn create(kind: &CustomKind, object: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    metadata_of_create(object, kind.namespaced, &mut errors);
    against_schema(kind, object, &mut errors);
    errors.into_causes()
}

/// The rules that an update of a custom resource, or of its status, breaks.
pub fn update(kind: &CustomKind, object: &Value, old: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    metadata_of_update(object, old, &mut errors);
    against_schema(kind, object, &mut errors);
    errors.into_causes()
}

fn against_schema(kind: &CustomKind, object: &Value, errors: &mut Errors) {
    value(&Path::root(""), &kind.schema, object, errors);
}

/// What messages say of a field that is wrong "in body".
fn in_body(path: &Path<'_>, rule: &str) -> String {
    format!("{path} in body {rule}")
}

fn value(path: &Path<'_>, schema: &Value, value: &Value, errors: &mut Errors) {
    if value.is_null() && flag(schema, "nullable") || !schema.is_object() {
        return;
    }
    if !has_type(schema, value) {
        let (expected, found) = (text(schema, "type"), type_of(value));
        let rule = format!("must be of type {expected}: \"{found}\"");
        return errors.type_invalid(path, &go::quoted(found), &in_body(path, &rule));
    }
    match value {
        Value::Object(_) => object(path, schema, value, errors),
        Value::Array(items) => array(path, schema, items, errors),
        Value::String(text) => string(path, schema, text, errors),
        Value::Number(_) => number(path, schema, value, errors),
        _ => {}
    }
    let allowed = list(schema, "enum");
    if !allowed.is_empty() && !allowed.contains(value) {
        let shown: Vec<String> = allowed.iter().map(plain).collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        errors.not_supported(path, value, &shown);
    }
    junctors(path, schema, value, errors);
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn has_type(schema: &Value, value: &Value) -> bool {
    let found = type_of(value);
    if flag(schema, "x-kubernetes-int-or-string") {
        return matches!(found, "integer" | "string");
    }
    match text(schema, "type") {
        "" => true,
        "number" => matches!(found, "number" | "integer"),
        expected => expected == found,
    }
}

fn type_of(value: &Value) -> &'static str {
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

/// A limit in the schema, if it states one.
fn limit(schema: &Value, name: &str) -> Option<usize> {
    usize::try_from(field(schema, name).as_u64()?).ok()
}

fn object(path: &Path<'_>, schema: &Value, object: &Value, errors: &mut Errors) {
    for name in texts(schema, "required") {
        if object.get(name).is_none() {
            errors.required(&path.child(name), "");
        }
    }
    let properties = field(schema, "properties");
    let count = object.as_object().map_or(0, serde_json::Map::len);
    if let Some(most) = limit(schema, "maxProperties").filter(|most| count > *most) {
        errors.too_many(path, count, most);
    }
    if let Some(least) = limit(schema, "minProperties").filter(|least| count < *least) {
        let rule = format!("should have at least {least} properties");
        errors.invalid(path, &json!(count), &in_body(path, &rule));
    }
    for (name, inner) in object.as_object().into_iter().flatten() {
        match has(properties, name) {
            true => value(&path.child(name), field(properties, name), inner, errors),
            false => value(
                &path.child(name),
                field(schema, "additionalProperties"),
                inner,
                errors,
            ),
        }
    }
}

fn array(path: &Path<'_>, schema: &Value, items: &[Value], errors: &mut Errors) {
    if let Some(most) = limit(schema, "maxItems").filter(|most| items.len() > *most) {
        errors.too_many(path, items.len(), most);
    }
    if let Some(least) = limit(schema, "minItems").filter(|least| items.len() < *least) {
        let rule = format!("should have at least {least} items");
        errors.invalid(path, &json!(items.len()), &in_body(path, &rule));
    }
    for (index, item) in items.iter().enumerate() {
        value(&path.index(index), field(schema, "items"), item, errors);
    }
    let keys = |item: &Value| match text(schema, "x-kubernetes-list-type") {
        "set" => Some(item.clone()),
        "map" => Some(Value::Object(
            texts(schema, "x-kubernetes-list-map-keys")
                .filter_map(|key| Some((key.to_owned(), item.get(key)?.clone())))
                .collect(),
        )),
        _ => None,
    };
    let mut seen = BTreeSet::new();
    for (index, key) in items.iter().map(keys).enumerate() {
        if let Some(key) = key
            && !seen.insert(key.to_string())
        {
            errors.duplicate(&path.index(index), &go::shown(&key));
        }
    }
}

fn string(path: &Path<'_>, schema: &Value, value: &str, errors: &mut Errors) {
    let count = value.chars().count();
    let shown = go::quoted(value);
    if let Some(most) = limit(schema, "maxLength").filter(|most| count > *most) {
        errors.too_long(path, most);
    }
    if let Some(least) = limit(schema, "minLength").filter(|least| count < *least) {
        let rule = format!("should be at least {least} chars long");
        errors.invalid_shown(path, &shown, &in_body(path, &rule));
    }
    let pattern = as_text(field(schema, "pattern"));
    let fits = pattern.is_empty() || Regex::new(pattern).is_ok_and(|re| re.is_match(value));
    if !fits {
        let rule = format!("should match '{pattern}'");
        errors.invalid_shown(path, &shown, &in_body(path, &rule));
    }
    if text(schema, "format") == "date-time" && value.parse::<jiff::Timestamp>().is_err() {
        let rule = format!("must be of type date-time: {shown}");
        errors.invalid_shown(path, &shown, &in_body(path, &rule));
    }
}

fn number(path: &Path<'_>, schema: &Value, value: &Value, errors: &mut Errors) {
    let Some(number) = value.as_f64() else { return };
    for (name, exclusive, wrong, words) in [
        (
            "maximum",
            "exclusiveMaximum",
            Ordering::Greater,
            "less than",
        ),
        (
            "minimum",
            "exclusiveMinimum",
            Ordering::Less,
            "greater than",
        ),
    ] {
        let bound = field(schema, name);
        let Some(order) = bound.as_f64().and_then(|b| number.partial_cmp(&b)) else {
            continue;
        };
        let strict = flag(schema, exclusive);
        if order == wrong || strict && order == Ordering::Equal {
            let or_equal = if strict { "" } else { " or equal to" };
            let rule = format!("should be {words}{or_equal} {bound}");
            errors.invalid(path, value, &in_body(path, &rule));
        }
    }
    let step = field(schema, "multipleOf");
    if step
        .as_f64()
        .is_some_and(|step| step > 0.0 && number % step != 0.0)
    {
        let rule = format!("should be a multiple of {step}");
        errors.invalid(path, value, &in_body(path, &rule));
    }
}

fn junctors(path: &Path<'_>, schema: &Value, value: &Value, errors: &mut Errors) {
    let fits = |schema: &Value| {
        let mut inner = Errors::default();
        self::value(path, schema, value, &mut inner);
        inner.is_empty()
    };
    let valid = |name: &str| list(schema, name).iter().filter(|s| fits(s)).count();
    for inner in list(schema, "allOf") {
        self::value(path, inner, value, errors);
    }
    let wrong = match () {
        () if has(schema, "anyOf") && valid("anyOf") == 0 => {
            "must validate at least one schema (anyOf)"
        }
        () if has(schema, "oneOf") && valid("oneOf") == 0 => {
            "must validate one and only one schema (oneOf). Found none valid"
        }
        () if has(schema, "oneOf") && valid("oneOf") > 1 => {
            "must validate one and only one schema (oneOf). Found more than one valid"
        }
        () if has(schema, "not") && fits(field(schema, "not")) => {
            "must not validate the schema (not)"
        }
        () => return,
    };
    let shown = match value {
        Value::Object(_) | Value::Array(_) => "\"\"".to_owned(),
        value => go::shown(value),
    };
    errors.invalid_shown(path, &shown, &in_body(path, wrong));
}
