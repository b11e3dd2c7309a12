//! The values of templates: parts of the object, and values that the template computes.

use std::borrow::Cow;

use crate::api::json::{Map, Value};

/// A value, and whether Go would hold it as an `interface {}`, which is what everything in an object is.
#[derive(Clone, Debug)]
pub(super) struct Val<'a> {
    pub(super) data: Data<'a>,
    pub(super) boxed: bool,
}

/// The value itself.
#[derive(Clone, Debug)]
pub(super) enum Data<'a> {
    /// No value at all: a missing key.
    Missing,
    Nil,
    Bool(bool),
    Int(i64, Int),
    Float(f64),
    Text(Cow<'a, str>),
    List(&'a [Value]),
    Map(&'a Map),
}

/// Go's type of a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Int {
    /// Of the template.
    Plain,
    /// Of the object.
    Long,
    /// Of a text.
    Byte,
}

impl<'a> Val<'a> {
    pub(super) const MISSING: Self = Self {
        data: Data::Missing,
        boxed: false,
    };

    /// A part of an object.
    pub(super) fn part(value: &'a Value) -> Self {
        let data = match value {
            Value::Null => Data::Nil,
            Value::Bool(value) => Data::Bool(*value),
            Value::Number(number) => match number.as_i64() {
                Some(int) => Data::Int(int, Int::Long),
                None => Data::Float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Data::Text(Cow::Borrowed(text)),
            Value::Array(items) => Data::List(items),
            Value::Object(map) => Data::Map(map),
        };
        Self { data, boxed: true }
    }

    /// Nothing, as an `interface {}`.
    pub(super) fn nil() -> Self {
        let data = Data::Nil;
        Self { data, boxed: true }
    }

    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Data::Text(text.into()).into()
    }

    /// The value without the `interface {}` around it; a nil in one is no value.
    pub(super) fn unboxed(mut self) -> Self {
        self.boxed = false;
        match self.data {
            Data::Nil => Self::MISSING,
            _ => self,
        }
    }

    /// Returns true if `if` takes it for true.
    pub(super) fn is_true(&self) -> bool {
        match &self.data {
            Data::Missing | Data::Nil => false,
            Data::Bool(value) => *value,
            Data::Int(value, _) => *value != 0,
            Data::Float(value) => *value != 0.0,
            Data::Text(text) => !text.is_empty(),
            Data::List(items) => !items.is_empty(),
            Data::Map(map) => !map.is_empty(),
        }
    }

    /// The name of Go's type of the value, whatever holds it.
    pub(super) fn inner_type(&self) -> &'static str {
        match &self.data {
            Data::Missing | Data::Nil => "interface {}",
            Data::Bool(_) => "bool",
            Data::Int(_, Int::Plain) => "int",
            Data::Int(_, Int::Long) => "int64",
            Data::Int(_, Int::Byte) => "uint8",
            Data::Float(_) => "float64",
            Data::Text(_) => "string",
            Data::List(_) => "[]interface {}",
            Data::Map(_) => "map[string]interface {}",
        }
    }

    /// The name of the type that the value is held as.
    pub(super) fn outer_type(&self) -> &'static str {
        match self.boxed {
            true => "interface {}",
            false => self.inner_type(),
        }
    }
}

impl<'a> From<Data<'a>> for Val<'a> {
    fn from(data: Data<'a>) -> Self {
        let boxed = false;
        Self { data, boxed }
    }
}

impl From<bool> for Val<'_> {
    fn from(value: bool) -> Self {
        Data::Bool(value).into()
    }
}
