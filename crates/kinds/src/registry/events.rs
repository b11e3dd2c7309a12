//! The kinds of the `events.k8s.io` API group.

use super::super::kind::{Column, Kind};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "events.k8s.io",
    version: "v1",
    kind: "Event",
    plural: "events",
    singular: "event",
    short_names: &["ev"],
    categories: &[],
    namespaced: true,
    verbs: Kind::ALL_VERBS,
    subresources: &[],
    columns: &[
        Column::new("Last Seen", "string", "", 0),
        Column::new("Type", "string", "", 0),
        Column::new("Reason", "string", "", 0),
        Column::new("Object", "string", "", 0),
        Column::new("Subobject", "string", "", 1),
        Column::new("Source", "string", "", 1),
        Column::new("Message", "string", "", 0),
        Column::new("First Seen", "string", "", 1),
        Column::new("Count", "string", "", 1),
        Column::new("Name", "string", "name", 1),
    ],
    field_selectors: &[
        "metadata.name",
        "metadata.namespace",
        "regarding.kind",
        "regarding.namespace",
        "regarding.name",
        "regarding.uid",
        "regarding.apiVersion",
        "regarding.resourceVersion",
        "regarding.fieldPath",
        "reason",
        "reportingController",
        "type",
    ],
    preferred: true,
    served: true,
    custom: None,
}];
