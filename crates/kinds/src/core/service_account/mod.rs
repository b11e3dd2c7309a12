//! ServiceAccount: its row in discovery and its hooks.

mod strategy;

use crate::hooks::WarnedUpdates;
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
.columns(&[Column::NAME, Column::AGE])
.prepare_create(|account, _| strategy::names_of_secrets(account))
.prepare_update(|account, _| strategy::names_of_secrets(account))
.warnings(strategy::warnings)
.warned_updates(WarnedUpdates::If(strategy::newly_enforces));
