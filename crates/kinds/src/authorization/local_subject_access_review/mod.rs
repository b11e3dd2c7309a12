//! LocalSubjectAccessReview: its row in discovery and its hooks.

use crate::hooks::Review;
use crate::kind::Kind;

/// LocalSubjectAccessReview at `authorization.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("authorization.k8s.io", "v1", "LocalSubjectAccessReview"),
    ("localsubjectaccessreviews", "localsubjectaccessreview"),
)
.verbs(&["create"])
.field_selectors(&[])
.reviewed(Review::Access);
