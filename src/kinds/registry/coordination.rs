//! The kinds of the `coordination.k8s.io` API group.

use super::super::kind::{Column, Kind};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: "coordination.k8s.io",
        version: "v1",
        kind: "Lease",
        plural: "leases",
        singular: "lease",
        short_names: &[],
        categories: &[],
        namespaced: true,
        verbs: Kind::ALL_VERBS,
        subresources: &[],
        columns: &[
            Column::new("Name", "string", "name", 0),
            Column::new("Holder", "string", "", 0),
            Column::new("Age", "string", "", 0),
        ],
        field_selectors: &["metadata.name", "metadata.namespace"],
        preferred: true,
        served: true,
    },
    Kind {
        group: "coordination.k8s.io",
        version: "v1beta1",
        kind: "LeaseCandidate",
        plural: "leasecandidates",
        singular: "leasecandidate",
        short_names: &[],
        categories: &[],
        namespaced: true,
        verbs: Kind::ALL_VERBS,
        subresources: &[],
        columns: &[],
        field_selectors: &["metadata.name", "metadata.namespace"],
        preferred: false,
        served: false,
    },
    Kind {
        group: "coordination.k8s.io",
        version: "v1alpha2",
        kind: "LeaseCandidate",
        plural: "leasecandidates",
        singular: "leasecandidate",
        short_names: &[],
        categories: &[],
        namespaced: true,
        verbs: Kind::ALL_VERBS,
        subresources: &[],
        columns: &[],
        field_selectors: &["metadata.name", "metadata.namespace"],
        preferred: false,
        served: false,
    },
];
