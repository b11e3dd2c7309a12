//! The rules of a Pod.

use crate::api::json::Value;
use crate::api::names;
use crate::tree::{field, len, text};
use crate::validate::errors::Errors;
use crate::validate::meta;
use crate::validate::path::Path;
use crate::validate::pod;

/// Validates a new Pod.
pub(crate) fn create(pod: &Value, errors: &mut Errors) {
    metadata_and_spec(pod, errors);
    let (path, spec) = (Path::root("spec"), field(pod, "spec"));
    if len(spec, "ephemeralContainers") > 0 {
        errors.forbidden(
            &path.child("ephemeralContainers"),
            "cannot be set on create",
        );
    }
    // A gate blocks the scheduler, which a Pod with a node name has already bypassed.
    if len(spec, "schedulingGates") > 0 && !text(spec, "nodeName").is_empty() {
        errors.forbidden(
            &path.child("nodeName"),
            "cannot be set until all schedulingGates have been cleared",
        );
    }
    let annotations = field(field(pod, "metadata"), "annotations");
    pod::annotations::match_fields(&path, annotations, spec, errors);
}

pub(crate) fn metadata_and_spec(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let annotations = field(field(object, "metadata"), "annotations");
    let spec = field(object, "spec");
    let path = Path::root("metadata");
    pod::annotations::annotations(&path.child("annotations"), annotations, spec, errors);
    let path = Path::root("spec");
    let name = text(field(object, "metadata"), "name");
    pod::spec::pod_spec(&path, name, spec, errors);
    pod::container::trimmed_images(&path, spec, errors);
}
