//! Conversions into values and comparisons with values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Number;

use super::list::List;
use super::map::Map;
use super::text::{Name, Text};
use super::value::Value;

/// A type whose values [`json!`](macro@crate::json) accepts.
///
/// ```
/// use ctl_api::json::{Json, json};
///
/// let labels = [("app", "web")].map(|(name, value)| format!("{name}={value}"));
/// assert_eq!(labels.json(), json!(["app=web"]));
/// assert_eq!(json!({"replicas": Some(3)})["replicas"].json(), 3.json());
/// ```
pub trait Json {
    /// Converts the value.
    fn json(&self) -> Value;
}

impl Json for Value {
    fn json(&self) -> Value {
        self.clone()
    }
}

impl Json for Map {
    fn json(&self) -> Value {
        Value::Object(self.clone())
    }
}

impl Json for List {
    fn json(&self) -> Value {
        Value::Array(self.clone())
    }
}

impl Json for Text {
    fn json(&self) -> Value {
        Value::String(self.clone())
    }
}

impl Json for str {
    fn json(&self) -> Value {
        Value::String(self.into())
    }
}

impl Json for String {
    fn json(&self) -> Value {
        self.as_str().json()
    }
}

impl Json for bool {
    fn json(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Json for char {
    fn json(&self) -> Value {
        Value::String((*self).into())
    }
}

impl Json for () {
    fn json(&self) -> Value {
        Value::Null
    }
}

impl Json for Number {
    fn json(&self) -> Value {
        Value::Number(self.clone())
    }
}

impl Json for f64 {
    fn json(&self) -> Value {
        // JSON has neither NaN nor infinity; serde writes null for them, too.
        Number::from_f64(*self).map_or(Value::Null, Value::Number)
    }
}

macro_rules! whole {
    ($($number:ty),*) => {$(
        impl Json for $number {
            fn json(&self) -> Value {
                Value::Number((*self).into())
            }
        }

        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        }

        impl PartialEq<$number> for Value {
            fn eq(&self, other: &$number) -> bool {
                // Compared as numbers: 1 and 1.0 stay different, as in serde_json.
                matches!(self, Self::Number(own) if *own == (*other).into())
            }
        }
    )*};
}

whole!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl<T: Json + ?Sized> Json for &T {
    fn json(&self) -> Value {
        (**self).json()
    }
}

impl<T: Json + ?Sized> Json for &mut T {
    fn json(&self) -> Value {
        (**self).json()
    }
}

impl<T: Json + ?Sized> Json for Box<T> {
    fn json(&self) -> Value {
        (**self).json()
    }
}

impl<T: Json + ?Sized> Json for Arc<T> {
    fn json(&self) -> Value {
        (**self).json()
    }
}

impl<T: Json + ToOwned + ?Sized> Json for Cow<'_, T> {
    fn json(&self) -> Value {
        (**self).json()
    }
}

impl<T: Json> Json for Option<T> {
    fn json(&self) -> Value {
        self.as_ref().map_or(Value::Null, Json::json)
    }
}

impl<T: Json> Json for [T] {
    fn json(&self) -> Value {
        Value::Array(self.iter().map(Json::json).collect())
    }
}

impl<T: Json, const N: usize> Json for [T; N] {
    fn json(&self) -> Value {
        self.as_slice().json()
    }
}

impl<T: Json> Json for Vec<T> {
    fn json(&self) -> Value {
        self.as_slice().json()
    }
}

impl<T: Json> Json for BTreeSet<T> {
    fn json(&self) -> Value {
        Value::Array(self.iter().map(Json::json).collect())
    }
}

impl<A: Json, B: Json> Json for (A, B) {
    fn json(&self) -> Value {
        Value::Array(List::from([self.0.json(), self.1.json()]))
    }
}

impl<A: Json, B: Json, C: Json> Json for (A, B, C) {
    fn json(&self) -> Value {
        Value::Array(List::from([self.0.json(), self.1.json(), self.2.json()]))
    }
}

impl<K: AsRef<str>, T: Json> Json for BTreeMap<K, T> {
    fn json(&self) -> Value {
        let members = self
            .iter()
            .map(|(name, value)| (name.as_ref(), value.json()));
        Value::Object(members.collect())
    }
}

impl<K: AsRef<str>, T: Json> Json for HashMap<K, T> {
    fn json(&self) -> Value {
        let members = self
            .iter()
            .map(|(name, value)| (name.as_ref(), value.json()));
        Value::Object(members.collect())
    }
}

macro_rules! from_json {
    ($($from:ty),*) => {$(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                value.json()
            }
        }
    )*};
}

from_json!(
    &str,
    bool,
    f64,
    (),
    Number,
    Map,
    List,
    Cow<'_, str>,
    Text,
    &Text
);

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Clone + Into<Value>> From<&[T]> for Value {
    fn from(items: &[T]) -> Self {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<N: Name> FromIterator<(N, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(members: I) -> Self {
        Self::Object(members.into_iter().collect())
    }
}

impl PartialEq<str> for Value {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(*other)
    }
}

impl PartialEq<String> for Value {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == Some(other.as_str())
    }
}

impl PartialEq<Value> for str {
    fn eq(&self, other: &Value) -> bool {
        other.as_str() == Some(self)
    }
}

impl PartialEq<Value> for &str {
    fn eq(&self, other: &Value) -> bool {
        other.as_str() == Some(*self)
    }
}

impl PartialEq<Value> for String {
    fn eq(&self, other: &Value) -> bool {
        other.as_str() == Some(self.as_str())
    }
}

impl PartialEq<bool> for Value {
    fn eq(&self, other: &bool) -> bool {
        self.as_bool() == Some(*other)
    }
}

impl PartialEq<f64> for Value {
    fn eq(&self, other: &f64) -> bool {
        self.as_f64() == Some(*other)
    }
}
