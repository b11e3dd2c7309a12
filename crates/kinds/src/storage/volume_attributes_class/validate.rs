//! The rules of a VolumeAttributesClass.

use crate::api::json::Value;
use crate::storage::validate::{parameters, provisioner};
use crate::tree::{field, len};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new VolumeAttributesClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    provisioner(&Path::root(""), object, "driverName", errors);
    parameters(object, errors);
    // A class without parameters would not change a volume at all.
    if len(object, "parameters") == 0 {
        let detail = "must contain at least one key/value pair";
        errors.required(&Path::root("parameters"), detail);
    }
}

/// Validates an update of a VolumeAttributesClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    create(object, errors);
    meta::update(object, old, errors);
    for name in ["driverName", "parameters"] {
        if field(object, name) != field(old, name) {
            let detail = format!("updates to {name} are forbidden.");
            errors.forbidden(&Path::root(name), &detail);
        }
    }
}
