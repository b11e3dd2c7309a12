//! The kinds of the `flowcontrol.apiserver.k8s.io` API group.

use super::super::kind::{Column, Kind, Subresource};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: "flowcontrol.apiserver.k8s.io",
        version: "v1",
        kind: "FlowSchema",
        plural: "flowschemas",
        singular: "flowschema",
        short_names: &[],
        categories: &[],
        namespaced: false,
        verbs: Kind::ALL_VERBS,
        subresources: &[Subresource::new(
            "status",
            "flowcontrol.apiserver.k8s.io",
            "v1",
            "FlowSchema",
            &["get", "patch", "update"],
        )],
        columns: &[
            Column::new("Name", "string", "name", 0),
            Column::new("PriorityLevel", "string", "", 0),
            Column::new("MatchingPrecedence", "string", "", 0),
            Column::new("DistinguisherMethod", "string", "", 0),
            Column::new("Age", "string", "", 0),
            Column::new("MissingPL", "string", "", 0),
        ],
        field_selectors: &["metadata.name", "metadata.namespace"],
        preferred: true,
        served: true,
        custom: None,
    },
    Kind {
        group: "flowcontrol.apiserver.k8s.io",
        version: "v1",
        kind: "PriorityLevelConfiguration",
        plural: "prioritylevelconfigurations",
        singular: "prioritylevelconfiguration",
        short_names: &[],
        categories: &[],
        namespaced: false,
        verbs: Kind::ALL_VERBS,
        subresources: &[Subresource::new(
            "status",
            "flowcontrol.apiserver.k8s.io",
            "v1",
            "PriorityLevelConfiguration",
            &["get", "patch", "update"],
        )],
        columns: &[
            Column::new("Name", "string", "name", 0),
            Column::new("Type", "string", "", 0),
            Column::new("NominalConcurrencyShares", "string", "", 0),
            Column::new("Queues", "string", "", 0),
            Column::new("HandSize", "string", "", 0),
            Column::new("QueueLengthLimit", "string", "", 0),
            Column::new("Age", "string", "", 0),
        ],
        field_selectors: &["metadata.name", "metadata.namespace"],
        preferred: true,
        served: true,
        custom: None,
    },
];
