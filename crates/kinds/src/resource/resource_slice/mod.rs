//! ResourceSlice: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// ResourceSlice at `resource.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("resource.k8s.io", "v1", "ResourceSlice"),
    ("resourceslices", "resourceslice"),
)
.field_selectors(&["metadata.name", "spec.nodeName", "spec.driver"])
.table(
    &[
        Column::NAME,
        Column::text("Node"),
        Column::text("Driver"),
        Column::text("Pool"),
        Column::AGE,
    ],
    cells::row,
)
.rules(validate::create, validate::update)
.generation(Generation::Content);

/// ResourceSlice at `resource.k8s.io/v1beta2`.
pub(crate) const V1BETA2: Kind = KIND
    .also_at("v1beta2")
    .unserved()
    .field_selectors(&["metadata.name", "metadata.namespace"]);

/// ResourceSlice at `resource.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind = KIND
    .also_at("v1beta1")
    .unserved()
    .field_selectors(&["metadata.name", "metadata.namespace"]);
