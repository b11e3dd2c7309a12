//! Endpoints: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;
mod warnings;

use crate::kind::{Column, Kind};

/// Endpoints at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(("", "v1", "Endpoints"), ("endpoints", "endpoints"))
    .short_names(&["ep"])
    .table(
        &[Column::NAME, Column::text("Endpoints"), Column::AGE],
        cells::row,
    )
    .defaults(defaults::apply)
    .rules(validate::create, validate::update)
    .warnings(warnings::collect)
    .created_by_update()
    .deprecated("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
