//! SelfSubjectAccessReview: its row in discovery and its hooks.

use crate::hooks::Review;
use crate::kind::Kind;

/// SelfSubjectAccessReview at `authorization.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("authorization.k8s.io", "v1", "SelfSubjectAccessReview"),
    ("selfsubjectaccessreviews", "selfsubjectaccessreview"),
)
.verbs(&["create"])
.field_selectors(&[])
.reviewed(Review::OwnAccess);
