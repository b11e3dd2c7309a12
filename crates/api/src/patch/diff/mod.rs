//! Computes the patches that kubectl sends to turn one object into another.
//!
//! Two-way patches turn one document into another (`kubectl edit`, `set`). Three-way patches are those of `kubectl
//! apply`: they remove the fields that only the last applied configuration has, set those that differ from the live
//! object, and keep the fields of other writers.

mod lists;
mod merge_patch;
#[cfg(test)]
mod properties;
mod strategic_patch;
#[cfg(test)]
mod tests;

pub use merge_patch::{merge_three_way, merge_two_way};
pub use strategic_patch::{
    IdentityChanged, keeps_identity, strategic_three_way, strategic_two_way,
};
