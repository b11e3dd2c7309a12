//! The rules of a Gadget.

use crate::api::json::Value;
use crate::tree::{field, int};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new Gadget.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let spec = field(object, "spec");
    meta::nonnegative_field(&Path::root("spec"), spec, "size", errors);
}

/// Validates an update of a Gadget.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let size = |object| int(field(object, "spec"), "size");
    if size(object) > size(old) {
        let path = Path::root("spec");
        errors.forbidden(&path.child("size"), "a gadget does not grow");
    }
}
