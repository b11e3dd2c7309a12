//! The defaults of a PersistentVolume.

use crate::api::json::Value;
use crate::defaults::volume;
use crate::tree::{ensure, set_default};

/// Sets the defaults of a PersistentVolume.
pub(crate) fn apply(object: &mut Value) {
    let spec = ensure(object, "spec");
    set_default(spec, "persistentVolumeReclaimPolicy", "Retain");
    set_default(spec, "volumeMode", "Filesystem");
    volume::source(spec);
    set_default(ensure(object, "status"), "phase", "Pending");
}
