//! The defaults of volumes in pod specs and in PersistentVolumes.

use super::claim;
use crate::api::json::{Value, json};
use crate::pod::image;
use crate::tree::{child, empty, ensure, items, set_default, text};

/// The source, field and default value of sources with plain defaults.
const SOURCES: &[(&str, &str, &str)] = &[
    ("hostPath", "type", ""),
    ("iscsi", "iscsiInterface", "default"),
    ("rbd", "pool", "rbd"),
    ("rbd", "user", "admin"),
    ("rbd", "keyring", "/etc/ceph/keyring"),
    ("azureDisk", "cachingMode", "ReadWrite"),
    ("azureDisk", "fsType", "ext4"),
    ("azureDisk", "kind", "Shared"),
    ("scaleIO", "fsType", "xfs"),
    ("scaleIO", "storageMode", "ThinProvisioned"),
];

/// Sets the defaults of a volume of a pod spec.
pub(crate) fn volume(volume: &mut Value) {
    // `SetDefaults_Volume`: a volume without a source is an empty directory. A check against a list of sources would
    // miss new ones.
    if volume
        .as_object()
        .is_some_and(|v| v.keys().all(|key| key == "name"))
    {
        set_default(volume, "emptyDir", empty());
    }
    source(volume);
    for name in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = child(volume, name) {
            set_default(source, "defaultMode", 0o644);
        }
    }
    if let Some(source) = child(volume, "downwardAPI") {
        items(source, "items").for_each(downward_item);
    }
    if let Some(source) = child(volume, "projected") {
        items(source, "sources").for_each(projection);
    }
    if let Some(source) = child(volume, "image") {
        let policy = match image::is_latest(text(source, "reference")) {
            true => "Always",
            false => "IfNotPresent",
        };
        set_default(source, "pullPolicy", policy);
    }
    if let Some(template) = child(volume, "ephemeral").and_then(|e| child(e, "volumeClaimTemplate"))
    {
        claim::claim_spec(ensure(template, "spec"));
    }
}

/// Sets the defaults of a volume source, in a Pod or a persistent volume.
pub(crate) fn source(volume: &mut Value) {
    for (name, field, default) in SOURCES {
        if let Some(source) = child(volume, name) {
            set_default(source, field, *default);
        }
    }
    if let Some(disk) = child(volume, "azureDisk") {
        set_default(disk, "readOnly", false);
    }
}

fn downward_item(item: &mut Value) {
    if let Some(reference) = child(item, "fieldRef") {
        set_default(reference, "apiVersion", "v1");
    }
}

fn projection(source: &mut Value) {
    if let Some(downward) = child(source, "downwardAPI") {
        items(downward, "items").for_each(downward_item);
    }
    if let Some(token) = child(source, "serviceAccountToken") {
        // The kubelet renews the token after 80 % of this hour.
        set_default(token, "expirationSeconds", json!(3600));
    }
}
