//! Storage classes, CSI drivers, and how volumes are attached.

use super::common::{label_selector, nonnegative_amount, one_of, required_name, required_text};
use super::errors::Errors;
use super::path::Path;
use super::{go, meta, names};
use crate::api::json::{Value, json};
use crate::pod::resources::quantity;
use crate::tree::{as_text, entries, field, has, len, list, text};

/// A new StorageClass.
pub(super) fn class(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let root = Path::root("");
    provisioner(&root, object, "provisioner", errors);
    if entries(object, "parameters").any(|(key, _)| key.is_empty()) {
        let path = Path::root("parameters");
        errors.invalid(&path, &json!(""), "field can not be empty.");
    }
    one_of(
        &root,
        object,
        "reclaimPolicy",
        &["Delete", "Retain"],
        errors,
    );
    let modes = &["Immediate", "WaitForFirstConsumer"];
    one_of(&root, object, "volumeBindingMode", modes, errors);
    let topologies = Path::root("allowedTopologies");
    for (index, term) in list(object, "allowedTopologies").iter().enumerate() {
        let term_path = topologies.index(index);
        let expressions = term_path.child("matchLabelExpressions");
        for (index, expression) in list(term, "matchLabelExpressions").iter().enumerate() {
            let path = expressions.index(index);
            if len(expression, "values") == 0 {
                errors.required(&path.child("values"), "");
            }
            let key = text(expression, "key");
            errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        }
    }
}

/// The name of a driver: like a label key, in any case.
fn provisioner(path: &Path<'_>, holder: &Value, name: &str, errors: &mut Errors) {
    if required_text(path, holder, name, errors) {
        let value = text(holder, name);
        let wrong = names::qualified_name(&value.to_lowercase());
        errors.invalid_each(&path.child(name), value, wrong);
    }
}

/// An update of a StorageClass.
pub(super) fn class_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    for name in [
        "parameters",
        "provisioner",
        "reclaimPolicy",
        "volumeBindingMode",
    ] {
        meta::immutable(
            &Path::root(name),
            field(object, name),
            field(old, name),
            errors,
        );
    }
}

/// A new CSIDriver.
pub(super) fn driver(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    for mode in list(spec, "volumeLifecycleModes") {
        if !matches!(as_text(mode), "Persistent" | "Ephemeral") {
            let path = path.child("volumeLifecycleModes");
            errors.not_supported(&path, mode, &["Persistent", "Ephemeral"]);
        }
    }
    let policies = &["ReadWriteOnceWithFSType", "File", "None"];
    one_of(&path, spec, "fsGroupPolicy", policies, errors);
}

/// An update of a CSIDriver.
pub(super) fn driver_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let attach = |object| field(field(object, "spec"), "attachRequired");
    let path = Path::root("spec");
    meta::immutable(
        &path.child("attachedRequired"),
        attach(object),
        attach(old),
        errors,
    );
}

/// A new CSINode.
pub(super) fn node(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let path = Path::root("spec");
    let path = path.child("drivers");
    for (index, driver) in list(field(object, "spec"), "drivers").iter().enumerate() {
        let path = path.index(index);
        required_name(&path, driver, "name", names::dns1123_subdomain, errors);
        required_text(&path, driver, "nodeID", errors);
    }
}

/// A new VolumeAttachment.
pub(super) fn attachment(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    required_text(&path, spec, "attacher", errors);
    let source = field(spec, "source");
    if has(source, "persistentVolumeName") == has(source, "inlineVolumeSpec") {
        let detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
        errors.required(&path.child("source"), detail);
    }
    required_name(&path, spec, "nodeName", names::dns1123_subdomain, errors);
}

/// An update of a VolumeAttachment.
pub(super) fn attachment_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("VolumeAttachmentSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}

/// A new VolumeAttributesClass.
pub(super) fn attributes_class(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    provisioner(&Path::root(""), object, "driverName", errors);
}

/// An update of a VolumeAttributesClass.
pub(super) fn attributes_class_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    for name in ["driverName", "parameters"] {
        if field(object, name) != field(old, name) {
            let detail = format!("updates to {name} are forbidden.");
            errors.forbidden(&Path::root(name), &detail);
        }
    }
}

/// A new CSIStorageCapacity.
pub(super) fn storage_capacity(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let root = Path::root("");
    required_name(
        &root,
        object,
        "storageClassName",
        names::dns1123_subdomain,
        errors,
    );
    label_selector(
        &Path::root("nodeTopology"),
        field(object, "nodeTopology"),
        errors,
    );
    for name in ["capacity", "maximumVolumeSize"] {
        let amount = quantity(field(object, name));
        nonnegative_amount(&Path::root(name), &amount, errors);
    }
}
