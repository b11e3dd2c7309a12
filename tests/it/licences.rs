//! Checks that every crate in the program may be distributed under Apache-2.0 and states its licence; `THIRD-PARTY.md`
//! lists them.

use std::process::Command;

use ctl::api::json::Value;

use crate::support::third_party;

/// Returns the licences that `deny.toml` allows: `cargo deny` and these tests share the list.
fn allowed() -> Vec<&'static str> {
    let (_, list) = include_str!("../../deny.toml")
        .split_once("\nallow = [\n")
        .unwrap();
    let (list, _) = list.split_once("\n]").unwrap();
    let quoted = |line: &'static str| line.trim().strip_prefix('"')?.strip_suffix("\",");
    list.lines().map(|line| quoted(line).unwrap()).collect()
}

/// Returns true if allowed licences alone satisfy an SPDX expression.
fn is_allowed(expression: &str) -> bool {
    let allowed = allowed();
    let plain = expression.replace('/', " OR ").replace(['(', ')'], " ");
    // AND binds closer than OR without brackets around an OR inside an AND, and no crate here has those.
    let all_of = |part: &str| {
        let mut words = part.split(" AND ").map(str::trim);
        words.all(|licence| allowed.contains(&licence))
    };
    match expression.contains(") AND") {
        true => plain
            .split(" AND ")
            .all(|part| part.split(" OR ").any(|l| allowed.contains(&l.trim()))),
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

/// Returns cargo's metadata of the dependencies on the platform that binaries are built for.
fn metadata() -> Value {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let words = "metadata --format-version 1 --locked --offline --filter-platform \
                 x86_64-unknown-linux-gnu --manifest-path";
    let mut args: Vec<&str> = words.split_whitespace().collect();
    args.push(manifest);
    serde_json::from_str(&cargo(&args)).unwrap()
}

#[test]
fn every_dependency_may_be_distributed_with_us() {
    let metadata = metadata();
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
fn third_party_list_matches_the_linked_crates() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/THIRD-PARTY.md");
    let text = third_party::document(&metadata());
    for must in [
        "| colored |",
        "Mozilla Public License",
        "| notify |",
        "CC0 1.0",
    ] {
        assert!(text.contains(must), "{must}");
    }
    assert!(!text.contains("| proptest |"), "tests are not linked");
    if std::env::var_os("CTL_UPDATE").is_some() {
        crate::support::state::write_file(path.as_ref(), text.as_bytes());
    }
    let is_current = std::fs::read_to_string(path).is_ok_and(|found| found == text);
    assert!(
        is_current,
        "THIRD-PARTY.md is not what Cargo.lock says: CTL_UPDATE=1 cargo test licences"
    );
}

#[test]
fn spdx_expressions_are_evaluated() {
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
