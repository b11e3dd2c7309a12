//! Tests I/O errors and a full disk, once or permanently, at every file-system call.
//!
//! A command that fails prints one line, is not acknowledged and leaves the previous state. A command that can continue
//! without the call succeeds.

use std::collections::BTreeSet;

use crate::support::state::{Snapshot, leftovers};
use crate::support::user_actions::{UserAction, small, user_action, user_actions};
use crate::support::{CommandOutput, World, count, note};

/// A user action on a small world, with the stored objects before and after it.
struct Sweep {
    world: World,
    gold: Snapshot,
    user_action: UserAction,
    before: String,
    after: String,
    /// The calls that the action makes without a fault.
    calls: Vec<String>,
}

impl Sweep {
    fn new(user_action: UserAction) -> Self {
        let world = small();
        let gold = Snapshot::of(&world.state());
        let before = world.list();
        let calls = user_action.calls(&world);
        let after = world.list();
        Self {
            world,
            gold,
            user_action,
            before,
            after,
            calls,
        }
    }

    /// Repeats the action from the start with a fault, and checks the result.
    fn failing(&self, order: &str) -> CommandOutput {
        self.gold.restore();
        self.user_action.prepare(&self.world);
        let ran = self
            .user_action
            .run_env(&self.world, &[("CTL_FAULT", order)]);
        let place = format!("{}, {order}: {ran:?}", self.user_action.name);
        check_words(&ran, &place);
        let found = self.world.list();
        let (done, undone) = (found == self.after, found == self.before);
        assert!(done || undone, "{place}\n{found}");
        if self.user_action.is_by_hand() {
            assert!(done, "{place}\n{found}");
        } else if ran.code == 0 {
            assert!(done, "{place}\nacknowledged and lost");
        } else if !ran.err.contains("outcome unknown") {
            assert!(undone, "{place}\nnot applied and there");
        }
        // Neither the next writer nor the next boot brings any of it back.
        let _ = self.world.put("next", order).ok();
        let with_next = self.world.list();
        let left = leftovers(&self.world.state());
        assert!(left.is_empty(), "{place}: {left:?}");
        assert_eq!(
            with_next.contains("configmaps/other/only"),
            found.contains("configmaps/other/only")
        );
        assert_eq!(
            with_next.lines().count(),
            found.lines().count() + 1,
            "{place}"
        );
        self.world.fsck_without_remarks();
        ran
    }
}

/// Checks that a failure prints one line, after progress lines that begin with the program's name.
fn check_words(ran: &CommandOutput, place: &str) {
    assert!(ran.code <= 1, "{place}");
    assert!(!ran.err.contains("panicked"), "{place}");
    let (words, errors): (Vec<_>, Vec<_>) = ran.err.lines().partition(|l| l.starts_with("ctl: "));
    // An imported edit is reported in addition to the error of the tree. Unreadable files are reported one by one, and
    // each line announces a retry.
    let (again, words): (Vec<_>, Vec<_>) = words
        .into_iter()
        .partition(|line| line.ends_with("; retrying later"));
    let distinct: BTreeSet<&str> = again.iter().copied().collect();
    assert_eq!(distinct.len(), again.len(), "{place}");
    assert!(words.len() <= 3, "{place}");
    if ran.code == 0 {
        assert!(errors.is_empty(), "{place}");
    } else {
        assert!(
            errors.len() == 1 && errors[0].starts_with("error: "),
            "{place}"
        );
        assert_eq!(ran.out, "", "{place}");
    }
}

/// Fails each call of each action, in steps of `step`.
fn sweep_all(faults: &[&str], later: &str, step: usize) -> usize {
    let (mut runs, mut failed) = (0, 0);
    for (shift, user_action) in user_actions().into_iter().enumerate() {
        let sweep = Sweep::new(user_action);
        let operations: BTreeSet<&String> = sweep.calls.iter().collect();
        for operation in operations {
            let calls = sweep.calls.iter().filter(|c| c == &operation).count();
            for n in (1..=calls + 1).skip(shift % step).step_by(step) {
                for fault in faults {
                    let ran = sweep.failing(&format!("{fault}:{operation}:{n}{later}"));
                    runs += 1;
                    failed += usize::from(ran.code != 0);
                }
            }
        }
    }
    note(&format!("{runs} faults, {failed} commands failed"));
    // Most calls concern caches and the YAML tree, and their failure must not fail the command.
    assert!(failed * 4 > runs, "only {failed} of {runs} commands failed");
    runs
}

#[test]
fn transient_io_error_loses_no_acknowledged_write() {
    let runs = sweep_all(&["eio", "enospc"], "", count(5, 1));
    assert!(runs > count(120, 600), "only {runs}");
}

#[test]
fn permanent_io_error_loses_no_acknowledged_write() {
    let _ = sweep_all(&["eio", "enospc"], "+", count(5, 1));
}

#[test]
fn failed_sync_truncates_the_journal_before_the_next_sync() {
    for name in ["create", "batch of 20", "delete"] {
        let sweep = Sweep::new(user_action(name));
        let syncs = sweep.calls.iter().filter(|c| *c == "fdatasync").count();
        assert_eq!(syncs, 1, "{name}");
        sweep.gold.restore();
        let (ran, calls) = sweep
            .user_action
            .run_logged(&sweep.world, "eio:fdatasync:1");
        assert!(ran.clone().fails().contains("not applied"), "{ran:?}");
        let at = calls.iter().position(|c| c == "fdatasync").unwrap();
        assert_eq!(calls[at + 1..], ["truncate", "fdatasync"], "{name}");
    }
}

#[test]
fn failed_rollback_reports_an_unknown_outcome() {
    let sweep = Sweep::new(user_action("create"));
    for order in ["eio:fdatasync:1+", "enospc:fdatasync:1+"] {
        let ran = sweep.failing(order);
        assert!(ran.err.contains("outcome unknown"), "{ran:?}");
    }
}

#[test]
fn full_disk_after_power_cut_does_not_block_reads() {
    let world = small();
    let expected = world.list();
    for name in ["a", "j"] {
        std::fs::remove_file(world.path(&format!("default/configmaps/{name}.yaml"))).unwrap();
    }
    let image = Snapshot::of(&world.state());
    // Overwriting in place needs no space, which covers the first two writes: the holder and the head.
    for order in [
        "enospc:create:1+",
        "enospc:create:2+",
        "enospc:write:3+",
        "enospc:rename:1+",
    ] {
        image.restore();
        let full = [("CTL_TEST_BOOT_ID", "another-boot"), ("CTL_FAULT", order)];
        for _ in 0..2 {
            let ran = world.run_env(&full, &["raw", "list"], "");
            assert_eq!((ran.code, &ran.out), (0, &expected), "{order}: {ran:?}");
        }
        let ran = world.run_env(&full[..1], &["raw", "list"], "");
        assert_eq!((ran.code, &ran.out), (0, &expected), "{order}: {ran:?}");
        let checked = world.run_env(&full[..1], &["fsck", "--history"], "").ok();
        assert_eq!(checked.lines().count(), 1, "{order}: {checked}");
    }
}

#[test]
fn failed_cluster_copy_can_be_repeated() {
    let world = small();
    let log = world.outside("calls");
    let copy = world.outside("copy");
    let from = world.state();
    let (from, to) = (from.to_str().unwrap(), copy.to_str().unwrap());
    let run = |env: &[(&str, &str)]| world.run_env(env, &["cluster", "copy", from, to], "");
    let _ = run(&[("CTL_FAULT_COUNT", log.to_str().unwrap())]).ok();
    let calls = std::fs::read_to_string(&log).unwrap();
    let syncs = calls.lines().filter(|call| *call == "fdatasync").count();
    std::fs::remove_dir_all(&copy).unwrap();
    let (before, mut failed) = (world.list(), 0);
    for n in (1..=syncs).step_by(count(syncs.div_ceil(8), 1)) {
        let order = format!("enospc:fdatasync:{n}");
        let ran = run(&[("CTL_FAULT", &order)]);
        if ran.code != 0 {
            failed += 1;
            assert!(ran.err.starts_with("error: "), "{order}: {ran:?}");
            // The next command completes the partial copy.
            let _ = run(&[]).ok();
        }
        assert_eq!(world.list(), before, "{order}");
        let copied = world.run(&["raw", "list", "--state", to]).ok();
        let names = |list: &str| -> Vec<String> {
            list.lines()
                .filter_map(|l| Some(l.split_once('\t')?.0.to_owned()))
                .collect()
        };
        assert_eq!(names(&copied), names(&before), "{order}");
        std::fs::remove_dir_all(&copy).unwrap();
    }
    note(&format!("{failed} of {syncs} syncs failed a copy"));
    assert!(failed > 2, "{failed} of {syncs}");
}
