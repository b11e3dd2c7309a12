//! The functions of the specification, and the common ones among those that chainsaw's files use.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use ctl_api::json::{List, Map, Value, from_bytes};

use super::{equal, extensions, order};

/// Calls a function that uses a key of each item.
pub(super) fn by(name: &str, mut keyed: Vec<(Value, Value)>) -> Result<Value, String> {
    let compare =
        |a: &(Value, Value), b: &(Value, Value)| order(&a.0, &b.0).unwrap_or(Ordering::Equal);
    match name {
        "sort_by" => {
            // Stable, so that items with equal keys keep their order.
            keyed.sort_by(compare);
            Ok(Value::from(
                keyed
                    .into_iter()
                    .map(|(_, item)| item)
                    .collect::<Vec<Value>>(),
            ))
        }
        "max_by" => Ok(keyed
            .into_iter()
            .max_by(compare)
            .map_or(Value::Null, |(_, item)| item)),
        "min_by" => Ok(keyed
            .into_iter()
            .min_by(compare)
            .map_or(Value::Null, |(_, item)| item)),
        "group_by" => {
            let mut groups: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            for (key, item) in keyed {
                let Some(key) = key.as_str() else {
                    return Err("group_by() needs texts as keys".to_owned());
                };
                groups.entry(key.to_owned()).or_default().push(item);
            }
            let groups = groups.into_iter();
            Ok(Value::from_iter(
                groups.map(|(key, items)| (key, Value::from(items))),
            ))
        }
        _ => Err(format!("unknown function {name}()")),
    }
}

/// Calls a function.
pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    for group in [texts, lists, numbers, extensions::texts, extensions::lists] {
        if let Some(value) = group(name, arguments)? {
            return Ok(value);
        }
    }
    if !KNOWN.contains(&name) && !extensions::KNOWN.contains(&name) {
        return Err(format!("unknown function {name}()"));
    }
    let types: Vec<&str> = arguments.iter().map(type_name).collect();
    Err(format!("{name}() does not take ({})", types.join(", ")))
}

/// The result of a call; `None` if the group lacks the function or the function does not accept these arguments.
pub(super) type Called = Result<Option<Value>, String>;

fn texts(name: &str, arguments: &[Value]) -> Called {
    Ok(Some(match (name, arguments) {
        ("length", [Value::String(text)]) => Value::from(text.chars().count() as u64),
        ("length", [Value::Array(list)]) => Value::from(list.len() as u64),
        ("length", [Value::Object(map)]) => Value::from(map.len() as u64),
        ("contains", [Value::String(text), Value::String(part)]) => {
            Value::Bool(text.contains(part.as_str()))
        }
        ("contains", [Value::Array(list), item]) => {
            Value::Bool(list.iter().any(|own| equal(own, item)))
        }
        ("starts_with", [Value::String(text), Value::String(part)]) => {
            Value::Bool(text.starts_with(part.as_str()))
        }
        ("ends_with", [Value::String(text), Value::String(part)]) => {
            Value::Bool(text.ends_with(part.as_str()))
        }
        ("join", [Value::String(between), Value::Array(list)]) => {
            // Values of other types are skipped rather than rejected, for lists with absent fields.
            let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            Value::from(texts.join(between.as_str()))
        }
        ("split", [Value::String(text), Value::String(at)]) => {
            let parts = text
                .split(at.as_str())
                .map(|part| Value::from(part.to_owned()));
            Value::from(parts.collect::<Vec<Value>>())
        }
        ("trim_space", [Value::String(text)]) => Value::from(text.trim().to_owned()),
        ("trim", [Value::String(text), Value::String(set)]) => {
            Value::from(text.trim_matches(|c| set.contains(c)).to_owned())
        }
        ("to_lower" | "lower", [Value::String(text)]) => Value::from(text.to_lowercase()),
        ("to_upper" | "upper", [Value::String(text)]) => Value::from(text.to_uppercase()),
        ("replace_all", [Value::String(text), Value::String(old), Value::String(new)]) => {
            Value::from(text.replace(old.as_str(), new.as_str()))
        }
        ("to_string", [text @ Value::String(_)]) => text.clone(),
        ("to_string", [value]) => Value::from(value.to_string()),
        ("to_number", [number @ Value::Number(_)]) => number.clone(),
        ("to_number", [Value::String(text)]) => {
            parsed(text).filter(Value::is_number).unwrap_or_default()
        }
        ("to_number", [_]) => Value::Null,
        ("to_array", [list @ Value::Array(_)]) => list.clone(),
        ("to_array", [value]) => Value::from(vec![value.clone()]),
        ("parse_json", [Value::String(text)]) => match parsed(text) {
            Some(value) => value,
            None => return Err(format!("parse_json(): {text:?} is no JSON")),
        },
        _ => return Ok(None),
    }))
}

fn lists(name: &str, arguments: &[Value]) -> Called {
    Ok(Some(match (name, arguments) {
        ("type", [value]) => Value::from(type_name(value)),
        ("keys", [Value::Object(map)]) => {
            let names = map.keys().map(|name| Value::from(name.as_str()));
            Value::from(names.collect::<Vec<Value>>())
        }
        ("values", [Value::Object(map)]) => {
            Value::from(map.values().cloned().collect::<Vec<Value>>())
        }
        ("not_null", all) => all
            .iter()
            .find(|value| !value.is_null())
            .cloned()
            .unwrap_or_default(),
        ("merge", all) => {
            let mut map = Map::with_capacity(0);
            for (name, value) in all.iter().filter_map(Value::as_object).flat_map(Map::iter) {
                map.insert(name.as_str(), value.clone());
            }
            Value::Object(map)
        }
        ("reverse", [Value::String(text)]) => Value::from(text.chars().rev().collect::<String>()),
        ("reverse", [Value::Array(list)]) => {
            Value::from(list.iter().rev().cloned().collect::<Vec<Value>>())
        }
        ("sort", [Value::Array(list)]) => Value::from(sorted(list)),
        ("max", [Value::Array(list)]) => sorted(list)[..].last().cloned().unwrap_or_default(),
        ("min", [Value::Array(list)]) => sorted(list)[..].first().cloned().unwrap_or_default(),
        _ => return Ok(None),
    }))
}

fn numbers(name: &str, arguments: &[Value]) -> Called {
    Ok(Some(match (name, arguments) {
        ("sum", [Value::Array(list)]) => number(list.iter().filter_map(Value::as_f64).sum()),
        ("avg", [Value::Array(list)]) if !list.is_empty() => {
            number(list.iter().filter_map(Value::as_f64).sum::<f64>() / list.len() as f64)
        }
        ("add", [Value::String(a), Value::String(b)]) => Value::from(format!("{a}{b}")),
        ("abs" | "ceil" | "floor", [value]) => match value.as_f64() {
            Some(value) => number(match name {
                "abs" => value.abs(),
                "ceil" => value.ceil(),
                _ => value.floor(),
            }),
            None => return Ok(None),
        },
        ("add" | "subtract" | "multiply" | "divide" | "modulo", [a, b]) => {
            // Integers of up to 53 bits are exact in floating point, and objects contain no larger ones.
            let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else {
                return Ok(None);
            };
            match name {
                "add" => number(a + b),
                "subtract" => number(a - b),
                "multiply" => number(a * b),
                _ if b == 0.0 => return Err(format!("{name}(): division by zero")),
                "divide" => number(a / b),
                _ => number(a % b),
            }
        }
        _ => return Ok(None),
    }))
}

/// The names of all functions, to tell wrong arguments from an unknown function.
const KNOWN: &[&str] = &[
    "abs",
    "add",
    "avg",
    "ceil",
    "contains",
    "divide",
    "ends_with",
    "floor",
    "join",
    "keys",
    "length",
    "lower",
    "max",
    "merge",
    "min",
    "modulo",
    "multiply",
    "not_null",
    "parse_json",
    "replace_all",
    "reverse",
    "sort",
    "split",
    "starts_with",
    "subtract",
    "sum",
    "to_array",
    "to_lower",
    "to_number",
    "to_string",
    "to_upper",
    "trim",
    "trim_space",
    "type",
    "upper",
    "values",
];

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns a number. A whole number becomes an integer, so that it prints without a fraction.
pub(super) fn number(value: f64) -> Value {
    let text = match value.fract() == 0.0 && value.abs() < 1e15 {
        true => format!("{value:.0}"),
        false => value.to_string(),
    };
    parsed(&text).unwrap_or_default()
}

pub(super) fn parsed(text: &str) -> Option<Value> {
    from_bytes(text.trim().as_bytes(), &[]).ok()
}

fn sorted(list: &List) -> Vec<Value> {
    let mut all: Vec<Value> = list.iter().cloned().collect();
    // Values of different types cannot be ordered and keep their places.
    all.sort_by(|a, b| order(a, b).unwrap_or(Ordering::Equal));
    all
}
