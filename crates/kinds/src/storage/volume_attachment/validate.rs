//! The rules of a VolumeAttachment.

use crate::api::json::Value;
use crate::tree::{field, has};
use crate::validate::common::{required_name, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new VolumeAttachment.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    required_text(&path, spec, "attacher", errors);
    let source = field(spec, "source");
    // Both or neither is the error.
    if has(source, "persistentVolumeName") == has(source, "inlineVolumeSpec") {
        let detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
        errors.required(&path.child("source"), detail);
    }
    required_name(&path, spec, "nodeName", names::dns1123_subdomain, errors);
}

/// Validates an update of a VolumeAttachment.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("VolumeAttachmentSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}
