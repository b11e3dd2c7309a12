//! The rules of a PersistentVolumeClaim.

use crate::api::json::Value;
use crate::pod::resources::quantity;
use crate::tree::{at, field, has, set_or_remove, text};
use crate::validate::claim::claim_spec;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

const CLAIM_IMMUTABLE: &str = "spec is immutable after creation except resources.requests and \
    volumeAttributesClassName for bound claims";

/// Validates a new PersistentVolumeClaim.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    claim_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a PersistentVolumeClaim: bound ones may grow, unbound ones may be bound.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
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
    let requested = |spec| quantity(at(spec, &["resources", "requests", "storage"]));
    let capacity = quantity(at(old, &["status", "capacity", "storage"]));
    // A request may shrink after a failed expansion, but not below the current capacity.
    if bound && requested(spec) < requested(before) && requested(spec) < capacity {
        let path = Path::root("spec");
        let path = path.child("resources");
        let path = path.child("requests");
        let detail = "field can not be less than status.capacity";
        errors.forbidden(&path.child("storage"), detail);
    }
    meta::immutable(
        &Path::root("volumeMode"),
        field(spec, "volumeMode"),
        field(before, "volumeMode"),
        errors,
    );
}
