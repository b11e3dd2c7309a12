//! Checks that each command has a file in `src/cli/commands`, with a test module that runs the command. `snapshots.rs`
//! runs its session.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::answers::commands;

/// The commands that share a file because they are forms of one operation.
const SHARED: &[(&str, &[&str])] = &[
    (
        "apply/last_applied.rs",
        &[
            "apply edit-last-applied",
            "apply set-last-applied",
            "apply view-last-applied",
        ],
    ),
    (
        "certificate.rs",
        &["certificate approve", "certificate deny"],
    ),
    (
        "clock.rs",
        &["clock advance", "clock mode", "clock set", "clock show"],
    ),
    (
        "config/entries.rs",
        &[
            "config set-cluster",
            "config set-context",
            "config set-credentials",
        ],
    ),
    (
        "config/mod.rs",
        &[
            "config current-context",
            "config delete-cluster",
            "config delete-context",
            "config delete-user",
            "config get-clusters",
            "config get-contexts",
            "config get-users",
            "config rename-context",
            "config set",
            "config unset",
            "config use-context",
        ],
    ),
    ("cordon.rs", &["uncordon"]),
    ("create/role.rs", &["create clusterrole"]),
    ("create/rolebinding.rs", &["create clusterrolebinding"]),
    (
        "create/secret.rs",
        &[
            "create secret docker-registry",
            "create secret generic",
            "create secret tls",
        ],
    ),
    (
        "create/service.rs",
        &[
            "create service clusterip",
            "create service externalname",
            "create service loadbalancer",
            "create service nodeport",
        ],
    ),
    (
        "fault/mod.rs",
        &["fault clear", "fault list", "fault node", "fault pod"],
    ),
    ("pause.rs", &["resume"]),
    ("plugin.rs", &["plugin list"]),
    (
        "rollout/marks.rs",
        &["rollout pause", "rollout restart", "rollout resume"],
    ),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/commands")
}

/// Returns the file named after a command: `create/configmap.rs`, or `get/mod.rs`.
fn own_file(command: &str) -> Option<PathBuf> {
    let path = folder().join(command.replace('-', "_").replace(' ', "/"));
    let files = [path.with_extension("rs"), path.join("mod.rs")];
    files.into_iter().find(|file| file.exists())
}

/// Returns the text of the test modules of a file: those inside it, or `tests.rs` next to it.
fn tests_of(file: &Path) -> Option<String> {
    let read = |file: &Path| std::fs::read_to_string(file).ok();
    let text = read(file)?;
    let inline = text.split_once("#[cfg(test)]\n").map(|(_, tests)| tests);
    let own = inline.filter(|tests| tests.contains("#[test]"));
    let all = match own {
        Some(own) => own.to_owned(),
        None => read(&file.with_file_name("tests.rs"))?,
    };
    all.contains("#[test]").then_some(all)
}

/// Returns true if a text runs a command, at the beginning of a line or after `{flags}`.
fn types(tests: &str, command: &str) -> bool {
    let ends = |rest: &str| {
        rest.is_empty() || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
    };
    let lines = tests
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"));
    lines.into_iter().any(|line| {
        let quoted = line.match_indices('"').map(|(at, _)| &line[at + 1..]);
        quoted
            .into_iter()
            .any(|text| text.strip_prefix(command).is_some_and(ends))
    })
}

/// Returns the file of a command: its own, or a shared one.
fn file_of(command: &str) -> Option<PathBuf> {
    let shared = SHARED.iter().find(|(_, all)| all.contains(&command));
    match shared {
        Some((file, _)) => Some(folder().join(file)),
        None => own_file(command),
    }
}

#[test]
fn every_command_has_a_file_and_a_test() {
    let all = commands();
    assert!(all.len() > 100, "{all:?}");
    let mut wrong = Vec::new();
    for command in &all {
        match file_of(command).map(|file| tests_of(&file)) {
            None => wrong.push(format!("{command}: no file")),
            Some(None) => wrong.push(format!("{command}: no test module")),
            Some(Some(tests)) if !types(&tests, command) => {
                wrong.push(format!("{command}: no test types it"));
            }
            Some(Some(_)) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn shared_files_belong_to_existing_commands_without_own_file() {
    let all = commands();
    let mut seen = BTreeSet::new();
    for (file, shared) in SHARED {
        assert!(folder().join(file).exists(), "{file}");
        for command in *shared {
            assert!(all.contains(*command), "{command}");
            assert!(seen.insert(command), "{command} is listed twice");
            assert_eq!(own_file(command), None, "{command}");
        }
    }
}

#[test]
fn module_check_finds_missing_files_and_tests() {
    assert_eq!(own_file("create nothing"), None);
    assert!(own_file("create configmap").is_some() && own_file("get").is_some());
    // A list of modules has no tests and no `tests.rs` next to it.
    assert_eq!(tests_of(&folder().join("mod.rs")), None);
    assert!(types("  shell.out(\"get pods\")", "get"));
    assert!(!types("  shell.out(\"getter\")", "get"));
    assert!(!types("  // shell.out(\"get\")", "get"));
}
