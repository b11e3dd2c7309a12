//! Prepares a CustomResourceDefinition: records the versions in which objects may be stored.

use crate::api::json::{Value, json};
use crate::tree::{as_text, ensure, field, flag, has, list, push, set, text};

/// Adds the storage version to the stored versions in the status.
pub(super) fn stored_versions(object: &mut Value) {
    let versions = list(field(object, "spec"), "versions");
    let storage = versions.iter().find(|v| flag(v, "storage"));
    let Some(name) = storage.map(|v| text(v, "name").to_owned()) else {
        return;
    };
    let status = ensure(object, "status");
    if !list(status, "storedVersions")
        .iter()
        .any(|v| as_text(v) == name)
    {
        if !has(status, "storedVersions") {
            set(status, "storedVersions", json!([]));
        }
        // Keep earlier versions: objects may be stored at them until a migration removes the versions from the list.
        push(status, "storedVersions", name);
    }
}
