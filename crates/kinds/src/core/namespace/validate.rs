//! The rules of a Namespace.

use crate::api::json::Value;
use crate::tree::{as_text, field, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new Namespace.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    const LEVELS: [&str; 3] = ["privileged", "baseline", "restricted"];
    meta::create(object, false, names::dns1123_label, errors);
    let path = Path::root("spec");
    let path = path.child("finalizers");
    for name in texts(field(object, "spec"), "finalizers") {
        errors.invalid_each(&path, name, names::qualified_name(name));
        meta::standard_finalizer(&path, name, errors);
    }
    let labels = field(field(object, "metadata"), "labels");
    let metadata = Path::root("metadata");
    let labels_path = metadata.child("labels");
    for mode in ["enforce", "audit", "warn"] {
        let key = format!("pod-security.kubernetes.io/{mode}");
        let level = field(labels, &key);
        // The Pod Security plugin reports these as part of validation, although labels are free
        // otherwise.
        if !level.is_null() && !LEVELS.contains(&as_text(level)) {
            let detail = format!("must be one of {}", LEVELS.join(", "));
            errors.invalid(&labels_path.key(&key), level, &detail);
        }
    }
}

/// Validates an update of a Namespace.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
}
