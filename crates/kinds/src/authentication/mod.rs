//! The kinds of the `authentication.k8s.io` API group.

pub(crate) mod self_subject_review;
pub(crate) mod token_review;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[self_subject_review::KIND, token_review::KIND];
