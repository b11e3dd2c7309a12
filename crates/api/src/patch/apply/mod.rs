//! Server-side apply, and the ownership of fields on every other write.
//!
//! [`apply`] merges the configuration of one manager into an object: it sets the fields of the configuration; it
//! removes fields of the manager's previous configuration unless another manager applied them; a field that another
//! manager owns with a different value is a conflict. [`capture`] records the owners after a create, update or patch.
//!
//! Follows Kubernetes' `structured-merge-diff` and `managedfields` packages, for one version of each kind: entries of
//! other versions are read as if they were written in the object's own.

mod compare;
mod conflict;
mod merge;
mod owners;
mod plain;
#[cfg(test)]
mod properties;
mod prune;
mod server_side;
#[cfg(test)]
mod tests;
mod to_set;
mod validate;
mod walk;

pub use conflict::{Conflict, Conflicts};
pub use owners::{Writer, capture};
pub use plain::{atomics, merged};
pub use server_side::{ApplyError, apply};
#[cfg(test)]
pub(in crate::patch) use tests::{CASES, TABLE};
pub use validate::mistyped;
