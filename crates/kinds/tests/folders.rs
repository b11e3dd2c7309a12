//! Checks that each kind has one folder: its row is there, no other code uses the folder's internals, and the rest of
//! the sources names kinds only as often as the budgets below allow. The budgets may only shrink.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ctl_kinds::registry;
use regex::Regex;

/// The number of places in each part of the sources that dispatch on the name or the group of a kind.
///
/// - `cluster`: the check of priority classes and the text for a field selector
/// - `kinds`: the group that policies cannot protect
/// - `scene`: the status of each kind; a rollout also by its ReplicaSets and Pods
/// - `store`, which knows no kinds: masked Secrets, and the lease that events get in etcd
/// - `src`: `debug`, which handles Pods and nodes differently
const BUDGETS: &[(&str, usize)] = &[
    ("crates/cluster", 2),
    ("crates/kinds", 1),
    ("crates/scene", 3),
    ("crates/store", 2),
    ("src", 1),
];

/// The files that compare names of kinds for other reasons than to handle a kind of the cluster.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "crates/kustomize/src/hash.rs",
        "kustomize's own rule: it has no kinds of a cluster",
    ),
    ("crates/kustomize/src/images.rs", "kustomize's own rule"),
    ("crates/kustomize/src/metadata.rs", "kustomize's own rule"),
    ("crates/kustomize/src/references.rs", "kustomize's own rule"),
    (
        "crates/serve/src/http/reply.rs",
        "Status is the type of an error",
    ),
    (
        "crates/serve/src/recorded.rs",
        "Status is the type of an error",
    ),
    (
        "src/cli/commands/test/chainsaw/mod.rs",
        "types of chainsaw's files",
    ),
    (
        "src/cli/commands/test/chainsaw/settings.rs",
        "types of chainsaw's files",
    ),
    (
        "src/cli/generated/custom.rs",
        "objects that a test generates",
    ),
    (
        "src/cli/generated/properties.rs",
        "objects that a test generates",
    ),
    ("src/cli/generated/wild.rs", "objects that a test generates"),
    ("src/cli/resource/files.rs", "List is the form of a file"),
];

/// The allowed uses of another kind's folder: kinds that share code across groups, and the lists of subresource
/// verbs.
const REACHES: &[(&str, &str)] = &[
    ("admission/service.rs", "core::service"),
    ("events/event/mod.rs", "core::event"),
    (
        "validate/mod.rs",
        "certificates::certificate_signing_request",
    ),
    (
        "storage/volume_attachment/validate.rs",
        "core::persistent_volume",
    ),
    ("validate/mod.rs", "core::namespace"),
    ("validate/mod.rs", "core::pod"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the source files below a directory, without the test files, with paths relative to it.
fn sources(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(directory).unwrap().display().to_string();
            let tests = ["tests", "tests.rs", "testing.rs", "facts"];
            if path.is_dir() && !path.ends_with("tests") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs")
                && !tests
                    .iter()
                    .any(|part| Path::new(&name).iter().any(|p| p == *part))
            {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
                found.push((name, code.to_owned()));
            }
        }
    }
    found.sort();
    found
}

/// Returns the folder name of a kind: `cron_job` for `CronJob`.
fn folder_name(kind: &str) -> String {
    let letters: Vec<char> = kind.chars().collect();
    let mut name = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let after_lower = at > 0 && !letters[at - 1].is_uppercase();
        let before_lower = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if at > 0 && letter.is_uppercase() && (after_lower || before_lower) {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Returns the folders of kinds in this crate, such as `batch/cron_job`, with the text of their rows.
fn folders() -> BTreeMap<String, String> {
    let all = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let rows = all.into_iter().filter_map(|(name, text)| {
        let folder = name.strip_suffix("/mod.rs")?;
        let is_kind = text.contains("pub(crate) const KIND: Kind");
        (is_kind && folder.matches('/').count() == 1).then(|| (folder.to_owned(), text))
    });
    rows.collect()
}

#[test]
fn every_kind_has_one_folder_and_group_entry() {
    let folders = folders();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for kind in registry::all() {
        let names = format!("{:?}, ", kind.group);
        let own = folders.iter().find(|(folder, text)| {
            let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            folder.ends_with(&format!("/{}", folder_name(kind.kind)))
                && text.contains(&names)
                && text.contains(&format!("{:?}", kind.kind))
        });
        let (folder, _) = own.unwrap_or_else(|| panic!("{} has no folder", kind.kind));
        *seen.entry(folder.clone()).or_default() += 1;
    }
    assert_eq!(seen.len(), folders.len(), "a folder without a kind");
    for (folder, rows) in seen {
        let (group, kind) = folder.split_once('/').unwrap();
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{group}/mod.rs"));
        let list = fs::read_to_string(list).unwrap();
        let list = list.split("KINDS: &[Kind] =").nth(1).unwrap();
        let lines = list.split([' ', '[', '\n']).filter(|word| {
            let name = word.split_once("::").map(|(name, _)| name);
            name == Some(kind)
        });
        let lines = lines.count();
        assert_eq!(lines, rows, "{folder} has as many lines as versions");
    }
}

#[test]
fn kind_folder_internals_are_not_used_from_outside() {
    let folders = folders();
    let mut wrong = Vec::new();
    for (file, text) in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for folder in folders.keys().filter(|folder| !file.starts_with(*folder)) {
            let path = folder.replace('/', "::");
            let reaches = text.contains(&format!("crate::{path}::"))
                || text.contains(&format!("crate::{path};"));
            if reaches && !REACHES.contains(&(file.as_str(), path.as_str())) {
                wrong.push(format!("{file}: {path}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Matches the expressions that hold the name of a kind, its group or its resource.
const NAMES: &str = r#"(?:\b(?:kind|kind\(\)|gvk|node|resource|c)\.(?:kind|group|plural|name)\b|\bresource(?:\.kind)?\(\)|\bplural|\["kind"\])(?:\.as_str\(\))?"#;

/// Returns the lines that dispatch on the name or the group of a kind.
fn dispatches(code: &str) -> Vec<String> {
    let lines = code.lines();
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let code: Vec<&str> = lines.map(|l| if is_comment(&l) { "" } else { l }).collect();
    let text = code.join("\n");
    let compared = format!(
        r#"{NAMES}\s*\)?\s*[!=]=\s*(?:Some\()?\(?"(?:", ")?[A-Za-z]|\bis\((?:place\.)?kind, "|matches!\(\s*[^,"]*{NAMES},\s*(?:Some\()?\(?"[A-Za-z]"#
    );
    let compared = Regex::new(&compared).unwrap();
    let matched = Regex::new(&format!(r"\bmatch [^\n]*{NAMES}")).unwrap();
    let named = Regex::new(r#"^[ (|]*(?:Some\()?\(?"(?:", ")?[A-Za-z]"#).unwrap();
    let comparisons = compared.find_iter(&text).map(|found| found.start());
    let mut places: BTreeSet<usize> = comparisons
        .map(|start| text[..start].matches('\n').count())
        .collect();
    for (at, line) in code.iter().enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let arms = code[at + 1..]
            .iter()
            .take_while(|arm| !arm.starts_with(&end));
        if matched.is_match(line) && arms.into_iter().any(|arm| named.is_match(arm)) {
            places.insert(at);
        }
    }
    let shown = places.into_iter().map(|at| code[at].trim().to_owned());
    shown.collect()
}

#[test]
fn dispatches_on_kind_names_stay_within_the_budget() {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let mut parts: Vec<String> = crates
        .map(|part| format!("crates/{}", part.unwrap().file_name().to_str().unwrap()))
        .collect();
    parts.push("src".to_owned());
    parts.sort();
    for part in parts {
        let directory = match part.as_str() {
            "src" => root().join("src"),
            part => root().join(part).join("src"),
        };
        let budget = BUDGETS.iter().find(|(name, _)| *name == part);
        let budget = budget.map_or(0, |(_, budget)| *budget);
        let all = sources(&directory).into_iter();
        let is_kept = |file: &str| {
            EXCEPTIONS
                .iter()
                .all(|(own, _)| format!("{part}/src/{file}").replacen("src/src", "src", 1) != *own)
        };
        let found: Vec<String> = all
            .filter(|(file, _)| is_kept(file))
            .flat_map(|(file, code)| {
                let lines = dispatches(&code).into_iter();
                lines
                    .map(move |line| format!("{file}: {line}"))
                    .collect::<Vec<_>>()
            })
            .collect();
        assert!(
            found.len() <= budget,
            "{part} dispatches {} times on names of kinds, more than {budget}; give the kind a hook:\n{}",
            found.len(),
            found.join("\n")
        );
    }
}

#[test]
fn the_scan_finds_exactly_the_dispatches() {
    for code in [
        "if kind.kind == \"Pod\" {",
        "if (kind.group, kind.kind) != (\"\", \"Service\") {",
        "matches!(kind.group, \"apps\" | \"batch\")",
        "if is(kind, \"\", \"Pod\") {",
        "match (kind.group, kind.kind) {\n    (\"\", \"Pod\") => 1,\n}",
        "matches!(\n    info.kind.group,\n    \"apps\"\n)",
        "key.resource() == \"pods\"",
        "matches!(key.resource(), \"events\")",
        "match node.kind.as_str() {\n    \"Deployment\" => 1,\n}",
        "object[\"kind\"] == \"Secret\"",
        "match object[\"kind\"].as_str() {\n    Some(\"Role\") => 1,\n}",
        "resource.name == \"secrets\"",
        "change.object().kind().kind != \"Pod\"",
        "matches!(*plural, \"secrets\")",
    ] {
        assert_eq!(dispatches(code).len(), 1, "{code}");
    }
    for code in [
        "json!({\"kind\": kind.kind})",
        "match kind.group {\n    \"\" => \"a\",\n    group => \"b\",\n}",
        "// if kind.kind == \"Pod\"",
    ] {
        assert_eq!(dispatches(code), [""; 0], "{code}");
    }
}
