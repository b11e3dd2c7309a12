//! Validates values against an OpenAPI schema, with the API server's messages.

use std::cmp::Ordering;

use super::formats;
use super::validate::counterpart;
use crate::api::json::{Value, json};
use crate::api::pattern;
use crate::tree::{field, flag, has, list, text, texts};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

/// Validates a value against its schema. Skips the parts that equal those in `old`.
pub(super) fn schema(schema: &Value, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    value(&Path::root(""), schema, new, old, errors);
}

/// Returns a message about a field "in body", as the API server writes it.
fn in_body(path: &Path<'_>, rule: &str) -> String {
    format!("{path} in body {rule}")
}

fn value(path: &Path<'_>, schema: &Value, value: &Value, old: Option<&Value>, errors: &mut Errors) {
    // Ratcheting: a stricter schema must not make stored objects impossible to update.
    let unchanged = old == Some(value);
    if unchanged || !schema.is_object() || value.is_null() && flag(schema, "nullable") {
        return;
    }
    if !has_type(schema, value) {
        let (expected, found) = (expected_type(schema), type_of(value));
        let rule = format!("must be of type {expected}: \"{found}\"");
        // After a type error, all other keywords would fail as well.
        return errors.type_invalid(path, &go::quoted(found), &in_body(path, &rule));
    }
    match value {
        Value::Object(_) => object(path, schema, value, old, errors),
        Value::Array(items) => array(path, schema, items, old, errors),
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

fn expected_type(schema: &Value) -> &str {
    match flag(schema, "x-kubernetes-int-or-string") {
        true => "integer,string",
        false => text(schema, "type"),
    }
}

fn has_type(schema: &Value, value: &Value) -> bool {
    let found = type_of(value);
    if flag(schema, "x-kubernetes-int-or-string") {
        return matches!(found, "integer" | "string");
    }
    match text(schema, "type") {
        "" => true,
        "number" => matches!(found, "number" | "integer"),
        // JSON has only one number type: for a schema, `1.0` is an integer.
        "integer" if found == "number" => value.as_f64().is_some_and(is_integer),
        expected => expected == found,
    }
}

/// Returns true if the API server takes a float for an integer: if every integer of its size has a float of its own, and
/// the difference is that of rounding.
fn is_integer(float: f64) -> bool {
    const MAX: f64 = 9_007_199_254_740_991.0;
    const EPSILON: f64 = 1e-9;
    if float.is_nan() || float.abs() > MAX {
        return false;
    }
    let whole = float.trunc();
    // Upstream compares with an unsigned number, so negative floats are never close enough.
    whole == float || whole > 0.0 && (float - whole) / (float + whole) < EPSILON
}

/// Returns the type of a value as schemas name it.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.as_i64().is_none() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns a limit of the schema if it is set.
fn limit(schema: &Value, name: &str) -> Option<usize> {
    usize::try_from(field(schema, name).as_u64()?).ok()
}

fn object(
    path: &Path<'_>,
    schema: &Value,
    object: &Value,
    old: Option<&Value>,
    errors: &mut Errors,
) {
    for name in texts(schema, "required") {
        // A null counts as present. The type decides if it is permitted.
        if object.get(name).is_none() {
            errors.required(&path.child(name), "");
        }
    }
    let properties = field(schema, "properties");
    let count = object.as_object().map_or(0, crate::api::json::Map::len);
    if let Some(most) = limit(schema, "maxProperties").filter(|most| count > *most) {
        errors.too_many(path, count, most);
    }
    if let Some(least) = limit(schema, "minProperties").filter(|least| count < *least) {
        let rule = format!("should have at least {least} properties");
        errors.invalid(path, &json!(count), &in_body(path, &rule));
    }
    for (name, inner) in object.as_object().into_iter().flatten() {
        let old = old.and_then(|old| old.get(name));
        let own = match has(properties, name) {
            true => field(properties, name),
            false => field(schema, "additionalProperties"),
        };
        if *own == Value::Bool(false) {
            let rule = in_body(&path.child(name), "is a forbidden property");
            errors.invalid_shown(path, "\"\"", &rule);
        }
        value(&path.child(name), own, inner, old, errors);
    }
}

fn array(
    path: &Path<'_>,
    schema: &Value,
    items: &[Value],
    old: Option<&Value>,
    errors: &mut Errors,
) {
    if let Some(most) = limit(schema, "maxItems").filter(|most| items.len() > *most) {
        errors.too_many(path, items.len(), most);
    }
    if let Some(least) = limit(schema, "minItems").filter(|least| items.len() < *least) {
        let rule = format!("should have at least {least} items");
        errors.invalid(path, &json!(items.len()), &in_body(path, &rule));
    }
    for (index, item) in items.iter().enumerate() {
        // Items have a counterpart only in lists with keys. In all others, a moved item counts as new.
        let old = old.and_then(|old| counterpart(schema, item, old));
        value(
            &path.index(index),
            field(schema, "items"),
            item,
            old,
            errors,
        );
    }
}

fn string(path: &Path<'_>, schema: &Value, value: &str, errors: &mut Errors) {
    // JSON Schema counts characters, not bytes.
    let count = value.chars().count();
    let shown = go::quoted(value);
    if let Some(most) = limit(schema, "maxLength").filter(|most| count > *most) {
        errors.too_long(path, most);
    }
    if let Some(least) = limit(schema, "minLength").filter(|least| count < *least) {
        let rule = format!("should be at least {least} chars long");
        errors.invalid_shown(path, &shown, &in_body(path, &rule));
    }
    let pattern = text(schema, "pattern");
    if !pattern.is_empty() && !pattern::compile(pattern).is_ok_and(|re| re.is_match(value)) {
        let rule = format!("should match '{pattern}'");
        errors.invalid_shown(path, &shown, &in_body(path, &rule));
    }
    let format = text(schema, "format");
    if !formats::fits(format, value) {
        let rule = format!("must be of type {format}: {shown}");
        errors.type_invalid(path, &shown, &in_body(path, &rule));
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
    // A remainder would be wrong for fractions such as 0.1, which no float has exactly.
    let times = |step: f64| match step < 1.0 {
        true => 1.0 / step * number,
        false => number / step,
    };
    if step
        .as_f64()
        .is_some_and(|step| step > 0.0 && !is_integer(times(step)))
    {
        let rule = format!("should be a multiple of {step}");
        errors.invalid(path, value, &in_body(path, &rule));
    }
    let (kind, format) = (text(schema, "type"), text(schema, "format"));
    let outside = match (kind, format) {
        ("integer", "int32") => !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number),
        ("integer", "int64") => value.as_i64().is_none() && number.fract() == 0.0,
        ("number", "float") => number.abs() > f64::from(f32::MAX),
        _ => false,
    };
    if outside {
        // Like upstream, without the path and the value.
        let rule = format!("Checked value must be of type {kind} with format {format} in {path}");
        errors.invalid_shown(&Path::root("<nil>"), "\"\"", &rule);
    }
}

/// Returns the number of values that a schema checks within a value, whether they fit or not. Upstream takes the
/// alternative with the most checks for the one that was meant.
fn checks(schema: &Value, value: &Value) -> usize {
    let inner: usize = match value {
        Value::Object(map) => {
            let schemas = map.iter().map(|(name, inner)| {
                let own = field(field(schema, "properties"), name);
                own.is_object().then(|| checks(own, inner))
            });
            schemas.flatten().sum()
        }
        Value::Array(items) if has(schema, "items") => {
            let own = field(schema, "items");
            items.iter().map(|item| checks(own, item)).sum()
        }
        _ => 0,
    };
    inner + 1
}

/// Validates `allOf`, `anyOf`, `oneOf` and `not`. If none of several schemas fits, the errors of the closest one are
/// added. Like the API server, reports the combination itself without a path.
fn junctors(path: &Path<'_>, schema: &Value, value: &Value, errors: &mut Errors) {
    let tried = |schema: &Value| {
        let mut inner = Errors::default();
        // Do not pass the old value: a combination counts matches, and a skipped check would count as a match.
        self::value(path, schema, value, None, &mut inner);
        inner
    };
    let quoted = go::quoted(&path.to_string());
    let wrong = |errors: &mut Errors, rule: &str| {
        let detail = format!("{quoted} {rule}");
        errors.invalid_shown(&Path::root("<nil>"), "\"\"", &detail);
    };
    for (name, rule) in [
        ("anyOf", "must validate at least one schema (anyOf)"),
        (
            "oneOf",
            "must validate one and only one schema (oneOf). Found none valid",
        ),
    ] {
        let all: Vec<Errors> = list(schema, name).iter().map(tried).collect();
        let valid = all.iter().filter(|errors| errors.is_empty()).count();
        if name == "oneOf" && valid > 1 {
            let rule = "must validate one and only one schema (oneOf). Found";
            wrong(errors, &format!("{rule} {valid} valid alternatives"));
        } else if valid == 0 && !all.is_empty() {
            wrong(errors, rule);
            let pairs = list(schema, name).iter().zip(all);
            // Of several with the same number of checks, the first one counts.
            let closest = pairs.rev().max_by_key(|(schema, _)| checks(schema, value));
            if let Some((_, closest)) = closest {
                errors.extend(closest);
            }
        }
    }
    let all: Vec<Errors> = list(schema, "allOf").iter().map(tried).collect();
    let valid = all.iter().filter(|errors| errors.is_empty()).count();
    if valid < all.len() {
        let none = if valid == 0 { ". None validated" } else { "" };
        wrong(
            errors,
            &format!("must validate all the schemas (allOf){none}"),
        );
        all.into_iter().for_each(|inner| errors.extend(inner));
    }
    if has(schema, "not") && tried(field(schema, "not")).is_empty() {
        wrong(errors, "must not validate the schema (not)");
    }
}
