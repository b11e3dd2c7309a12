//! The rules of a Lease.

use crate::api::json::{Value, json};
use crate::tree::{field, has, opt_int};
use crate::validate::common::required_text;
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new Lease.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    lease_spec(object, errors);
}

/// Validates an update of a Lease.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    lease_spec(object, errors);
}

fn lease_spec(object: &Value, errors: &mut Errors) {
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    if let Some(seconds) = opt_int(spec, "leaseDurationSeconds").filter(|s| *s <= 0) {
        let detail = "must be greater than 0";
        errors.invalid(&path.child("leaseDurationSeconds"), &json!(seconds), detail);
    }
    nonnegative_field(&path, spec, "leaseTransitions", errors);
    // Only coordinated leader election reads the field, and it requires a strategy.
    if has(spec, "preferredHolder") && !has(spec, "strategy") {
        let detail = "may only be specified if `strategy` is defined";
        errors.forbidden(&path.child("preferredHolder"), detail);
    }
    if has(spec, "strategy") {
        required_text(&path, spec, "strategy", errors);
    }
}
