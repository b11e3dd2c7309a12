//! The rules of a VolumeAttributesClass.

use crate::api::json::Value;
use crate::storage::validate::provisioner;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new VolumeAttributesClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    provisioner(&Path::root(""), object, "driverName", errors);
}

/// Validates an update of a VolumeAttributesClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    for name in ["driverName", "parameters"] {
        if field(object, name) != field(old, name) {
            let detail = format!("updates to {name} are forbidden.");
            errors.forbidden(&Path::root(name), &detail);
        }
    }
}
