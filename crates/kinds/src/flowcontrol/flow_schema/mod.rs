//! FlowSchema: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind, Subresource};
use crate::strategy::{SPEC_AND_METADATA, keep_metadata};

/// FlowSchema at `flowcontrol.apiserver.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema"),
    ("flowschemas", "flowschema"),
)
.subresources(&[Subresource::status(
    "flowcontrol.apiserver.k8s.io",
    "v1",
    "FlowSchema",
)])
.table(
    &[
        Column::NAME,
        Column::text("PriorityLevel"),
        Column::text("MatchingPrecedence"),
        Column::text("DistinguisherMethod"),
        Column::AGE,
        Column::text("MissingPL"),
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.generation(Generation::Content)
.prepare_status(keep_metadata)
.reset_fields(&[("status", SPEC_AND_METADATA)]);
