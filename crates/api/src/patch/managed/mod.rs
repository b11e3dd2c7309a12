//! `metadata.managedFields`: the managers, their fields and their times.

mod fields;
mod list;
#[cfg(test)]
mod tests;

pub use fields::Fields;
pub use list::{ANCIENT_CHANGES, Entry, MAX_UPDATE_MANAGERS, ManagedFields, Operation};
