//! The stored form of a VolumeAttributesClass: protected while a volume uses it.

use crate::admission::{Surroundings, finalizer};
use crate::api::json::Value;
use crate::api::status::Status;

/// Protects a new object while something uses it.
pub(super) fn admit(object: &mut Value, _: &str, _: &Surroundings<'_>) -> Result<(), Status> {
    finalizer(object, "kubernetes.io/vac-protection");
    Ok(())
}
