//! Mapping keys: their text, and the detection of duplicates.

use std::collections::HashMap;

use super::super::error::Mark;
use super::super::resolve::Scalar;
use crate::json::{MapBuilder, Value};

/// The type of a key before it became text; `1` and `"1"` are two keys to go-yaml.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyType {
    Str,
    Bool,
    Int,
    Float,
}

/// A mapping key as text.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) kind: KeyType,
}

/// A key with its value and the value's position.
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) value: Value,
    pub(super) mark: Mark,
}

/// The keys of one map that collide with others or were no strings, with their types.
#[derive(Default)]
pub(super) struct Typed(HashMap<String, Vec<KeyType>>);

impl Key {
    pub(super) fn new(scalar: Scalar<'_>) -> Option<Self> {
        let kind = match scalar {
            // The type is kept, because `1` and `"1"` are different keys to go-yaml.
            Scalar::Bool(_) => KeyType::Bool,
            Scalar::Int(_) | Scalar::Uint(_) => KeyType::Int,
            Scalar::Float(_) => KeyType::Float,
            _ => KeyType::Str,
        };
        Some(Self {
            text: scalar.into_key()?.into_owned(),
            kind,
        })
    }

    pub(super) fn string(text: String) -> Self {
        Self {
            text,
            kind: KeyType::Str,
        }
    }

    /// Returns the key as Go's `%#v` prints it.
    pub(super) fn quoted(&self) -> String {
        match self.kind {
            KeyType::Str => format!("{:?}", self.text),
            _ => self.text.clone(),
        }
    }
}

impl Typed {
    /// Returns true if all keys so far and this one are strings, so that the map itself detects duplicates.
    pub(super) fn only_strings(&self, key: &Key) -> bool {
        self.0.is_empty() && key.kind == KeyType::Str
    }

    /// Returns true if the map has this key with the same type; records the type either way.
    pub(super) fn is_duplicate(&mut self, map: &MapBuilder, key: &Key) -> bool {
        let present = map.contains_key(&key.text);
        match self.0.get_mut(&key.text) {
            // Only a key of the same type is a duplicate.
            Some(kinds) if kinds.contains(&key.kind) => return true,
            Some(kinds) => kinds.push(key.kind),
            None if key.kind == KeyType::Str => return present,
            None if present => {
                self.0
                    .insert(key.text.clone(), vec![KeyType::Str, key.kind]);
            }
            None => {
                self.0.insert(key.text.clone(), vec![key.kind]);
            }
        }
        false
    }
}

/// Returns a value as Go's `%#v` prints it, for errors about keys that are lists or maps.
pub(super) fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(go_syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<_> = map
                .iter()
                .map(|(k, v)| format!("{k:?}:{}", go_syntax(v)))
                .collect();
            format!(
                "map[interface {{}}]interface {{}}{{{}}}",
                entries.join(", ")
            )
        }
        other => other.to_string(),
    }
}
