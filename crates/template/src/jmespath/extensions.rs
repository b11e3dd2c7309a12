//! Functions beyond the specification that chainsaw's test files use: those of JMESPath's community edition and of
//! Kyverno.

use std::cmp::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ctl_api::json::{Map, Value};
use ctl_api::pattern;
use ctl_api::yaml::{self, Mode};

use super::functions::{Called, number, parsed};
use super::{equal, indexed, is_true};

/// The maximum length of the strings that `pad_left` and `pad_right` return.
const MAX_WIDTH: usize = 65_536;

/// The names of the functions, to tell wrong arguments from an unknown function.
pub(super) const KNOWN: &[&str] = &[
    "as_string",
    "at",
    "base64_decode",
    "base64_encode",
    "compare",
    "concat",
    "equal_fold",
    "find_first",
    "find_last",
    "from_items",
    "items",
    "json_parse",
    "label_match",
    "lookup",
    "object_from_lists",
    "pad_left",
    "pad_right",
    "parse_yaml",
    "pattern_match",
    "regex_match",
    "regex_replace_all",
    "regex_replace_all_literal",
    "replace",
    "round",
    "to_boolean",
    "trim_left",
    "trim_prefix",
    "trim_right",
    "trim_suffix",
    "truncate",
    "wildcard",
    "zip",
];

/// Calls a function on strings.
pub(super) fn texts(name: &str, arguments: &[Value]) -> Called {
    Ok(Some(match (name, arguments) {
        // A string stays as it is; JSON would add quotes.
        ("as_string", [text @ Value::String(_)]) => text.clone(),
        ("as_string", [value]) => Value::from(value.to_string()),
        ("to_boolean", [Value::String(text)]) => match text.to_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => return Err(format!("to_boolean(): {text:?} is neither true nor false")),
        },
        ("base64_encode", [Value::String(text)]) => Value::from(STANDARD.encode(text.as_str())),
        ("base64_decode", [Value::String(text)]) => {
            let bytes = STANDARD.decode(text.trim());
            // Values of Secrets may be binary, which a JSON string cannot hold.
            let decoded = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
            match decoded {
                Some(text) => Value::from(text),
                None => return Err(format!("base64_decode(): {text:?} is no text in base64")),
            }
        }
        ("compare", [Value::String(a), Value::String(b)]) => {
            number(match a.as_str().cmp(b.as_str()) {
                Ordering::Less => -1.0,
                Ordering::Equal => 0.0,
                Ordering::Greater => 1.0,
            })
        }
        ("equal_fold", [Value::String(a), Value::String(b)]) => {
            Value::Bool(a.to_lowercase() == b.to_lowercase())
        }
        ("concat", [Value::String(a), Value::String(b)]) => Value::from(format!("{a}{b}")),
        ("replace", [Value::String(text), Value::String(old), Value::String(new)]) => {
            Value::from(text.replace(old.as_str(), new.as_str()))
        }
        (
            "replace",
            [
                Value::String(text),
                Value::String(old),
                Value::String(new),
                count,
            ],
        ) => {
            let count = count.as_i64().and_then(|n| usize::try_from(n).ok());
            // As in Go, a negative count means all.
            Value::from(text.replacen(old.as_str(), new.as_str(), count.unwrap_or(usize::MAX)))
        }
        ("find_first", [Value::String(text), Value::String(part)]) => {
            place(text, text.find(part.as_str()))
        }
        ("find_last", [Value::String(text), Value::String(part)]) => {
            place(text, text.rfind(part.as_str()))
        }
        ("json_parse", [Value::String(text)]) => match parsed(text) {
            Some(value) => value,
            None => return Err(format!("json_parse(): {text:?} is no JSON")),
        },
        ("parse_yaml", [Value::String(text)]) => {
            match yaml::parse_one(text.as_bytes(), Mode::Lenient) {
                Ok(value) => value.unwrap_or_default(),
                Err(why) => return Err(format!("parse_yaml(): {why}")),
            }
        }
        _ => return ends(name, arguments),
    }))
}

/// Calls a function that changes the ends of a string.
fn ends(name: &str, arguments: &[Value]) -> Called {
    Ok(Some(match (name, arguments) {
        ("trim_prefix", [Value::String(text), Value::String(part)]) => {
            Value::from(text.strip_prefix(part.as_str()).unwrap_or(text).to_owned())
        }
        ("trim_suffix", [Value::String(text), Value::String(part)]) => {
            Value::from(text.strip_suffix(part.as_str()).unwrap_or(text).to_owned())
        }
        ("trim_left", [Value::String(text), Value::String(set)]) => {
            Value::from(text.trim_start_matches(|c| set.contains(c)).to_owned())
        }
        ("trim_right", [Value::String(text), Value::String(set)]) => {
            Value::from(text.trim_end_matches(|c| set.contains(c)).to_owned())
        }
        ("truncate", [Value::String(text), length]) => match length.as_f64() {
            Some(length) => Value::from(text.chars().take(length as usize).collect::<String>()),
            None => return Ok(None),
        },
        ("pad_left" | "pad_right", [Value::String(text), width]) => padded(name, text, width, ' ')?,
        ("pad_left" | "pad_right", [Value::String(text), width, Value::String(fill)]) => {
            padded(name, text, width, fill.chars().next().unwrap_or(' '))?
        }
        _ => return patterns(name, arguments),
    }))
}

/// Calls a function that matches strings against patterns.
fn patterns(name: &str, arguments: &[Value]) -> Called {
    Ok(Some(match (name, arguments) {
        ("regex_match", [Value::String(regex), text]) => {
            let text = text
                .as_str()
                .map_or_else(|| text.to_string(), str::to_owned);
            Value::Bool(pattern::compile(regex)?.is_match(&text))
        }
        (
            "regex_replace_all",
            [
                Value::String(regex),
                Value::String(text),
                Value::String(new),
            ],
        ) => {
            let all = pattern::compile(regex)?.replace_all(text, new.as_str());
            Value::from(all.into_owned())
        }
        (
            "regex_replace_all_literal",
            [
                Value::String(regex),
                Value::String(text),
                Value::String(new),
            ],
        ) => {
            // `$` would refer to a group of the expression.
            let new = new.as_str().replace('$', "$$");
            let all = pattern::compile(regex)?.replace_all(text, new.as_str());
            Value::from(all.into_owned())
        }
        ("pattern_match" | "wildcard", [Value::String(wild), text]) => {
            let text = text
                .as_str()
                .map_or_else(|| text.to_string(), str::to_owned);
            Value::Bool(pattern::compile(&regex_of(wild))?.is_match(&text))
        }
        _ => return Ok(None),
    }))
}

/// Calls a function on lists, maps and numbers.
pub(super) fn lists(name: &str, arguments: &[Value]) -> Called {
    Ok(Some(match (name, arguments) {
        ("at", [list @ Value::Array(_), index]) => match index.as_i64() {
            Some(index) => indexed(list, index),
            None => return Ok(None),
        },
        ("concat", [Value::Array(a), Value::Array(b)]) => {
            Value::from(a.iter().chain(b.iter()).cloned().collect::<Vec<Value>>())
        }
        ("lookup", [Value::Object(map), Value::String(name)]) => {
            map.get(name.as_str()).cloned().unwrap_or_default()
        }
        ("lookup", [list @ Value::Array(_), index]) => match index.as_i64() {
            // Unlike `at`, `lookup` does not count from the end.
            Some(index) if index >= 0 => indexed(list, index),
            Some(_) => Value::Null,
            None => return Ok(None),
        },
        ("zip", lists) if !lists.is_empty() => {
            let lists: Option<Vec<_>> = lists.iter().map(Value::as_array).collect();
            let Some(lists) = lists else { return Ok(None) };
            // As the specification requires, items without a counterpart are dropped.
            let shortest = lists
                .iter()
                .map(|list| list.len())
                .min()
                .unwrap_or_default();
            let row = |at: usize| {
                let items = lists.iter().filter_map(|list| list.as_slice().get(at));
                Value::from(items.cloned().collect::<Vec<Value>>())
            };
            Value::from((0..shortest).map(row).collect::<Vec<Value>>())
        }
        ("label_match", [Value::Object(wanted), Value::Object(own)]) => {
            let has =
                |(name, value): (&str, &Value)| own.get(name).is_some_and(|o| equal(o, value));
            let mut wanted = wanted.iter().map(|(name, value)| (name.as_str(), value));
            Value::Bool(wanted.all(has))
        }
        ("round", [value, digits]) => match (value.as_f64(), digits.as_i64()) {
            (Some(value), Some(digits)) => {
                let scale = 10_f64.powi(i32::try_from(digits).unwrap_or(0));
                number((value * scale).round() / scale)
            }
            _ => return Ok(None),
        },
        ("to_boolean", [value @ Value::Bool(_)]) => Value::Bool(is_true(value)),
        _ => return maps(name, arguments),
    }))
}

/// Calls a function that returns maps or lists of maps.
fn maps(name: &str, arguments: &[Value]) -> Called {
    Ok(Some(match (name, arguments) {
        ("items", [Value::Object(map)]) => {
            let pair = |(name, value): (_, &Value)| Value::from(vec![name, value.clone()]);
            let pairs = map
                .iter()
                .map(|(name, value)| pair((Value::from(name.as_str()), value)));
            Value::from(pairs.collect::<Vec<Value>>())
        }
        (
            "items",
            [
                Value::Object(map),
                Value::String(first),
                Value::String(second),
            ],
        ) => {
            let pairs = map.iter().map(|(name, value)| {
                let name = Value::from(name.as_str());
                let fields = [(first.as_str(), name), (second.as_str(), value.clone())];
                Value::from_iter(fields.map(|(field, value)| (field.to_owned(), value)))
            });
            Value::from(pairs.collect::<Vec<Value>>())
        }
        ("from_items", [Value::Array(list)]) => {
            let mut map = Map::with_capacity(list.len());
            for pair in list.iter() {
                let Some(name) = indexed(pair, 0).as_str().map(str::to_owned) else {
                    return Ok(None);
                };
                map.insert(name.as_str(), indexed(pair, 1));
            }
            Value::Object(map)
        }
        ("object_from_lists", [Value::Array(names), Value::Array(values)]) => {
            let mut map = Map::with_capacity(names.len());
            for (at, name) in names.iter().enumerate() {
                let Some(name) = name.as_str() else {
                    return Ok(None);
                };
                // As in Kyverno, names without a value get null.
                let value = values.as_slice().get(at).cloned();
                map.insert(name, value.unwrap_or_default());
            }
            Value::Object(map)
        }
        _ => return Ok(None),
    }))
}

/// Returns the number of characters before a position in a string, or null if there is no position.
fn place(text: &str, at: Option<usize>) -> Value {
    at.and_then(|at| text.get(..at))
        .map_or(Value::Null, |before| {
            Value::from(before.chars().count() as u64)
        })
}

/// Pads a string to a minimum number of characters.
fn padded(name: &str, text: &str, width: &Value, fill: char) -> Result<Value, String> {
    let width = width.as_i64().and_then(|width| usize::try_from(width).ok());
    // A huge width would exhaust the memory.
    let Some(width) = width.filter(|width| *width <= MAX_WIDTH) else {
        return Err(format!(
            "{name}(): a width of at most {MAX_WIDTH} is needed"
        ));
    };
    let missing = width.saturating_sub(text.chars().count());
    let fill: String = std::iter::repeat_n(fill, missing).collect();
    Ok(Value::from(match name {
        "pad_left" => format!("{fill}{text}"),
        _ => format!("{text}{fill}"),
    }))
}

/// Converts a pattern with `*` and `?` to a regular expression.
fn regex_of(wild: &str) -> String {
    let mut regex = String::from("(?s)^");
    for c in wild.chars() {
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            // All other punctuation is literal.
            c if c.is_ascii_punctuation() => regex.extend(['\\', c]),
            c => regex.push(c),
        }
    }
    regex + "$"
}
