//! The table cells that the kinds of this group share.

use crate::api::json::{Value, json};
use crate::columns::format::or;
use crate::tree::{field, has, text, texts};

const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

const MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

pub(crate) fn modes(holder: &Value) -> String {
    let has = |mode: &str| texts(holder, "accessModes").any(|m| m == mode);
    let shown: Vec<_> = MODES
        .iter()
        .filter(|(mode, _)| has(mode))
        .map(|(_, short)| *short)
        .collect();
    shown.join(",")
}

pub(crate) fn class(object: &Value) -> Value {
    let old = text(field(field(object, "metadata"), "annotations"), BETA_CLASS);
    // `GetPersistentVolumeClaimClass`: the annotation that preceded the field takes precedence.
    or(old, text(field(object, "spec"), "storageClassName"))
}

pub(crate) fn phase(object: &Value) -> Value {
    match has(field(object, "metadata"), "deletionTimestamp") {
        true => json!("Terminating"),
        false => json!(text(field(object, "status"), "phase")),
    }
}
