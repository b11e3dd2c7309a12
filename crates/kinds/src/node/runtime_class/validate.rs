//! The rules of a RuntimeClass.

use crate::api::json::Value;
use crate::tree::{entries, field, len};
use crate::validate::common::{container_resource_name, required_name, resource_amount};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::scheduling;
use crate::validate::{meta, names};

/// Validates a new RuntimeClass.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let root = Path::root("");
    required_name(&root, object, "handler", names::dns1123_label, errors);
    let path = Path::root("overhead");
    // Upstream validates the overhead as the limits of a container, whose path shows in the
    // errors.
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
        scheduling::tolerations(&path.child("tolerations"), scheduling, errors);
    }
}

/// Validates an update of a RuntimeClass.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    // Running Pods of the class were started by this handler.
    let handler = |object| field(object, "handler");
    meta::immutable(
        &Path::root("handler"),
        handler(object),
        handler(old),
        errors,
    );
}
