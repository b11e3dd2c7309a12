//! Finds import cycles between the files of a crate. A file in a large cycle cannot be read or moved without the
//! others, so no cycle of any crate has more than [`GOAL`] files.
//!
//! The imports are read from `use` declarations and paths, without tests and without names that a crate's root
//! re-exports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

use crate::layers::{rust_files, source_directories};

/// The largest number of files in an import cycle.
const GOAL: usize = 3;

/// A module's path within its crate: `["scheduler", "filter"]`.
pub type Module = Vec<String>;

/// The modules that each module imports.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

fn module_of(file: &Path, directory: &Path) -> Module {
    let relative = file.strip_prefix(directory).unwrap().with_extension("");
    let mut parts: Module = relative
        .iter()
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    if parts.last().is_some_and(|last| last == "mod") || parts == ["lib"] || parts == ["main"] {
        parts.pop();
    }
    parts
}

/// Splits the tree of a `use` declaration into its paths.
pub fn paths_of(tree: &str, prefix: &[String], found: &mut Vec<Module>) {
    let (mut depth, mut begin) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[begin..]);
    for part in parts.iter().map(|part| part.trim()) {
        let (head, below) = part.split_once('{').unwrap_or((part, ""));
        let head = head.split(" as ").next().unwrap();
        let names = head.split("::").map(str::trim).filter(|n| !n.is_empty());
        let path: Module = prefix
            .iter()
            .cloned()
            .chain(names.map(str::to_owned))
            .collect();
        match below.rsplit_once('}') {
            Some((below, _)) => paths_of(below, &path, found),
            None if part.is_empty() => {}
            None => found.push(path),
        }
    }
}

/// Returns the paths in a source text, as they are written.
fn mentioned(text: &str) -> Vec<Module> {
    let comment = Regex::new("//.*").unwrap();
    let declaration = Regex::new(r"\buse ([^;]+);").unwrap();
    let path = Regex::new(r"\b(?:crate|super|self)(?:::\w+)+").unwrap();
    let code = comment.replace_all(text, "");
    let mut found = Vec::new();
    for tree in declaration.captures_iter(&code) {
        paths_of(&tree[1], &[], &mut found);
    }
    let code = declaration.replace_all(&code, "");
    found.extend(
        path.find_iter(&code)
            .map(|m| m.as_str().split("::").map(str::to_owned).collect()),
    );
    found
}

/// Returns the module that a path refers to, relative to another module: the longest prefix that is a module.
fn target(path: &[String], from: &[String], modules: &BTreeSet<Module>) -> Option<Module> {
    let steps = |name: &&String| matches!(name.as_str(), "crate" | "self" | "super");
    let skipped = path.iter().take_while(steps).count();
    let mut full = from.to_vec();
    for step in &path[..skipped] {
        match step.as_str() {
            "crate" => full.clear(),
            "super" => drop(full.pop()),
            _ => {}
        }
    }
    let base = if skipped > 0 { 1 } else { full.len() + 1 };
    full.extend_from_slice(&path[skipped..]);
    let lengths = (base..=full.len()).rev();
    let mut found = lengths
        .map(|length| full[..length].to_vec())
        .filter(|module| modules.contains(module));
    found.next()
}

/// Returns a source text without its tests. Cutting at the first `#[cfg(test)]` is not enough, because a
/// `mod tests;` may precede the imports.
pub fn production(text: &str) -> String {
    let tests = Regex::new(r"(?s)#\[cfg\(test\)\]\nmod \w+ \{.*").unwrap();
    let line = Regex::new(r"#\[cfg\(test\)\]\s+(?:pub(?:\([^)]*\))? )?(?:mod|use) [^;]*;").unwrap();
    line.replace_all(&tests.replace(text, ""), "").into_owned()
}

/// Returns the source texts of a crate by module, without tests.
pub fn texts_of(directory: &Path) -> BTreeMap<Module, String> {
    let is_test = |path: &Path| {
        let mut parts = path.iter().filter_map(|part| part.to_str());
        parts.any(|part| matches!(part, "tests" | "tests.rs" | "testing.rs"))
    };
    let files = rust_files(directory);
    let files = files.iter().filter(|file| !is_test(file));
    files
        .map(|file| {
            (
                module_of(file, directory),
                fs::read_to_string(file).unwrap(),
            )
        })
        .collect()
}

fn imports(directory: &Path) -> Imports {
    let texts = texts_of(directory);
    let modules: BTreeSet<Module> = texts.keys().cloned().collect();
    let of = |(module, text): (&Module, &String)| {
        let targets = mentioned(&production(text)).into_iter();
        let targets = targets.filter_map(|path| target(&path, module, &modules));
        let others = targets.filter(|target| target != module);
        (module.clone(), others.collect())
    };
    texts.iter().map(of).collect()
}

/// Returns the modules that can be reached from one module.
fn reached<'i>(imports: &'i Imports, from: &'i Module) -> BTreeSet<&'i Module> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        open.extend(imports[next].iter().filter(|module| found.insert(*module)));
    }
    found
}

/// Returns the modules of the largest cycle.
fn largest_cycle(imports: &Imports) -> Vec<&Module> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = imports
        .keys()
        .map(|module| (module, reached(imports, module)))
        .collect();
    let cycle_of = |module: &&Module| -> Vec<&Module> {
        let back = |other: &&&Module| reached[**other].contains(*module);
        reached[*module].iter().filter(back).copied().collect()
    };
    let cycles = reached.keys().map(cycle_of);
    cycles.max_by_key(Vec::len).unwrap_or_default()
}

#[test]
fn import_cycles_stay_below_the_limit() {
    let mut wrong = Vec::new();
    for directory in source_directories() {
        let parent = directory.parent().unwrap();
        let name = match parent.parent().is_some_and(|p| p.ends_with("crates")) {
            true => parent.file_name().unwrap().to_str().unwrap(),
            false => "program",
        };
        let imports = imports(&directory);
        let cycle = largest_cycle(&imports);
        println!("{name}: {} files in the largest cycle", cycle.len());
        if cycle.len() > GOAL {
            let names: Vec<String> = cycle.iter().map(|module| module.join("::")).collect();
            wrong.push(format!(
                "{name}: {} files, {GOAL} may: {}",
                cycle.len(),
                names.join(", ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "move what both sides need into a file of its own:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn cycle_check_finds_imports_and_cycles() {
    let modules: BTreeSet<Module> = ["a", "b", "a::c"]
        .iter()
        .map(|path| path.split("::").map(str::to_owned).collect())
        .collect();
    let from = ["a".to_owned(), "c".to_owned()];
    let seen = |text: &str| -> Vec<String> {
        let paths = mentioned(text).into_iter();
        let targets = paths.filter_map(|path| target(&path, &from, &modules));
        targets.map(|module| module.join("::")).collect()
    };
    assert_eq!(seen("use crate::b::{self, Thing, other::{X}};"), ["b"; 3]);
    assert_eq!(
        seen("use super::Thing; fn f() { crate::b::g() }"),
        ["a", "b"]
    );
    assert_eq!(seen("use std::fmt; // crate::b::g()"), [""; 0]);
    let mixed =
        "#[cfg(test)]\nmod tests;\nuse crate::b::X;\n#[cfg(test)]\nmod t {\n    use crate::a;\n}\n";
    assert_eq!(seen(&production(mixed)), ["b"]);
    let imports = |pairs: &[(&str, &[&str])]| -> Imports {
        let module = |name: &str| vec![name.to_owned()];
        let of = |(name, others): &(&str, &[&str])| {
            (module(name), others.iter().map(|o| module(o)).collect())
        };
        pairs.iter().map(of).collect()
    };
    let circle = imports(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &["a"])]);
    assert_eq!(largest_cycle(&circle).len(), 3);
    let line = imports(&[("a", &["b"]), ("b", &["c"]), ("c", &[])]);
    assert_eq!(largest_cycle(&line).len(), 0);
}
