//! ServiceCIDR: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::kind::{Column, Kind, Subresource};
use crate::strategy::keep_metadata;

/// ServiceCIDR at `networking.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("networking.k8s.io", "v1", "ServiceCIDR"),
    ("servicecidrs", "servicecidr"),
)
.subresources(&[Subresource::status(
    "networking.k8s.io",
    "v1",
    "ServiceCIDR",
)])
.table(
    &[Column::NAME, Column::text("CIDRs"), Column::AGE],
    cells::row,
)
.rules(validate::create, validate::update)
.prepare_status(keep_metadata);

/// ServiceCIDR at `networking.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind =
    KIND.also_at("v1beta1")
        .unserved()
        .subresources(&[Subresource::status(
            "networking.k8s.io",
            "v1beta1",
            "ServiceCIDR",
        )]);
