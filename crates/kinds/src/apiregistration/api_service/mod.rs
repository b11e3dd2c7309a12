//! APIService: its row in discovery and its hooks.

mod cells;
mod defaults;
mod strategy;
mod validate;

use crate::kind::{Column, Kind, Subresource};
use crate::strategy::{SPEC_AND_METADATA, keep_metadata};

/// APIService at `apiregistration.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("apiregistration.k8s.io", "v1", "APIService"),
    ("apiservices", "apiservice"),
)
.categories(&["api-extensions"])
.subresources(&[Subresource::status(
    "apiregistration.k8s.io",
    "v1",
    "APIService",
)])
.table(
    &[
        Column::NAME,
        Column::text("Service"),
        Column::text("Available"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.conditional()
.prepare_create(strategy::prepare_create)
.prepare_status(keep_metadata)
.reset_fields(&[("status", SPEC_AND_METADATA)]);
