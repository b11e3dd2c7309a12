//! Tells the program which commit it is built from, where there is one to tell.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=CTL_COMMIT");
    let commit = std::env::var("CTL_COMMIT")
        .ok()
        .or_else(of_git)
        .unwrap_or_default();
    println!("cargo:rustc-env=CTL_COMMIT={commit}");
}

/// The commit of the working tree; nothing in a package without git.
fn of_git() -> Option<String> {
    // Where the head moves, the commit is another one.
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(args: &[&str]) -> Option<String> {
    let ran = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(ran.stdout).ok()?;
    let text = text.trim();
    (ran.status.success() && !text.is_empty()).then(|| text.to_owned())
}
