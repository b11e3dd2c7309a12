//! Volume mounts and volume devices of containers.

use std::collections::{BTreeMap, BTreeSet};

use super::super::common::{descending_path, has_backsteps, one_of, required_text};
use super::super::errors::Errors;
use super::super::go;
use super::super::path::Path;
use super::Pod;
use crate::api::json::Value;
use crate::tree::{field, flag, has, list, text};

/// Validates the volume mounts of a container at `path`.
pub(crate) fn volume_mounts(
    path: &Path<'_>,
    container: &Value,
    pod: &Pod<'_>,
    errors: &mut Errors,
) {
    let path = path.child("volumeMounts");
    let devices = list(container, "volumeDevices");
    // Within one container, a volume is either a file system or a block device.
    let devices = places(devices, "devicePath");
    let mut seen = BTreeSet::new();
    for (index, mount) in list(container, "volumeMounts").iter().enumerate() {
        let at = path.index(index);
        let (name, place) = (text(mount, "name"), text(mount, "mountPath"));
        required_text(&at, mount, "name", errors);
        if pod.volume(name).is_none() {
            errors.not_found(&at.child("name"), name, "");
        }
        required_text(&at, mount, "mountPath", errors);
        if !seen.insert(place) {
            errors.invalid_shown(&at.child("mountPath"), &go::quoted(place), "must be unique");
        }
        if devices.contains_key(name) {
            let detail = "must not already exist in volumeDevices";
            errors.invalid_shown(&at.child("name"), &go::quoted(name), detail);
        }
        if devices.values().any(|device| *device == place) {
            let detail = "must not already exist as a path in volumeDevices";
            errors.invalid_shown(&at.child("mountPath"), &go::quoted(place), detail);
        }
        // Upstream reports these fields at the path of the list rather than of the mount.
        sub_path(&path, &at, mount, errors);
        propagation(&path, mount, container, errors);
        recursive_read_only(&path, mount, errors);
    }
}

/// Returns the path of each mount or device by the name of its volume. Upstream compares mounts and devices by such
/// maps: of several entries with one name, only the last one counts.
fn places<'a>(all: &'a [Value], field: &str) -> BTreeMap<&'a str, &'a str> {
    all.iter()
        .map(|item| (text(item, "name"), text(item, field)))
        .collect()
}

fn sub_path(path: &Path<'_>, at: &Path<'_>, mount: &Value, errors: &mut Errors) {
    let (plain, expression) = (text(mount, "subPath"), text(mount, "subPathExpr"));
    if !plain.is_empty() {
        descending_path(&path.child("subPath"), plain, errors);
    }
    if expression.is_empty() {
        return;
    }
    if !plain.is_empty() {
        let detail = "subPathExpr and subPath are mutually exclusive";
        errors.invalid_shown(&at.child("subPathExpr"), &go::quoted(expression), detail);
    }
    descending_path(&path.child("subPathExpr"), expression, errors);
}

fn propagation(path: &Path<'_>, mount: &Value, container: &Value, errors: &mut Errors) {
    let supported = &["Bidirectional", "HostToContainer", "None"];
    one_of(path, mount, "mountPropagation", supported, errors);
    let privileged = flag(field(container, "securityContext"), "privileged");
    // Mounts made in the container would appear on the node.
    if text(mount, "mountPropagation") == "Bidirectional" && !privileged {
        errors.forbidden(
            &path.child("mountPropagation"),
            "Bidirectional mount propagation is available only to privileged containers",
        );
    }
}

fn recursive_read_only(path: &Path<'_>, mount: &Value, errors: &mut Errors) {
    let mode = text(mount, "recursiveReadOnly");
    let supported = &["Disabled", "Enabled", "IfPossible"];
    one_of(path, mount, "recursiveReadOnly", supported, errors);
    if !matches!(mode, "Enabled" | "IfPossible") {
        return;
    }
    let path = path.child("recursiveReadOnly");
    if !flag(mount, "readOnly") {
        errors.forbidden(&path, "may only be specified when readOnly is true");
    }
    // A mount that arrives later through propagation would not be read-only.
    if !matches!(text(mount, "mountPropagation"), "" | "None") {
        errors.forbidden(
            &path,
            "may only be specified when mountPropagation is None or not specified",
        );
    }
}

/// Validates the volume devices of a container at `path`.
pub(crate) fn volume_devices(
    path: &Path<'_>,
    container: &Value,
    pod: &Pod<'_>,
    errors: &mut Errors,
) {
    let path = path.child("volumeDevices");
    let devices = list(container, "volumeDevices");
    if devices.is_empty() {
        return;
    }
    let mounts = places(list(container, "volumeMounts"), "mountPath");
    let (mut names, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for (index, device) in devices.iter().enumerate() {
        let at = path.index(index);
        let (name, place) = (text(device, "name"), text(device, "devicePath"));
        let wrong = |errors: &mut Errors, field: &str, value: &str, detail: &str| {
            errors.invalid_shown(&at.child(field), &go::quoted(value), detail);
        };
        if required_text(&at, device, "name", errors) && !names.insert(name) {
            wrong(errors, "name", name, "must be unique");
        }
        match pod.volume(name) {
            None => errors.not_found(&at.child("name"), name, ""),
            // Only claims support the volume mode `Block`.
            Some(volume) if !has(volume, "persistentVolumeClaim") && !has(volume, "ephemeral") => {
                let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                wrong(errors, "name", name, detail);
            }
            Some(_) => {}
        }
        required_text(&at, device, "devicePath", errors);
        if taken.contains(place) {
            wrong(errors, "devicePath", place, "must be unique");
        }
        if has_backsteps(place) {
            let detail = "can not contain backsteps ('..')";
            wrong(errors, "devicePath", place, detail);
        } else {
            taken.insert(place);
        }
        if mounts.contains_key(name) {
            let detail = "must not already exist in volumeMounts";
            wrong(errors, "name", name, detail);
        }
        if mounts.values().any(|mount| *mount == place) {
            let detail = "must not already exist as a path in volumeMounts";
            wrong(errors, "devicePath", place, detail);
        }
    }
}
