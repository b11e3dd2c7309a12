//! The rules of a ControllerRevision.

use crate::api::json::Value;
use crate::tree::{field, has, int};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new ControllerRevision.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    revision(object, errors);
}

/// Validates an update of a ControllerRevision.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    revision(object, errors);
    // The data is an earlier state that rollbacks rely on.
    meta::immutable(
        &Path::root("data"),
        field(object, "data"),
        field(old, "data"),
        errors,
    );
}

fn revision(object: &Value, errors: &mut Errors) {
    if !has(object, "data") {
        errors.required(&Path::root("data"), "data is mandatory");
    }
    meta::nonnegative(&Path::root("revision"), int(object, "revision"), errors);
}
