//! Priority classes and runtime classes.

use super::common::{container_resource_name, one_of, required_name, resource_amount};
use super::errors::Errors;
use super::path::Path;
use super::{meta, names, pod};
use crate::api::json::Value;
use crate::tree::{entries, field, len, text};

/// A new PriorityClass.
pub(super) fn priority_class(object: &Value, errors: &mut Errors) {
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
    } else if value > MAX && !system {
        let detail = format!("maximum allowed value of a user defined priority is {MAX}");
        errors.forbidden(&Path::root("value"), &detail);
    }
    let policies = &["PreemptLowerPriority", "Never"];
    let root = Path::root("");
    one_of(&root, object, "preemptionPolicy", policies, errors);
}

/// An update of a PriorityClass.
pub(super) fn priority_class_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
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

/// A new RuntimeClass.
pub(super) fn runtime_class(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let root = Path::root("");
    required_name(&root, object, "handler", names::dns1123_label, errors);
    let path = Path::root("overhead");
    let path = path.child("limits");
    for (name, amount) in entries(field(object, "overhead"), "podFixed") {
        container_resource_name(&path.key(name), name, errors);
        resource_amount(&path.key(name), name, amount, errors);
    }
    let scheduling = field(object, "scheduling");
    let path = Path::root("scheduling");
    meta::labels(
        &path.child("nodeSelector"),
        scheduling,
        "nodeSelector",
        errors,
    );
    if len(scheduling, "tolerations") > 0 {
        pod::tolerations(&path.child("tolerations"), scheduling, errors);
    }
}

/// An update of a RuntimeClass.
pub(super) fn runtime_class_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let handler = |object| field(object, "handler");
    meta::immutable(
        &Path::root("handler"),
        handler(object),
        handler(old),
        errors,
    );
}
