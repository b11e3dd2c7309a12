//! The kinds of the `apiregistration.k8s.io` API group.

pub(crate) mod api_service;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[api_service::KIND];
