//! Dotted paths into an object, with fields, indexes, `*`, and items selected as `[name=x]`.

use super::{KustomizeError, Result};
use crate::api::json::{List, Value, json};

/// Splits a path at its dots, except for dots in brackets or after a backslash.
pub(super) fn split(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut escaped, mut bracket) = (false, false);
    for c in path.chars() {
        let last = parts.len() - 1;
        let part = &mut parts[last];
        match c {
            _ if escaped => {
                // A backslash escapes only dots; before any other character, it is part of the name.
                if c != '.' {
                    part.push('\\');
                }
                part.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '.' if !bracket => parts.push(String::new()),
            _ => {
                bracket = match c {
                    // A bracket starts a selection only at the start of a part; `a[0` is a field name.
                    '[' => part.is_empty() || bracket,
                    ']' => false,
                    _ => bracket,
                };
                part.push(c);
            }
        }
    }
    // `[app.kubernetes.io/name]` is a single field whose name contains dots.
    for part in &mut parts {
        let inner = part
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        if let Some(inner) = inner.filter(|inner| !inner.contains('=')) {
            *part = inner.to_owned();
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the field and the value in `[name=x]`.
fn item_choice(part: &str) -> Option<(&str, &str)> {
    part.strip_prefix('[')?.strip_suffix(']')?.split_once('=')
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_string()),
    }
}

/// Returns the value at a path. Each list on the way needs an index or a selection.
pub(super) fn get<'a>(value: &'a Value, parts: &[String]) -> Option<&'a Value> {
    parts.iter().try_fold(value, |value, part| match value {
        Value::Array(items) => match item_choice(part) {
            Some((field, wanted)) => items.iter().find(|item| {
                let own = if field.is_empty() {
                    scalar_text(item)
                } else {
                    scalar_text(&item[field])
                };
                own.as_deref() == Some(wanted)
            }),
            // In JSON pointers, `-` is the position after the last item; kustomize takes it for the last item itself.
            None if part == "-" => items.last(),
            None => items.get(part.parse::<usize>().ok()?),
        },
        other => other.get(part),
    })
}

/// Visits every value at a path and returns their number. `create` adds missing fields.
pub(super) fn visit(
    value: &mut Value,
    parts: &[String],
    create: bool,
    each: &mut dyn FnMut(&mut Value) -> Result<()>,
) -> Result<usize> {
    let Some((first, rest)) = parts.split_first() else {
        each(value)?;
        return Ok(1);
    };
    if create && value.is_null() {
        // The next part determines the type of the missing value: an index or a selection needs a list.
        let is_list = item_choice(first).is_some() || first.parse::<usize>().is_ok();
        *value = if is_list { json!([]) } else { json!({}) };
    }
    match value {
        Value::Array(items) => visit_list(items, first, rest, create, each),
        Value::Object(_) if first == "*" => Err(KustomizeError::new(format!(
            "wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{}",
            crate::api::yaml::to_string(value)
        ))),
        Value::Object(map) => {
            if create {
                // Something further down replaces the null, at the latest the caller's value.
                map.entry(first.clone()).or_insert(Value::Null);
            }
            match map.get_mut(first) {
                Some(field) => visit(field, rest, create, each),
                None => Ok(0),
            }
        }
        Value::Null => Ok(0),
        _ => Err(KustomizeError::new(
            "wrong node kind: expected MappingNode but got ScalarNode",
        )),
    }
}

fn visit_list(
    items: &mut List,
    first: &str,
    rest: &[String],
    create: bool,
    each: &mut dyn FnMut(&mut Value) -> Result<()>,
) -> Result<usize> {
    if first == "*" {
        let mut count = 0;
        for item in items {
            count += visit(item, rest, create, each)?;
        }
        return Ok(count);
    }
    if let Some((field, wanted)) = item_choice(first) {
        let choice = Choice { field, wanted };
        return visit_chosen(items, &choice, rest, create, each);
    }
    let Ok(index) = first.parse::<usize>() else {
        return Err(KustomizeError::new(
            "wrong node kind: expected MappingNode but got SequenceNode",
        ));
    };
    let found = items.len();
    // Only the next free index can be created; any other would leave a gap.
    if create && index == found {
        items.push(Value::Null);
    }
    match items.get_mut(index) {
        Some(item) => visit(item, rest, create, each),
        None => Err(KustomizeError::new(format!(
            "index {index} specified but only {found} elements found"
        ))),
    }
}

/// A part of a path such as `[name=web]`.
struct Choice<'a> {
    /// The field to compare; empty for the item itself.
    field: &'a str,
    /// The regular expression that its value must match.
    wanted: &'a str,
}

fn visit_chosen(
    items: &mut List,
    choice: &Choice<'_>,
    rest: &[String],
    create: bool,
    each: &mut dyn FnMut(&mut Value) -> Result<()>,
) -> Result<usize> {
    let Choice { field, wanted } = *choice;
    // A regular expression, although `get` compares literally: kustomize uses patterns only for targets.
    let pattern = regex::Regex::new(wanted)
        .map_err(|e| KustomizeError::new(format!("error parsing regexp: {e}")))?;
    let fits = |item: &Value| {
        let own = if field.is_empty() {
            scalar_text(item)
        } else {
            scalar_text(&item[field])
        };
        own.is_some_and(|own| pattern.is_match(&own))
    };
    if create && !items.iter().any(fits) {
        items.push(match field {
            "" => json!(wanted),
            field => json!({field: wanted}),
        });
    }
    let mut count = 0;
    for item in items.iter_mut() {
        if fits(item) {
            count += visit(item, rest, create, each)?;
        }
    }
    Ok(count)
}
