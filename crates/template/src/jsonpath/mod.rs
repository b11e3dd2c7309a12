//! kubectl's dialect of JSONPath: text with `{...}`, ranges, filters, slices, unions and recursive descent.
//!
//! A missing field has no result or, on request, is an error. The error texts are kubectl's.

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

/// A value found by a path: part of the object, or a literal in the path.
pub type PathValue<'a> = Cow<'a, Value>;

/// A parsed template.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    nodes: Vec<Node>,
}

/// A step of a path, or literal text.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// The steps between two braces.
    List(Vec<Node>),
    /// Literal text, or a literal in an action.
    Literal(Value),
    Field(String),
    Slice(Slice),
    Wildcard,
    Recursive,
    Union(Vec<Vec<Node>>),
    Filter(Box<Filter>),
    /// `range`, `end`, or an unknown word.
    Word(String),
}

/// `[from:to:step]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slice {
    from: Option<i64>,
    to: Option<i64>,
    step: Option<i64>,
    /// True for a single index, which determines `to`.
    single: bool,
}

/// `[?(left operator right)]`. Without an operator, it tests if `left` exists.
#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: Vec<Node>,
    right: Option<(String, Vec<Node>)>,
}

impl JsonPath {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns kubectl's error for the template.
    pub fn parse(text: &str) -> Result<Self, String> {
        let nodes = parse::parse(text)?;
        Ok(Self { nodes })
    }

    /// Returns the results of each part of the template on an object.
    ///
    /// # Errors
    /// Returns an error if an index is out of bounds, values cannot be compared, or a required key is missing.
    pub fn find<'a>(
        &self,
        object: &'a Value,
        allow_missing: bool,
    ) -> Result<Vec<Vec<PathValue<'a>>>, String> {
        eval::find(&self.nodes, object, allow_missing)
    }

    /// Fills in the template from an object.
    ///
    /// # Errors
    /// Returns the errors of [`JsonPath::find`].
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
    /// Returns the errors of [`JsonPath::find`].
    pub fn fill_as_json(&self, object: &Value, allow_missing: bool) -> Result<String, String> {
        let lists = self.find(object, allow_missing)?.into_iter();
        let lists = lists.map(|found| found.into_iter().map(Cow::into_owned).collect());
        Ok(lists
            .map(|list| json::to_string(&Value::Array(list)))
            .collect())
    }
}

/// Formats a result: maps and lists as JSON, strings without quotes.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) | Value::Object(_) => json::one_line(value),
        scalar => GoValue(scalar).to_string(),
    }
}
