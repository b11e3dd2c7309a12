//! The warnings about a PersistentVolume.

use crate::api::json::Value;
use crate::tree::{field, text};
use crate::validate::Path;
use crate::warnings::old_volume;

/// The warnings for a volume: its reclaim policy and its source may be outdated.
pub(super) fn of(object: &Value, warnings: &mut Vec<String>) {
    let spec = field(object, "spec");
    if text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
        warnings.push(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the \
             recommended approach is to use dynamic provisioning."
                .to_owned(),
        );
    }
    old_volume(&Path::root("spec"), spec, warnings);
}
