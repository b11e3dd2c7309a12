//! Tests `ctl migrate`, killed at every file-system call (T39).

use std::fs;
use std::path::Path;

use crate::support::{World, finish, key};

fn world() -> World {
    let world = World::cluster();
    for n in 0..5 {
        let _ = world.put(&n.to_string(), "value").ok();
    }
    let _ = world.run(&["raw", "delete", &key("3")]).ok();
    world
}

fn state(world: &World) -> String {
    world.run(&["raw", "list"]).ok()
}

#[test]
fn migrate_of_the_current_format_changes_nothing() {
    let world = world();
    let journal = world.path(".ctl/journal");
    let said = world.run(&["migrate"]).ok();
    assert_eq!(
        said,
        "the directory has format 1, the current one: nothing to do\n"
    );
    assert_eq!(fs::read_dir(&journal).unwrap().count(), 1);
    let before = state(&world);
    let said = world.run(&["migrate", "--rewrite"]).ok();
    assert_eq!(said, "the directory was migrated from format 1\n");
    assert_eq!(state(&world), before);
    assert_eq!(fs::read_dir(&journal).unwrap().count(), 2, "the past stays");
    assert_eq!(world.run(&["raw", "log"]).ok().lines().count(), 6);
    let _ = world.fsck();
}

#[test]
fn a_directory_without_a_format_file_gets_one() {
    let world = world();
    fs::remove_file(world.path(".ctl/format")).unwrap();
    let before = state(&world);
    let _ = world.run(&["migrate"]).ok();
    assert!(Path::new(&world.path(".ctl/format")).exists());
    assert_eq!(state(&world), before);
}

#[test]
fn killed_migration_keeps_every_object_and_can_be_repeated() {
    for call in 1.. {
        let world = world();
        let before = state(&world);
        let mut command = world.command();
        command
            .args(["migrate", "--rewrite"])
            .env("CTL_FAULT", format!("kill:any:{call}"));
        let code = finish(command, "").code;
        assert_eq!(state(&world), before, "killed before call {call}");
        let _ = world.fsck();
        let _ = world.run(&["migrate", "--rewrite"]).ok();
        assert_eq!(state(&world), before, "migrated again after call {call}");
        if code == 0 {
            assert!(call > 20, "only {call} calls");
            return;
        }
        assert_eq!(code, 137, "call {call}");
    }
}
