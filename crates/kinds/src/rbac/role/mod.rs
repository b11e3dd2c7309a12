//! Role: its row in discovery and its hooks.

mod validate;

use crate::client::Grant;
use crate::kind::{Column, Kind};

/// Role at `rbac.authorization.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("rbac.authorization.k8s.io", "v1", "Role"),
    ("roles", "role"),
)
.columns(&[Column::NAME, Column::new("Created At", "date", "", 0)])
.rules(validate::create, validate::update)
.grant(Grant::Rules)
.created_by_update();
