//! The state machine of a deletion: the object is removed, or marked and kept.
//!
//! An object waits for its finalizers; a Pod that runs waits for its grace period; a namespace waits
//! for the finalizers of its spec. What is done meanwhile is not the API's.

use jiff::{SignedDuration, Timestamp};

pub use super::deletion_step::{Propagation, Request, Step};
use crate::api::json::{Value, json};
use crate::hooks::Dependents;
use crate::kind::Kind;
use crate::tree::{ensure, field, has, int, len, set, set_or_remove, text, texts};

/// The finalizer of an object whose dependents go first.
pub const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of an object whose dependents lose their owner first.
pub const ORPHAN: &str = "orphan";

/// Decides what becomes of an object.
pub fn delete(kind: &Kind, old: &Value, request: &Request) -> Step {
    if let Some(delete) = kind.hooks.delete {
        return delete(old, request);
    }
    let mut object = old.clone();
    let graceful = match kind.hooks.grace {
        Some(grace) => match grace(&mut object, request) {
            Some(seconds) => Some(seconds),
            None => return Step::Unchanged,
        },
        None => None,
    };
    let finalizers = finalizers(kind, old, request.propagation);
    let waits = !finalizers.is_empty();
    set_finalizers(&mut object, finalizers);
    if waits && graceful.is_none() {
        mark(&mut object, request.now);
    }
    if waits || graceful.is_some_and(|grace| grace > 0) {
        return if object == *old {
            Step::Unchanged
        } else {
            Step::Marked(object)
        };
    }
    Step::Gone(object)
}

/// Returns true if an update of a marked object ends it: nothing is left that it waits for.
pub fn ends(kind: &Kind, new: &Value, old: &Value) -> bool {
    let (metadata, before) = (field(new, "metadata"), field(old, "metadata"));
    len(metadata, "finalizers") == 0
        && has(before, "deletionTimestamp")
        && int(before, "deletionGracePeriodSeconds") == 0
        && !kind.hooks.waits.is_some_and(|waits| waits(new))
}

/// Marks an object that has no grace.
fn mark(object: &mut Value, now: Timestamp) {
    let metadata = ensure(object, "metadata");
    let marked = text(metadata, "deletionTimestamp")
        .parse::<Timestamp>()
        .ok();
    if marked.is_none() {
        count(metadata);
    }
    if marked.is_none_or(|at| at > now) {
        set(metadata, "deletionTimestamp", shown(now));
    }
    set(metadata, "deletionGracePeriodSeconds", 0);
}

/// Counts the mark as a change, if changes are counted.
pub(crate) fn count(metadata: &mut Value) {
    let generation = int(metadata, "generation");
    if generation > 0 {
        set(metadata, "generation", generation + 1);
    }
}

/// The finalizers that the deletion leaves: those for what the object owns come and go with it.
fn finalizers(kind: &Kind, old: &Value, propagation: Option<Propagation>) -> Vec<String> {
    let listed = || texts(field(old, "metadata"), "finalizers");
    let own = listed().find_map(|name| match name {
        ORPHAN => Some(Propagation::Orphan),
        FOREGROUND => Some(Propagation::Foreground),
        _ => None,
    });
    let how = match kind.hooks.dependents {
        Dependents::Ignored => Propagation::Background,
        Dependents::Orphaned => propagation.or(own).unwrap_or(Propagation::Orphan),
        Dependents::Collected => propagation.or(own).unwrap_or_default(),
    };
    let wanted = match how {
        Propagation::Background => None,
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Orphan => Some(ORPHAN),
    };
    let present: Vec<&str> = listed()
        .filter(|name| matches!(*name, FOREGROUND | ORPHAN))
        .collect();
    if present.iter().copied().eq(wanted) {
        return listed().map(str::to_owned).collect();
    }
    let mut kept = without_collection(old);
    kept.extend(wanted.map(str::to_owned));
    kept
}

/// The finalizers of an object without those that treat its dependents.
pub(crate) fn without_collection(old: &Value) -> Vec<String> {
    let listed = texts(field(old, "metadata"), "finalizers");
    listed
        .filter(|name| !matches!(*name, FOREGROUND | ORPHAN))
        .map(str::to_owned)
        .collect()
}

/// Sets the finalizers of an object, or takes the list away.
pub(crate) fn set_finalizers(object: &mut Value, finalizers: Vec<String>) {
    let some = (!finalizers.is_empty()).then(|| json!(finalizers));
    set_or_remove(ensure(object, "metadata"), "finalizers", some);
}

/// A time some seconds later.
pub(crate) fn later(time: Timestamp, seconds: i64) -> Timestamp {
    time.checked_add(SignedDuration::from_secs(seconds))
        .unwrap_or(time)
}

/// A time as objects carry it.
pub(crate) fn shown(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests;
