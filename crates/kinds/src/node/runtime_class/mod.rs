//! RuntimeClass: its row in discovery and its hooks.

mod cells;
mod validate;
mod warnings;

use crate::kind::{Column, Kind};

/// RuntimeClass at `node.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("node.k8s.io", "v1", "RuntimeClass"),
    ("runtimeclasses", "runtimeclass"),
)
.table(
    &[Column::NAME, Column::text("Handler"), Column::AGE],
    cells::row,
)
.rules(validate::create, validate::update)
.warnings(warnings::collect)
.conditional();
