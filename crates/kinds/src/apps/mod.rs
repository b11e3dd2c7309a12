//! The kinds of the `apps` API group.

pub(crate) mod cells;
pub(crate) mod controller_revision;
pub(crate) mod daemon_set;
pub(crate) mod deployment;
pub(crate) mod replica_set;
pub(crate) mod stateful_set;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    controller_revision::KIND,
    daemon_set::KIND,
    deployment::KIND,
    replica_set::KIND,
    stateful_set::KIND,
];
