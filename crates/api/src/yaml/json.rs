//! JSON input: kubectl reads a stream that begins with `{` as a sequence of JSON objects.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::compose::{MAX_DEPTH, Mode};
use super::error::{Mark, YamlError};
use super::float::float_value;
use crate::json::{MapBuilder, Value, name};

/// The prefix of the error for a duplicate key.
const DUPLICATE: &str = "duplicate field";

/// A JSON tree. With `STRICT`, a duplicate key is an error.
struct Tree<const STRICT: bool>(Value);

struct TreeVisitor<const STRICT: bool>(PhantomData<()>);

impl<'de, const STRICT: bool> Deserialize<'de> for Tree<STRICT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(TreeVisitor::<STRICT>(PhantomData))
            .map(Self)
    }
}

impl<'de, const STRICT: bool> Visitor<'de> for TreeVisitor<STRICT> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(float_value(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Tree(item)) = access.next_element::<Tree<STRICT>>()? {
            items.push(item);
        }
        Ok(Value::Array(items.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = MapBuilder::default();
        while let Some(key) = access.next_key::<String>()? {
            // serde would silently keep the last one.
            if STRICT && map.contains_key(&key) {
                return Err(A::Error::custom(format!("{DUPLICATE} {key:?}")));
            }
            let Tree(value) = access.next_value::<Tree<STRICT>>()?;
            map.put(name(&key), value);
        }
        Ok(Value::Object(map.finish()))
    }
}

/// The result of reading a stream as JSON.
pub(super) enum Outcome {
    /// The values with their byte ranges.
    Values(Vec<(Value, std::ops::Range<usize>)>),
    /// Valid JSON that is rejected.
    Refused(YamlError),
    /// Not JSON, but possibly YAML in flow style.
    NotJson,
}

/// Reads a stream of JSON values.
pub(super) fn parse(text: &str, mode: Mode) -> Outcome {
    match mode {
        Mode::Strict => parse_as::<true>(text),
        Mode::Lenient | Mode::Kustomize => parse_as::<false>(text),
    }
}

fn parse_as<const STRICT: bool>(text: &str) -> Outcome {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Tree<STRICT>>();
    let mut values = Vec::new();
    loop {
        let from = stream.byte_offset();
        match stream.next() {
            None => return Outcome::Values(values),
            Some(Ok(Tree(value))) => {
                // Checked afterwards, because serde's own limit is higher.
                if depth(&value) > MAX_DEPTH {
                    let problem = format!("exceeded max depth of {MAX_DEPTH}");
                    return Outcome::Refused(YamlError::bare(Mark::default(), problem));
                }
                values.push((value, from..stream.byte_offset()));
            }
            Some(Err(error)) if error.to_string().starts_with(DUPLICATE) => {
                return Outcome::Refused(refusal(&error));
            }
            Some(Err(_)) => return Outcome::NotJson,
        }
    }
}

fn refusal(error: &serde_json::Error) -> YamlError {
    let mark = Mark {
        line: error.line().saturating_sub(1),
        column: error.column().saturating_sub(1),
    };
    let text = error.to_string();
    // kubectl's message has no position; ours is a field of the error.
    let text = text.split(" at line ").next().unwrap_or(&text).to_owned();
    YamlError::bare(mark, text)
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
