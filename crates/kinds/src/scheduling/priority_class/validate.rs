//! The rules of a PriorityClass.

use crate::api::json::Value;
use crate::tree::{field, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new PriorityClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    const MAX: i64 = 1_000_000_000;
    meta::create(object, false, names::dns1123_subdomain, errors);
    let name = text(field(object, "metadata"), "name");
    let value = field(object, "value").as_i64().unwrap_or(0);
    let system = matches!(name, "system-node-critical" | "system-cluster-critical");
    if name.starts_with("system-") && !system {
        let metadata = Path::root("metadata");
        let detail = format!(
            "priority class names with 'system-' prefix are reserved for system use only. error: {name} \
             is not a known system priority class"
        );
        errors.forbidden(&metadata.child("name"), &detail);
    // `HighestUserDefinablePriority`: the range above it is reserved for Pods on which the cluster itself depends.
    } else if value > MAX && !system {
        let detail = format!("maximum allowed value of a user defined priority is {MAX}");
        errors.forbidden(&Path::root("value"), &detail);
    }
    let policies = &["PreemptLowerPriority", "Never"];
    let root = Path::root("");
    one_of(&root, object, "preemptionPolicy", policies, errors);
}

/// Validates an update of a PriorityClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    // Pods copy the value on creation, so a change would give one class two meanings.
    if field(object, "value") != field(old, "value") {
        errors.forbidden(&Path::root("value"), "may not be changed in an update.");
    }
    let policy = |object| field(object, "preemptionPolicy");
    meta::immutable(
        &Path::root("preemptionPolicy"),
        policy(object),
        policy(old),
        errors,
    );
}
