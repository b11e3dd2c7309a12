//! TokenReview: its row in discovery and its hooks.

use crate::hooks::Review;
use crate::kind::Kind;

/// TokenReview at `authentication.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("authentication.k8s.io", "v1", "TokenReview"),
    ("tokenreviews", "tokenreview"),
)
.verbs(&["create"])
.field_selectors(&[])
.reviewed(Review::Token);
