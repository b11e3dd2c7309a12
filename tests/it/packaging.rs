//! Tests the action, the image and the release: runs their scripts, and compares their files with the repository.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ctl::api::json::Value;
use ctl::api::yaml::{Mode, parse_one};

use crate::support::race::write_file;
use crate::support::{can_run, note};

const PASSES: &str = "apiVersion: ctl.dev/v1\nkind: Test\nmetadata: {name: passes}\n\
    spec: {steps: [{run: create configmap a}]}\n";
const FAILS: &str = "apiVersion: ctl.dev/v1\nkind: Test\nmetadata: {name: fails}\n\
    spec: {steps: [{run: get configmap a}]}\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

fn yaml(name: &str) -> Value {
    parse_one(read(name).as_bytes(), Mode::Strict)
        .unwrap()
        .unwrap()
}

/// Returns the steps of the action, or of the release.
fn steps(file: &Value) -> Vec<Value> {
    let steps = match &file["runs"]["steps"] {
        Value::Null => &file["jobs"]["release"]["steps"],
        steps => steps,
    };
    steps.as_array().unwrap().iter().cloned().collect()
}

/// Runs the script of the action's last step, as a runner does with these inputs.
fn run_action(dir: &Path, path: &str, args: &str, junit: &str) -> Output {
    let action = yaml("action.yml");
    let steps = steps(&action);
    let step = steps.last().unwrap();
    let bin = dir.join("root/bin");
    if !bin.exists() {
        fs::create_dir_all(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_ctl"), bin.join("ctl")).unwrap();
    }
    let names: Vec<&str> = step["env"]
        .as_object()
        .unwrap()
        .keys()
        .map(|key| &**key)
        .collect();
    assert_eq!(names, ["CTL_ARGS", "CTL_JUNIT", "CTL_PATH", "CTL_ROOT"]);
    Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", step["run"].as_str().unwrap()])
        .current_dir(dir)
        .env("CTL_ROOT", dir.join("root"))
        .env("CTL_PATH", path)
        .env("CTL_ARGS", args)
        .env("CTL_JUNIT", junit)
        .env("GITHUB_OUTPUT", dir.join("output"))
        .env("HOME", dir)
        .output()
        .unwrap()
}

#[test]
fn the_action_runs_test_cases_and_reports_them() {
    if !can_run(&["bash", "--version"]) {
        return note("left out: there is no bash");
    }
    let dir = tempfile::tempdir().unwrap();
    write_file(&dir.path().join("good.yaml"), PASSES);
    write_file(&dir.path().join("bad.yaml"), FAILS);
    let ran = run_action(dir.path(), "good.yaml", "--seeds 1..2", "report.xml");
    assert!(ran.status.success(), "{ran:?}");
    let report = fs::read_to_string(dir.path().join("report.xml")).unwrap();
    assert!(report.contains("<testsuite"), "{report}");
    let output = fs::read_to_string(dir.path().join("output")).unwrap();
    assert_eq!(output, format!("version={}\n", env!("CARGO_PKG_VERSION")));
    // A hostile input remains a single word: it names no file and runs nothing.
    let ran = run_action(dir.path(), "good.yaml bad.yaml $(touch${IFS}owned)", "", "");
    assert!(!ran.status.success(), "{ran:?}");
    assert!(!dir.path().join("owned").exists());
    let ran = run_action(dir.path(), "good.yaml bad.yaml", "", "");
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(told.contains("::error"), "{told}");
}

#[test]
fn ci_scripts_are_valid_bash_without_inserted_input() {
    if !can_run(&["bash", "--version"]) {
        return note("left out: there is no bash");
    }
    let mut scripts = 0;
    for file in ["action.yml", ".github/workflows/release.yml"] {
        for step in steps(&yaml(file)) {
            let Some(script) = step["run"].as_str() else {
                assert!(step["uses"].is_string(), "{file}: {step}");
                continue;
            };
            // The runner inserts expressions into the script before bash reads it, so the script has none.
            assert!(!script.contains("${{"), "{file}: {script}");
            let ran = Command::new("bash").args(["-n", "-c", script]).status();
            assert!(ran.unwrap().success(), "{file}: {script}");
            scripts += 1;
        }
    }
    assert_eq!(scripts, 7);
    // The name of the cache contains a digest of the sources: a constant key would restore the program of an earlier
    // version.
    let action = read("action.yml");
    assert!(
        action.contains("-${{ steps.sources.outputs.digest }}"),
        "{action}"
    );
}

#[test]
fn a_release_has_an_archive_its_checksum_and_notes() {
    if !["bash", "tar", "gzip", "sha256sum"]
        .iter()
        .all(|name| can_run(&[*name, "--version"]))
    {
        return note("left out: there is no bash, tar, gzip or sha256sum");
    }
    let dir = tempfile::tempdir().unwrap();
    let package = |tag: &str, out: &str| {
        let made = Command::new(root().join(".ci/package"))
            .args([env!("CARGO_BIN_EXE_ctl"), tag])
            .arg(dir.path().join(out))
            .output();
        made.unwrap()
    };
    let tag = concat!("v", env!("CARGO_PKG_VERSION"));
    let made = package(tag, "a");
    assert!(made.status.success(), "{made:?}");
    let archive = PathBuf::from(String::from_utf8(made.stdout).unwrap().trim_end());
    let listed = Command::new("tar")
        .arg("-tzf")
        .arg(&archive)
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    for file in [
        "/ctl",
        "/LICENSE",
        "/NOTICE",
        "/THIRD-PARTY.md",
        "/completions/",
    ] {
        assert!(
            listed.lines().any(|line| line.ends_with(file)),
            "{file}: {listed}"
        );
    }
    let checked = Command::new("sha256sum")
        .args(["-c", "--quiet"])
        .arg(format!("{}.sha256", archive.display()))
        .current_dir(dir.path().join("a"))
        .status();
    assert!(checked.unwrap().success());
    assert!(
        !fs::read_to_string(dir.path().join("a/notes.md"))
            .unwrap()
            .trim()
            .is_empty()
    );
    let wrong = package("v99.0.0", "b");
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
}

#[test]
fn dockerfile_copies_existing_files_and_runs_unprivileged() {
    let file = read("Dockerfile");
    let lines: Vec<&str> = file.lines().collect();
    for line in lines
        .iter()
        .filter(|line| line.starts_with("COPY ") && !line.contains("--from"))
    {
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        for name in &words[..words.len() - 1] {
            assert!(root().join(name).exists(), "{line}");
        }
    }
    let position = |start: &str| {
        lines
            .iter()
            .position(|line| line.starts_with(start))
            .unwrap()
    };
    assert!(position("USER 10001") < position("ENTRYPOINT [\"ctl\"]"));
    // The build copies the whole context, so large and private files are excluded.
    let ignored = read(".dockerignore");
    for name in [".git", "target"] {
        assert!(ignored.lines().any(|line| line == name), "{name}");
    }
    assert!(file.contains("cargo install --path . --locked"), "{file}");
}
