//! The kinds of the `events.k8s.io` API group.

pub(crate) mod event;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[event::KIND];
