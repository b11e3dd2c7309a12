//! The rules of a CSIDriver.

use crate::api::json::Value;
use crate::tree::{as_text, field, list};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new CSIDriver.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
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

/// Validates an update of a CSIDriver.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let attach = |object| field(field(object, "spec"), "attachRequired");
    let path = Path::root("spec");
    meta::immutable(
        // Upstream's spelling of `attachRequired`.
        &path.child("attachedRequired"),
        attach(object),
        attach(old),
        errors,
    );
}
