//! Managed fields: keeps track of field ownership on every write.
//!
//! Managed fields are part of the stored object and of its history; the YAML tree shows the object
//! without them, and a hand edit keeps them.

use std::collections::BTreeSet;

use crate::api::json::{Map, Value};
use crate::api::patch::apply;
use crate::api::patch::apply::{ApplyError, Conflicts, Writer, capture};
use crate::api::patch::shape::Untyped;
use crate::api::status::{Cause, CauseReason, Details, Status};
use crate::kinds::convert::convert;
use crate::kinds::schema::patch_shape;
use crate::kinds::strategy::reset_fields;
use crate::kinds::tree::{field, list, text};
use crate::kinds::{Kind, find_by_api_version, schema};
use crate::request::response::ApiError;

/// The field manager of a hand edit.
pub(crate) const HAND_EDIT: &str = "hand-edit";

/// The manager, the subresource, and the time of a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldWriter<'a> {
    pub(crate) manager: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) time: &'a str,
}

impl FieldWriter<'_> {
    fn writing<T>(&self, kind: &Kind, then: impl FnOnce(&Writer<'_>) -> T) -> T {
        let nothing = Value::Object(Map::new());
        let known = schema::of_kind(kind.group, kind.version, kind.kind);
        then(&Writer {
            manager: self.manager,
            api_version: &kind.api_version(),
            subresource: self.subresource,
            time: self.time,
            reset: reset_fields(kind, self.subresource),
            empty: known.map_or(&nothing, |schema| schema.empty()),
        })
    }
}

/// Records the owners of fields after a change from `old` to `new`, or after a creation.
pub(crate) fn note(kind: &Kind, old: Option<&Value>, new: &mut Value, by: FieldWriter<'_>) {
    by.writing(kind, |writer| {
        let old = old.unwrap_or(writer.empty);
        match patch_shape(kind) {
            Some(shape) => capture(old, new, &shape, writer),
            // A kind without a schema: every list is atomic, as for the deduced types of structured-merge-diff.
            None => capture(old, new, &Untyped, writer),
        }
    });
    if let Some(old) = old {
        release(kind, old, new);
    }
}

/// Takes changed fields from managers that wrote the object at another version, such as a HorizontalPodAutoscaler at
/// `autoscaling/v1`, whose target is one of the metrics at `autoscaling/v2`.
fn release(kind: &Kind, old: &Value, new: &mut Value) {
    let own = kind.api_version();
    let entries = list(field(new, "metadata"), "managedFields").iter();
    let versions = entries.map(|entry| text(entry, "apiVersion"));
    let others: BTreeSet<String> = versions
        .filter(|version| *version != own)
        .map(str::to_owned)
        .collect();
    for version in others {
        // The versions of a custom resource have the same fields, and a version may no longer be served.
        let Some(other) = find_by_api_version(&version, kind.kind) else {
            continue;
        };
        let Some(shape) = patch_shape(other) else {
            continue;
        };
        let at_other = |object: &Value| {
            let mut object = object.clone();
            convert(&mut object, other);
            object
        };
        let (before, after) = (at_other(old), at_other(new));
        apply::release(new, &before, &after, &shape);
    }
}

/// Notes a change of the status that the API server makes itself, as part of another write.
pub(crate) fn note_own(kind: &Kind, old: &Value, new: &mut Value, time: &str) {
    let by = FieldWriter {
        manager: "kube-apiserver",
        subresource: "status",
        time,
    };
    note(kind, Some(old), new, by);
}

/// Applies a configuration to an object, or creates one.
pub(crate) fn applied(
    kind: &Kind,
    live: Option<&Value>,
    config: &Value,
    by: FieldWriter<'_>,
    force: bool,
) -> Result<Value, ApiError> {
    let merged = by.writing(kind, |writer| {
        let live = live.unwrap_or(writer.empty);
        match patch_shape(kind) {
            Some(shape) => apply::apply(live, config, &shape, writer, force),
            None => apply::apply(live, config, &Untyped, writer, force),
        }
    });
    let mut merged = merged.map_err(refused)?;
    if let Some(live) = live.filter(|_| force) {
        release(kind, live, &mut merged);
    }
    Ok(merged)
}

fn refused(error: ApplyError) -> Status {
    match error {
        ApplyError::Conflicts(conflicts) => conflict(&conflicts),
        // kube-apiserver returns the error of its typed converter as a plain error, which becomes a 500.
        ApplyError::Mistyped { .. } => Status::internal(error.to_string()),
        ApplyError::ManagedFieldsGiven | ApplyError::WrongVersion { .. } | ApplyError::NoType => {
            Status::bad_request(error.to_string())
        }
    }
}

fn conflict(conflicts: &Conflicts) -> Status {
    let cause = |conflict: &apply::Conflict| Cause {
        reason: CauseReason::FieldManagerConflict,
        field: conflict.field.clone(),
        message: conflict.message(),
    };
    let details = Details {
        // One cause for each field, for clients that handle conflicts individually.
        causes: conflicts.list.iter().map(cause).collect(),
        ..Details::default()
    };
    Status {
        code: 409,
        reason: "Conflict",
        message: conflicts.to_string(),
        details: Some(Box::new(details)),
        warnings: Vec::new(),
    }
}

/// Restores the times of managed fields if nothing else changed: such a write changes nothing.
pub(crate) fn keep_times(new: &mut Value, old: &Value) {
    let (Some(after), Some(before)) = (new.as_object(), old.as_object()) else {
        return;
    };
    let same = after.len() == before.len()
        && after.iter().all(|(name, value)| {
            before.get(name).is_some_and(|other| match name.as_str() {
                "metadata" => same_metadata(value, other),
                _ => value == other,
            })
        });
    let managed = old.get("metadata").and_then(|m| m.get("managedFields"));
    if let (true, Some(managed)) = (same, managed) {
        new["metadata"]["managedFields"] = managed.clone();
    }
}

fn same_metadata(new: &Value, old: &Value) -> bool {
    let (Some(new), Some(old)) = (new.as_object(), old.as_object()) else {
        return new == old;
    };
    // One of the two may be from the store, where the version is not part of the object.
    let counts = |name: &str| name != "resourceVersion";
    let names = |map: &Map| map.keys().filter(|n| counts(n)).count();
    names(new) == names(old)
        && new
            .iter()
            .filter(|(name, _)| counts(name))
            .all(|(name, value)| {
                old.get(name).is_some_and(|other| match name.as_str() {
                    "managedFields" => same_owners(value, other),
                    _ => value == other,
                })
            })
}

fn same_owners(new: &Value, old: &Value) -> bool {
    let (Some(new), Some(old)) = (new.as_array(), old.as_array()) else {
        return new == old;
    };
    let same = |(new, old): (&Value, &Value)| {
        let (Some(new), Some(old)) = (new.as_object(), old.as_object()) else {
            return new == old;
        };
        new.len() == old.len()
            && new
                .iter()
                // kube-apiserver ignores these times as well; otherwise a controller that applies in a loop would write
                // every time.
                .all(|(name, value)| name == "time" || old.get(name) == Some(value))
    };
    new.len() == old.len() && new.iter().zip(old).all(same)
}

mod rebuild;

pub(crate) use rebuild::rebuild_owners;

#[cfg(test)]
mod tests;
