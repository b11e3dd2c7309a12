//! Prepares a custom resource before it is stored.

use super::definition::CustomKind;
use crate::api::json::{Text, Value};
use crate::tree::{ensure, field, int, set, set_or_remove, take};

/// Prepares a new object: generation 1, and no status if the status is a subresource.
pub fn prepare_create(kind: &CustomKind, object: &mut Value) {
    if kind.has_status {
        take(object, "status");
    }
    set(ensure(object, "metadata"), "generation", 1);
}

/// Prepares an update: keeps the status if it is a subresource, and raises the generation if anything else changes.
pub fn prepare_update(kind: &CustomKind, object: &mut Value, old: &Value) {
    carry(object, old);
    if kind.has_status {
        set_or_remove(object, "status", old.get("status").cloned());
    }
    let generation = int(field(old, "metadata"), "generation");
    // A different served version with equal content is no change of the desired state.
    let changed = content(kind, object) != content(kind, old);
    let next = generation + i64::from(changed);
    set(ensure(object, "metadata"), "generation", next);
}

/// Prepares a status update, which keeps all other fields.
pub fn prepare_status(object: &mut Value, old: &Value) {
    let status = object.get("status").cloned();
    let managers = field(object, "metadata").get("managedFields").cloned();
    // Start from the stored object, because a status update may contain a stale spec.
    let mut next = old.clone();
    set_or_remove(&mut next, "status", status);
    set_or_remove(ensure(&mut next, "metadata"), "managedFields", managers);
    *object = next;
}

/// Carries over the fields that updates cannot remove.
fn carry(object: &mut Value, old: &Value) {
    let before = field(old, "metadata");
    let metadata = ensure(object, "metadata");
    for name in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ] {
        if metadata.get(name).is_none() {
            set_or_remove(metadata, name, before.get(name).cloned());
        }
    }
}

/// Returns the fields whose changes raise the generation.
fn content<'a>(kind: &CustomKind, object: &'a Value) -> Vec<(&'a Text, &'a Value)> {
    let map = object.as_object().into_iter().flatten();
    map.filter(|(key, _)| {
        let status = key.as_str() == "status" && kind.has_status;
        !status && !matches!(key.as_str(), "metadata" | "apiVersion" | "kind")
    })
    .collect()
}
