//! Admission policies: which requests they match, and the results of their expressions.
//!
//! Must not know the storage of policies, bindings and parameters.

mod attributes;
mod authorizer;
mod matching;
pub(crate) mod mutating;
pub(crate) mod types;
mod validating;
mod values;

use crate::kind::Kind;

pub use attributes::{Attributes, Gvk, Operation};
pub use authorizer::Roles;
pub use matching::{Constraints, matches_rules, wants};
pub use mutating::{applies, mutate};
pub use types::checked;
pub use validating::{Decision, Validation, validate};
pub use values::{Inputs, conditions};

/// Returns true for the kinds to which policies and webhooks do not apply. Otherwise, a faulty policy could block its
/// own removal.
pub fn is_exempt(kind: &Kind) -> bool {
    kind.group == "admissionregistration.k8s.io"
}

#[cfg(test)]
mod tests;
