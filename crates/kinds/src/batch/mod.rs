//! The kinds of the `batch` API group.

pub(crate) mod cron_job;
pub(crate) mod defaults;
pub(crate) mod job;
pub(crate) mod policy;
pub(crate) mod validate;
mod warnings;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[cron_job::KIND, job::KIND];
