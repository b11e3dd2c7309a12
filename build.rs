//! Passes the current commit to the program, if there is one, and linker flags that make the program smaller and faster
//! to start.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=CTL_COMMIT");
    let commit = std::env::var("CTL_COMMIT")
        .ok()
        .or_else(of_git)
        .unwrap_or_default();
    println!("cargo:rustc-env=CTL_COMMIT={commit}");
    // Generic code produces many functions with equal instructions. Sharing them keeps the program below its limit of
    // 30 MB: 29.57 MB instead of 30.20 MB.
    if std::env::var("PROFILE").as_deref() == Ok("release") && links_with_lld() {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
        // Relocating 33,000 pointers in tables took 0.4 of the 1.7 million instructions of `ctl version`, and the list
        // of these pointers takes 0.5 MB. At a fixed address neither is needed.
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

/// Returns true if rustc links with its own lld, which is the default since 1.90, but only on this target. Other
/// linkers may reject the flag.
fn links_with_lld() -> bool {
    let var = |name| std::env::var(name).unwrap_or_default();
    let chosen = !var("RUSTC_LINKER").is_empty() || var("CARGO_ENCODED_RUSTFLAGS").contains("link");
    let target = "x86_64-unknown-linux-gnu";
    if chosen || var("TARGET") != target || var("HOST") != target {
        return false;
    }
    let rustc = var("RUSTC");
    let minor = output(&rustc, &["--version"]).and_then(|version| {
        let number = version.strip_prefix("rustc 1.")?.split('.').next()?;
        number.parse::<u32>().ok()
    });
    let sysroot = output(&rustc, &["--print", "sysroot"]).unwrap_or_default();
    let lld = format!("{sysroot}/lib/rustlib/{target}/bin/gcc-ld/ld.lld");
    // A distribution's rustc has no lld and links as the distribution configures it.
    minor.is_some_and(|minor| minor >= 90) && Path::new(&lld).exists()
}

/// Returns the commit of the working tree; none in a package without git.
fn of_git() -> Option<String> {
    // The commit changes if HEAD moves.
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(args: &[&str]) -> Option<String> {
    output("git", args)
}

/// Returns the output of a program, if it succeeds and prints any.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let ran = Command::new(program).args(args).output().ok()?;
    let text = String::from_utf8(ran.stdout).ok()?;
    let text = text.trim();
    (ran.status.success() && !text.is_empty()).then(|| text.to_owned())
}
