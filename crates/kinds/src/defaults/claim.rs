//! The defaults of PersistentVolumeClaims.

use crate::api::json::Value;
use crate::tree::{ensure, set_default};

/// Sets the defaults of a PersistentVolumeClaim or of a claim template in a StatefulSet.
pub(crate) fn persistent_volume_claim(object: &mut Value) {
    claim_spec(ensure(object, "spec"));
    // Upstream's defaults include the status, even for claim templates.
    set_default(ensure(object, "status"), "phase", "Pending");
}

/// Sets the defaults of the spec of a claim.
pub(crate) fn claim_spec(spec: &mut Value) {
    set_default(spec, "volumeMode", "Filesystem");
}
