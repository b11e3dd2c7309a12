//! SelfSubjectReview: its row in discovery and its hooks.

use crate::hooks::Review;
use crate::kind::Kind;

/// SelfSubjectReview at `authentication.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("authentication.k8s.io", "v1", "SelfSubjectReview"),
    ("selfsubjectreviews", "selfsubjectreview"),
)
.verbs(&["create"])
.field_selectors(&[])
.reviewed(Review::OwnUser);
