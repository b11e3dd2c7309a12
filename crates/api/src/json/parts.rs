//! Indexing: `value["name"]` and `value[0]`.

use super::map::Map;
use super::text::Text;
use super::value::Value;

static NOTHING: Value = Value::Null;

/// A type that indexes a value: a string selects a member, a number an item.
///
/// ```
/// use ctl_api::json::{Index, Value, json};
///
/// fn text(value: &Value, at: impl Index) -> &str {
///     value.get(at).and_then(Value::as_str).unwrap_or_default()
/// }
///
/// assert_eq!(text(&json!({"name": "web"}), "name"), "web");
/// assert_eq!(text(&json!(["a", "b"]), 1), "b");
/// ```
pub trait Index {
    /// Returns the part if it exists.
    fn of(self, value: &Value) -> Option<&Value>;
    /// Returns the part for modification.
    fn of_mut(self, value: &mut Value) -> Option<&mut Value>;
    /// Returns the part for modification, creating a missing member first.
    fn made(self, value: &mut Value) -> &mut Value;
}

impl Index for &str {
    #[inline]
    fn of(self, value: &Value) -> Option<&Value> {
        value.as_object()?.get(self)
    }

    fn of_mut(self, value: &mut Value) -> Option<&mut Value> {
        value.as_object_mut()?.get_mut(self)
    }

    #[expect(
        clippy::panic,
        reason = "as of a slice: writing into what cannot hold it is a mistake of the program"
    )]
    fn made(self, value: &mut Value) -> &mut Value {
        // As in serde_json, writing into a null turns it into an object.
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        match value {
            Value::Object(map) => map.entry(self).or_insert(Value::Null),
            other => panic!("cannot set member {self:?} of {other}"),
        }
    }
}

impl Index for usize {
    fn of(self, value: &Value) -> Option<&Value> {
        value.as_array()?.get(self)
    }

    fn of_mut(self, value: &mut Value) -> Option<&mut Value> {
        value.as_array_mut()?.get_mut(self)
    }

    #[expect(
        clippy::panic,
        reason = "as of a slice: writing behind the end is a mistake of the program"
    )]
    fn made(self, value: &mut Value) -> &mut Value {
        match value {
            Value::Array(list) => &mut list[self],
            other => panic!("cannot set item {self} of {other}"),
        }
    }
}

impl Value {
    /// Returns the member or item if it exists.
    #[inline]
    pub fn get<I: Index>(&self, index: I) -> Option<&Self> {
        index.of(self)
    }

    /// Returns the member or item for modification.
    #[inline]
    pub fn get_mut<I: Index>(&mut self, index: I) -> Option<&mut Self> {
        index.of_mut(self)
    }
}

macro_rules! by_name {
    ($($name:ty),*) => {$(
        impl Index for $name {
            fn of(self, value: &Value) -> Option<&Value> {
                self.as_str().of(value)
            }

            fn of_mut(self, value: &mut Value) -> Option<&mut Value> {
                self.as_str().of_mut(value)
            }

            fn made(self, value: &mut Value) -> &mut Value {
                self.as_str().made(value)
            }
        }
    )*};
}

by_name!(String, &String, Text, &Text);

impl Index for &&str {
    fn of(self, value: &Value) -> Option<&Value> {
        (*self).of(value)
    }

    fn of_mut(self, value: &mut Value) -> Option<&mut Value> {
        (*self).of_mut(value)
    }

    fn made(self, value: &mut Value) -> &mut Value {
        (*self).made(value)
    }
}

impl<I: Index> std::ops::Index<I> for Value {
    type Output = Value;

    #[inline]
    fn index(&self, index: I) -> &Value {
        index.of(self).unwrap_or(&NOTHING)
    }
}

impl<I: Index> std::ops::IndexMut<I> for Value {
    fn index_mut(&mut self, index: I) -> &mut Value {
        index.made(self)
    }
}
