//! The kinds of the `authorization.k8s.io` API group.

pub(crate) mod local_subject_access_review;
pub(crate) mod self_subject_access_review;
pub(crate) mod self_subject_rules_review;
pub(crate) mod subject_access_review;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    local_subject_access_review::KIND,
    self_subject_access_review::KIND,
    self_subject_rules_review::KIND,
    subject_access_review::KIND,
];
