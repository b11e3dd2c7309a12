//! JSONPath as kubectl speaks it: text with `{...}` in it, ranges, filters, slices, unions, recursive descent.
//!
//! Missing fields are nothing, or an error where that is asked for. The texts of errors are kubectl's.

mod compare;
mod eval;
mod parse;
mod relaxed;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::api::go::GoValue;
use crate::api::json::Value;
use crate::json;

pub use relaxed::relaxed;

/// A value that a path found: a part of the object, or one that stands in the path itself.
pub type Found<'a> = Cow<'a, Value>;

/// A parsed template.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    nodes: Vec<Node>,
}

/// One step of a path, or a piece of text.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// The steps between two braces.
    List(Vec<Node>),
    /// A value that stands in the template.
    Literal(Value),
    Field(String),
    Slice(Slice),
    Wildcard,
    Recursive,
    Union(Vec<Vec<Node>>),
    Filter(Box<Filter>),
    /// `range`, `end`, or a word that nobody knows.
    Word(String),
}

/// `[from:to:step]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slice {
    from: Option<i64>,
    to: Option<i64>,
    step: Option<i64>,
    /// Only one index was given, and `to` follows from it.
    single: bool,
}

/// `[?(left operator right)]`; without an operator it asks whether `left` finds anything.
#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: Vec<Node>,
    right: Option<(String, Vec<Node>)>,
}

impl JsonPath {
    /// Reads a template.
    ///
    /// # Errors
    /// What kubectl says of it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let nodes = parse::parse(text)?;
        Ok(Self { nodes })
    }

    /// Returns the results of each piece of the template in an object.
    ///
    /// # Errors
    /// An index is out of bounds, values cannot be compared, a key is missing and may not be.
    pub fn find<'a>(
        &self,
        object: &'a Value,
        allow_missing: bool,
    ) -> Result<Vec<Vec<Found<'a>>>, String> {
        eval::find(&self.nodes, object, allow_missing)
    }

    /// The template filled in from an object.
    ///
    /// # Errors
    /// As [`JsonPath::find`].
    pub fn fill(&self, object: &Value, allow_missing: bool) -> Result<String, String> {
        let mut out = String::new();
        for found in self.find(object, allow_missing)? {
            for (at, value) in found.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { " " });
                out.push_str(&text(value));
            }
        }
        Ok(out)
    }

    /// Returns the results as JSON lists.
    ///
    /// # Errors
    /// As [`JsonPath::find`].
    pub fn fill_as_json(&self, object: &Value, allow_missing: bool) -> Result<String, String> {
        let lists = self.find(object, allow_missing)?.into_iter();
        let lists = lists.map(|found| found.into_iter().map(Cow::into_owned).collect());
        Ok(lists
            .map(|list| json::to_string(&Value::Array(list)))
            .collect())
    }
}

/// A found value as text: maps and lists as JSON, texts as they are.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) | Value::Object(_) => json::one_line(value),
        scalar => GoValue(scalar).to_string(),
    }
}
