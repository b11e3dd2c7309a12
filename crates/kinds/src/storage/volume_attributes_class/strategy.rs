//! Preparation of a VolumeAttributesClass: a finalizer protects it while a volume uses it.

use crate::admission::{AdmissionContext, finalizer};
use crate::api::json::Value;
use crate::api::status::Status;

/// Adds the finalizer that protects the class while it is in use.
pub(super) fn admit(object: &mut Value, _: &str, _: &AdmissionContext<'_>) -> Result<(), Status> {
    finalizer(object, "kubernetes.io/vac-protection");
    Ok(())
}
