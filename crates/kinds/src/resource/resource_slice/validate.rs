//! The rules of a ResourceSlice.

use crate::api::json::{Value, json};
use crate::tree::{field, has, int};
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new ResourceSlice.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let pool = field(spec, "pool");
    let count = int(pool, "resourceSliceCount");
    if count <= 0 {
        let path = path.child("pool");
        let detail = "must be greater than zero";
        errors.invalid(&path.child("resourceSliceCount"), &json!(count), detail);
    }
    let places = [
        "nodeName",
        "nodeSelector",
        "allNodes",
        "perDeviceNodeSelection",
    ];
    if !places.iter().any(|name| has(spec, name)) {
        errors.required(
            &path,
            "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
        );
    }
    required_text(&path, spec, "driver", errors);
}

/// Validates an update of a ResourceSlice.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}
