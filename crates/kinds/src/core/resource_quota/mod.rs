//! ResourceQuota: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::admission::quota;
use crate::kind::{Column, Kind, Subresource};

/// ResourceQuota at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("", "v1", "ResourceQuota"),
    ("resourcequotas", "resourcequota"),
)
.short_names(&["quota"])
.subresources(&[Subresource::status("", "v1", "ResourceQuota")])
.table(
    &[
        Column::NAME,
        Column::text("Request"),
        Column::text("Limit"),
        Column::AGE,
    ],
    cells::row,
)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.quota_usage(|_, used| quota::count(used, "resourcequotas"));
