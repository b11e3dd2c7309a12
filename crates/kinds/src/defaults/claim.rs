//! Volumes, claims, classes and drivers.

use crate::api::json::Value;
use crate::tree::{ensure, set_default};

/// Sets the defaults of a PersistentVolumeClaim, alone or in a StatefulSet.
pub(crate) fn persistent_volume_claim(object: &mut Value) {
    claim_spec(ensure(object, "spec"));
    // Upstream's defaults include the status, even in the claim templates of StatefulSets.
    set_default(ensure(object, "status"), "phase", "Pending");
}

/// Sets the defaults of the spec of a claim.
pub(crate) fn claim_spec(spec: &mut Value) {
    set_default(spec, "volumeMode", "Filesystem");
}
