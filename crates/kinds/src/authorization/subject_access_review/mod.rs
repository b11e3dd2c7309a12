//! SubjectAccessReview: its row in discovery and its hooks.

use crate::hooks::Review;
use crate::kind::Kind;

/// SubjectAccessReview at `authorization.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("authorization.k8s.io", "v1", "SubjectAccessReview"),
    ("subjectaccessreviews", "subjectaccessreview"),
)
.verbs(&["create"])
.field_selectors(&[])
.reviewed(Review::Access);
