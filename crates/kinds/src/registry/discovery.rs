//! The kinds of the `discovery.k8s.io` API group.

use super::super::kind::{Column, Kind};

/// The kinds of this group, in the order of discovery.
pub(super) const KINDS: &[Kind] = &[Kind {
    group: "discovery.k8s.io",
    version: "v1",
    kind: "EndpointSlice",
    plural: "endpointslices",
    singular: "endpointslice",
    short_names: &[],
    categories: &[],
    namespaced: true,
    verbs: Kind::ALL_VERBS,
    subresources: &[],
    columns: &[
        Column::new("Name", "string", "name", 0),
        Column::new("AddressType", "string", "", 0),
        Column::new("Ports", "string", "", 0),
        Column::new("Endpoints", "string", "", 0),
        Column::new("Age", "string", "", 0),
    ],
    field_selectors: &["metadata.name", "metadata.namespace"],
    preferred: true,
    served: true,
    custom: None,
}];
