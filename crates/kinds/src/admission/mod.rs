//! The built-in admission plugins, which complete or reject objects depending on the rest of the cluster.

pub mod classes;
pub(crate) mod context;
pub mod limits;
pub mod pod_security;
pub mod policy;
pub mod quota;
pub mod ranges;
pub(crate) mod scope;
pub mod service;
pub mod webhook;

pub use context::{AdmissionContext, User};

use super::kind::Kind;
use super::lookup::find_by_api_version;
use super::tree::{ensure, list, push};
use crate::api::json::Value;
use crate::api::status::Status;

/// Returns the kinds whose objects decide on the admission of others. A change of one of them may admit an object
/// that was rejected before.
pub fn kinds_that_affect_admission() -> Vec<&'static Kind> {
    // Each can turn a rejection into an acceptance without a change of the rejected object, so controllers must try
    // again.
    const GATES: [(&str, &str); 7] = [
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
        (
            "admissionregistration.k8s.io/v1",
            "MutatingWebhookConfiguration",
        ),
        (
            "admissionregistration.k8s.io/v1",
            "ValidatingWebhookConfiguration",
        ),
    ];
    GATES
        .iter()
        .filter_map(|(version, kind)| find_by_api_version(version, kind))
        .collect()
}

/// Applies admission to a new object, before it is prepared and validated.
///
/// # Errors
/// Returns a 403 if the object refers to a missing object or sets a value that admission computes.
pub fn admit_create(
    kind: &Kind,
    object: &mut Value,
    namespace: &str,
    context: &AdmissionContext<'_>,
) -> Result<(), Status> {
    match kind.hooks.admit {
        Some(admit) => admit(object, namespace, context),
        None => Ok(()),
    }
}

/// Applies admission to an updated object.
pub fn admit_update(kind: &Kind, object: &mut Value) {
    if let Some(admit) = kind.hooks.admit_update {
        admit(object);
    }
}

/// Adds a finalizer that protects an object while it is in use.
pub(crate) fn finalizer(object: &mut Value, name: &str) {
    let metadata = ensure(object, "metadata");
    if !list(metadata, "finalizers").iter().any(|f| f == name) {
        push(metadata, "finalizers", name);
    }
}
