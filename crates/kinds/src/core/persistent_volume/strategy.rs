//! The stored form of a PersistentVolume: pending, and protected while a claim uses it.

use crate::admission::{Surroundings, finalizer};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::strategy::Outside;
use crate::tree::set;

/// Marks a new volume as pending since now.
pub(super) fn prepare_create(object: &mut Value, outside: &Outside<'_>) {
    set(
        object,
        "status",
        json!({"phase": "Pending", "lastPhaseTransitionTime": outside.now}),
    );
}

/// Protects a new object while something uses it.
pub(super) fn admit(object: &mut Value, _: &str, _: &Surroundings<'_>) -> Result<(), Status> {
    finalizer(object, "kubernetes.io/pv-protection");
    Ok(())
}
