//! ControllerRevisions.

use super::super::errors::Errors;
use super::super::meta::update as meta_update;
use super::super::path::Path;
use super::super::{meta, names};
use crate::api::json::Value;
use crate::tree::{field, has, int};

/// A new ControllerRevision.
pub(in super::super) fn controller_revision(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    revision(object, errors);
}

/// An update of a ControllerRevision.
pub(in super::super) fn controller_revision_update(
    object: &Value,
    old: &Value,
    errors: &mut Errors,
) {
    meta_update(object, old, errors);
    revision(object, errors);
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
