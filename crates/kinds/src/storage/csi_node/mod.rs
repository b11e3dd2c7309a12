//! CSINode: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::kind::{Column, Kind};

/// CSINode at `storage.k8s.io/v1`.
pub(crate) const KIND: Kind =
    Kind::cluster_wide(("storage.k8s.io", "v1", "CSINode"), ("csinodes", "csinode"))
        .table(
            &[Column::NAME, Column::integer("Drivers"), Column::AGE],
            cells::row,
        )
        .rules(validate::create, validate::update)
        .conditional();
