//! The rules of a ResourceClaimTemplate.

use crate::api::json::Value;
use crate::resource::validate::claim_spec;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new ResourceClaimTemplate.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let path = Path::root("spec");
    let claim = field(field(object, "spec"), "spec");
    claim_spec(&path.child("spec"), claim, errors);
}

/// Validates an update of a ResourceClaimTemplate.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("ResourceClaimTemplateSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}
