//! The rules of a PriorityLevelConfiguration.

use crate::api::json::Value;
use crate::tree::{field, has, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new PriorityLevelConfiguration.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    one_of(&path, spec, "type", &["Exempt", "Limited"], errors);
    let limited = field(spec, "limited");
    if text(spec, "type") == "Limited" && limited.is_null() {
        let detail = "must not be empty when type is Limited";
        return errors.required(&path.child("limited"), detail);
    }
    let path = path.child("limited");
    let path = path.child("limitResponse");
    let response = field(limited, "limitResponse");
    match (text(response, "type"), has(response, "queuing")) {
        ("Reject", true) => errors.forbidden(
            &path.child("queuing"),
            "must be nil if limited.limitResponse.type is not Limited",
        ),
        ("Queue", false) => errors.required(
            &path.child("queuing"),
            "must not be empty if limited.limitResponse.type is Limited",
        ),
        _ => {}
    }
}

/// Validates an update of a PriorityLevelConfiguration.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}
