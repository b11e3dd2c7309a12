//! The rules of a DeviceClass.

use crate::api::json::Value;
use crate::resource::validate::selectors;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new DeviceClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    selectors(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a DeviceClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    selectors(&Path::root("spec"), field(object, "spec"), errors);
}
