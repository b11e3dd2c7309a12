//! The kinds of the `policy` API group.

use super::super::kind::{Column, Kind, Subresource};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "policy",
    version: "v1",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    singular: "poddisruptionbudget",
    short_names: &["pdb"],
    categories: &[],
    namespaced: true,
    verbs: Kind::ALL_VERBS,
    subresources: &[Subresource::new(
        "status",
        "policy",
        "v1",
        "PodDisruptionBudget",
        &["get", "patch", "update"],
    )],
    columns: &[
        Column::new("Name", "string", "name", 0),
        Column::new("Min Available", "string", "", 0),
        Column::new("Max Unavailable", "string", "", 0),
        Column::new("Allowed Disruptions", "integer", "", 0),
        Column::new("Age", "string", "", 0),
    ],
    field_selectors: &["metadata.name", "metadata.namespace"],
    preferred: true,
    served: true,
    custom: None,
}];
