//! The rules of a ResourceClaim.

use crate::api::json::Value;
use crate::resource::validate::claim_spec;
use crate::tree::field;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new ResourceClaim.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    claim_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a ResourceClaim.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("ResourceClaimSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}
