//! The kinds of the `rbac.authorization.k8s.io` API group, and the check of the requests that they allow.

mod access;
pub(crate) mod cells;
pub(crate) mod cluster_role;
pub(crate) mod cluster_role_binding;
pub(crate) mod defaults;
pub(crate) mod role;
pub(crate) mod role_binding;
pub(crate) mod validate;

use crate::kind::Kind;

pub use access::{AccessAttributes, allows, missing, subject, uncovered};

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    cluster_role_binding::KIND,
    cluster_role::KIND,
    role_binding::KIND,
    role::KIND,
];
