//! ComponentStatus: its row in discovery and its hooks.

use crate::kind::{Column, Kind};

/// ComponentStatus at `v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("", "v1", "ComponentStatus"),
    ("componentstatuses", "componentstatus"),
)
.short_names(&["cs"])
.verbs(&["get", "list"])
.columns(&[
    Column::NAME,
    Column::text("Status"),
    Column::text("Message"),
    Column::text("Error"),
])
.deprecated("v1 ComponentStatus is deprecated in v1.19+");
