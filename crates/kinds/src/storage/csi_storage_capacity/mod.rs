//! CSIStorageCapacity: its row in discovery and its hooks.

mod validate;
mod warnings;

use crate::kind::{Column, Kind};

/// CSIStorageCapacity at `storage.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("storage.k8s.io", "v1", "CSIStorageCapacity"),
    ("csistoragecapacities", "csistoragecapacity"),
)
.columns(&[Column::NAME, Column::new("Created At", "date", "", 0)])
.rules(validate::create, validate::update)
.warnings(warnings::collect)
.conditional();
