//! The rules of a VolumeAttachment.

use crate::api::json::Value;
use crate::core::persistent_volume::inline_spec;
use crate::tree::{as_text, entries, field, has, opt_int, text};
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::remote::csi_driver_name;
use crate::validate::{go, meta, names};

const METADATA_BYTES: usize = 256 * 1024;
const MESSAGE_BYTES: usize = 1024;

/// Validates a new VolumeAttachment.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    whole(object, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let attacher = text(spec, "attacher");
    if !attacher.is_empty() {
        csi_driver_name(&path.child("attacher"), attacher, errors);
    }
    let source = field(spec, "source");
    let volume = text(source, "persistentVolumeName");
    // Only on creation: objects that predate this rule may have other names.
    if has(source, "persistentVolumeName") {
        let path = path.child("source");
        let wrong = names::dns1123_subdomain(volume);
        errors.invalid_each(&path.child("persistentVolumeName"), volume, wrong);
    }
}

/// Validates the rules of the first API version, which apply to updates as well.
fn whole(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    required_text(&path, spec, "attacher", errors);
    source(&path.child("source"), field(spec, "source"), errors);
    let node = text(spec, "nodeName");
    errors.invalid_each(
        &path.child("nodeName"),
        node,
        names::dns1123_subdomain(node),
    );
    status(object, errors);
}

fn source(path: &Path<'_>, source: &Value, errors: &mut Errors) {
    let detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    match (
        has(source, "persistentVolumeName"),
        has(source, "inlineVolumeSpec"),
    ) {
        (false, false) => errors.required(path, detail),
        (true, true) => errors.forbidden(path, detail),
        (false, true) => {
            let spec = field(source, "inlineVolumeSpec");
            inline_spec(&path.child("inlineVolumeSpec"), spec, errors);
        }
        (true, false) if text(source, "persistentVolumeName").is_empty() => {
            let detail = "must specify non empty persistentVolumeName";
            errors.required(&path.child("persistentVolumeName"), detail);
        }
        _ => {}
    }
}

fn status(object: &Value, errors: &mut Errors) {
    let (path, status) = (Path::root("status"), field(object, "status"));
    let all = entries(status, "attachmentMetadata");
    let size: usize = all
        .map(|(key, value)| key.len() + as_text(value).len())
        .sum();
    if size > METADATA_BYTES {
        errors.too_long(&path.child("attachmentMetadata"), METADATA_BYTES);
    }
    // Drivers repeat these with each attempt.
    for name in ["attachError", "detachError"] {
        let (path, error) = (path.child(name), field(status, name));
        if text(error, "message").len() > MESSAGE_BYTES {
            // Upstream shows another limit than the one that it checks.
            errors.too_long(&path.child("message"), METADATA_BYTES);
        }
        if let Some(code) = opt_int(error, "errorCode").filter(|code| *code < 0) {
            let detail = "must be between 0 and 2147483647, inclusive";
            errors.invalid(&path.child("errorCode"), &code.into(), detail);
        }
    }
}

/// Validates an update of a VolumeAttachment.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    whole(object, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("VolumeAttachmentSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(spec: Value) -> Vec<String> {
        let mut errors = Errors::default();
        create(
            &json!({"metadata": {"name": "a"}, "spec": spec}),
            &mut errors,
        );
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_attachment_has_one_source() {
        let spec = |source: Value| json!({"attacher": "a.b", "nodeName": "n", "source": source});
        assert_eq!(told(spec(json!({"persistentVolumeName": "v"}))), [""; 0]);
        assert_eq!(
            told(spec(
                json!({"persistentVolumeName": "v", "inlineVolumeSpec": {}})
            )),
            [
                "spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName"
            ]
        );
    }

    #[test]
    fn errors_of_drivers_are_short_and_have_a_code() {
        let mut errors = Errors::default();
        let error = json!({"message": "a".repeat(1025), "errorCode": -1});
        status(&json!({"status": {"attachError": error}}), &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "status.attachError.message: Too long: may not be more than 262144 bytes",
                "status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive",
            ]
        );
    }

    #[test]
    fn an_inline_volume_is_one_of_a_driver() {
        let source = |spec: Value| {
            let source = json!({"inlineVolumeSpec": spec});
            told(json!({"attacher": "a.b", "nodeName": "n", "source": source}))
        };
        let csi = json!({"driver": "a.b", "volumeHandle": "h"});
        let modes = json!(["ReadWriteOnce"]);
        assert_eq!(source(json!({"accessModes": modes, "csi": csi})), [""; 0]);
        let path = "spec.source.inlineVolumeSpec";
        let detail = "in the context of inline volumes";
        assert_eq!(
            source(
                json!({"accessModes": modes, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/a"},
                "persistentVolumeReclaimPolicy": "Delete", "storageClassName": "s", "volumeMode": "Block"})
            ),
            [
                format!("{path}.capacity: Forbidden: may not be specified {detail}"),
                format!("{path}.csi: Required value: has to be specified {detail}"),
                format!(
                    "{path}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain {detail}"
                ),
                format!("{path}.storageClassName: Forbidden: may not be specified {detail}"),
                format!(
                    "{path}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem {detail}"
                ),
            ]
        );
    }
}
