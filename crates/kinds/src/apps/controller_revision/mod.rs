//! ControllerRevision: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::kind::{Column, Kind};

/// ControllerRevision at `apps/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("apps", "v1", "ControllerRevision"),
    ("controllerrevisions", "controllerrevision"),
)
.table(
    &[
        Column::NAME,
        Column::text("Controller"),
        Column::text("Revision"),
        Column::AGE,
    ],
    cells::row,
)
.rules(validate::create, validate::update);
