//! The kinds of the `autoscaling` API group.

pub(crate) mod horizontal_pod_autoscaler;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    horizontal_pod_autoscaler::KIND,
    horizontal_pod_autoscaler::V1,
];
