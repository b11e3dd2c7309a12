//! The kinds of the `internal.apiserver.k8s.io` API group.

use super::super::kind::{Kind, Subresource};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "internal.apiserver.k8s.io",
    version: "v1alpha1",
    kind: "StorageVersion",
    plural: "storageversions",
    singular: "storageversion",
    short_names: &[],
    categories: &[],
    namespaced: false,
    verbs: Kind::ALL_VERBS,
    subresources: &[Subresource::new(
        "status",
        "internal.apiserver.k8s.io",
        "v1alpha1",
        "StorageVersion",
        &["get", "patch", "update"],
    )],
    columns: &[],
    field_selectors: &["metadata.name", "metadata.namespace"],
    preferred: true,
    served: false,
    custom: None,
}];
