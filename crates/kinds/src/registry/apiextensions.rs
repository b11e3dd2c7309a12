//! The kinds of the `apiextensions.k8s.io` API group.

use super::super::kind::{Column, Kind, Subresource};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    singular: "customresourcedefinition",
    short_names: &["crd", "crds"],
    categories: &["api-extensions"],
    namespaced: false,
    verbs: Kind::ALL_VERBS,
    subresources: &[Subresource::new(
        "status",
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        &["get", "patch", "update"],
    )],
    columns: &[
        Column::new("Name", "string", "name", 0),
        Column::new("Created At", "date", "", 0),
    ],
    field_selectors: &["metadata.name", "metadata.namespace"],
    preferred: true,
    served: true,
    custom: None,
}];
