//! IngressClass: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// IngressClass at `networking.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("networking.k8s.io", "v1", "IngressClass"),
    ("ingressclasses", "ingressclass"),
)
.table(
    &[
        Column::NAME,
        Column::text("Controller"),
        Column::text("Parameters"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.generation(Generation::Content);
