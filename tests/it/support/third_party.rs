//! Generates `THIRD-PARTY.md`: the crates that are linked into the program, with their licences and notices, read from
//! the sources that cargo has built.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ctl::api::json::Value;

/// The depth of the search in a crate: bundled C sources have licences of their own.
const DEPTH: usize = 4;

/// Text that occurs only in the text of one licence.
const MARKS: &[(&str, &str)] = &[
    ("Apache-2.0", "Apache License"),
    ("MPL-2.0", "Mozilla Public License"),
    ("CC0-1.0", "CC0 1.0 Universal"),
    (
        "BSD-3-Clause",
        "Redistribution and use in source and binary forms",
    ),
    ("Unicode-3.0", "UNICODE LICENSE V3"),
    ("Unlicense", "free and unencumbered software"),
    ("BSL-1.0", "Boost Software License"),
    ("MIT", "Permission is hereby granted, free of charge"),
    ("ISC", "Permission to use, copy, modify, and"),
    ("Zlib", "This software is provided 'as-is'"),
];

/// The order of preference among several licences. Ours comes first and needs no second text.
const TAKEN_FIRST: &[&str] = &["Apache-2.0", "MIT", "ISC", "Unlicense"];

const OPENING: &str = "# Third-party software

The program `ctl` is under Apache-2.0 ([LICENSE](LICENSE)) and contains the crates below, each under
the licence in the column *taken under*. A crate's source is what its repository published under its
version, without a change of ours. `CTL_UPDATE=1 cargo test licences` writes this file from
`Cargo.lock` and the crates' sources; `cargo test` holds it against them.

| crate | version | licence | taken under | source |
|---|---|---|---|---|
";

/// One crate.
struct Crate {
    name: String,
    version: String,
    licence: String,
    repository: String,
    /// The licences, copyrights and notices: file names and texts.
    texts: Vec<(String, String)>,
}

impl Crate {
    fn of(package: &Value) -> Self {
        let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        let manifest = PathBuf::from(text("manifest_path"));
        let mut texts = Vec::new();
        collect(manifest.parent().unwrap(), DEPTH, &mut texts);
        Self {
            name: text("name"),
            version: text("version"),
            licence: text("license"),
            repository: text("repository"),
            texts,
        }
    }

    /// Returns the chosen licences among those that the crate offers.
    fn taken(&self) -> Vec<&str> {
        let parts = self.licence.split(" AND ");
        let of_part = |part: &'_ str| -> Option<&str> {
            let offers: Vec<&str> = part
                .trim_matches(['(', ')'])
                .split(" OR ")
                .flat_map(|offer| offer.split('/').map(str::trim))
                .collect();
            let first = TAKEN_FIRST.iter().find(|t| offers.contains(t));
            let own = |offer: &&str| {
                self.licence
                    .find(*offer)
                    .map(|at| &self.licence[at..][..offer.len()])
            };
            first.or(offers.first()).and_then(own)
        };
        parts.filter_map(of_part).collect()
    }

    /// Returns the copyright lines.
    fn copyrights(&self) -> BTreeSet<String> {
        let lines = self.texts.iter().flat_map(|(_, text)| text.lines());
        let lines = lines.map(|line| line.trim().trim_start_matches(['/', '*', '#', ' ']));
        lines
            .filter(|l| is_copyright(l))
            .map(str::to_owned)
            .collect()
    }
}

fn is_copyright(line: &str) -> bool {
    let says = ["(c)", "(C)", "©", "19", "20"];
    let is_template = line.contains(['[', '{']) || line.contains("<year>");
    line.starts_with("Copyright") && says.iter().any(|word| line.contains(word)) && !is_template
}

fn collect(directory: &Path, depth: usize, texts: &mut Vec<(String, String)>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let skipped = ["tests", "target", "examples", "benches"];
        if path.is_dir() {
            if depth > 1 && !skipped.contains(&name.as_str()) {
                collect(&path, depth - 1, texts);
            }
            continue;
        }
        let upper = name.to_uppercase();
        let starts = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "COPYRIGHT",
            "NOTICE",
            "UNLICENSE",
        ];
        let plain = ["", "TXT", "MD"].contains(&upper.rsplit_once('.').map_or("", |(_, e)| e))
            || upper.contains("-2.0")
            || upper.contains("-3.0");
        if starts.iter().any(|start| upper.starts_with(start)) && plain {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            texts.push((name, text));
        }
    }
}

/// Returns the crates that are linked: dependencies of the program itself, not those of its build or its tests.
fn linked(metadata: &Value) -> Vec<Crate> {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let id_of = |value: &Value| value.as_str().unwrap().to_owned();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (id_of(&node["id"]), node))
        .collect();
    let root = id_of(&metadata["resolve"]["root"]);
    let (mut found, mut open) = (BTreeSet::new(), vec![root.clone()]);
    while let Some(id) = open.pop() {
        for dep in list(&nodes[&id]["deps"]) {
            let linked = list(&dep["dep_kinds"]).iter().any(|k| k["kind"].is_null());
            if linked && found.insert(id_of(&dep["pkg"])) {
                open.push(id_of(&dep["pkg"]));
            }
        }
    }
    let packages = list(&metadata["packages"]);
    // The crates of this repository have no other source.
    let is_linked = |p: &&Value| found.contains(&id_of(&p["id"])) && !p["source"].is_null();
    let linked = packages.iter().filter(is_linked);
    let mut crates: Vec<Crate> = linked.map(Crate::of).collect();
    crates.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    crates
}

/// Returns the whole file.
pub fn document(metadata: &Value) -> String {
    let crates = linked(metadata);
    let mut out = OPENING.to_owned();
    for one in &crates {
        let taken = one.taken().join(" and ");
        let (name, version, licence) = (&one.name, &one.version, &one.licence);
        let repository = &one.repository;
        writeln!(
            out,
            "| {name} | {version} | {licence} | {taken} | {repository} |"
        )
        .unwrap();
    }
    out.push_str("\n## Notices\n\nWhat the crates' files say of whose they are.\n");
    for one in &crates {
        let copyrights = one.copyrights();
        let notices: Vec<&String> = one
            .texts
            .iter()
            .filter(|(name, _)| name.to_uppercase().starts_with("NOTICE"))
            .map(|(_, text)| text)
            .collect();
        if copyrights.is_empty() && notices.is_empty() {
            continue;
        }
        writeln!(out, "\n### {} {}\n", one.name, one.version).unwrap();
        for line in copyrights {
            writeln!(out, "    {line}").unwrap();
        }
        for notice in notices {
            out.push('\n');
            indent(&mut out, notice);
        }
    }
    out.push_str("\n## Texts\n\nThat of Apache-2.0 is [LICENSE](LICENSE).\n");
    for ((licence, text), names) in texts(&crates) {
        writeln!(out, "\n### {licence}\n\nFor {}.\n", names.join(", ")).unwrap();
        indent(&mut out, &text);
    }
    out
}

fn indent(out: &mut String, text: &str) {
    for line in text.trim().lines() {
        let line = format!("    {line}");
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
}

/// Returns the distinct texts of the chosen licences, with the crates that contain them.
fn texts(crates: &[Crate]) -> BTreeMap<(String, String), Vec<String>> {
    let mut found: BTreeMap<String, (String, String, BTreeSet<String>)> = BTreeMap::new();
    for one in crates {
        for licence in one.taken().into_iter().filter(|l| *l != "Apache-2.0") {
            let mark = MARKS.iter().find(|(name, _)| *name == licence);
            let mark = mark.unwrap_or_else(|| panic!("no mark for {licence}")).1;
            let mut carried = one
                .texts
                .iter()
                .filter(|(_, t)| squeeze(t).contains(mark))
                .peekable();
            assert!(
                carried.peek().is_some(),
                "{} has no text of {licence}",
                one.name
            );
            for (_, text) in carried {
                // Copyright lines are listed in the notices, and the rest is equal in most texts.
                let is_own = |line: &&str| !is_copyright(line.trim());
                let text = text.lines().filter(is_own).collect::<Vec<_>>().join("\n");
                let entry = found.entry(format!("{licence} {}", words_of(&text)));
                let entry = entry.or_insert_with(|| (licence.to_owned(), text, BTreeSet::new()));
                entry.2.insert(one.name.clone());
            }
        }
    }
    found
        .into_values()
        .map(|(licence, text, names)| ((licence, text), names.into_iter().collect()))
        .collect()
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text without the differences between copies: line breaks, spaces, quotes and case.
fn words_of(text: &str) -> String {
    let words = text.chars().filter(char::is_ascii_alphanumeric);
    words.map(|c| c.to_ascii_lowercase()).collect()
}
