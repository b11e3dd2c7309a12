//! ServiceAccount: its row in discovery and its hooks.

use crate::kind::{Column, Kind, Subresource};

/// ServiceAccount at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("", "v1", "ServiceAccount"),
    ("serviceaccounts", "serviceaccount"),
)
.short_names(&["sa"])
.subresources(&[Subresource::new(
    "token",
    "authentication.k8s.io",
    "v1",
    "TokenRequest",
    &["create"],
)])
.columns(&[Column::NAME, Column::AGE]);
