//! Prepares an APIService: a local one is available at once.

use crate::api::json::{Value, json};
use crate::strategy::WriteContext;
use crate::tree::{ensure, field, has, set_default};

/// Marks an API that the API server itself serves as available as of now.
pub(super) fn prepare_create(object: &mut Value, write_context: &WriteContext<'_>) {
    // A controller determines the availability of an aggregated API.
    if has(field(object, "spec"), "service") {
        return;
    }
    let condition = json!({
        "type": "Available", "status": "True", "reason": "Local",
        "message": "Local APIServices are always available", "lastTransitionTime": write_context.now,
    });
    set_default(ensure(object, "status"), "conditions", json!([condition]));
}
