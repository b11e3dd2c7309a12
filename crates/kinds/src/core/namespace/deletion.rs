//! The deletion of a Namespace, which waits for the finalizers in its spec.

use crate::api::json::Value;
use crate::strategy::deletion::{
    FOREGROUND, ORPHAN, Propagation, Request, Step, set_finalizers, shown, without_collection,
};
use crate::tree::{ensure, field, has, len, set};

/// Returns true if a namespace has finalizers in its spec.
pub(super) fn waits(namespace: &Value) -> bool {
    len(field(namespace, "spec"), "finalizers") > 0
}

/// Marks a namespace on the first request. A later request removes it if no finalizers are left.
pub(super) fn delete(old: &Value, request: &Request) -> Step {
    let mut object = old.clone();
    // The first request only starts the termination. The namespace controller then empties the namespace and removes
    // the finalizer in the spec.
    if !has(field(old, "metadata"), "deletionTimestamp") {
        set(
            ensure(&mut object, "metadata"),
            "deletionTimestamp",
            shown(request.now),
        );
        set(ensure(&mut object, "status"), "phase", "Terminating");
        let mut kept = without_collection(old);
        match request.propagation {
            Some(Propagation::Orphan) => kept.push(ORPHAN.to_owned()),
            Some(Propagation::Foreground) => kept.push(FOREGROUND.to_owned()),
            _ => {}
        }
        set_finalizers(&mut object, kept);
        return Step::Marked(object);
    }
    let waits = len(field(old, "spec"), "finalizers") + len(field(old, "metadata"), "finalizers");
    if waits > 0 {
        Step::Unchanged
    } else {
        Step::Gone(object)
    }
}
