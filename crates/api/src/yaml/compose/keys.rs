//! Map keys: their text, and the detection of duplicates.

use std::collections::HashMap;

use super::super::error::Mark;
use super::super::resolve::Scalar;
use crate::json::{MapBuilder, Value};

/// The original type of a key; `1` and `"1"` are different keys to go-yaml.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyType {
    Str,
    Bool,
    Int,
    Float,
}

/// A map key as text.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) kind: KeyType,
}

/// A key and its value, with the value's position.
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) value: Value,
    pub(super) mark: Mark,
}

/// The keys of one map that collide with others or are not strings, with their types.
#[derive(Default)]
pub(super) struct Typed(HashMap<String, Vec<KeyType>>);

impl Key {
    pub(super) fn new(scalar: Scalar<'_>) -> Option<Self> {
        let kind = match scalar {
            // Keeps the type, because `1` and `"1"` are different keys to go-yaml.
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

    /// Formats the key as Go's `%#v` does.
    pub(super) fn quoted(&self) -> String {
        match self.kind {
            KeyType::Str => format!("{:?}", self.text),
            _ => self.text.clone(),
        }
    }
}

impl Typed {
    /// Returns true if this key and all earlier ones are strings, so that the map itself detects duplicates.
    pub(super) fn only_strings(&self, key: &Key) -> bool {
        self.0.is_empty() && key.kind == KeyType::Str
    }

    /// Returns true if the map contains this key with the same type. Records the type in any case.
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

/// Formats a value as Go's `%#v` does, for errors about lists or maps as keys.
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
