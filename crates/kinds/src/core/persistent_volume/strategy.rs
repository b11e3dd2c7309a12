//! Prepares a PersistentVolume: it starts as pending and is protected while a claim uses it.

use crate::admission::{AdmissionContext, finalizer};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::strategy::WriteContext;
use crate::tree::set;

/// Marks a new volume as pending as of now.
pub(super) fn prepare_create(object: &mut Value, write_context: &WriteContext<'_>) {
    set(
        object,
        "status",
        json!({"phase": "Pending", "lastPhaseTransitionTime": write_context.now}),
    );
}

/// Adds the finalizer that protects the volume while it is in use.
pub(super) fn admit(object: &mut Value, _: &str, _: &AdmissionContext<'_>) -> Result<(), Status> {
    finalizer(object, "kubernetes.io/pv-protection");
    Ok(())
}
