//! The kinds of the `node.k8s.io` API group.

pub(crate) mod runtime_class;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[runtime_class::KIND];
