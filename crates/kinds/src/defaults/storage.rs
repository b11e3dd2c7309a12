//! Volumes, claims, classes and drivers.

use super::volume;
use crate::api::json::{Value, json};
use crate::tree::{ensure, set_default};

/// A PersistentVolume.
pub(super) fn persistent_volume(object: &mut Value) {
    let spec = ensure(object, "spec");
    set_default(spec, "persistentVolumeReclaimPolicy", "Retain");
    set_default(spec, "volumeMode", "Filesystem");
    volume::source(spec);
    set_default(ensure(object, "status"), "phase", "Pending");
}

/// A PersistentVolumeClaim, alone or in a StatefulSet.
pub(super) fn persistent_volume_claim(object: &mut Value) {
    claim_spec(ensure(object, "spec"));
    set_default(ensure(object, "status"), "phase", "Pending");
}

/// The spec of a claim.
pub(super) fn claim_spec(spec: &mut Value) {
    set_default(spec, "volumeMode", "Filesystem");
}

/// A StorageClass.
pub(super) fn storage_class(object: &mut Value) {
    set_default(object, "reclaimPolicy", "Delete");
    set_default(object, "volumeBindingMode", "Immediate");
}

/// A CSIDriver.
pub(super) fn csi_driver(object: &mut Value) {
    let spec = ensure(object, "spec");
    set_default(spec, "attachRequired", true);
    set_default(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    for name in [
        "podInfoOnMount",
        "requiresRepublish",
        "seLinuxMount",
        "storageCapacity",
    ] {
        set_default(spec, name, false);
    }
    set_default(spec, "volumeLifecycleModes", json!(["Persistent"]));
}
