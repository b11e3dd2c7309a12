//! Server-side apply, and the ownership of fields on every other write.
//!
//! [`apply`] merges one manager's configuration into an object. It sets the fields of the configuration, and it
//! removes the fields of the manager's previous configuration unless another manager owns them. A field that
//! another manager owns with a different value is a conflict. [`capture`] records the owners after a create, update or
//! patch.
//!
//! Follows Kubernetes' `structured-merge-diff` and `managedfields` packages, but for one version of each kind: entries
//! of other versions are read as if they had the object's own version. [`release`] compares at another version.

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
pub use owners::{Writer, capture, release};
pub use plain::{atomics, merged};
pub use server_side::{ApplyError, apply};
#[cfg(test)]
pub(in crate::patch) use tests::{CASES, TABLE};
pub use validate::mistyped;
