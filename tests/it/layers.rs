//! Reads `src/` and fails on a module that reaches a layer it must not know, or a file over budget.

use std::fs;
use std::path::{Path, PathBuf};

/// Module, and the modules it may use. `lib.rs` and `main.rs` are outside the table.
const LAYERS: &[(&str, &[&str])] = &[
    ("api", &[]),
    ("sys", &[]),
    ("kinds", &["api"]),
    ("kustomize", &["api", "kinds"]),
    ("store", &["api", "sys"]),
    ("cluster", &["api", "sys", "kinds", "store"]),
    ("runtime", &["api", "sys", "cluster"]),
    ("controllers", &["api", "kinds", "cluster", "runtime"]),
    ("kubelet", &["api", "sys", "kinds", "cluster", "runtime"]),
    ("print", &["api", "kinds"]),
    ("serve", &["api", "sys", "kinds", "cluster"]),
    (
        "cli",
        &[
            "api",
            "sys",
            "kinds",
            "kustomize",
            "cluster",
            "runtime",
            "controllers",
            "kubelet",
            "print",
            "serve",
        ],
    ),
];

const MAX_LINES: usize = 700;

/// Every source file below a directory.
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

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn identifier(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// The comma-separated items at the top level of a `{...}` group, `group` starting after the brace.
fn group_items(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(group[start..at].trim());
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(group[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items
}

/// The top-level modules named after `crate::` in a source text, `crate::{a, b}` included.
fn used_modules(text: &str) -> Vec<String> {
    text.match_indices("crate::")
        .flat_map(|(at, prefix)| {
            let rest = &text[at + prefix.len()..];
            match rest.strip_prefix('{') {
                Some(group) => group_items(group).into_iter().map(identifier).collect(),
                None => vec![identifier(rest)],
            }
        })
        .collect()
}

#[test]
fn a_module_uses_only_the_layers_above_it() {
    let mut wrong = Vec::new();
    for file in rust_files(&src()) {
        let relative = file.strip_prefix(src()).unwrap().to_path_buf();
        let module = relative
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap();
        if module.ends_with(".rs") {
            continue;
        }
        let Some((_, may)) = LAYERS.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!(
                "{}: module {module} is not in the layer table",
                relative.display()
            ));
            continue;
        };
        for used in used_modules(&fs::read_to_string(&file).unwrap()) {
            let is_layer = LAYERS.iter().any(|(name, _)| *name == used);
            if is_layer && used != module && !may.contains(&used.as_str()) {
                wrong.push(format!("{}: uses crate::{used}", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "layers broken:\n{}", wrong.join("\n"));
}

/// What only the edge (`sys`, and `cli` for arguments and its own configuration) may ask for.
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

/// Where `EDGE` words stand in a source text, tests left out.
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
fn nothing_below_the_edge_asks_the_machine_for_time_randomness_or_files() {
    let mut wrong = Vec::new();
    for file in rust_files(&src()) {
        let relative = file.strip_prefix(src()).unwrap().display().to_string();
        let edge = ["sys/", "cli/", "main.rs", "store/crash/", "kinds/facts/"];
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

/// Reads that go on until memory ends where there is no end.
const UNBOUNDED: &[&str] = &[
    "fs::read(",
    "read_to_string(",
    "read_to_end(",
    "read_line(",
    "read_until(",
];

#[test]
fn what_comes_from_outside_is_read_within_bounds() {
    let mut wrong = Vec::new();
    for file in rust_files(&src()) {
        let relative = file.strip_prefix(src()).unwrap().display().to_string();
        // The files of /proc that `sys::host` reads are the kernel's.
        let own = ["sys/", "kinds/facts/", "store/crash/"];
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
fn the_edge_check_sees_what_it_looks_for() {
    assert_eq!(
        edge_words("let t = std::time::SystemTime::now();"),
        ["SystemTime"]
    );
    assert_eq!(
        edge_words("// std::fs\n#[cfg(test)]\nmod tests { use std::fs; }"),
        [""; 0]
    );
}

#[test]
fn the_layer_check_sees_grouped_and_plain_uses() {
    assert_eq!(
        used_modules("use crate::store::Key; crate::cli::x()"),
        ["store", "cli"]
    );
    assert_eq!(
        used_modules("use crate::{api::{A, B}, store::Key};"),
        ["api", "store"]
    );
}

/// What controllers share: no controller is in there.
const SHARED: &[&str] = &[
    "backends",
    "crowd",
    "kinds",
    "node_rules",
    "revisions",
    "service_pods",
    "stand",
    "testing",
    "volume_match",
    "workload",
];

#[test]
fn controllers_do_not_know_each_other() {
    let dir = src().join("controllers");
    let mut modules: Vec<String> = Vec::new();
    for entry in fs::read_dir(&dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        modules.push(name.trim_end_matches(".rs").to_owned());
    }
    modules.retain(|m| m != "mod" && !SHARED.contains(&m.as_str()));
    assert!(modules.len() > 20, "{modules:?}");
    let mut wrong = Vec::new();
    for file in rust_files(&dir) {
        let within = file.strip_prefix(&dir).unwrap();
        let parts: Vec<_> = within.iter().filter_map(|p| p.to_str()).collect();
        let own = parts[0].trim_end_matches(".rs");
        let text = fs::read_to_string(&file).unwrap();
        for other in modules.iter().filter(|m| *m != own && own != "mod") {
            let up = "super::".repeat(parts.len());
            let paths = [format!("{up}{other}::"), format!("controllers::{other}::")];
            if paths.iter().any(|path| text.contains(path)) {
                wrong.push(format!("{} knows {other}", within.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_file_is_over_seven_hundred_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for dir in ["src", "tests", "benches"] {
        for file in rust_files(&root.join(dir)) {
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
