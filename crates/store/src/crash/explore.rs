//! T01: every place to die at, and every state that a power cut may leave.

use std::collections::BTreeSet;

use super::{Workload, check, count, open, run, state};
use crate::sys::sim_fs::{Dice, Disk, SimFs};

/// The number of images of each kind that were checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImageCounts {
    pub(super) kills: usize,
    pub(super) power: usize,
    pub(super) chains: usize,
    pub(super) nested: usize,
}

/// The extent of an exploration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Power images at each call.
    pub(super) power: usize,
    /// Power images after a killed process and the next one.
    pub(super) chain: usize,
    /// One in this many power images is also crashed during its recovery.
    pub(super) nested_every: usize,
    /// Power images at each call of such a recovery.
    pub(super) nested: usize,
}

/// Explores one run; stops at the first violation.
pub(super) fn explore(
    workload: &Workload,
    failing_sync: Option<u64>,
    effort: Effort,
    counts: &mut ImageCounts,
) -> Result<(), String> {
    let mut dice = Dice(0x9e37_79b9 + failing_sync.unwrap_or(0));
    let mut seen = BTreeSet::new();
    let points = run(workload, failing_sync).map_err(|e| format!("the workload stopped: {e}"))?;
    for (at, (disk, acknowledged)) in points.iter().enumerate() {
        let in_flight = (acknowledged + workload.together).min(workload.steps.len());
        let models = &workload.models[*acknowledged..=in_flight];
        let place = |what: &str, e: String| format!("call {at}, {what}: {e}");
        counts.kills += 1;
        check(disk, models).map_err(|e| place("killed", e))?;
        chain(disk, effort, &mut dice, counts).map_err(|e| place("killed, reopened, cut", e))?;
        for image in disk.power_images(effort.power, &mut dice) {
            if !seen.insert((*acknowledged, image.fingerprint())) {
                continue;
            }
            counts.power += 1;
            check(&image, models).map_err(|e| place("power cut", e))?;
            if dice.roll(effort.nested_every) == 0 {
                let recovery = record_recovery(&image);
                for step in recovery {
                    for nested in step.power_images(effort.nested, &mut dice) {
                        counts.nested += 1;
                        check(&nested, models).map_err(|e| place("cut in recovery", e))?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Kills the run and reopens it in the next process: the state that it returns must survive a power cut.
fn chain(
    disk: &Disk,
    effort: Effort,
    dice: &mut Dice,
    counts: &mut ImageCounts,
) -> Result<(), String> {
    let fs = SimFs::on(disk.clone());
    let journal = open(&fs).map_err(|e| format!("refused: {e}"))?;
    let promised = state(&journal).map_err(|e| format!("refused: {e}"))?;
    for image in fs.disk().power_images(effort.chain, dice) {
        counts.chains += 1;
        check(&image, std::slice::from_ref(&promised))?;
    }
    Ok(())
}

/// Returns the disk before each call of a recovery.
fn record_recovery(image: &Disk) -> Vec<Disk> {
    let fs = SimFs::on(image.clone());
    fs.record();
    let _ = open(&fs);
    let mut disks = fs.take_recording();
    disks.push(fs.disk());
    disks
}

#[test]
fn t01_no_crash_loses_an_acknowledged_commit() {
    let effort = Effort {
        power: count(60, 1600),
        chain: count(12, 480),
        nested_every: count(50, 120),
        nested: 12,
    };
    let mut counts = ImageCounts::default();
    for seed in 7..7 + u64::try_from(count(1, 2)).unwrap() {
        let workload = Workload::new(count(40, 200), 3, seed);
        explore(&workload, None, effort, &mut counts).unwrap();
    }
    for (together, seed) in [(2, 21), (5, 22)] {
        let workload = Workload::new(count(20, 100), 2, seed).in_groups_of(together);
        explore(&workload.by_age(), None, effort, &mut counts).unwrap();
    }
    for seed in 31..31 + u64::try_from(count(2, 4)).unwrap() {
        let workload = Workload::new(count(20, 100), 2, seed).in_processes(3);
        explore(&workload, None, effort, &mut counts).unwrap();
    }
    let syncs = u64::try_from(count(8, 40)).unwrap();
    let small = Workload::new(8, 2, 11);
    for failing in 1..=syncs {
        let effort = Effort {
            power: count(20, 60),
            chain: count(6, 20),
            ..effort
        };
        let groups = [small.clone().in_groups_of(3), small.clone().in_processes(3)];
        for workload in groups.into_iter().chain([small.clone()]) {
            explore(&workload, Some(failing), effort, &mut counts)
                .map_err(|e| format!("sync {failing} failed; {e}"))
                .unwrap();
        }
    }
    eprintln!(
        "T01: {} kills, {} power images, {} kill-reopen-power chains, {} crashes in recovery: \
         0 lost, 0 partial, 0 refused",
        counts.kills, counts.power, counts.chains, counts.nested
    );
    assert!(counts.power >= count(5_000, 300_000), "{counts:?}");
    assert!(counts.chains >= count(2_000, 100_000), "{counts:?}");
    assert!(counts.nested >= count(200, 25_000), "{counts:?}");
}
