//! The values of templates: parts of the object, and values computed by the template.

use std::borrow::Cow;

use crate::api::json::{Map, Value};

/// A value, and if Go holds it in an `interface {}`, as it does for every part of an object.
#[derive(Clone, Debug)]
pub(super) struct Val<'a> {
    pub(super) data: Data<'a>,
    pub(super) boxed: bool,
}

/// The data of a value.
#[derive(Clone, Debug)]
pub(super) enum Data<'a> {
    /// No value: a missing key.
    Missing,
    Nil,
    Bool(bool),
    Int(i64, Int),
    Float(f64),
    Text(Cow<'a, str>),
    List(&'a [Value]),
    Map(&'a Map),
}

/// Go's type of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Int {
    /// An integer from the template.
    Plain,
    /// An integer from the object.
    Long,
    /// A byte of a string.
    Byte,
}

impl<'a> Val<'a> {
    pub(super) const MISSING: Self = Self {
        data: Data::Missing,
        boxed: false,
    };

    /// Returns a part of an object as a value.
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

    /// Returns a nil in an `interface {}`.
    pub(super) fn nil() -> Self {
        let data = Data::Nil;
        Self { data, boxed: true }
    }

    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Data::Text(text.into()).into()
    }

    /// Returns the value without the `interface {}` around it. A nil within one becomes a missing value.
    pub(super) fn unboxed(mut self) -> Self {
        self.boxed = false;
        match self.data {
            Data::Nil => Self::MISSING,
            _ => self,
        }
    }

    /// Returns true if `if` takes the value for true.
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

    /// Returns the name of the value's Go type, without the interface.
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

    /// Returns the name of the Go type that holds the value.
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
