//! SelfSubjectRulesReview: its row in discovery and its hooks.

use crate::hooks::Review;
use crate::kind::Kind;

/// SelfSubjectRulesReview at `authorization.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("authorization.k8s.io", "v1", "SelfSubjectRulesReview"),
    ("selfsubjectrulesreviews", "selfsubjectrulesreview"),
)
.verbs(&["create"])
.field_selectors(&[])
.reviewed(Review::OwnRules);
