//! The rules of a DeviceClass.

use crate::api::json::Value;
use crate::resource::validate::{configuration, selectors};
use crate::tree::{field, list};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new DeviceClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    class_spec(object, errors);
}

fn class_spec(object: &Value, errors: &mut Errors) {
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    selectors(&path, spec, errors);
    let path = path.child("config");
    for (index, item) in list(spec, "config").iter().enumerate() {
        configuration(&path.index(index), item, errors);
    }
}

/// Validates an update of a DeviceClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    class_spec(object, errors);
}
