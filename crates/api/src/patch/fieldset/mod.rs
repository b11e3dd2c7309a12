//! Sets of fields: who owns what, in the form of `metadata.managedFields[].fieldsV1`.
//!
//! A set holds paths. That a path is in the set says nothing of what lies below it: an item of a list
//! can be owned without its fields, and the other way round.

mod element;
pub(super) mod raw;
mod set;
#[cfg(test)]
mod tests;
mod written;

pub use element::PathElement;
pub(super) use element::compare as compare_values;
pub(super) use set::Entry;
pub use set::{FieldPath, FieldSet, FieldsError};
