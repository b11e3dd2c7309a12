//! Tests SIGKILL at every file-system call of every command that writes, and of the recovery after it.
//!
//! A killed program leaves the state before or after its change, the next command needs no repair step, and no
//! temporary data remains.

use crate::support::edits::kept_aside;
use crate::support::state::{Snapshot, cut, leftovers, nodes};
use crate::support::user_actions::{UserAction, small, user_action, user_actions, write_by_hand};
use crate::support::{CommandOutput, World, can_run, count, key, note};

/// The exit code of a program that SIGKILL ended.
const KILLED: i32 = 137;

/// A user action on a small world, with the stored objects before and after it.
struct Sweep {
    world: World,
    gold: Snapshot,
    user_action: UserAction,
    before: String,
    after: String,
}

impl Sweep {
    fn new(user_action: UserAction) -> Self {
        let world = small();
        let gold = Snapshot::of(&world.state());
        let before = world.list();
        user_action.prepare(&world);
        let _ = user_action.run(&world, "").ok();
        let after = world.list();
        let changes = user_action.name != "compact";
        assert_eq!(before != after, changes, "{}", user_action.name);
        Self {
            world,
            gold,
            user_action,
            before,
            after,
        }
    }

    /// Repeats the action from the start, killed before call `n`.
    fn killed_at(&self, n: usize) -> CommandOutput {
        self.gold.restore();
        self.user_action.prepare(&self.world);
        self.user_action.run(&self.world, &format!("kill:any:{n}"))
    }

    /// Checks the state after a kill at any call.
    fn check(&self, ran: &CommandOutput, at: &str) {
        let place = format!("{}, killed at {at}: {ran:?}", self.user_action.name);
        assert!(ran.code == 0 || ran.code == KILLED, "{place}");
        let found = self.world.run(&["raw", "list"]);
        assert_eq!(found.code, 0, "{place}\n{found:?}");
        let done = found.out == self.after;
        assert!(done || found.out == self.before, "{place}\n{}", found.out);
        let must =
            self.user_action.is_acknowledged(ran) || self.user_action.is_by_hand() || ran.code == 0;
        assert!(done || !must, "{place}\n{}", found.out);
        let _ = self.world.put("next", at).ok();
        let left = leftovers(&self.world.state());
        assert!(left.is_empty(), "{place}\n{left:?}");
        let value = self.world.value("next");
        assert_eq!(value.as_deref(), Some(at), "{place}");
        self.world.fsck_without_remarks();
    }
}

#[test]
fn kill_at_any_file_operation_keeps_commits_atomic() {
    let mut kills = 0;
    for user_action in user_actions() {
        let sweep = Sweep::new(user_action);
        for n in (1..).step_by(count(2, 1)) {
            let ran = sweep.killed_at(n);
            sweep.check(&ran, &n.to_string());
            if ran.code == 0 {
                break;
            }
            kills += 1;
        }
    }
    note(&format!("{kills} kills"));
    assert!(
        kills > count(150, 300),
        "only {kills}: is the fault injection built in?"
    );
}

#[test]
fn a_kill_while_an_edit_is_rejected_keeps_the_edit() {
    let world = small();
    let gold = Snapshot::of(&world.state());
    let file = world.path("default/configmaps/a.yaml");
    let (mut kills, bad) = (0, "this: is\n: not YAML\n");
    for n in 1.. {
        gold.restore();
        write_by_hand(&world, &file, bad);
        let before = world
            .run_env(&[("CTL_FAULT", "")], &["raw", "log"], "")
            .ok();
        let ran = world.run_env(
            &[("CTL_FAULT", &format!("kill:any:{n}"))],
            &["raw", "list"],
            "",
        );
        assert!([0, KILLED].contains(&ran.code), "killed at {n}: {ran:?}");
        let _ = world.put("next", "1").ok();
        let _ = world.list();
        let kept = kept_aside(&world);
        let holds = |text: &[u8]| String::from_utf8_lossy(text).contains(bad);
        assert!(
            kept.iter().any(|(_, text)| holds(text)),
            "killed at {n}: {kept:?}"
        );
        assert_eq!(world.value("a").as_deref(), Some("old"), "killed at {n}");
        assert_eq!(world.path(".ctl/tmp").read_dir().unwrap().count(), 0);
        world.fsck_without_remarks();
        assert!(!before.contains("hand-edit"));
        if ran.code == 0 {
            break;
        }
        kills += 1;
    }
    note(&format!("{kills} kills of a rejection"));
    assert!(kills > 20, "only {kills}");
}

/// The way a cluster is opened after a kill: by the next writer, or by any reader after a reboot.
#[derive(Clone, Copy, Debug)]
enum Reopening {
    Writer,
    AfterReboot,
}

impl Reopening {
    fn env(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Writer => &[],
            Self::AfterReboot => &[("CTL_TEST_BOOT_ID", "another-boot")],
        }
    }

    fn run(self, world: &World, order: &str) -> CommandOutput {
        let env = [self.env(), &[("CTL_FAULT", order)]].concat();
        match self {
            Self::Writer => world.run_env(&env, &["raw", "delete", &key("nobody")], ""),
            Self::AfterReboot => world.run_env(&env, &["raw", "list"], ""),
        }
    }

    fn list(self, world: &World) -> String {
        world.run_env(self.env(), &["raw", "list"], "").ok()
    }
}

/// Kills the recovery of one image at every call, and then the recovery of the resulting state.
fn kill_recovery(world: &World, image: &Snapshot, how: Reopening, place: &str) -> usize {
    image.restore();
    // A writer publishes records that were written but not published. Until then, readers do not see them.
    let _ = how.run(world, "").ok();
    let expected = how.list(world);
    for n in (1..).step_by(count(5, 1)) {
        image.restore();
        let order = format!("kill:any:{n}");
        let first = how.run(world, &order);
        if first.code != KILLED {
            let _ = first.ok();
            return n;
        }
        let second = how.run(world, &order);
        assert!([0, KILLED].contains(&second.code), "{place}: {second:?}");
        let _ = how.run(world, "").ok();
        assert_eq!(how.list(world), expected, "{place}, recovery killed at {n}");
        // The cache of file states is valid for one boot, so each read after a reboot rebuilds it.
        let kept = || {
            let mut kept = nodes(&world.state());
            kept.remove(".ctl/seen");
            kept
        };
        let once = kept();
        assert_eq!(how.list(world), expected, "{place}, recovery killed at {n}");
        assert_eq!(kept(), once, "{place}: opening changed it");
        let _ = Reopening::Writer.run(world, "").ok();
        let left = leftovers(&world.state());
        assert!(left.is_empty(), "{place}: {left:?}");
    }
    unreachable!("a sweep has an end")
}

#[test]
fn a_recovery_killed_at_any_call_converges() {
    let images = [
        ("create", 70),
        ("batch of 20", 35),
        ("compact", 85),
        ("edit by hand", 90),
        ("create", 90),
        ("replace", 95),
        ("batch of 20", 70),
        ("delete", 80),
        ("compact", 70),
        ("compact", 95),
    ];
    let mut kills = 0;
    for (name, percent) in images.into_iter().take(count(4, images.len())) {
        let sweep = Sweep::new(user_action(name));
        let n = {
            sweep.gold.restore();
            sweep.user_action.calls(&sweep.world).len()
        } * percent
            / 100;
        assert_eq!(sweep.killed_at(n).code, KILLED);
        let image = Snapshot::of(&sweep.world.state());
        for how in [Reopening::Writer, Reopening::AfterReboot] {
            let place = format!("{name}, killed at {n}, {how:?}");
            kills += kill_recovery(&sweep.world, &image, how, &place);
        }
    }
    note(&format!("recovery killed at {kills} calls, each twice"));
}

#[test]
fn killed_recovery_restores_files_lost_in_a_power_cut() {
    let world = small();
    let expected = world.list();
    let files = ["a", "b", "j"].map(|name| world.path(&format!("default/configmaps/{name}.yaml")));
    std::fs::remove_file(&files[0]).unwrap();
    std::fs::remove_file(&files[1]).unwrap();
    cut(&files[2], 0);
    let image = Snapshot::of(&world.state());
    let how = Reopening::AfterReboot;
    for n in 1.. {
        image.restore();
        let ran = how.run(&world, &format!("kill:any:{n}"));
        assert_eq!(how.list(&world), expected, "killed at {n}");
        assert!(files.iter().all(|f| f.exists()), "killed at {n}");
        let nobody = ["raw", "delete", &key("nobody")];
        let _ = world.run_env(how.env(), &nobody, "").ok();
        let left = leftovers(&world.state());
        assert!(left.is_empty(), "killed at {n}: {left:?}");
        let checked = world.run_env(how.env(), &["fsck", "--history"], "").ok();
        assert_eq!(checked.lines().count(), 1, "killed at {n}: {checked}");
        if ran.code == 0 {
            return;
        }
    }
}

/// The system calls through which `ctl` accesses the disk, and those that release its lock.
const SYSTEM_CALLS: &[&str] = &[
    "pwrite64",
    "fdatasync",
    "renameat2",
    "openat2",
    "openat",
    "write",
    "fsync",
    "rename",
    "renameat",
    "unlinkat",
    "unlink",
    "ftruncate",
    "flock",
    "close",
    "mkdirat",
    "utimensat",
    "pread64",
    "statx",
    "newfstatat",
    "getdents64",
];

#[test]
fn kill_at_any_system_call_keeps_commits_atomic() {
    let names = [
        "create",
        "batch of 20",
        "merge",
        "delete",
        "compact",
        "edit by hand",
    ];
    let with_strace = can_run(&["strace", "-f", "-qq", "-o", "/dev/null", "true"]);
    if !with_strace {
        note("strace cannot be used here: the kills come from the fault injection");
    }
    let mut kills = 0;
    for name in names.into_iter().take(count(1, names.len())) {
        let sweep = Sweep::new(user_action(name));
        for call in SYSTEM_CALLS.iter().take(count(2, SYSTEM_CALLS.len())) {
            for n in 1.. {
                let ran = killed_at_system_call(&sweep, call, n, with_strace);
                sweep.check(&ran, &format!("{call} {n}"));
                if ran.code != KILLED {
                    break;
                }
                kills += 1;
            }
        }
    }
    note(&format!("{kills} kills"));
    assert!(kills > 1, "nothing was killed");
}

/// Runs the action with SIGKILL before the `n`th system call of a name: with strace, or else by fault injection, which
/// has shorter names for the calls of a file system.
fn killed_at_system_call(sweep: &Sweep, call: &str, n: usize, with_strace: bool) -> CommandOutput {
    sweep.gold.restore();
    sweep.user_action.prepare(&sweep.world);
    if !with_strace {
        let operation = call.trim_end_matches("64").trim_start_matches('p');
        let order = format!("kill:{operation}:{n}");
        return sweep
            .user_action
            .run_env(&sweep.world, &[("CTL_FAULT", &order)]);
    }
    let trace = format!("trace={call}");
    let inject = format!("inject={call}:signal=SIGKILL:when={n}");
    let strace = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        &trace,
        "-e",
        &inject,
    ];
    sweep.user_action.run_below(&sweep.world, &strace)
}
