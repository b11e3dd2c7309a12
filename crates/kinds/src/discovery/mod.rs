//! The kinds of the `discovery.k8s.io` API group.

pub(crate) mod endpoint_slice;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[endpoint_slice::KIND];
