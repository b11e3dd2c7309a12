//! NetworkPolicy: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;
mod warnings;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// NetworkPolicy at `networking.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("networking.k8s.io", "v1", "NetworkPolicy"),
    ("networkpolicies", "networkpolicy"),
)
.short_names(&["netpol"])
.table(
    &[Column::NAME, Column::text("Pod-Selector"), Column::AGE],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.warnings(warnings::collect)
.generation(Generation::Content);
