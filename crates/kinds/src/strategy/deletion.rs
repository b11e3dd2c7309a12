//! The state machine of a deletion: an object is either removed at once or marked as terminating.
//!
//! A terminating object waits for its finalizers, a running Pod also for its grace period, and a namespace also for
//! the finalizers in its spec. Controllers and the kubelet do the work in the meantime.

use jiff::{SignedDuration, Timestamp};

pub use super::deletion_step::{Propagation, Request, Step};
use crate::api::json::{Value, json};
use crate::hooks::Dependents;
use crate::kind::Kind;
use crate::tree::{ensure, field, has, int, len, set, set_or_remove, text, texts};

/// The finalizer that keeps an object until its dependents are deleted.
pub const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer that keeps an object until its dependents are orphaned.
pub const ORPHAN: &str = "orphan";

/// Returns the next step of an object's deletion.
pub fn delete(kind: &Kind, old: &Value, request: &Request) -> Step {
    if let Some(delete) = kind.hooks.delete {
        return delete(old, request);
    }
    let mut object = old.clone();
    let graceful = match kind.hooks.grace {
        Some(grace) => match grace(&mut object, request) {
            Some(seconds) => Some(seconds),
            // A repeated deletion cannot extend the grace period of the first one.
            None => return Step::Unchanged,
        },
        None => None,
    };
    let finalizers = finalizers(kind, old, request.propagation);
    let waits = !finalizers.is_empty();
    set_finalizers(&mut object, finalizers);
    // With a grace period, the hook has already marked the object with a time in the future.
    if waits && graceful.is_none() {
        mark(&mut object, request.now);
    }
    if waits || graceful.is_some_and(|grace| grace > 0) {
        // A second deletion that changes nothing is not written, so it creates no revision.
        return if object == *old {
            Step::Unchanged
        } else {
            Step::Marked(object)
        };
    }
    Step::Gone(object)
}

/// Returns true if an update removes a terminating object because it no longer waits for anything.
pub fn ends(kind: &Kind, new: &Value, old: &Value) -> bool {
    let (metadata, before) = (field(new, "metadata"), field(old, "metadata"));
    len(metadata, "finalizers") == 0
        && has(before, "deletionTimestamp")
        // During its grace period, the object waits for the kubelet, even without finalizers.
        && int(before, "deletionGracePeriodSeconds") == 0
        && !kind.hooks.waits.is_some_and(|waits| waits(new))
}

/// Marks an object as terminating, without a grace period.
fn mark(object: &mut Value, now: Timestamp) {
    let metadata = ensure(object, "metadata");
    let marked = text(metadata, "deletionTimestamp")
        .parse::<Timestamp>()
        .ok();
    if marked.is_none() {
        count(metadata);
    }
    // A forced deletion may shorten the grace period; nothing extends it.
    if marked.is_none_or(|at| at > now) {
        set(metadata, "deletionTimestamp", shown(now));
    }
    set(metadata, "deletionGracePeriodSeconds", 0);
}

/// Raises the generation when an object is marked, if its kind has one.
pub(crate) fn count(metadata: &mut Value) {
    let generation = int(metadata, "generation");
    if generation > 0 {
        set(metadata, "generation", generation + 1);
    }
}

/// Returns the finalizers of an object in deletion. Those for dependents follow the requested propagation policy.
fn finalizers(kind: &Kind, old: &Value, propagation: Option<Propagation>) -> Vec<String> {
    let listed = || texts(field(old, "metadata"), "finalizers");
    // Without an explicit policy, the finalizers of an earlier request still apply.
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
    // Keep the order of the list if its items do not change, because reordering would be a change.
    if present.iter().copied().eq(wanted) {
        return listed().map(str::to_owned).collect();
    }
    let mut kept = without_collection(old);
    kept.extend(wanted.map(str::to_owned));
    kept
}

/// Returns the finalizers of an object except `orphan` and `foregroundDeletion`.
pub(crate) fn without_collection(old: &Value) -> Vec<String> {
    let listed = texts(field(old, "metadata"), "finalizers");
    listed
        .filter(|name| !matches!(*name, FOREGROUND | ORPHAN))
        .map(str::to_owned)
        .collect()
}

/// Sets the finalizers of an object, or removes the empty list.
pub(crate) fn set_finalizers(object: &mut Value, finalizers: Vec<String>) {
    let some = (!finalizers.is_empty()).then(|| json!(finalizers));
    set_or_remove(ensure(object, "metadata"), "finalizers", some);
}

/// Returns the time that is `seconds` later, or the same time on overflow.
pub(crate) fn later(time: Timestamp, seconds: i64) -> Timestamp {
    time.checked_add(SignedDuration::from_secs(seconds))
        .unwrap_or(time)
}

/// Formats a time as objects store it.
pub(crate) fn shown(time: Timestamp) -> String {
    crate::moment::text(time)
}

#[cfg(test)]
mod tests;
