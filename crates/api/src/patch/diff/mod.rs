//! The patches that kubectl computes to turn one object into another.
//!
//! Two-way patches lead from one document to another (`kubectl edit`, `set`). Three-way patches are
//! `kubectl apply`'s: they take out what the last applied configuration had and the new one has not,
//! and set what differs from the live object; what others added stays.

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
