//! VolumeAttributesClass: its row in discovery and its hooks.

mod cells;
mod strategy;
mod validate;

use crate::kind::{Column, Kind};

/// VolumeAttributesClass at `storage.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("storage.k8s.io", "v1", "VolumeAttributesClass"),
    ("volumeattributesclasses", "volumeattributesclass"),
)
.short_names(&["vac"])
.table(
    &[Column::NAME, Column::text("DriverName"), Column::AGE],
    cells::row,
)
.rules(validate::create, validate::update)
.admit(strategy::admit);

/// VolumeAttributesClass at `storage.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind = KIND.also_at("v1beta1").unserved();
