//! The kinds of the `certificates.k8s.io` API group.

pub(crate) mod certificate_signing_request;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[certificate_signing_request::KIND];
