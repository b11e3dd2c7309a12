//! The kinds of the `scheduling.k8s.io` API group.

use super::super::kind::{Column, Kind};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "scheduling.k8s.io",
    version: "v1",
    kind: "PriorityClass",
    plural: "priorityclasses",
    singular: "priorityclass",
    short_names: &["pc"],
    categories: &[],
    namespaced: false,
    verbs: Kind::ALL_VERBS,
    subresources: &[],
    columns: &[
        Column::new("Name", "string", "name", 0),
        Column::new("Value", "integer", "", 0),
        Column::new("Global-Default", "boolean", "", 0),
        Column::new("Age", "string", "", 0),
        Column::new("PreemptionPolicy", "string", "", 0),
    ],
    field_selectors: &["metadata.name", "metadata.namespace"],
    preferred: true,
    served: true,
    custom: None,
}];
