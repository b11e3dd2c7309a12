//! VolumeAttachment: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::kind::{Column, Kind, Subresource};
use crate::strategy::{SPEC_AND_METADATA, keep_metadata};

/// VolumeAttachment at `storage.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("storage.k8s.io", "v1", "VolumeAttachment"),
    ("volumeattachments", "volumeattachment"),
)
.subresources(&[Subresource::status(
    "storage.k8s.io",
    "v1",
    "VolumeAttachment",
)])
.table(
    &[
        Column::NAME,
        Column::new("Attacher", "string", "name", 0),
        Column::text("PV"),
        Column::text("Node"),
        Column::new("Attached", "boolean", "", 0),
        Column::AGE,
    ],
    cells::row,
)
.rules(validate::create, validate::update)
.status_rules(validate::update)
.conditional()
.prepare_status(keep_metadata)
.reset_fields(&[("status", SPEC_AND_METADATA)]);
