//! Checks the structure of the sources: sizes, declared test files, and the modules that may call the operating system.
//! Cargo enforces the layers: each one is a crate in `crates/`, and its `Cargo.toml` lists the crates it may use.

use std::fs;
use std::path::{Path, PathBuf};

const MAX_LINES: usize = 700;

/// Returns every source file below a directory.
pub fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the directories with the sources of the program and its crates.
pub fn source_directories() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let mut found: Vec<PathBuf> = crates.map(|c| c.unwrap().path().join("src")).collect();
    found.push(root().join("src"));
    found.sort();
    found
}

/// The calls that only the edge may make: `sys`, and `cli` for arguments and its own configuration.
const EDGE: &[&str] = &[
    "std::fs",
    "std::env",
    "Tcp",
    "UdpSocket",
    "std::process",
    "SystemTime",
    "Instant",
    "getrandom",
    "fastrand",
    "rand::",
    "Uuid",
    "rustix",
    "use notify",
    "thread::sleep",
];

/// Returns the `EDGE` words in a source text without its tests.
fn edge_words(text: &str) -> Vec<&'static str> {
    let code = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let lines = code
        .lines()
        .map(str::trim_start)
        .filter(|l| !l.starts_with("//"));
    let code: String = lines.collect::<Vec<_>>().join("\n");
    EDGE.iter()
        .copied()
        .filter(|word| code.contains(word))
        .collect()
}

#[test]
fn only_edge_code_uses_time_randomness_and_files() {
    let mut wrong = Vec::new();
    for file in source_directories().iter().flat_map(|dir| rust_files(dir)) {
        let relative = file.strip_prefix(root()).unwrap().display().to_string();
        let edge = [
            "crates/sys/src/",
            "src/cli/",
            "src/main.rs",
            "crates/store/src/crash/",
            "crates/kinds/src/facts/",
            // Keys must be unpredictable, and no stored data depends on them.
            "crates/pki/src/",
        ];
        let tests = relative.contains("/tests/") || relative.ends_with("/tests.rs");
        if tests || edge.iter().any(|place| relative.starts_with(place)) {
            continue;
        }
        for word in edge_words(&fs::read_to_string(&file).unwrap()) {
            wrong.push(format!("{relative}: {word}"));
        }
    }
    assert!(wrong.is_empty(), "below the edge:\n{}", wrong.join("\n"));
}

/// Reads that exhaust the memory if their input has no end.
const UNBOUNDED: &[&str] = &[
    "fs::read(",
    "read_to_string(",
    "read_to_end(",
    "read_line(",
    "read_until(",
];

#[test]
fn external_input_is_read_only_with_bounds() {
    let mut wrong = Vec::new();
    for file in source_directories().iter().flat_map(|dir| rust_files(dir)) {
        let relative = file.strip_prefix(root()).unwrap().display().to_string();
        // The kernel provides the files of /proc that `sys::host` reads.
        let own = [
            "crates/sys/src/",
            "crates/kinds/src/facts/",
            "crates/store/src/crash/",
        ];
        let tests = relative.contains("/tests/") || relative.ends_with("/tests.rs");
        if tests || own.iter().any(|place| relative.starts_with(place)) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let code = code.split("#[test]").next().unwrap();
        let found = UNBOUNDED.iter().filter(|word| code.contains(**word));
        wrong.extend(found.map(|word| format!("{relative}: {word} instead of sys::bounded")));
    }
    assert!(wrong.is_empty(), "without bounds:\n{}", wrong.join("\n"));
}

#[test]
fn edge_check_finds_forbidden_words() {
    assert_eq!(
        edge_words("let t = std::time::SystemTime::now();"),
        ["SystemTime"]
    );
    assert_eq!(
        edge_words("// std::fs\n#[cfg(test)]\nmod tests { use std::fs; }"),
        [""; 0]
    );
}

/// `src` is the program: it parses, calls the API server and prints. It must not use the store.
#[test]
fn commands_do_not_use_the_store() {
    let mut wrong = Vec::new();
    for file in rust_files(&root().join("src")) {
        let text = fs::read_to_string(&file).unwrap();
        if text.contains("crate::store::") || text.contains("ctl_store::") {
            wrong.push(file.display().to_string());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The files of `cluster` that define its methods; all other files are in lower layers.
const OFFERED: &[&str] = &["admin", "calls", "cluster.rs", "lib.rs", "testing.rs"];

#[test]
fn verbs_cannot_bypass_authorization() {
    let dir = root().join("crates/cluster/src");
    let (mut below, mut wrong) = (0, Vec::new());
    for file in rust_files(&dir) {
        let within = file.strip_prefix(&dir).unwrap();
        let first = within.iter().next().and_then(|p| p.to_str()).unwrap();
        let tests = within.ends_with("tests.rs") || within.ends_with("table.rs");
        if tests || OFFERED.contains(&first) {
            continue;
        }
        below += 1;
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let code = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        // `impl Cluster` needs the name, and a caller of its methods needs a value of the type.
        if code.contains("cluster::Cluster") || code.contains("crate::Cluster") {
            wrong.push(format!("{} knows the cluster", within.display()));
        }
        if first != "entry" && code.contains("Admitted {") {
            wrong.push(format!("{} admits a request", within.display()));
        }
    }
    assert!(below > 30, "{below} files");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Modules that controllers share; they contain no controller.
const SHARED: &[&str] = &[
    "backends",
    "harness",
    "node_rules",
    "pod_counts",
    "revisions",
    "service_pods",
    "testing",
    "views",
    "volume_match",
    "watched",
    "workload",
];

#[test]
fn controllers_do_not_import_each_other() {
    let dir = root().join("crates/controllers/src");
    let mut modules: Vec<String> = Vec::new();
    for entry in fs::read_dir(&dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        modules.push(name.trim_end_matches(".rs").to_owned());
    }
    modules.retain(|m| m != "lib" && !SHARED.contains(&m.as_str()));
    assert!(modules.len() > 20, "{modules:?}");
    let mut wrong = Vec::new();
    for file in rust_files(&dir) {
        let within = file.strip_prefix(&dir).unwrap();
        let parts: Vec<_> = within.iter().filter_map(|p| p.to_str()).collect();
        let own = parts[0].trim_end_matches(".rs");
        let text = fs::read_to_string(&file).unwrap();
        for other in modules.iter().filter(|m| *m != own && own != "lib") {
            let up = "super::".repeat(parts.len());
            let paths = [format!("{up}{other}::"), format!("crate::{other}::")];
            if paths.iter().any(|path| text.contains(path)) {
                wrong.push(format!("{} knows {other}", within.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_file_is_over_seven_hundred_lines() {
    let mut wrong = Vec::new();
    for dir in ["src", "crates", "tests", "benches", "examples"] {
        for file in rust_files(&root().join(dir)) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            if lines > MAX_LINES {
                wrong.push(format!("{} has {lines} lines", file.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "over {MAX_LINES} lines:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_test_file_is_declared() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = fs::read_to_string(dir.join("main.rs")).unwrap();
    for entry in fs::read_dir(&dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let stem = name.trim_end_matches(".rs");
        if stem != "main" {
            assert!(
                main.contains(&format!("mod {stem};")),
                "tests/it/{name} is not declared"
            );
        }
    }
}
