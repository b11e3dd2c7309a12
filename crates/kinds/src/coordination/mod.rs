//! The kinds of the `coordination.k8s.io` API group.

pub(crate) mod lease;
pub(crate) mod lease_candidate;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    lease::KIND,
    lease_candidate::KIND,
    lease_candidate::V1ALPHA2,
];
