//! The built-in admission plug-ins that add fields to new objects, given the rest of the cluster.

pub mod classes;
pub mod limits;
pub mod pod;
pub mod pod_security;
pub mod quota;
pub mod ranges;
pub mod service;

use super::kind::Kind;
use super::tree::{ensure, list, push, set, text};
use crate::api::json::{Value, json};
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

/// The author of a request.
#[derive(Debug, Clone, Default)]
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
    match (kind.group, kind.kind) {
        ("", "Pod") => return pod::admit(object, namespace, around),
        ("", "PersistentVolume") => finalizer(object, "kubernetes.io/pv-protection"),
        ("", "PersistentVolumeClaim") => finalizer(object, "kubernetes.io/pvc-protection"),
        ("storage.k8s.io", "VolumeAttributesClass") => {
            finalizer(object, "kubernetes.io/vac-protection");
        }
        ("", "Node") => not_ready(object),
        ("certificates.k8s.io", _) => requester(object, around.user),
        _ => {}
    }
    Ok(())
}

/// Changes an updated object as admission does.
pub fn admit_update(kind: &Kind, object: &mut Value) {
    if (kind.group, kind.kind) == ("", "Pod") {
        pod::tolerate_outages(ensure(object, "spec"));
    }
}

fn finalizer(object: &mut Value, name: &str) {
    let metadata = ensure(object, "metadata");
    if !list(metadata, "finalizers").iter().any(|f| f == name) {
        push(metadata, "finalizers", name);
    }
}

/// A new node takes no Pods until it reports that it is ready.
fn not_ready(node: &mut Value) {
    const KEY: &str = "node.kubernetes.io/not-ready";
    let spec = ensure(node, "spec");
    let tainted =
        |taint: &Value| text(taint, "key") == KEY && text(taint, "effect") == "NoSchedule";
    if !list(spec, "taints").iter().any(tainted) {
        push(spec, "taints", json!({"key": KEY, "effect": "NoSchedule"}));
    }
}

/// A certificate request carries who asked for it.
fn requester(request: &mut Value, user: &User) {
    let spec = ensure(request, "spec");
    set(spec, "username", user.name.clone());
    set(spec, "uid", user.uid.clone());
    set(spec, "groups", json!(user.groups));
}
