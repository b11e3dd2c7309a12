//! Sets of fields and their owners, in the format of `metadata.managedFields[].fieldsV1`.
//!
//! A set contains paths. A path is a member independently of the paths below it: a list item can be owned without its
//! fields, and its fields without the item.

mod element;
pub(super) mod raw;
mod serialize;
mod set;
#[cfg(test)]
mod tests;

pub use element::PathElement;
pub(super) use element::compare as compare_values;
pub(super) use set::Entry;
pub use set::{FieldPath, FieldSet, FieldsError};
