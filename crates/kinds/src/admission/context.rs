//! The parts of the cluster and the request that admission uses.

use std::collections::BTreeMap;

use crate::api::json::Value;

/// The parts of the cluster and the request that admission uses.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::admission::{AdmissionContext, User, admit_create};
/// use ctl_kinds::find;
///
/// let ann = User { name: "ann".to_owned(), ..User::default() };
/// let context = AdmissionContext {
///     find: &|_, _, _| None, // no other object exists
///     default_priority_class: None,
///     token_volume: Some("kube-api-access-x7k2p"),
///     user: &ann,
///     called: "web",
/// };
/// let kind = find("", "v1", "ConfigMap").unwrap();
/// let mut object = json!({"metadata": {"name": "web", "namespace": "default"}});
/// assert!(admit_create(kind, &mut object, "default", &context).is_ok());
/// ```
pub struct AdmissionContext<'a> {
    /// Finds an object by resource, namespace (empty for none) and name.
    pub find: &'a dyn Fn(&str, &str, &str) -> Option<Value>,
    /// The PriorityClass for Pods that name no class, if the cluster has one.
    pub default_priority_class: Option<&'a Value>,
    /// The name of the volume with a Pod's service account token, such as `kube-api-access-x7k2p`; `None` if Pods
    /// need no service account.
    pub token_volume: Option<&'a str>,
    /// The author of the request.
    pub user: &'a User,
    /// The name of the object in error messages: its own, or the prefix of a generated name.
    pub called: &'a str,
}

/// The group whose members may do everything, regardless of roles.
const MASTERS: &str = "system:masters";

/// The author of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The uid; empty for none.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// Further attributes, each with its values.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// Returns true if the user may do everything, regardless of roles.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == MASTERS)
    }
}
