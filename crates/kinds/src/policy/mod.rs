//! The kinds of the `policy` API group.

pub(crate) mod pod_disruption_budget;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[pod_disruption_budget::KIND];
