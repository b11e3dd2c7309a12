//! Checks that every public type of a crate occurs in a doc example that compiles, either its own or that of a type it
//! belongs to.
//!
//! The sources are read as text, because a list of the public items would need rustdoc and minutes. A type is public
//! if a path of public modules or re-exports leads to it from the root of its crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::cycles::{Module, paths_of, texts_of};
use crate::layers::source_directories;

/// A type: its module and its name.
type Type = (Module, String);

// The patterns are compiled once: in a test build, compiling one takes longer than searching a file for it.
static TYPES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^pub (?:unsafe )?(?:struct|enum|trait|union) (\w+)"));
static MODULES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^pub mod (\w+);"));
static EXPORTS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^pub use ([^;]+);"));
static INNER_EXPORTS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^pub(?:\([^)]*\))? use ([^;]+);"));
static HIDDEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"#\[doc\(hidden\)\]\s+(?:#\[.*\]\s+)*pub mod \w+;"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// The sources of one crate.
struct Sources(BTreeMap<Module, String>);

/// Returns a source text without the modules that only tests can see.
fn visible(text: &str) -> String {
    // Items of a test module are indented, so the patterns do not see them.
    HIDDEN.replace_all(text, "").into_owned()
}

/// Returns the names that a pattern finds in the text of a module.
fn names(text: &str, pattern: &Regex) -> Vec<String> {
    let found = pattern.captures_iter(text);
    found.map(|name| name[1].to_owned()).collect()
}

fn types(text: &str) -> Vec<String> {
    names(text, &TYPES)
}

/// Returns the absolute form of a path in a module.
fn absolute(path: &[String], from: &[String]) -> Module {
    let mut full = from.to_vec();
    for step in path {
        match step.as_str() {
            "crate" => full.clear(),
            "self" => {}
            "super" => drop(full.pop()),
            name => full.push(name.to_owned()),
        }
    }
    full
}

impl Sources {
    fn read(directory: &Path) -> Self {
        let texts = texts_of(directory).into_iter();
        Self(
            texts
                .map(|(module, text)| (module, visible(&text)))
                .collect(),
        )
    }

    /// Returns the paths that a module re-exports. Inside the crate, those with a narrower visibility count, too.
    fn exports(&self, module: &Module, inside: bool) -> Vec<Module> {
        let pattern = match inside {
            true => &INNER_EXPORTS,
            false => &EXPORTS,
        };
        let mut found = Vec::new();
        for tree in names(&self.0[module], pattern) {
            paths_of(&tree, &[], &mut found);
        }
        found.iter().map(|path| absolute(path, module)).collect()
    }

    /// Finds the module that declares a type, through re-exports of re-exports.
    fn declares(&self, path: &[String]) -> Option<Type> {
        let (name, module) = path.split_last()?;
        let text = self.0.get(module)?;
        if types(text).contains(name) {
            return Some((module.to_vec(), name.clone()));
        }
        let exports = self.exports(&module.to_vec(), true).into_iter();
        let mut named = exports.filter(|export| export.last() == Some(name) && export != path);
        named.find_map(|export| self.declares(&export))
    }

    /// Collects the public types below a public module.
    fn collect(&self, module: &Module, seen: &mut BTreeSet<Module>, found: &mut BTreeSet<Type>) {
        let Some(text) = self.0.get(module) else {
            return;
        };
        if !seen.insert(module.clone()) {
            return;
        }
        let own = types(text).into_iter();
        found.extend(own.map(|name| (module.clone(), name)));
        for name in names(text, &MODULES) {
            let below = absolute(&[name], module);
            self.collect(&below, seen, found);
        }
        for export in self.exports(module, false) {
            // A re-exported module is as public as one that is declared public.
            self.collect(&export, seen, found);
            found.extend(self.declares(&export));
        }
    }

    fn public(&self) -> BTreeSet<Type> {
        let mut found = BTreeSet::new();
        self.collect(&Vec::new(), &mut BTreeSet::new(), &mut found);
        found
    }
}

/// Returns the words of the examples in a document, given without comment signs.
fn words(document: &str) -> BTreeSet<String> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = BTreeSet::new();
    let mut is_example = None;
    for line in document.lines() {
        match (line.trim().strip_prefix("```"), is_example) {
            (Some(_), Some(_)) => is_example = None,
            // A block that rustdoc does not compile may use items that no longer exist.
            (Some(kind), None) => {
                is_example = Some(matches!(kind, "" | "rust" | "no_run" | "rust,no_run"));
            }
            (None, Some(true)) => {
                found.extend(line.split(|letter| !is_word(letter)).map(str::to_owned));
            }
            (None, _) => {}
        }
    }
    found
}

/// Returns the doc comments of a source text, without comment signs.
fn documentation(text: &str) -> String {
    let comments = text.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("///").or(line.strip_prefix("//!"))
    });
    comments
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the number of public types of a crate, and the types that no example uses.
fn without_example(directory: &Path) -> (usize, Vec<String>) {
    let sources = Sources::read(directory);
    let examples: BTreeMap<&Module, BTreeSet<String>> = sources
        .0
        .iter()
        .map(|(module, text)| (module, words(&documentation(text))))
        .collect();
    let readme = fs::read_to_string(directory.parent().unwrap().join("README.md"));
    let mut all = words(&readme.unwrap_or_default());
    all.extend(examples.values().flatten().cloned());
    let public = sources.public();
    let is_shown = |(module, name): &&Type| {
        let is_unique = public.iter().filter(|(_, other)| other == name).count() == 1;
        // If two types share a name, an example in another file may mean the other one.
        match is_unique {
            true => all.contains(name),
            false => examples[module].contains(name),
        }
    };
    let missing = public.iter().filter(|found| !is_shown(found));
    let missing = missing.map(|(module, name)| format!("{}::{name}", module.join("::")));
    (public.len(), missing.collect())
}

#[test]
fn every_public_type_appears_in_a_doc_example() {
    let (mut count, mut wrong) = (0, Vec::new());
    for directory in source_directories() {
        let (public, missing) = without_example(&directory);
        let parent = directory.parent().unwrap().file_name().unwrap();
        let name = parent.to_string_lossy();
        println!("{name}: {public} public types");
        count += public;
        wrong.extend(missing.iter().map(|path| format!("{name}: {path}")));
    }
    assert!(
        wrong.is_empty(),
        "write a doc example, or name the type in the example of the one that it belongs to:\n{}",
        wrong.join("\n")
    );
    assert!(count > 300, "{count} public types were found");
}

#[test]
fn example_check_finds_public_types_and_examples() {
    let module = |path: &str| -> Module {
        let parts = path.split("::").filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let texts = [
        (
            "",
            "mod a;\npub mod b;\n#[doc(hidden)]\npub mod fuzz;\npub use a::{Shown, deep::Deep};\n",
        ),
        (
            "a",
            "pub mod deep;\npub struct Shown;\npub struct Hidden;\n",
        ),
        ("a::deep", "pub(crate) use super::c::Deep;\n"),
        ("a::c", "pub enum Deep {}\n"),
        ("b", "/// ```text\n/// Below\n/// ```\npub trait Below {}\n"),
        ("fuzz", "pub struct Fuzz;\n"),
    ];
    let texts = texts.map(|(path, text)| (module(path), visible(text)));
    let public = Sources(texts.into()).public();
    let names: Vec<&str> = public.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["Shown", "Deep", "Below"]);
    let text =
        "/// Text.\n///\n/// ```\n/// let a = Below;\n/// ```\n/// ```text\n/// Shown\n/// ```\n";
    let found = words(&documentation(text));
    assert!(
        found.contains("Below") && !found.contains("Shown"),
        "{found:?}"
    );
}
