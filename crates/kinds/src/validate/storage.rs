//! Volumes, claims, classes and drivers.

use super::common::{label_selector, one_of, optional_name, required_text, shown_amount};
use super::errors::Errors;
use super::path::Path;
use super::{go, meta, names, pod};
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::quantity;
use crate::tree::{as_text, entries, field, has, len, list, set_or_remove, text};

const MODES: &[&str] = &[
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];
const CLAIM_IMMUTABLE: &str = "spec is immutable after creation except resources.requests and \
    volumeAttributesClassName for bound claims";
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

fn access_modes(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let modes = list(spec, "accessModes");
    for mode in modes.iter().filter(|mode| !MODES.contains(&as_text(mode))) {
        errors.not_supported(path, mode, MODES);
    }
    if modes.len() > 1 && modes.iter().any(|mode| mode == "ReadWriteOncePod") {
        errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
    }
}

fn positive_amount(path: &Path<'_>, amount: &Quantity, errors: &mut Errors) {
    if amount.signum() <= 0 {
        errors.invalid_shown(path, &shown_amount(amount), "must be greater than zero");
    }
}

/// A new PersistentVolume.
pub(super) fn volume(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    if len(spec, "accessModes") == 0 {
        errors.required(&path.child("accessModes"), "");
    }
    access_modes(&path.child("accessModes"), spec, errors);
    capacity(&path.child("capacity"), spec, errors);
    let policies = &["Delete", "Recycle", "Retain"];
    one_of(
        &path,
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
            required => pod::node_selector(&path.child("required"), required, errors),
        }
    }
    volume_source(&path, spec, errors);
    optional_name(
        &path,
        spec,
        "storageClassName",
        names::dns1123_subdomain,
        errors,
    );
    one_of(&path, spec, "volumeMode", &["Block", "Filesystem"], errors);
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
            let shown = amount.ceil().to_string();
            errors.invalid_shown(&path.key(name), &shown, "must be a valid resource quantity");
        }
        positive_amount(&path.key(name), &amount, errors);
    }
}

fn volume_source(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if pod::volume::source(path, spec, errors) == 0 {
        errors.required(path, "must specify a volume type");
    }
    if has(spec, "csi") {
        required_text(
            &path.child("csi"),
            field(spec, "csi"),
            "volumeHandle",
            errors,
        );
    }
    if has(spec, "local") && !has(spec, "nodeAffinity") {
        let detail = "Local volume requires node affinity";
        errors.required(&path.child("nodeAffinity"), detail);
    }
    let recycled = text(spec, "persistentVolumeReclaimPolicy") == "Recycle";
    if recycled && text(field(spec, "hostPath"), "path") == "/" {
        let detail = "may not be 'recycle' for a hostPath mount of '/'";
        errors.forbidden(&path.child("persistentVolumeReclaimPolicy"), detail);
    }
}

/// An update of a PersistentVolume: what it is made of stays.
pub(super) fn volume_update(object: &Value, old: &Value, errors: &mut Errors) {
    volume(object, errors);
    volume(object, errors);
    meta::update(object, old, errors);
    let (spec, before) = (field(object, "spec"), field(old, "spec"));
    let source = |spec: &Value| {
        let mut source = spec.clone();
        for name in NOT_SOURCE {
            set_or_remove(&mut source, name, None);
        }
        source
    };
    if source(spec) != source(before) {
        let path = Path::root("spec");
        errors.forbidden(
            &path.child("persistentvolumesource"),
            "spec.persistentvolumesource is immutable after creation",
        );
    }
    meta::immutable(
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
}

/// A new PersistentVolumeClaim.
pub(super) fn claim(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    claim_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// The spec of a claim, alone or in a template.
pub(super) fn claim_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if len(spec, "accessModes") == 0 {
        errors.required(
            &path.child("accessModes"),
            "at least 1 access mode is required",
        );
    }
    label_selector(&path.child("selector"), field(spec, "selector"), errors);
    access_modes(&path.child("accessModes"), spec, errors);
    let storage = field(field(field(spec, "resources"), "requests"), "storage");
    let resources = path.child("resources");
    match storage {
        Value::Null => errors.required(&resources.key("storage"), ""),
        amount => positive_amount(&resources.key("storage"), &quantity(amount), errors),
    }
    optional_name(
        path,
        spec,
        "storageClassName",
        names::dns1123_subdomain,
        errors,
    );
    one_of(path, spec, "volumeMode", &["Block", "Filesystem"], errors);
    for name in ["dataSource", "dataSourceRef"] {
        if has(spec, name) {
            data_source(&path.child(name), field(spec, name), errors);
        }
    }
    let (source, reference) = (field(spec, "dataSource"), field(spec, "dataSourceRef"));
    let differ = |name| text(source, name) != text(reference, name);
    let both = !source.is_null() && !reference.is_null();
    if both && ["kind", "name", "apiGroup"].iter().any(|name| differ(name)) {
        errors.invalid_shown(path, "{}", "must match dataSourceRef");
    }
}

fn data_source(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    required_text(path, source, "name", errors);
    required_text(path, source, "kind", errors);
    let kind = text(source, "kind");
    if text(source, "apiGroup").is_empty() && !matches!(kind, "" | "PersistentVolumeClaim") {
        errors.invalid_shown(
            path,
            &go::quoted(kind),
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        );
    }
}

/// An update of a PersistentVolumeClaim: bound ones may grow, unbound ones may be bound.
pub(super) fn claim_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    claim(object, errors);
    let (spec, before) = (field(object, "spec"), field(old, "spec"));
    let mut allowed = before.clone();
    let mut adopt = |name: &str| set_or_remove(&mut allowed, name, spec.get(name).cloned());
    if text(before, "volumeName").is_empty() {
        adopt("volumeName");
    }
    if !has(before, "storageClassName") {
        adopt("storageClassName");
    }
    let bound = text(field(old, "status"), "phase") == "Bound";
    if bound {
        adopt("resources");
        adopt("volumeAttributesClassName");
    }
    if *spec != allowed {
        errors.forbidden(&Path::root("spec"), CLAIM_IMMUTABLE);
    }
    meta::immutable(
        &Path::root("volumeMode"),
        field(spec, "volumeMode"),
        field(before, "volumeMode"),
        errors,
    );
}
