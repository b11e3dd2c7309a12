//! The rules of a PodDisruptionBudget.

use crate::api::json::Value;
use crate::tree::{field, has};
use crate::validate::common::{at_most_all, int_or_percent, label_selector, one_of};
use crate::validate::condition::conditions;
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new PodDisruptionBudget.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    budget_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a PodDisruptionBudget.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    budget_spec(&Path::root("spec"), field(object, "spec"), errors);
}

fn budget_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if has(spec, "minAvailable") && has(spec, "maxUnavailable") {
        let shown = go::shown_as("PodDisruptionBudgetSpec", spec);
        let detail = "minAvailable and maxUnavailable cannot be both set";
        errors.invalid_shown(path, &shown, detail);
    }
    for name in ["minAvailable", "maxUnavailable"] {
        int_or_percent(&path.child(name), field(spec, name), errors);
        // More than all Pods can never be available or unavailable.
        at_most_all(&path.child(name), field(spec, name), errors);
    }
    label_selector(&path.child("selector"), field(spec, "selector"), errors);
    let policies = &["AlwaysAllow", "IfHealthyBudget"];
    one_of(path, spec, "unhealthyPodEvictionPolicy", policies, errors);
}

/// Validates an update of a PodDisruptionBudget's status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let (path, status) = (Path::root("status"), field(object, "status"));
    conditions(&path, status, errors);
    for name in [
        "disruptionsAllowed",
        "currentHealthy",
        "desiredHealthy",
        "expectedPods",
    ] {
        nonnegative_field(&path, status, name, errors);
    }
}
