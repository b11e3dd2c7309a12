//! RoleBinding: its row in discovery and its hooks.

mod validate;

use crate::client::Grant;
use crate::kind::{Column, Kind};

/// RoleBinding at `rbac.authorization.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("rbac.authorization.k8s.io", "v1", "RoleBinding"),
    ("rolebindings", "rolebinding"),
)
.table(
    &[
        Column::NAME,
        Column::text("Role"),
        Column::AGE,
        Column::wide("Users"),
        Column::wide("Groups"),
        Column::wide("ServiceAccounts"),
    ],
    super::cells::role_binding,
)
.defaults(super::defaults::role_binding)
.rules(validate::create, validate::update)
.grant(Grant::Subjects)
.created_by_update();
