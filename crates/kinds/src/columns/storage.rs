//! Volumes, claims, classes and drivers.

use jiff::Timestamp;

use super::format::{NONE, UNSET, age, or};
use super::name;
use crate::api::json::{Value, json};
use crate::pod::resources::quantity;
use crate::tree::{at, field, flag, has, len, list, text, texts};

const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
const MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

fn modes(holder: &Value) -> String {
    let has = |mode: &str| texts(holder, "accessModes").any(|m| m == mode);
    let shown: Vec<_> = MODES
        .iter()
        .filter(|(mode, _)| has(mode))
        .map(|(_, short)| *short)
        .collect();
    shown.join(",")
}

fn class(object: &Value) -> Value {
    let old = text(field(field(object, "metadata"), "annotations"), BETA_CLASS);
    or(old, text(field(object, "spec"), "storageClassName"))
}

fn phase(object: &Value) -> Value {
    match has(field(object, "metadata"), "deletionTimestamp") {
        true => json!("Terminating"),
        false => json!(text(field(object, "status"), "phase")),
    }
}

pub(super) fn persistent_volume(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let claim = field(spec, "claimRef");
    let claim = match claim.is_null() {
        true => String::new(),
        false => format!("{}/{}", text(claim, "namespace"), text(claim, "name")),
    };
    vec![
        name(object),
        json!(quantity(at(spec, &["capacity", "storage"])).to_string()),
        json!(modes(spec)),
        json!(text(spec, "persistentVolumeReclaimPolicy")),
        phase(object),
        json!(claim),
        class(object),
        or(text(spec, "volumeAttributesClassName"), UNSET),
        json!(text(field(object, "status"), "reason")),
        json!(age(object, now)),
        or(text(spec, "volumeMode"), UNSET),
    ]
}

pub(super) fn persistent_volume_claim(object: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let volume = text(spec, "volumeName");
    let (capacity, modes) = match volume {
        "" => (String::new(), String::new()),
        _ => {
            let storage = quantity(at(status, &["capacity", "storage"]));
            (storage.to_string(), modes(status))
        }
    };
    vec![
        name(object),
        phase(object),
        json!(volume),
        json!(capacity),
        json!(modes),
        class(object),
        or(text(spec, "volumeAttributesClassName"), UNSET),
        json!(age(object, now)),
        or(text(spec, "volumeMode"), UNSET),
    ]
}

fn is_default(object: &Value, annotation: &str) -> bool {
    let annotations = field(field(object, "metadata"), "annotations");
    text(annotations, annotation) == "true"
}

pub(super) fn storage_class(object: &Value, now: Timestamp) -> Vec<Value> {
    let own = text(field(object, "metadata"), "name");
    let default = is_default(object, "storageclass.kubernetes.io/is-default-class")
        || is_default(object, "storageclass.beta.kubernetes.io/is-default-class");
    let shown = match default {
        true => format!("{own} (default)"),
        false => own.to_owned(),
    };
    vec![
        json!(shown),
        json!(text(object, "provisioner")),
        or(text(object, "reclaimPolicy"), "Delete"),
        or(text(object, "volumeBindingMode"), "Immediate"),
        json!(flag(object, "allowVolumeExpansion")),
        json!(age(object, now)),
    ]
}

pub(super) fn volume_attributes_class(object: &Value, now: Timestamp) -> Vec<Value> {
    let driver = text(object, "driverName");
    vec![name(object), json!(driver), json!(age(object, now))]
}

pub(super) fn csi_driver(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let audiences: Vec<_> = list(spec, "tokenRequests")
        .iter()
        .map(|request| text(request, "audience"))
        .collect();
    let modes: Vec<_> = texts(spec, "volumeLifecycleModes").collect();
    vec![
        name(object),
        json!(field(spec, "attachRequired").as_bool().unwrap_or(true)),
        json!(flag(spec, "podInfoOnMount")),
        json!(flag(spec, "storageCapacity")),
        or(&audiences.join(","), UNSET),
        json!(flag(spec, "requiresRepublish")),
        or(&modes.join(","), NONE),
        json!(age(object, now)),
    ]
}

pub(super) fn csi_node(object: &Value, now: Timestamp) -> Vec<Value> {
    let drivers = len(field(object, "spec"), "drivers");
    vec![name(object), json!(drivers), json!(age(object, now))]
}

pub(super) fn volume_attachment(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    vec![
        name(object),
        json!(text(spec, "attacher")),
        json!(text(field(spec, "source"), "persistentVolumeName")),
        json!(text(spec, "nodeName")),
        json!(flag(field(object, "status"), "attached")),
        json!(age(object, now)),
    ]
}
