//! PersistentVolume: its row in discovery and its hooks.

mod cells;
mod defaults;
mod strategy;
mod validate;
mod warnings;

pub(crate) use validate::inline_spec;

use crate::kind::{Column, Kind, Subresource};

/// PersistentVolume at `v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("", "v1", "PersistentVolume"),
    ("persistentvolumes", "persistentvolume"),
)
.short_names(&["pv"])
.subresources(&[Subresource::status("", "v1", "PersistentVolume")])
.table(
    &[
        Column::NAME,
        Column::text("Capacity"),
        Column::text("Access Modes"),
        Column::text("Reclaim Policy"),
        Column::text("Status"),
        Column::text("Claim"),
        Column::text("StorageClass"),
        Column::text("VolumeAttributesClass"),
        Column::text("Reason"),
        Column::AGE,
        Column::wide("VolumeMode"),
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.prepare_create(strategy::prepare_create)
.admit(strategy::admit)
.warnings(warnings::collect)
// The binder sets the field, and the claim refers back to the volume, so a restored volume stays bound.
.assigned(|_, _| &["claimRef"]);
