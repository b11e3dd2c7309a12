//! A value of a tree.

use std::fmt;

use serde_json::Number;

use super::list::List;
use super::map::Map;
use super::text::Text;

/// A JSON value.
///
/// ```
/// use ctl_api::json::{Value, json};
///
/// let mut pod = json!({"metadata": {"name": "web-0"}, "status": {"phase": "Pending"}});
/// let seen: Value = pod.clone(); // shares the tree until one of the two changes
/// pod["status"]["phase"] = json!("Running");
/// assert_eq!(pod.pointer("/status/phase").and_then(Value::as_str), Some("Running"));
/// assert_eq!(seen["status"]["phase"], "Pending");
/// assert!(pod["spec"].is_null(), "an absent field reads as null");
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// Null.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(Text),
    /// A list.
    Array(List),
    /// An object.
    Object(Map),
}

impl Value {
    /// Returns true if both values are the same list or object in memory. False does not mean that they differ.
    #[inline]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Array(own), Self::Array(other)) => own.is(other),
            (Self::Object(own), Self::Object(other)) => own.is(other),
            _ => false,
        }
    }

    /// Returns the address of the items or members, which identifies a list or an object while it exists.
    pub(super) fn address(&self) -> usize {
        match self {
            Self::Array(list) => list.as_slice().as_ptr().addr(),
            Self::Object(map) => map.address(),
            _ => 0,
        }
    }

    /// Returns true if the value is null.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns true if the value is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Returns true if the value is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Returns true if the value is a string.
    #[inline]
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Returns true if the value is a list.
    #[inline]
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Returns true if the value is an object.
    #[inline]
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns true if the value is an integer that fits into an `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Returns true if the value is an integer that fits into a `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Returns true if the value is a floating-point number.
    pub fn is_f64(&self) -> bool {
        matches!(self, Self::Number(number) if number.is_f64())
    }

    /// Returns the value if it is a boolean.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the value if it is a number.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the value if it is an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns the value if it is an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns the value if it is a number.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// Returns the value if it is a string.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value if it is a list.
    #[inline]
    pub fn as_array(&self) -> Option<&List> {
        match self {
            Self::Array(list) => Some(list),
            _ => None,
        }
    }

    /// Returns the list for modification if the value is one.
    #[inline]
    pub fn as_array_mut(&mut self) -> Option<&mut List> {
        match self {
            Self::Array(list) => Some(list),
            _ => None,
        }
    }

    /// Returns the members if the value is an object.
    #[inline]
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the members for modification if the value is an object.
    #[inline]
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// Returns true if both trees use the same memory; equal trees in separate memory do not count.
    #[inline]
    pub fn is_shared_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Array(own), Self::Array(other)) => own.is(other),
            (Self::Object(own), Self::Object(other)) => own.is(other),
            _ => false,
        }
    }

    /// Returns the value and leaves null in its place.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Removes all null fields, at any depth. A tree without such fields keeps sharing its memory.
    pub fn drop_nulls(&mut self) {
        if !self.has_nulls() {
            return;
        }
        match self {
            Self::Object(map) => {
                map.retain(|_, value| !value.is_null());
                map.values_mut().for_each(Self::drop_nulls);
            }
            Self::Array(items) => items.iter_mut().for_each(Self::drop_nulls),
            _ => {}
        }
    }

    /// Returns true if a field at any depth is null.
    fn has_nulls(&self) -> bool {
        match self {
            Self::Object(map) => map.values().any(|v| v.is_null() || v.has_nulls()),
            Self::Array(items) => items.iter().any(Self::has_nulls),
            _ => false,
        }
    }

    /// Returns the part at a JSON pointer.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(map) => map.get(&step),
            Self::Array(list) => list.get(position(&step)?),
            _ => None,
        })
    }

    /// Returns the part at a JSON pointer, for modification.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(map) => map.get_mut(&step),
            Self::Array(list) => list.get_mut(position(&step)?),
            _ => None,
        })
    }
}

/// Returns the names of a JSON pointer, or `None` if it is malformed.
fn steps(pointer: &str) -> Option<impl Iterator<Item = String>> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let steps = pointer.split('/').skip(1);
    // `~1` comes first, because `~01` means `~1` rather than `/`.
    Some(steps.map(|step| step.replace("~1", "/").replace("~0", "~")))
}

/// Returns the list index that a step of a JSON pointer names.
fn position(step: &str) -> Option<usize> {
    // RFC 6901 allows neither a sign nor leading zeros.
    let plain = !step.starts_with('+') && (step == "0" || !step.starts_with('0'));
    plain.then(|| step.parse().ok())?
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
