//! The defaults that the kinds of this group share.

use crate::api::json::Value;
use crate::tree::{ensure, items, set_default, text};

/// Sets the defaults of a RoleBinding or ClusterRoleBinding.
pub(crate) fn role_binding(object: &mut Value) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    set_default(ensure(object, "roleRef"), "apiGroup", GROUP);
    for subject in items(object, "subjects") {
        if matches!(text(subject, "kind"), "User" | "Group") {
            set_default(subject, "apiGroup", GROUP);
        }
    }
}
