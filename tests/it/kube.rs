//! Runs the tests in tests/kube: operators written with kube-rs against `ctl serve`.
//!
//! These tests are a separate workspace, because kube-rs and k8s-openapi take longer to build than `ctl`, and their
//! features would be added to those of shared crates.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::note;

/// Returns a call of the cargo that runs this test.
fn cargo(arguments: &[&str]) -> Command {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kube/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("kube");
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments);
    command.args(["--quiet", "--locked", "--manifest-path", manifest]);
    // The tests use the program that cargo has just built.
    command.env("CTL", env!("CARGO_BIN_EXE_ctl"));
    command.env("CARGO_TARGET_DIR", target).stdin(Stdio::null());
    // Other tests run at the same time, some of them with time limits.
    command.env("CARGO_BUILD_JOBS", "1");
    command
}

#[test]
fn operators_with_kube_rs_work() {
    let fetched = cargo(&["fetch"]).output().unwrap();
    if !fetched.status.success() {
        let error = String::from_utf8_lossy(&fetched.stderr).into_owned();
        note(&format!(
            "left out: the sources of kube-rs cannot be fetched: {error}"
        ));
        return;
    }
    let tested = cargo(&["test"]).output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&tested.stdout),
        String::from_utf8_lossy(&tested.stderr),
    );
    assert!(tested.status.success(), "{out}\n{err}");
    assert!(out.contains("4 passed"), "{out}");
}
