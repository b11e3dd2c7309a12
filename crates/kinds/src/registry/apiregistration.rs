//! The kinds of the `apiregistration.k8s.io` API group.

use super::super::kind::{Column, Kind, Subresource};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "apiregistration.k8s.io",
    version: "v1",
    kind: "APIService",
    plural: "apiservices",
    singular: "apiservice",
    short_names: &[],
    categories: &["api-extensions"],
    namespaced: false,
    verbs: Kind::ALL_VERBS,
    subresources: &[Subresource::new(
        "status",
        "apiregistration.k8s.io",
        "v1",
        "APIService",
        &["get", "patch", "update"],
    )],
    columns: &[
        Column::new("Name", "string", "name", 0),
        Column::new("Service", "string", "", 0),
        Column::new("Available", "string", "", 0),
        Column::new("Age", "string", "", 0),
    ],
    field_selectors: &["metadata.name", "metadata.namespace"],
    preferred: true,
    served: true,
    custom: None,
}];
