//! EndpointSlice: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;
mod warnings;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// EndpointSlice at `discovery.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("discovery.k8s.io", "v1", "EndpointSlice"),
    ("endpointslices", "endpointslice"),
)
.table(
    &[
        Column::NAME,
        Column::text("AddressType"),
        Column::text("Ports"),
        Column::text("Endpoints"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.warnings(warnings::collect)
.generation(Generation::ContentAndLabels);
