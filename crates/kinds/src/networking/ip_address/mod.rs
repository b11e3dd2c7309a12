//! IPAddress: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::kind::{Column, Kind};

/// IPAddress at `networking.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("networking.k8s.io", "v1", "IPAddress"),
    ("ipaddresses", "ipaddress"),
)
.short_names(&["ip"])
.table(&[Column::NAME, Column::text("ParentRef")], cells::row)
.rules(validate::create, validate::update);

/// IPAddress at `networking.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind = KIND.also_at("v1beta1").unserved();
