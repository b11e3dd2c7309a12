//! Every crate that goes into the program may be distributed under Apache-2.0, and says so.

use std::process::Command;

use ctl::api::json::Value;

/// Licences that a crate may be under: permissive, or (MPL) with duties for its own files alone.
const ALLOWED: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an SPDX expression can be met by allowed licences alone.
fn is_allowed(expression: &str) -> bool {
    let plain = expression.replace('/', " OR ").replace(['(', ')'], " ");
    // Without brackets around an OR inside an AND, which no crate of ours has, AND binds closer.
    let all_of = |part: &str| {
        let mut words = part.split(" AND ").map(str::trim);
        words.all(|licence| ALLOWED.contains(&licence))
    };
    match expression.contains(") AND") {
        true => plain
            .split(" AND ")
            .all(|part| part.split(" OR ").any(|l| ALLOWED.contains(&l.trim()))),
        false => plain.split(" OR ").any(all_of),
    }
}

fn cargo(args: &[&str]) -> String {
    let ran = Command::new(env!("CARGO")).args(args).output().unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn every_dependency_may_be_distributed_with_us() {
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|l| l.strip_prefix("host: "));
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let words = "metadata --format-version 1 --locked --offline --manifest-path";
    let mut args: Vec<&str> = words.split(' ').collect();
    args.extend([manifest, "--filter-platform", host.unwrap()]);
    let metadata: Value = serde_json::from_str(&cargo(&args)).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50);
    let refused: Vec<String> = packages
        .iter()
        .filter(|p| !p["license"].as_str().is_some_and(is_allowed))
        .map(|p| format!("{} {}", p["name"], p["license"]))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn expressions_are_read_as_spdx_says() {
    for (expression, allowed) in [
        ("MIT OR Apache-2.0", true),
        ("Unlicense/MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("GPL-3.0-only OR MIT", true),
        ("GPL-3.0-only", false),
        ("(MIT OR Apache-2.0) AND GPL-2.0-only", false),
        ("MIT AND GPL-2.0-only", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression), allowed, "{expression}");
    }
}
