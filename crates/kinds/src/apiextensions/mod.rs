//! The kinds of the `apiextensions.k8s.io` API group.

pub(crate) mod custom_resource_definition;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[custom_resource_definition::KIND];
