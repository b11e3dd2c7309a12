//! CSIDriver: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::kind::{Column, Kind};

/// CSIDriver at `storage.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("storage.k8s.io", "v1", "CSIDriver"),
    ("csidrivers", "csidriver"),
)
.table(
    &[
        Column::NAME,
        Column::new("AttachRequired", "boolean", "", 0),
        Column::new("PodInfoOnMount", "boolean", "", 0),
        Column::new("StorageCapacity", "boolean", "", 0),
        Column::text("TokenRequests"),
        Column::new("RequiresRepublish", "boolean", "", 0),
        Column::text("Modes"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.conditional();
