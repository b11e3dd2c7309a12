//! The kinds of the `internal.apiserver.k8s.io` API group.

pub(crate) mod storage_version;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[storage_version::KIND];
