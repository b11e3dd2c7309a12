//! The kinds of the `node.k8s.io` API group.

use super::super::kind::{Column, Kind};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "node.k8s.io",
    version: "v1",
    kind: "RuntimeClass",
    plural: "runtimeclasses",
    singular: "runtimeclass",
    short_names: &[],
    categories: &[],
    namespaced: false,
    verbs: Kind::ALL_VERBS,
    subresources: &[],
    columns: &[
        Column::new("Name", "string", "name", 0),
        Column::new("Handler", "string", "", 0),
        Column::new("Age", "string", "", 0),
    ],
    field_selectors: &["metadata.name", "metadata.namespace"],
    preferred: true,
    served: true,
    custom: None,
}];
