//! PriorityLevelConfiguration: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind, Subresource};
use crate::strategy::{SPEC_AND_METADATA, keep_metadata};

/// PriorityLevelConfiguration at `flowcontrol.apiserver.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    (
        "flowcontrol.apiserver.k8s.io",
        "v1",
        "PriorityLevelConfiguration",
    ),
    ("prioritylevelconfigurations", "prioritylevelconfiguration"),
)
.subresources(&[Subresource::status(
    "flowcontrol.apiserver.k8s.io",
    "v1",
    "PriorityLevelConfiguration",
)])
.table(
    &[
        Column::NAME,
        Column::text("Type"),
        Column::text("NominalConcurrencyShares"),
        Column::text("Queues"),
        Column::text("HandSize"),
        Column::text("QueueLengthLimit"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.generation(Generation::Content)
.prepare_status(keep_metadata)
.reset_fields(&[("status", SPEC_AND_METADATA)]);
