//! The rules of a commit that are the same in every store: limits, preconditions, fencing, its time and its epoch.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::error::StoreError;
use super::interface::{Batch, Expect, Result};
use super::key::Key;
use super::revision::Revision;
use super::settings::ClockMode;

/// The largest object.
pub const MAX_OBJECT: usize = 3 << 19;
/// The largest batch, in bytes.
pub const MAX_BATCH: usize = 16 << 20;
/// The largest batch, in objects.
pub const MAX_BATCH_OBJECTS: usize = 5000;

/// Refuses a batch that is too large.
pub(crate) fn check_limits(batch: &Batch) -> Result<()> {
    let too_large = |what: String, size: usize, unit, limit: usize| {
        Err(StoreError::TooLarge {
            what,
            size: size as u64,
            unit,
            limit: limit as u64,
        })
    };
    if batch.ops.len() > MAX_BATCH_OBJECTS {
        return too_large(
            "the batch".to_owned(),
            batch.ops.len(),
            "objects",
            MAX_BATCH_OBJECTS,
        );
    }
    // Counted without the metadata of the record, which is small compared with its objects.
    let mut total = 0;
    for op in &batch.ops {
        let size = op.json.as_ref().map_or(0, |json| json.len());
        if size > MAX_OBJECT {
            return too_large(op.key.to_string(), size, "bytes", MAX_OBJECT);
        }
        total += size;
    }
    if total > MAX_BATCH {
        return too_large("the batch".to_owned(), total, "bytes", MAX_BATCH);
    }
    Ok(())
}

/// Rejects the batch of a fenced leader, and one whose preconditions fail. `find` returns the revision of an object's
/// last change.
pub(crate) fn check(
    batch: &Batch,
    epoch: u64,
    find: &dyn Fn(&Key) -> Option<Revision>,
) -> Result<()> {
    // Fencing: a leader that was stalled and wakes up late still has its old epoch, whatever its own clock indicates
    // about the lease.
    if let Some(writer) = batch.epoch
        && writer != epoch
    {
        return Err(StoreError::Fenced {
            writer,
            current: epoch,
        });
    }
    // The operations of a batch are applied in order; two of one key would give one of them a revision that was never
    // the object's state.
    let mut seen = BTreeSet::new();
    if let Some(twice) = batch.ops.iter().find(|op| !seen.insert(&op.key)) {
        let text = format!("{} is changed twice in one batch", twice.key);
        return Err(StoreError::Refused(text));
    }
    let ops = batch.ops.iter().map(|op| (&op.key, op.expect));
    for (key, expect) in ops.chain(batch.checks.iter().map(|(key, expect)| (key, *expect))) {
        if expect == Expect::Any {
            continue;
        }
        // The revision of the last change is the object's `resourceVersion`: optimistic
        // concurrency as in the API server.
        match (expect, find(key)) {
            (Expect::Absent, Some(_)) => return Err(StoreError::AlreadyExists(key.clone())),
            (Expect::Present, None) => return Err(StoreError::NotFound(key.clone())),
            (Expect::At(expected), found) if found != Some(expected) => {
                return Err(StoreError::Conflict {
                    key: key.clone(),
                    expected,
                    found,
                });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the time of a batch that is committed now, and true if it moves the clock.
pub(crate) fn time_of(batch: &Batch, clock: ClockMode, now: Timestamp) -> (Timestamp, bool) {
    if let Some(made) = batch.made {
        return match clock {
            // Time never goes back, also when history is copied into a cluster that is ahead.
            ClockMode::Virtual => (made.max(now), made > now),
            ClockMode::System => (made, false),
        };
    }
    // A virtual clock stands still between commits; only `at` moves it, and never back.
    match batch.at.filter(|_| clock == ClockMode::Virtual) {
        Some(at) => (at.max(now), at > now),
        None => (now, false),
    }
}

/// Returns the epoch after a batch.
pub(crate) fn epoch_of(batch: &Batch, epoch: u64, revision: Revision) -> u64 {
    // Above every epoch so far, and above the revision, which the files of a directory still show
    // if the journal and its epochs are lost.
    if batch.lead {
        epoch.max(revision) + 1
    } else {
        epoch
    }
}
