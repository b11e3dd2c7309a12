//! The rules of a Pod.

use crate::api::json::Value;
use crate::api::names;
use crate::tree::{field, has, len, text};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::meta;
use crate::validate::path::Path;
use crate::validate::pod::{self, Pod};

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
    // A gate blocks the scheduler, which a Pod with a node name has bypassed.
    if len(spec, "schedulingGates") > 0 && !text(spec, "nodeName").is_empty() {
        errors.forbidden(
            &path.child("nodeName"),
            "cannot be set until all schedulingGates have been cleared",
        );
    }
}

pub(crate) fn metadata_and_spec(pod: &Value, errors: &mut Errors) {
    const MIRROR: &str = "kubernetes.io/config.mirror";
    meta::create(pod, true, names::dns1123_subdomain, errors);
    let annotations = field(field(pod, "metadata"), "annotations");
    let spec = field(pod, "spec");
    // Only a kubelet creates mirror Pods, of the static Pods on its own node.
    if has(annotations, MIRROR) && text(spec, "nodeName").is_empty() {
        errors.invalid_shown(
            &Path::root("metadata").child("annotations").key(MIRROR),
            &go::quoted(text(annotations, MIRROR)),
            "must set spec.nodeName if mirror pod annotation is set",
        );
    }
    let path = Path::root("spec");
    pod::spec::pod_spec(&path, spec, errors);
    pod::container::trimmed_images(&path, &Pod::new(spec), errors);
}
