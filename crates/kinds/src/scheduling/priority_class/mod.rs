//! PriorityClass: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// PriorityClass at `scheduling.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("scheduling.k8s.io", "v1", "PriorityClass"),
    ("priorityclasses", "priorityclass"),
)
.short_names(&["pc"])
.table(
    &[
        Column::NAME,
        Column::integer("Value"),
        Column::new("Global-Default", "boolean", "", 0),
        Column::AGE,
        Column::text("PreemptionPolicy"),
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.generation(Generation::Created)
.protecting(
    &["system-cluster-critical", "system-node-critical"],
    "this is a system priority class and cannot be deleted",
);
