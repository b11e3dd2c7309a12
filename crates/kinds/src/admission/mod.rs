//! The built-in admission plug-ins that add fields to new objects, given the rest of the cluster.

pub mod classes;
pub mod limits;
pub mod pod_security;
pub mod policy;
pub mod quota;
pub mod ranges;
pub mod service;

use super::kind::{Kind, find_by_api_version};
use super::tree::{ensure, list, push};
use crate::api::json::Value;
use crate::api::status::Status;

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

/// Returns the kinds whose objects decide on the admission of others: a change of one of them may admit
/// an object that was refused before.
pub fn gates() -> Vec<&'static Kind> {
    const GATES: [(&str, &str); 5] = [
        ("v1", "ResourceQuota"),
        ("v1", "LimitRange"),
        ("v1", "ServiceAccount"),
        (
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
        ),
        (
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicyBinding",
        ),
    ];
    GATES
        .iter()
        .filter_map(|(version, kind)| find_by_api_version(version, kind))
        .collect()
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

/// Changes a new object as admission does, before it is prepared and validated.
///
/// # Errors
/// The object refers to something that does not exist, or sets what admission computes (403).
pub fn admit_create(
    kind: &Kind,
    object: &mut Value,
    namespace: &str,
    around: &Surroundings<'_>,
) -> Result<(), Status> {
    match kind.hooks.admit {
        Some(admit) => admit(object, namespace, around),
        None => Ok(()),
    }
}

/// Changes an updated object as admission does.
pub fn admit_update(kind: &Kind, object: &mut Value) {
    if let Some(admit) = kind.hooks.admit_update {
        admit(object);
    }
}

/// Adds a finalizer that protects an object in use.
pub(crate) fn finalizer(object: &mut Value, name: &str) {
    let metadata = ensure(object, "metadata");
    if !list(metadata, "finalizers").iter().any(|f| f == name) {
        push(metadata, "finalizers", name);
    }
}
