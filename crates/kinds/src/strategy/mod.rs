//! Prepares an object before it is stored, depending on its kind and the verb.
//!
//! A new object starts with an empty status and generation 1; an update cannot change the status, an update of the
//! status cannot change anything else, and a change of the spec raises the generation.

pub mod deletion;
pub(crate) mod deletion_step;
mod disabled_fields;
mod identity;
mod paths;
mod reset;
mod restore;
pub(crate) mod write_context;

use crate::api::json::{Text, Value};

pub use identity::{
    check_absent, check_conditional, check_create, check_update, is_created_by_update,
};
pub use paths::{
    date_conditions, prepare_approval, prepare_ephemeral_containers, prepare_finalize,
    prepare_resize,
};
pub(crate) use reset::SPEC_AND_METADATA;
pub use reset::reset_fields;
pub use restore::keep_assigned;
pub use write_context::WriteContext;

use super::custom;
use super::hooks::Generation;
use super::kind::Kind;
use super::tree::{empty, ensure, field, has, int, set, take};

/// Returns true if an object has labels before its defaults are set.
pub fn labeled(sent: &Value) -> bool {
    let labels = field(field(sent, "metadata"), "labels").as_object();
    labels.is_some_and(|labels| !labels.is_empty())
}

/// Removes the marks of a deletion. A client that copies an exported object may send them, but a new object cannot be
/// terminating.
pub fn unmark(object: &mut Value) {
    const MARKS: [&str; 2] = ["deletionTimestamp", "deletionGracePeriodSeconds"];
    let metadata = field(object, "metadata");
    // Nothing is written without need: that would copy an object that shares its memory with others.
    if MARKS.iter().all(|name| metadata.get(*name).is_none()) {
        return;
    }
    let metadata = ensure(object, "metadata");
    for name in MARKS {
        take(metadata, name);
    }
}

/// Prepares a new object for validation and storage.
pub fn prepare_create(kind: &Kind, object: &mut Value, write_context: &WriteContext<'_>) {
    unmark(object);
    if let Some(custom) = kind.custom {
        return custom::prepare_create(custom, object);
    }
    let metadata = ensure(object, "metadata");
    if kind.hooks.generation != Generation::Absent {
        set(metadata, "generation", 1);
    }
    if kind.has_status() && kind.hooks.empties_status {
        set(object, "status", empty());
    }
    disabled_fields::drop_disabled(kind, object, &Value::Null);
    if let Some(prepare) = kind.hooks.prepare_create {
        prepare(object, write_context);
    }
}

/// Prepares an update: keeps the status, and raises the generation if the spec changes.
pub fn prepare_update(kind: &Kind, object: &mut Value, old: &Value) {
    if let Some(custom) = kind.custom {
        return custom::prepare_update(custom, object, old);
    }
    carry_metadata(object, old);
    // Without this, a client that edits a stale copy would overwrite the status set by a controller.
    if kind.has_status() {
        keep(object, old, "status");
    }
    disabled_fields::drop_disabled(kind, object, old);
    if let Some(prepare) = kind.hooks.prepare_update {
        prepare(object, old);
    }
    match kind.hooks.generation {
        Generation::Absent | Generation::Created => {}
        Generation::ContentAndLabels if labels(object) != labels(old) => raise(object, old),
        // Annotations control the behavior of these kinds, so their controllers must notice a change.
        Generation::ContentAndAnnotations if annotations(object) != annotations(old) => {
            raise(object, old);
        }
        Generation::Content | Generation::ContentAndAnnotations | Generation::ContentAndLabels => {
            count_change(object, old);
        }
    }
}

/// Prepares a status update, which keeps everything but the status and the metadata.
pub fn prepare_status(kind: &Kind, object: &mut Value, old: &Value) {
    if kind.custom.is_some() {
        return custom::prepare_status(object, old);
    }
    carry_metadata(object, old);
    let status = field(object, "status").clone();
    let metadata = field(object, "metadata").clone();
    // Start from the old object rather than the new one, so that fields of later API versions are protected as well.
    let mut next = old.clone();
    set(&mut next, "metadata", metadata);
    set(&mut next, "status", status);
    if let Some(prepare) = kind.hooks.prepare_status {
        prepare(&mut next, old);
    }
    disabled_fields::drop_disabled(kind, &mut next, old);
    *object = next;
}

fn labels(object: &Value) -> &Value {
    field(field(object, "metadata"), "labels")
}

fn count_change(object: &mut Value, old: &Value) {
    if content(object) != content(old) {
        raise(object, old);
    }
}

fn raise(object: &mut Value, old: &Value) {
    let next = int(field(old, "metadata"), "generation") + 1;
    set(ensure(object, "metadata"), "generation", next);
}

/// Keeps the labels of an object during a write to its status.
pub(crate) fn keep_labels(object: &mut Value, old: &Value) {
    let labels = field(field(old, "metadata"), "labels").clone();
    set(ensure(object, "metadata"), "labels", labels);
}

/// Keeps the user-written metadata during a status update.
pub(crate) fn keep_metadata(object: &mut Value, old: &Value) {
    let (metadata, before) = (ensure(object, "metadata"), field(old, "metadata"));
    // A controller that reports status may have no permission to change anything else.
    for name in ["labels", "annotations", "finalizers", "ownerReferences"] {
        keep(metadata, before, name);
    }
}

/// Carries over the metadata that updates cannot change.
fn carry_metadata(object: &mut Value, old: &Value) {
    let before = field(old, "metadata");
    let metadata = ensure(object, "metadata");
    for name in ["uid", "creationTimestamp", "generation"] {
        // A missing uid or time means unchanged, and validation rejects a wrong one. Clients never set the
        // generation.
        if name == "generation" || !has(metadata, name) {
            keep(metadata, before, name);
        }
    }
    for name in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        if has(before, name) && !has(metadata, name) {
            keep(metadata, before, name);
        }
    }
}

/// Resets a field to its old value.
pub(crate) fn keep(object: &mut Value, old: &Value, name: &str) {
    match old.get(name) {
        Some(value) => set(object, name, value.clone()),
        None => drop(take(object, name)),
    }
}

/// Returns the annotations of an object.
pub(crate) fn annotations(object: &Value) -> &Value {
    field(field(object, "metadata"), "annotations")
}

/// Returns the fields whose changes raise the generation: all but metadata, status and type.
fn content(object: &Value) -> Vec<(&Text, &Value)> {
    let map = object.as_object();
    map.into_iter()
        .flatten()
        .filter(|(key, _)| !matches!(key.as_str(), "metadata" | "status" | "kind" | "apiVersion"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn a_node_gets_no_configuration_in_its_status() {
        let node = find("", "v1", "Node").unwrap();
        let config = json!({"error": "x"});
        let old = json!({"metadata": {"name": "n"}, "status": {"phase": "Running"}});
        let with = json!({"metadata": {"name": "n"}, "status": {"config": config}});
        let (mut new, mut kept) = (with.clone(), with.clone());
        prepare_status(node, &mut new, &old);
        assert_eq!(new["status"], json!({}));
        prepare_status(node, &mut kept, &with);
        assert_eq!(kept["status"], with["status"]);
    }

    #[test]
    fn a_status_write_keeps_the_metadata_of_some_kinds() {
        for (group, kind) in [
            ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
            ("networking.k8s.io", "ServiceCIDR"),
            ("resource.k8s.io", "ResourceClaim"),
        ] {
            let old = json!({"metadata": {"name": "a", "labels": {"a": "b"}}});
            let mut new = json!({"metadata": {"name": "a", "finalizers": ["a.b/c"], "annotations": {"c": "d"}}});
            prepare_status(find(group, "v1", kind).unwrap(), &mut new, &old);
            let metadata = &new["metadata"];
            assert_eq!(metadata["labels"], json!({"a": "b"}), "{kind}");
            assert!(
                !has(metadata, "finalizers") && !has(metadata, "annotations"),
                "{kind}"
            );
        }
    }
}
