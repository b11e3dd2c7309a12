//! The kinds of the `flowcontrol.apiserver.k8s.io` API group.

pub(crate) mod flow_schema;
pub(crate) mod priority_level_configuration;
mod validate;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[flow_schema::KIND, priority_level_configuration::KIND];
