//! The warnings about a PersistentVolume.

use super::validate::MOUNT_OPTIONS;
use crate::api::json::Value;
use crate::pod::warnings::{node_selector_term, old_volume};
use crate::tree::{at, field, list, text};
use crate::validate::Path;
use crate::warnings::{old_annotation, old_class};

/// Adds the warnings for deprecated annotations, a deprecated reclaim policy or volume source.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    old_class(object, warnings);
    old_annotation(
        object,
        MOUNT_OPTIONS,
        "v1.31; use \"mountOptions\"",
        warnings,
    );
    let spec = field(object, "spec");
    if text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
        warnings.push(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the \
             recommended approach is to use dynamic provisioning."
                .to_owned(),
        );
    }
    let path = Path::root("spec");
    let terms = path.child("nodeAffinity");
    let terms = terms.child("required");
    let terms = terms.child("nodeSelectorTerms");
    let required = at(spec, &["nodeAffinity", "required"]);
    for (index, term) in list(required, "nodeSelectorTerms").iter().enumerate() {
        node_selector_term(&terms.index(index), term, false, warnings);
    }
    old_volume(&path, spec, warnings);
}
