//! Checks `state/`, the sample cluster of the repository: it equals the result of its recipe, and can be opened.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::World;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the files of a tree with their content, without `.ctl`.
fn files(dir: &Path, prefix: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            if name != ".ctl" {
                found.extend(files(&entry.path(), &format!("{path}/")));
            }
        } else {
            found.push((path, fs::read_to_string(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

/// Returns the cluster that the recipe makes: a new one with the objects in `testdata/sample.yaml`.
fn made() -> World {
    let world = World::fresh();
    let recipe = root("testdata/sample.yaml");
    let _ = world.run(&["create", "-f", recipe.to_str().unwrap()]).ok();
    world
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn sample_cluster_matches_its_recipe() {
    let made = made();
    if std::env::var_os("CTL_UPDATE").is_some() {
        drop(fs::remove_dir_all(root("state")));
        copy(&made.state(), &root("state"));
        drop(fs::remove_dir_all(root("state/.ctl")));
    }
    let committed = files(&root("state"), "");
    assert_eq!(
        files(&made.state(), ""),
        committed,
        "CTL_UPDATE=1 cargo test sample"
    );
}

#[test]
fn a_fresh_clone_of_the_sample_opens_with_the_same_objects() {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    copy(&root("state"), &world.state());
    drop(fs::remove_dir_all(world.path(".ctl")));
    // The files do not contain managedFields.
    let object = |json: &str| {
        let mut object: ctl::api::json::Value = serde_json::from_str(json).unwrap();
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.remove("managedFields");
        object
    };
    let identity = |list: String| -> Vec<(String, ctl::api::json::Value)> {
        let rows = list
            .lines()
            .skip(1)
            .map(|row| row.splitn(3, '\t').collect::<Vec<_>>());
        rows.map(|row| (row[1].to_owned(), object(row[2])))
            .collect()
    };
    let opened = world.run(&["raw", "list"]).ok();
    assert_eq!(
        identity(opened),
        identity(made().run(&["raw", "list"]).ok())
    );
    let _ = world.fsck();
    assert_eq!(
        files(&world.state(), ""),
        files(&root("state"), ""),
        "opening changes no file"
    );
}
