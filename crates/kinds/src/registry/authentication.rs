//! The kinds of the `authentication.k8s.io` API group.

use super::super::kind::Kind;

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: "authentication.k8s.io",
        version: "v1",
        kind: "SelfSubjectReview",
        plural: "selfsubjectreviews",
        singular: "selfsubjectreview",
        short_names: &[],
        categories: &[],
        namespaced: false,
        verbs: &["create"],
        subresources: &[],
        columns: &[],
        field_selectors: &[],
        preferred: true,
        served: true,
        custom: None,
    },
    Kind {
        group: "authentication.k8s.io",
        version: "v1",
        kind: "TokenReview",
        plural: "tokenreviews",
        singular: "tokenreview",
        short_names: &[],
        categories: &[],
        namespaced: false,
        verbs: &["create"],
        subresources: &[],
        columns: &[],
        field_selectors: &[],
        preferred: true,
        served: true,
        custom: None,
    },
];
