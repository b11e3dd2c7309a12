//! Tests directories that older programs wrote, kept in `testdata/golden`: they can be opened and written. The data of
//! a newer program is not changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::race::write_file;
use crate::support::{World, config_map, key};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden/format-1")
}

/// Caches and messages, which are not part of the format.
const LEFT_OUT: [&str; 4] = [".ctl/holder", ".ctl/index", ".ctl/reserve", ".ctl/tmp"];

/// Returns every file below a directory with its content and time.
fn tree(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(at) = left.pop() {
        for entry in at.read_dir().unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
                continue;
            }
            let time = entry.metadata().unwrap().modified().unwrap();
            let content = std::fs::read(entry.path()).unwrap();
            let relative = entry.path().strip_prefix(root).unwrap().to_path_buf();
            found.insert(relative, (content, time));
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    for (path, (content, _)) in tree(from) {
        if LEFT_OUT.iter().any(|left_out| path.starts_with(left_out)) {
            continue;
        }
        let path = to.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(&path, content);
    }
}

/// Fills the world of the golden directory: two generations, a removal, a batch, a leader, a hand edit, a name that is
/// no file name, and text that YAML must quote.
fn make(world: &World) {
    let _ = world.put("plain", "one").ok();
    let _ = world.put("plain", "two").ok();
    let odd = "no: \"yes\"\n\tand\u{e9} '#' - 1.0\n";
    let _ = world
        .run_with(&["raw", "put", "roles/ns/system:é x"], &config_map(odd))
        .ok();
    let _ = world
        .run_with(&["raw", "put", "nodes/_cluster/node-0"], &config_map("n"))
        .ok();
    let _ = world.put("gone", "x").ok();
    let _ = world.run(&["raw", "compact"]).ok();
    let _ = world.run(&["raw", "delete", &key("gone")]).ok();
    let _ = world.run(&["raw", "lead"]).ok();
    let batch: String = ["b1", "b2"]
        .map(|n| format!("put {} {}\n", key(n), config_map("b")))
        .concat();
    let _ = world.run_with(&["raw", "batch"], &batch).ok();
    let file = crate::support::edits::file_of(world, "plain");
    let text = std::fs::read_to_string(&file)
        .unwrap()
        .replace("two", "edited");
    crate::support::edits::rename_over(&file, text.as_bytes());
    assert_eq!(world.value("plain").as_deref(), Some("edited"));
}

/// Returns the expected content of the directory: the objects, and the author and time of each change.
fn contents(world: &World) -> String {
    let list = world.run(&["raw", "list"]).ok();
    format!("{list}\n{}", world.run(&["raw", "log"]).ok())
}

/// Returns a world whose directory is a copy of the golden one.
fn copied() -> World {
    let world = World::new();
    copy(&golden(), &world.state());
    world
}

fn expected() -> String {
    std::fs::read_to_string(golden().with_extension("txt")).unwrap()
}

#[test]
fn golden_directory_opens_with_its_expected_contents() {
    if std::env::var_os("CTL_TEST_WRITE_GOLDEN").is_some() {
        let mut world = World::new();
        world.set("CTL_TEST_BOOT_ID", "golden");
        let _ = world
            .run(&["cluster", "init", "--clock", "virtual", "--seed", "7"])
            .ok();
        make(&world);
        copy(&world.state(), &golden());
        write_file(&golden().with_extension("txt"), contents(&world));
    }
    let world = copied();
    assert_eq!(contents(&world), expected());
    assert_eq!(world.fsck().lines().count(), 1);
    // Writes to it, and opens it again.
    assert_eq!(world.put("plain", "now").ok(), "11\n");
    assert_eq!(world.value("plain").as_deref(), Some("now"));
    let log = world.run(&["raw", "log"]).ok();
    let (_, old_log) = expected()
        .split_once("\n\n")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    assert!(log.starts_with(&old_log), "the past is as it was");
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn current_program_writes_the_bytes_of_the_golden_directory() {
    let world = World::cluster();
    make(&world);
    assert_eq!(contents(&world), expected());
    let yaml = |root: &Path| -> BTreeMap<PathBuf, Vec<u8>> {
        let files = tree(root)
            .into_iter()
            .filter(|(path, _)| !path.starts_with(".ctl"));
        files.map(|(path, (content, _))| (path, content)).collect()
    };
    assert_eq!(yaml(&world.state()), yaml(&golden()));
    let journal = |n: &str| PathBuf::from(format!(".ctl/journal/000000000{n}"));
    for generation in ["1", "2"] {
        let (ours, theirs) = (world.state(), golden());
        let ours = std::fs::read(ours.join(journal(generation))).unwrap();
        let theirs = std::fs::read(theirs.join(journal(generation))).unwrap();
        assert_eq!(
            ours, theirs,
            "the same seed and clock make the same journal"
        );
    }
}

/// Runs every command that must not change anything here.
fn try_to_change(world: &World) -> Vec<crate::support::CommandOutput> {
    let merge = key("plain");
    vec![
        world.put("plain", "now"),
        world.put("new", "now"),
        world.run(&["raw", "merge", &merge, r#"{"data":{"w":"x"}}"#]),
        world.run(&["raw", "delete", &merge]),
        world.run(&["raw", "lead"]),
        world.run(&["raw", "compact"]),
        world.run(&["fsck", "--repair"]),
        world.run(&["cluster", "reset"]),
    ]
}

fn set_format(world: &World, text: &str) {
    write_file(&world.path(".ctl/format"), text);
}

#[test]
fn directory_of_a_newer_format_is_rejected_unchanged() {
    let newer = r#"{"format":2,"min_reader":2,"min_writer":2,"features":[]}"#;
    let unknown = r#"{"format":1,"min_reader":1,"min_writer":1,"features":["sharding"]}"#;
    for (format, settings) in [(newer, false), (unknown, false), ("", true)] {
        let world = copied();
        if settings {
            let text = std::fs::read_to_string(world.path("cluster.yaml")).unwrap();
            write_file(
                &world.path("cluster.yaml"),
                text.replace("format: 1", "format: 2"),
            );
        } else {
            set_format(&world, format);
        }
        let before = tree(&world.state());
        let mut all = try_to_change(&world);
        let reads: [&[&str]; 4] = [
            &["raw", "list"],
            &["raw", "get", "x/y/z"],
            &["fsck", "--history"],
            &["raw", "log"],
        ];
        all.extend(reads.map(|args| world.run(args)));
        for ran in all {
            assert!(ran.clone().fails().contains("use a newer ctl"), "{ran:?}");
        }
        assert!(tree(&world.state()) == before, "something was changed");
    }
}

#[test]
fn a_directory_that_only_newer_programs_may_write_is_read_only() {
    let world = copied();
    set_format(
        &world,
        r#"{"format":2,"min_reader":1,"min_writer":2,"features":[]}"#,
    );
    let before = tree(&world.state());
    assert_eq!(contents(&world), expected());
    let _ = world.fsck();
    for ran in try_to_change(&world) {
        assert!(ran.clone().fails().contains("can only read it"), "{ran:?}");
    }
    assert!(tree(&world.state()) == before, "something was changed");
}
