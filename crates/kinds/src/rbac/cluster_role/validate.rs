//! The rules of a ClusterRole.

use crate::api::json::Value;
use crate::rbac::validate::rules;
use crate::tree::{field, has, list};
use crate::validate::common::{is_empty_selector, label_selector, selects};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new ClusterRole.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::path_segment, errors);
    rules(object, false, errors);
    if !has(object, "aggregationRule") {
        return;
    }
    let path = Path::root("aggregationRule");
    let path = path.child("clusterRoleSelectors");
    let selectors = list(field(object, "aggregationRule"), "clusterRoleSelectors");
    if selectors.is_empty() {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.required(&path, detail);
    }
    for (index, selector) in selectors.iter().enumerate() {
        let path = path.index(index);
        label_selector(&path, selector, errors);
        let malformed = selects(selector, &Value::Null).is_none();
        // An empty selector is valid and aggregates every ClusterRole.
        if malformed && !is_empty_selector(selector) {
            errors.invalid(&path, &Value::Null, "invalid label selector.");
        }
    }
}

/// Validates an update of a ClusterRole.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    // Upstream's strategy validates the role before the update, so the metadata comes last.
    create(object, errors);
    meta::update(object, old, errors);
}
