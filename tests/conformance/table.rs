//! Checks that the list of conformance tests is complete, and counts them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The number of tests in the list.
const LISTED: usize = 429;

/// Returns the tests of this target as MODULE::FUNCTION, each with its attributes.
fn functions() -> BTreeMap<String, String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if module == "table" {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for part in text.split("#[test]\n").skip(1) {
            let (attributes, rest) = part.split_once("fn ").unwrap();
            let name = rest.split('(').next().unwrap();
            found.insert(format!("{module}::{name}"), attributes.to_owned());
        }
    }
    found
}

#[test]
fn every_conformance_test_is_listed() {
    let table = include_str!("../../testdata/conformance/tests.tsv");
    let functions = functions();
    let (mut counts, mut names, mut used) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [area, name, how] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        assert!(names.insert((area, name)), "{name} is listed twice");
        let (state, function) = match how.split_once(' ').unwrap() {
            ("covered", rest) => ("pass", rest.strip_prefix("by ")),
            ("differs,", rest) => ("differ", rest.strip_prefix("see ")),
            ("needs", _) => ("need a container or a network", None),
            _ => panic!("{line}"),
        };
        if let Some(function) = function {
            let attributes = functions.get(function);
            let attributes = attributes.unwrap_or_else(|| panic!("{function} does not exist"));
            assert_eq!(
                attributes.contains("#[ignore"),
                state == "differ",
                "{function}"
            );
            if state == "pass" {
                used.insert(function);
            }
        }
        *counts.entry(state).or_insert(0) += 1;
    }
    assert_eq!(names.len(), LISTED);
    let unused = functions
        .keys()
        .filter(|name| !table.contains(name.as_str()));
    assert_eq!(
        unused.collect::<Vec<_>>(),
        [""; 0],
        "tests that the list does not name"
    );
    let of = |state| counts.get(state).copied().unwrap_or(0);
    let sentence = format!(
        "conformance tests: {} of {} pass, in {} functions; {} differ; {} need a container or a network",
        of("pass"),
        of("pass") + of("differ"),
        used.len(),
        of("differ"),
        of("need a container or a network"),
    );
    eprintln!("{sentence}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/fidelity.md");
    let page = fs::read_to_string(page).unwrap();
    assert!(
        page.contains(&sentence),
        "docs/fidelity.md does not say: {sentence}"
    );
}
