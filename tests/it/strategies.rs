//! Runs the scripts in `testdata/strategies` unchanged on a virtual clock, and compares the output with their
//! `output.txt`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::{CommandOutput, World, collect};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/strategies")
}

/// Returns a directory with the program under the names that the scripts use.
fn programs(world: &World) -> PathBuf {
    let bin = world.outside("bin");
    fs::create_dir(&bin).unwrap();
    for name in ["ctl", "kubectl"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ctl"), bin.join(name)).unwrap();
    }
    bin
}

fn run(script: &Path) -> CommandOutput {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let path = format!(
        "{}:{}",
        programs(&world).display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = world.command_for(Path::new("bash"));
    command.env("PATH", path).arg(script).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    collect(child.spawn().unwrap())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a file of the repository, asked to be made anew"
)]
fn update(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}

fn said_as_written(name: &str) {
    let place = folder().join(name);
    let ran = run(&place.join("run.sh"));
    let stderr = ran.err.clone();
    let said = ran.ok();
    let output = place.join("output.txt");
    if std::env::var_os("CTL_UPDATE").is_some() {
        update(&output, &said);
    }
    let written = fs::read_to_string(&output).unwrap_or_default();
    assert_eq!(
        said, written,
        "{name} says something else; on stderr: {stderr}"
    );
}

#[test]
fn recreate_strategy_matches_its_recorded_output() {
    said_as_written("recreate");
}

#[test]
fn ramped_strategy_matches_its_recorded_output() {
    said_as_written("ramped");
}

#[test]
fn blue_green_strategy_matches_its_recorded_output() {
    said_as_written("blue-green");
}

#[test]
fn canary_strategy_matches_its_recorded_output() {
    said_as_written("canary");
}

#[test]
fn ab_by_labels_strategy_matches_its_recorded_output() {
    said_as_written("ab-by-labels");
}

#[test]
fn shadow_strategy_matches_its_recorded_output() {
    said_as_written("shadow");
}

#[test]
fn self_healing_example_matches_its_recorded_output() {
    said_as_written("self-healing");
}

#[test]
fn autoscaling_example_matches_its_recorded_output() {
    said_as_written("autoscaling");
}

#[test]
fn every_strategy_has_a_test_and_a_readme_entry() {
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file!())).unwrap();
    let readme = fs::read_to_string(folder().join("README.md")).unwrap();
    for entry in fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !entry.file_type().unwrap().is_dir() {
            continue;
        }
        assert!(
            source.contains(&format!("said_as_written(\"{name}\")")),
            "{name} is not run"
        );
        assert!(
            readme.contains(&format!("`{name}`")),
            "{name} is not in the README"
        );
    }
}
