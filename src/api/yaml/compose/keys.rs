//! Mapping keys: what they read as, and when two of them are the same.

use serde_json::{Map, Value};

use super::super::error::Mark;
use super::super::resolve::Scalar;

/// The type a key had before it became text; `1` and `"1"` are two keys to go-yaml.
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

/// A key with its value, and where the value starts.
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) value: Value,
    pub(super) mark: Mark,
}

/// The keys of one map that collide with others or were no strings.
#[derive(Default)]
pub(super) struct Typed(Vec<(String, KeyType)>);

impl Key {
    pub(super) fn new(scalar: Scalar<'_>) -> Option<Self> {
        let kind = match scalar {
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

    /// The key as Go's `%#v` prints it.
    pub(super) fn quoted(&self) -> String {
        match self.kind {
            KeyType::Str => format!("{:?}", self.text),
            _ => self.text.clone(),
        }
    }
}

impl Typed {
    /// Whether the map holds this very key, type included; remembers it either way.
    pub(super) fn is_duplicate(&mut self, map: &Map<String, Value>, key: &Key) -> bool {
        let mut known = self
            .0
            .iter()
            .filter(|(text, _)| *text == key.text)
            .peekable();
        if key.kind == KeyType::Str && known.peek().is_none() {
            return map.contains_key(&key.text);
        }
        if known.any(|(_, kind)| *kind == key.kind) {
            return true;
        }
        let first_seen = !self.0.iter().any(|(text, _)| *text == key.text);
        if first_seen && map.contains_key(&key.text) {
            self.0.push((key.text.clone(), KeyType::Str));
        }
        self.0.push((key.text.clone(), key.kind));
        false
    }
}
