//! StorageClass: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;
mod warnings;

use crate::kind::{Column, Kind};

/// StorageClass at `storage.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("storage.k8s.io", "v1", "StorageClass"),
    ("storageclasses", "storageclass"),
)
.short_names(&["sc"])
.table(
    &[
        Column::NAME,
        Column::text("Provisioner"),
        Column::text("ReclaimPolicy"),
        Column::text("VolumeBindingMode"),
        Column::text("AllowVolumeExpansion"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.warnings(warnings::collect);
