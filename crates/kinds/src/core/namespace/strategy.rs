//! Prepares a Namespace: it starts as active, with the finalizer that empties it.

use crate::api::json::{Value, json};
use crate::strategy::WriteContext;
use crate::tree::{ensure, field, list, push, set, set_default};

/// Marks a new namespace as active and adds its finalizer.
pub(super) fn prepare_create(object: &mut Value, _: &WriteContext<'_>) {
    set(object, "status", json!({"phase": "Active"}));
    let spec = ensure(object, "spec");
    if !list(spec, "finalizers").iter().any(|f| f == "kubernetes") {
        push(spec, "finalizers", "kubernetes");
    }
}

/// Sets the phase if the status has none.
pub(super) fn prepare_status(object: &mut Value, _: &Value) {
    set_default(ensure(object, "status"), "phase", "Active");
}

/// Keeps the finalizers of the spec, which only `/finalize` changes.
pub(super) fn prepare_update(object: &mut Value, old: &Value) {
    let finalizers = field(field(old, "spec"), "finalizers").clone();
    // Otherwise, a client that omits them would remove the namespace before it is empty.
    set(ensure(object, "spec"), "finalizers", finalizers);
}
