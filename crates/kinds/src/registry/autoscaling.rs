//! The kinds of the `autoscaling` API group.

use super::super::kind::{Column, Kind, Subresource};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: "autoscaling",
        version: "v2",
        kind: "HorizontalPodAutoscaler",
        plural: "horizontalpodautoscalers",
        singular: "horizontalpodautoscaler",
        short_names: &["hpa"],
        categories: &["all"],
        namespaced: true,
        verbs: Kind::ALL_VERBS,
        subresources: &[Subresource::new(
            "status",
            "autoscaling",
            "v2",
            "HorizontalPodAutoscaler",
            &["get", "patch", "update"],
        )],
        columns: &[
            Column::new("Name", "string", "name", 0),
            Column::new("Reference", "string", "", 0),
            Column::new("Targets", "string", "", 0),
            Column::new("MinPods", "string", "", 0),
            Column::new("MaxPods", "string", "", 0),
            Column::new("Replicas", "string", "", 0),
            Column::new("Age", "string", "", 0),
        ],
        field_selectors: &["metadata.name", "metadata.namespace"],
        preferred: true,
        served: true,
        custom: None,
    },
    Kind {
        group: "autoscaling",
        version: "v1",
        kind: "HorizontalPodAutoscaler",
        plural: "horizontalpodautoscalers",
        singular: "horizontalpodautoscaler",
        short_names: &["hpa"],
        categories: &["all"],
        namespaced: true,
        verbs: Kind::ALL_VERBS,
        subresources: &[Subresource::new(
            "status",
            "autoscaling",
            "v1",
            "HorizontalPodAutoscaler",
            &["get", "patch", "update"],
        )],
        columns: &[
            Column::new("Name", "string", "name", 0),
            Column::new("Reference", "string", "", 0),
            Column::new("Targets", "string", "", 0),
            Column::new("MinPods", "string", "", 0),
            Column::new("MaxPods", "string", "", 0),
            Column::new("Replicas", "string", "", 0),
            Column::new("Age", "string", "", 0),
        ],
        field_selectors: &["metadata.name", "metadata.namespace"],
        preferred: false,
        served: true,
        custom: None,
    },
];
