//! The rules of a PersistentVolume.

use crate::api::json::Value;
use crate::pod::resources::quantity;
use crate::tree::{child, entries, field, has, len, set_or_remove, take, text};
use crate::validate::claim::{access_modes, positive_amount};
use crate::validate::common::{one_of, optional_name};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::remote::Holder;
use crate::validate::pod::{affinity, volume};
use crate::validate::{go, meta, names};

const EXPANSION_SECRET: &str = "controllerExpandSecretRef";

/// The annotation that preceded the field `mountOptions`.
pub(super) const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";

// The fields of the spec that are not volume sources. All others count as a source, so new volume types need no
// change here.
const NOT_SOURCE: &[&str] = &[
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
];

/// Validates a new PersistentVolume.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    whole(object, errors);
    let (metadata, spec) = (field(object, "metadata"), field(object, "spec"));
    // Directories of the node are not mounted, so no plugin would read the options.
    let is_directory = has(spec, "hostPath") || has(spec, "local");
    if is_directory && has(field(metadata, "annotations"), MOUNT_OPTIONS) {
        let path = Path::root("metadata");
        let path = path.child("annotations");
        let detail = "may not specify mount options for this volume type";
        errors.forbidden(&path.child(MOUNT_OPTIONS), detail);
    }
}

fn whole(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let name = text(field(object, "metadata"), "name");
    volume_spec(&Path::root("spec"), name, field(object, "spec"), errors);
}

/// Validates the volume in a VolumeAttachment, which has the form of a PersistentVolume with a CSI driver.
pub(crate) fn inline_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    const INLINE: &str = "in the context of inline volumes";
    let detail = format!("may not be specified {INLINE}");
    let refuse = |name: &str, errors: &mut Errors| {
        // Lists and texts may be empty.
        let is_set = has(spec, name) && (name == "claimRef" || name == "nodeAffinity");
        if is_set || len(spec, name) > 0 || !text(spec, name).is_empty() {
            errors.forbidden(&path.child(name), &detail);
        }
    };
    refuse("claimRef", errors);
    refuse("capacity", errors);
    if !has(spec, "csi") {
        errors.required(&path.child("csi"), &format!("has to be specified {INLINE}"));
    }
    modes(path, spec, errors);
    if !matches!(text(spec, "persistentVolumeReclaimPolicy"), "" | "Retain") {
        let path = path.child("persistentVolumeReclaimPolicy");
        errors.forbidden(&path, &format!("may only be Retain {INLINE}"));
    }
    refuse("nodeAffinity", errors);
    volume_source(path, "", spec, errors);
    refuse("storageClassName", errors);
    if !matches!(text(spec, "volumeMode"), "" | "Filesystem") {
        let detail = format!("may not specify volumeMode other than Filesystem {INLINE}");
        errors.forbidden(&path.child("volumeMode"), &detail);
    }
}

fn modes(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if len(spec, "accessModes") == 0 {
        errors.required(&path.child("accessModes"), "");
    }
    access_modes(&path.child("accessModes"), spec, errors);
}

fn volume_spec(path: &Path<'_>, name: &str, spec: &Value, errors: &mut Errors) {
    modes(path, spec, errors);
    capacity(&path.child("capacity"), spec, errors);
    let policies = &["Delete", "Recycle", "Retain"];
    one_of(
        path,
        spec,
        "persistentVolumeReclaimPolicy",
        policies,
        errors,
    );
    if has(spec, "nodeAffinity") {
        let path = path.child("nodeAffinity");
        let required = field(field(spec, "nodeAffinity"), "required");
        match required {
            Value::Null => errors.required(
                &path.child("required"),
                "must specify required node constraints",
            ),
            required => affinity::node_selector(&path.child("required"), required, errors),
        }
    }
    volume_source(path, name, spec, errors);
    optional_name(
        path,
        spec,
        "storageClassName",
        names::dns1123_subdomain,
        errors,
    );
    one_of(path, spec, "volumeMode", &["Block", "Filesystem"], errors);
    attributes_class(path, spec, errors);
}

fn attributes_class(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let name = "volumeAttributesClassName";
    if !has(spec, name) {
        return;
    }
    if text(spec, name).is_empty() {
        errors.required(&path.child(name), "an empty string is disallowed");
    }
    optional_name(path, spec, name, names::dns1123_subdomain, errors);
    // Only CSI drivers support these classes.
    if !has(spec, "csi") {
        let detail = "has to be specified when using volumeAttributesClassName";
        errors.required(&path.child("csi"), detail);
    }
}

fn capacity(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let capacity = field(spec, "capacity");
    if len(spec, "capacity") == 0 {
        errors.required(path, "");
    }
    if !has(capacity, "storage") || len(spec, "capacity") > 1 {
        errors.not_supported(path, capacity, &["storage"]);
    }
    for (name, amount) in entries(spec, "capacity") {
        let amount = quantity(amount);
        if amount.signum() < 0 {
            // Upstream shows `Quantity.Value()`, which is rounded up to an integer.
            let shown = amount.ceil().to_string();
            errors.invalid_shown(&path.key(name), &shown, "must be a valid resource quantity");
        }
        positive_amount(&path.key(name), &amount, errors);
    }
}

fn volume_source(path: &Path<'_>, name: &str, spec: &Value, errors: &mut Errors) {
    if volume::source(path, spec, Holder::PersistentVolume(name), errors) == 0 {
        errors.required(path, "must specify a volume type");
    }
    // Without node affinity, the scheduler cannot find the node with the disk.
    if has(spec, "local") && !has(spec, "nodeAffinity") {
        let detail = "Local volume requires node affinity";
        errors.required(&path.child("nodeAffinity"), detail);
    }
    let recycled = text(spec, "persistentVolumeReclaimPolicy") == "Recycle";
    // Recycling deletes the files of the volume; here, it would delete all files of the node.
    if recycled && text(field(spec, "hostPath"), "path") == "/" {
        let detail = "may not be 'recycle' for a hostPath mount of '/'";
        errors.forbidden(&path.child("persistentVolumeReclaimPolicy"), detail);
    }
}

/// Validates an update of a PersistentVolume, whose source cannot change.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    // Both `ValidateUpdate` of the strategy and `ValidatePersistentVolumeUpdate` check the rules for a new volume, so
    // each of their errors is reported twice.
    create(object, errors);
    whole(object, errors);
    meta::update(object, old, errors);
    let (spec, before) = (field(object, "spec"), field(old, "spec"));
    let source = |spec: &Value| {
        let mut source = spec.clone();
        for name in NOT_SOURCE {
            set_or_remove(&mut source, name, None);
        }
        source
    };
    let mut new = source(spec);
    // Volumes from before drivers expanded them may get the Secret for it.
    if has(before, "csi")
        && !has(field(before, "csi"), EXPANSION_SECRET)
        && let Some(csi) = child(&mut new, "csi")
    {
        take(csi, EXPANSION_SECRET);
    }
    if new != source(before) {
        let path = Path::root("spec");
        errors.forbidden(
            // There is no field with this name, but upstream reports it.
            &path.child("persistentvolumesource"),
            "spec.persistentvolumesource is immutable after creation",
        );
    }
    meta::immutable(
        // Upstream's paths of this field and the next one omit `spec`.
        &Path::root("volumeMode"),
        field(spec, "volumeMode"),
        field(before, "volumeMode"),
        errors,
    );
    let affinity = field(spec, "nodeAffinity");
    if has(before, "nodeAffinity") && affinity != field(before, "nodeAffinity") {
        errors.invalid_shown(
            &Path::root("nodeAffinity"),
            &go::shown_as("*VolumeNodeAffinity", affinity),
            "field is immutable, except for updating from beta label to GA",
        );
    }
    let class = "volumeAttributesClassName";
    if has(before, class) && !has(spec, class) {
        let detail = "update from non-nil value to nil is forbidden";
        errors.forbidden(&Path::root("spec").child(class), detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn an_attributes_class_and_secrets_belong_to_a_driver() {
        let told = |source: Value| {
            let mut spec =
                json!({"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}});
            for (name, value) in source.as_object().unwrap() {
                crate::tree::set(&mut spec, name, value.clone());
            }
            let mut errors = Errors::default();
            create(
                &json!({"metadata": {"name": "v"}, "spec": spec}),
                &mut errors,
            );
            let causes = errors.into_causes();
            let told = causes.iter().map(ToString::to_string);
            told.collect::<Vec<_>>()
        };
        assert_eq!(
            told(json!({"hostPath": {"path": "/a"}, "volumeAttributesClassName": ""})),
            [
                "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
                "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
            ]
        );
        let csi =
            json!({"driver": "a.b", "volumeHandle": "h", "nodePublishSecretRef": {"name": "s"}});
        assert_eq!(
            told(json!({"csi": csi, "volumeAttributesClassName": "gold"})),
            ["spec.csi.nodePublishSecretRef.namespace: Required value"]
        );
    }

    #[test]
    fn only_mounted_volumes_have_mount_options() {
        for (source, count) in [("hostPath", 1), ("nfs", 0)] {
            let volume = json!({
                "metadata": {"name": "v", "uid": "u", "resourceVersion": "1", "annotations": {MOUNT_OPTIONS: "ro"}},
                "spec": {
                    "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
                    source: {"path": "/a", "server": "s"},
                },
            });
            let mut errors = (Errors::default(), Errors::default());
            create(&volume, &mut errors.0);
            update(&volume, &volume, &mut errors.1);
            for causes in [errors.0.into_causes(), errors.1.into_causes()] {
                let causes = causes.iter().map(ToString::to_string);
                let expected = "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify \
                                mount options for this volume type";
                assert_eq!(causes.collect::<Vec<_>>(), vec![expected; count]);
            }
        }
    }

    #[test]
    fn a_secret_for_expansion_may_be_added_but_not_changed() {
        let volume = |secret: Option<&str>| {
            let mut csi = json!({"driver": "a.b", "volumeHandle": "h"});
            if let Some(name) = secret {
                csi[EXPANSION_SECRET] = json!({"name": name, "namespace": "d"});
            }
            json!({"metadata": {"name": "v", "uid": "u", "resourceVersion": "1"}, "spec": {
                "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "csi": csi}})
        };
        let told = |new: Option<&str>, old: Option<&str>| {
            let mut errors = Errors::default();
            update(&volume(new), &volume(old), &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let immutable = "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation";
        assert_eq!(told(Some("s"), None), [""; 0]);
        assert_eq!(told(Some("s"), Some("s")), [""; 0]);
        assert_eq!(told(Some("t"), Some("s")), [immutable]);
        assert_eq!(told(None, Some("s")), [immutable]);
    }
}
