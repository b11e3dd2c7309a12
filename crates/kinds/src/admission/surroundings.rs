//! The parts of the cluster and the request that admission uses.

use crate::api::json::Value;

/// The parts of the cluster and the request that admission uses.
pub struct Surroundings<'a> {
    /// Finds an object by resource, namespace (empty for none) and name.
    pub find: &'a dyn Fn(&str, &str, &str) -> Option<Value>,
    /// The PriorityClass for Pods that name none, if the cluster has one.
    pub default_priority_class: Option<&'a Value>,
    /// Name of the volume that carries a Pod's service account token, such as `kube-api-access-x7k2p`.
    pub token_volume: &'a str,
    /// The user.
    pub user: &'a User,
    /// The name of the object in error messages: its name, or the prefix of a generated one.
    pub called: &'a str,
}

/// The author of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// Name.
    pub name: String,
    /// Uid, empty for none.
    pub uid: String,
    /// Groups.
    pub groups: Vec<String>,
}
