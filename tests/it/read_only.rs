//! Tests directories that cannot be written, for every possible reason: reads work if data exists, writes fail at once
//! with the cause, and no file changes.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use crate::support::mount::{Mount, is_root};
use crate::support::state::nodes;
use crate::support::user_actions::small;
use crate::support::{CommandOutput, World, can_run, config_map, count, finish, key, note, quiet};

/// A user that owns no files here.
const NOBODY: u32 = 65_534;

/// A function that runs the program, by itself or as another user.
type Runner<'a> = &'a dyn Fn(&[&str], &str) -> CommandOutput;

const READS: &[&[&str]] = &[
    &["raw", "list"],
    &["raw", "get", "configmaps/default/a"],
    &["raw", "log"],
    &["raw", "list", "--at", "12"],
    &["raw", "revision"],
    &["fsck", "--history"],
];

/// Returns the time in which a write fails. A quick run shares the machine; a wait for the lock would take 30 s.
fn at_once() -> Duration {
    Duration::from_millis(count(15_000, 200) as u64)
}

/// Checks that reads return the content of `world`, that writes fail with `cause`, and that nothing changes.
fn must_be_read_only(world: &World, run: Runner<'_>, expected: &str, cause: &str) {
    let was = nodes(&world.state());
    for args in READS {
        let ran = run(args, "");
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        if args.len() == 2 && args[1] == "list" {
            assert_eq!(ran.out, expected);
        }
    }
    let (a, put) = (key("a"), config_map("written"));
    let writes: [(&[&str], &str); 7] = [
        (&["raw", "put", &a], &put),
        (&["raw", "put", &key("new")], &put),
        (&["raw", "delete", &a], ""),
        (&["raw", "merge", &a, r#"{"data":{"v":"2"}}"#], ""),
        (&["raw", "lead"], ""),
        (&["raw", "compact"], ""),
        (&["cluster", "reset"], ""),
    ];
    for (args, input) in writes {
        let watch = Stopwatch::start();
        let ran = run(args, input);
        assert!(
            watch.elapsed() < at_once(),
            "{args:?}: {:?}",
            watch.elapsed()
        );
        let said = ran.fails();
        assert!(said.contains(cause), "{args:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{args:?}: {said}");
    }
    assert_eq!(nodes(&world.state()), was);
}

#[test]
fn a_read_only_mount_is_read_and_not_written() {
    quiet::alone();
    let world = World::new();
    let Some(disk) = Mount::tmpfs(&world.state(), "size=4m") else {
        note("the mode of the directory makes it read-only instead");
        return read_only_by_mode(REBOOT);
    };
    let (from, to) = (small(), world.state());
    let from = format!("{}/.", from.state().display());
    assert!(can_run(&["cp", "-a", &from, to.to_str().unwrap()]));
    let expected = world.list();
    disk.remount("ro");
    let run = |args: &[&str], input: &str| world.run_with(args, input);
    must_be_read_only(&world, &run, &expected, "Read-only file system");
    // After a reboot no process can recover the directory, so reads return the valid part of the journal.
    let run = |args: &[&str], input: &str| world.run_env(REBOOT, args, input);
    must_be_read_only(&world, &run, &expected, "Read-only file system");
}

const REBOOT: &[(&str, &str)] = &[("CTL_TEST_BOOT_ID", "another-boot")];

/// Returns the program in a place where every user can run it, and a directory that every user can enter.
fn public_program(world: &World) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("ctl");
    // A separate process copies the program: a child that another test starts at the same time would inherit our
    // descriptor, and a program that is open for writing cannot be run.
    let copy = ["cp", env!("CARGO_BIN_EXE_ctl"), program.to_str().unwrap()];
    assert!(can_run(&copy));
    for path in [program.as_path(), dir.path(), world.outside("").as_path()] {
        chmod(path, 0o755);
    }
    (dir, program)
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn chmod_all(world: &World, dir: u32, file: u32) {
    for (path, node) in nodes(&world.state()) {
        chmod(&world.path(&path), if node.is_dir { dir } else { file });
    }
    chmod(&world.state(), dir);
}

/// Returns the command that runs `program` as a user.
fn as_user(world: &World, user: u32, program: &Path) -> Command {
    let id = user.to_string();
    let mut command = world.command_for(Path::new("setpriv"));
    command
        .args(["--reuid", &id, "--regid", &id, "--clear-groups"])
        .arg(program);
    command
}

#[test]
fn a_directory_of_mode_0555_is_read_and_not_written() {
    quiet::alone();
    read_only_by_mode(&[]);
}

/// Tests a directory that its owner may not write, used by the owner and by another user. Modes do not restrict root,
/// which acts as another user instead.
fn read_only_by_mode(env: &[(&str, &str)]) {
    let world = small();
    let expected = world.list();
    chmod_all(&world, 0o555, 0o444);
    if !is_root() {
        let run = |args: &[&str], input: &str| world.run_env(env, args, input);
        must_be_read_only(&world, &run, &expected, "Permission denied");
        return chmod_all(&world, 0o755, 0o644);
    }
    let (_dir, program) = public_program(&world);
    let run = |args: &[&str], input: &str| {
        let mut command = as_user(&world, NOBODY, &program);
        command.args(args).envs(env.iter().copied());
        finish(command, input)
    };
    must_be_read_only(&world, &run, &expected, "belongs to user 0, not to 65534");
    let path = world.state().display().to_string();
    assert!(can_run(&["chown", "-R", "65534", &path]));
    must_be_read_only(&world, &run, &expected, "Permission denied");
    // Root could write to the directory, but must not.
    let run = |args: &[&str], input: &str| world.run_env(env, args, input);
    must_be_read_only(&world, &run, &expected, "belongs to user 65534, not to 0");
}

#[test]
fn a_state_directory_that_is_a_file_is_refused_and_kept() {
    quiet::alone();
    let world = World::new();
    std::fs::File::create(world.state()).unwrap();
    for args in [
        &["raw", "list"][..],
        &["raw", "put", "configmaps/default/a"],
        &["cluster", "init"],
        &["fsck"],
    ] {
        let watch = Stopwatch::start();
        let said = world.run_with(args, &config_map("1")).fails();
        assert!(watch.elapsed() < at_once());
        assert_eq!(said.lines().count(), 1, "{said}");
        let path = world.state().display().to_string();
        assert!(said.contains(&path), "{args:?}: {said}");
    }
    assert_eq!(world.state().metadata().unwrap().len(), 0);
}

#[test]
fn failed_directory_creation_names_the_path() {
    let world = World::new();
    std::fs::File::create(world.outside("file")).unwrap();
    let below = world.outside("file/below/state");
    let (_dir, program) = public_program(&world);
    let mut runs: Vec<Command> = vec![world.command()];
    runs[0].env("CTL_STATE", &below);
    if is_root() {
        runs.push(as_user(&world, NOBODY, &program));
    }
    for mut command in runs {
        command.args(["raw", "list"]);
        let said = finish(command, "").fails();
        assert!(
            said.contains("state") && said.lines().count() == 1,
            "{said}"
        );
        let reasons = ["Not a directory", "Permission denied"];
        assert!(reasons.iter().any(|r| said.contains(r)), "{said}");
    }
    assert!(!world.state().exists());
}
