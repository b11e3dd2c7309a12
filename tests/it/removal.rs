//! Tests `ctl cluster delete` and `reset`: they remove ctl's files and keep all others, even if they are killed
//! halfway, and they ask for confirmation.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use crate::support::race::{eventually, leads};
use crate::support::state::{nodes, write_file};
use crate::support::{CommandOutput, World, collect, count};
use crate::terminal::at_terminal;

/// A user's own files in the same directory.
const OWN: &[&str] = &[
    ".git/config",
    "default/configmaps/a.yaml.rejected",
    "default/configmaps/readme.md",
    "default/notes/x.txt",
    "notes.txt",
    "src/a/b/main.rs",
    "src/a/values.txt",
];

/// The lines about these files in the list of a deletion.
const LISTED: &str = "  .git/\n  default/configmaps/a.yaml.rejected\n  \
    default/configmaps/readme.md\n  default/notes/\n  notes.txt\n  src/\n";

fn put_own(world: &World) {
    for path in OWN {
        let path = world.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(&path, b"mine\n");
    }
}

/// Returns a cluster with a few objects next to a user's files.
fn shared() -> World {
    let world = World::cluster();
    for name in ["a", "b", "x y"] {
        let _ = world.put(name, "1").ok();
    }
    let node = ["raw", "put", "nodes/_cluster/n"];
    let _ = world
        .run_with(&node, r#"{"kind":"Node","apiVersion":"v1"}"#)
        .ok();
    put_own(&world);
    world
}

/// Returns the files in the state directory.
fn files(world: &World) -> BTreeMap<String, Vec<u8>> {
    let all = nodes(&world.state()).into_iter();
    all.filter(|(_, node)| !node.is_dir)
        .map(|(path, node)| (path, node.bytes))
        .collect()
}

#[track_caller]
fn must_hold_own_alone(world: &World, place: &str) {
    let left = files(world);
    let names: Vec<&str> = left.keys().map(String::as_str).collect();
    assert_eq!(names, OWN, "{place}");
    assert!(left.values().all(|bytes| bytes == b"mine\n"), "{place}");
}

#[test]
fn cluster_delete_keeps_and_lists_foreign_files() {
    let world = shared();
    let said = world.run(&["cluster", "delete"]).ok();
    let state = world.state().display().to_string();
    let wanted =
        format!("cluster in {state} deleted\nnot created by ctl, kept in {state}:\n{LISTED}");
    assert_eq!(said, wanted);
    must_hold_own_alone(&world, "deleted");
    assert!(!world.path("_cluster").exists() && !world.path("default/nodes").exists());
    let again = world.run(&["cluster", "delete"]).fails();
    assert_eq!(again, format!("error: {state} holds no cluster\n"));
    assert!(world.run(&["raw", "list"]).fails().contains("is not empty"));
}

#[test]
fn cluster_reset_keeps_foreign_files() {
    let world = shared();
    let settings = std::fs::read(world.path("cluster.yaml")).unwrap();
    let said = world.run(&["cluster", "reset"]).ok();
    assert!(
        said.contains(" reset\nnot created by ctl") && said.ends_with(LISTED),
        "{said}"
    );
    let mut left = files(&world);
    assert_eq!(left.remove("cluster.yaml"), Some(settings));
    left.retain(|path, _| !path.starts_with(".ctl/"));
    assert_eq!(left.keys().map(String::as_str).collect::<Vec<_>>(), OWN);
    assert_eq!(world.run(&["raw", "revision"]).ok(), "1\n");
}

#[test]
fn cluster_delete_removes_edited_objects_and_keeps_new_files() {
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let object = world.path("default/configmaps/a.yaml");
    write_file(
        &object,
        b"apiVersion: v1\nkind: ConfigMap\ndata: {v: edited}\n",
    );
    write_file(
        &world.path("default/configmaps/new.yaml"),
        b"kind: ConfigMap\n",
    );
    let said = world.run(&["cluster", "delete"]).ok();
    let wanted = "deleted\nfiles with edits that were not imported:\n  default/configmaps/a.yaml\n";
    assert!(said.contains(wanted), "{said}");
    assert!(
        said.ends_with(":\n  default/configmaps/new.yaml\n"),
        "{said}"
    );
    assert!(!object.exists());
}

#[test]
fn cluster_delete_removes_a_symlinked_directory_if_empty() {
    for own in [false, true] {
        let world = World::new();
        let data = world.outside("data");
        std::fs::create_dir(&data).unwrap();
        symlink(&data, world.state()).unwrap();
        let _ = world.put("a", "1").ok();
        assert!(data.join("cluster.yaml").exists());
        if own {
            write_file(&data.join("notes.txt"), b"mine");
        }
        let slash = format!("{}/", world.state().display());
        let _ = world.run(&["--state", &slash, "cluster", "delete"]).ok();
        assert_eq!((data.exists(), world.state().is_symlink()), (own, own));
        assert!(!data.join("cluster.yaml").exists() && !data.join(".ctl").exists());
    }
}

#[test]
fn cluster_delete_follows_no_symlinks() {
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let _ = world.put("b", "1").ok();
    let outside = world.outside("outside");
    std::fs::create_dir_all(outside.join("configmaps")).unwrap();
    for name in ["configmaps/a.yaml", "x.yaml"] {
        write_file(&outside.join(name), b"mine");
    }
    let object = world.path("default/configmaps/a.yaml");
    // Through the link, ctl sees a file with the stamp of its own file.
    std::fs::copy(&object, outside.join("x.yaml")).unwrap();
    std::fs::remove_file(&object).unwrap();
    for (to, at) in [
        (outside.join("x.yaml"), object),
        (outside.clone(), world.path("other")),
        (outside.join("configmaps"), world.path("default/pods")),
        (outside.clone(), world.path(".ctl/journal/out")),
    ] {
        symlink(to, at).unwrap();
    }
    let said = world.run(&["cluster", "delete"]).ok();
    let left = "  default/configmaps/a.yaml\n  default/pods\n  other\n";
    assert!(said.ends_with(left), "{said}");
    let names: Vec<String> = nodes(&outside).into_keys().collect();
    assert_eq!(names, ["configmaps", "configmaps/a.yaml", "x.yaml"]);
}

#[test]
fn damaged_cluster_is_deleted_by_file_stamps() {
    let world = shared();
    write_file(&world.path(".ctl/journal/0000000001"), b"rubbish");
    let edited = world.path("default/configmaps/b.yaml");
    write_file(&edited, b"kind: ConfigMap\n");
    let said = world.run(&["cluster", "delete"]).ok();
    assert!(said.contains("\n  default/configmaps/b.yaml\n"), "{said}");
    std::fs::remove_file(edited).unwrap();
    must_hold_own_alone(&world, "damaged");
}

#[test]
fn foreign_settings_file_is_no_cluster() {
    let world = World::new();
    std::fs::create_dir(world.state()).unwrap();
    write_file(
        &world.path("cluster.yaml"),
        b"apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\n",
    );
    for verb in ["delete", "reset"] {
        let said = world.run(&["cluster", verb]).fails();
        assert!(said.contains("holds no cluster"), "{said}");
    }
    assert!(world.path("cluster.yaml").exists());
}

/// Runs a deletion or a reset that is killed before its `n`th operation.
fn killed(world: &World, verb: &str, n: usize) -> CommandOutput {
    let order = format!("kill:any:{n}");
    world.run_env(&[("CTL_FAULT", &order)], &["cluster", verb], "")
}

#[test]
fn killed_cluster_delete_blocks_commands_until_it_is_repeated() {
    for verb in ["delete", "reset"] {
        let (mut refused, mut n) = (0, 1);
        loop {
            let world = shared();
            let all = world.list();
            let place = format!("{verb} killed at {n}");
            let is_done = killed(&world, verb, n).code == 0;
            let look = world.run(&["raw", "list"]);
            if look.code != 0 && !is_done && world.path(".ctl.deleting").exists() {
                refused += 1;
                for args in [&["raw", "list"][..], &["cluster", "init"], &["fsck"]] {
                    let said = world.run(args).fails();
                    assert!(
                        said.contains("is partly deleted: `ctl cluster delete`"),
                        "{place}: {said}"
                    );
                }
            } else if look.code == 0 && !is_done {
                let empty = look.out.lines().count() == 1;
                assert!(
                    look.out == all || empty && verb == "reset",
                    "{place}: {look:?}"
                );
            }
            let ran = world.run(&["cluster", "delete"]);
            let no_more = ran.code != 0 && ran.err.contains("holds no cluster");
            assert!(ran.code == 0 || no_more, "{place}: {ran:?}");
            must_hold_own_alone(&world, &place);
            if is_done {
                break;
            }
            n += count(3, 1);
        }
        assert!(refused > 5, "{verb}: {refused} of {n}");
    }
}

#[test]
fn cluster_delete_asks_for_confirmation_on_a_terminal() {
    let world = shared();
    let before = files(&world);
    for (typed, verb) in [
        ("n\n", "delete"),
        ("\n", "delete"),
        ("no\n", "reset"),
        ("\u{4}", "reset"),
    ] {
        let (said, code) = at_terminal(&world, &["cluster", verb], Some(typed));
        let asked = format!(
            "You are about to {verb} the cluster in {} with 4 objects and its history.\nnot created by ctl",
            world.state().display()
        );
        assert!(
            said.contains(&asked) && said.contains("  notes.txt\n"),
            "{said}"
        );
        assert!(said.contains("Do you want to continue? (y/N): "), "{said}");
        assert!(
            said.ends_with("nothing was deleted\n") && code == 0,
            "{said}"
        );
        assert_eq!(files(&world), before);
    }
    let (said, code) = at_terminal(&world, &["cluster", "reset", "--yes"], Some(""));
    assert!(
        !said.contains("continue") && said.contains(" reset\n") && code == 0,
        "{said}"
    );
    let (said, code) = at_terminal(&world, &["cluster", "delete"], Some("y\n"));
    assert!(said.contains("deleted\n") && code == 0, "{said}");
    must_hold_own_alone(&world, "agreed");
}

#[test]
fn running_controllers_do_not_recreate_a_deleted_cluster() {
    let world = World::fresh();
    write_file(&world.path("notes.txt"), b"mine");
    let before = leads(&world);
    let mut command = world.command();
    command.arg("controllers");
    let mut child = command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Controllers that start after the deletion would create a cluster.
    let lead = || leads(&world) > before;
    assert!(eventually(Duration::from_secs(60), lead));
    let _ = world.run(&["cluster", "delete"]).ok();
    let since = Stopwatch::start();
    while child.try_wait().unwrap().is_none() && since.elapsed() < Duration::from_secs(3) {
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(child.kill());
    let ran = collect(child);
    assert!(!ran.err.contains("panicked"), "{ran:?}");
    let names: Vec<String> = files(&world).into_keys().collect();
    assert_eq!(names, ["notes.txt"], "{ran:?}");
}

#[test]
fn mount_point_of_a_deleted_cluster_is_left_empty() {
    let world = World::new();
    let Some(_disk) = crate::support::mount::Mount::tmpfs(&world.state(), "size=4m") else {
        return crate::support::note("no tmpfs could be mounted: nothing stays by itself");
    };
    let _ = world.put("a", "1").ok();
    let said = world.run(&["cluster", "delete"]).ok();
    assert!(said.contains("  the directory itself: "), "{said}");
    assert_eq!(Path::read_dir(&world.state()).unwrap().count(), 0);
}
