//! T02: planted bugs must be caught; otherwise the crash tests prove nothing.

use super::explore::{Effort, ImageCounts, explore};
use super::rot::rot;
use super::{Workload, count};
use crate::mutant::{Mutant, plant};

/// Bugs that the tests must catch.
const CAUGHT: &[Mutant] = &[
    Mutant::NoSync,
    Mutant::NoDirSync,
    Mutant::NoSyncBeforeRename,
    Mutant::HeadFirst,
    Mutant::TrustHeadAcrossBoot,
    Mutant::NoChecksum,
    Mutant::SplitBatch,
    Mutant::NoResyncOfTail,
    Mutant::NoRewriteOfTail,
    Mutant::RewriteFromZero,
    Mutant::ReuseTemporaryName,
    Mutant::UnlinkOldFirst,
    Mutant::NoUndoNoRewrite,
    Mutant::SyncFirstOnly,
    Mutant::UndoLastOnly,
    Mutant::NoWaitForTheLeft,
    Mutant::PublishOnLeave,
    Mutant::NoRewriteOfInherited,
    Mutant::UndoInherited,
];

/// Bugs that another part of the protocol makes harmless: the rewrite of a tail covers a missing
/// undo, and the chained checksum covers a missing truncation.
const COVERED: &[Mutant] = &[Mutant::NoUndo, Mutant::NoTruncate];

/// Runs everything that could notice a bug; the first violation ends it.
fn hunt(with_groups: bool) -> Result<(), String> {
    let workload = Workload::new(6, 2, 5);
    let mut counts = ImageCounts::default();
    let deep = Effort {
        power: 150,
        chain: 60,
        nested_every: 3,
        nested: 40,
    };
    explore(&workload, None, deep, &mut counts)?;
    let groups = workload.clone().in_groups_of(3);
    let processes = Workload::new(12, 1, 6).in_processes(3);
    if with_groups {
        explore(&groups, None, deep, &mut counts)?;
        explore(&processes, None, deep, &mut counts)?;
    }
    let wide = Effort {
        nested_every: 1000,
        power: count(150, 600),
        chain: count(60, 200),
        ..deep
    };
    for failing in 1..=10 {
        explore(&workload, Some(failing), wide, &mut counts)?;
        // Three commits share a sync, so fewer syncs can fail.
        if with_groups && failing <= 3 {
            explore(&groups, Some(failing), wide, &mut counts)?;
        }
        if with_groups {
            explore(&processes, Some(failing), wide, &mut counts)?;
        }
    }
    rot(count(1024, 4096), 1).map(drop)
}

/// Runs `hunt` with a bug in the protocol.
fn with(mutant: Option<Mutant>) -> Result<(), String> {
    plant(mutant);
    // Without the undo a retried group returns to its first commit for a moment. Single commits are repeated unchanged.
    let found = hunt(mutant != Some(Mutant::NoUndo));
    plant(None);
    found
}

#[test]
fn t02_every_planted_bug_is_caught() {
    let mut survivors = Vec::new();
    for mutant in CAUGHT {
        match with(Some(*mutant)) {
            Err(violation) => {
                eprintln!(
                    "T02: {mutant:?} caught: {}",
                    violation.chars().take(100).collect::<String>()
                );
            }
            Ok(()) => survivors.push(mutant),
        }
    }
    assert!(survivors.is_empty(), "not caught: {survivors:?}");
}

#[test]
fn t02_unmodified_protocol_and_harmless_bugs_pass() {
    with(None).unwrap();
    for mutant in COVERED {
        with(Some(*mutant))
            .map_err(|e| format!("{mutant:?}: {e}"))
            .unwrap();
    }
}
