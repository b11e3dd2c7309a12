//! Selectors of objects, by labels ([`LabelSelector`]) or by fields ([`FieldSelector`]).
//!
//! Both have a text form, as in `kubectl get -l` and `--field-selector`, which is parsed with the API server's errors.
//! Label selectors also have an object form (`matchLabels`, `matchExpressions`).

mod field;
mod label;
mod lexer;
mod names;
mod object;
mod parser;
#[cfg(test)]
mod tests;

pub use field::{FieldSelector, FieldSelectorError, FieldTerm};
pub use label::{LabelSelector, LabelSelectorError, Operator, Requirement};
pub use object::{Problem, ProblemReason, in_go, validate};
