//! Limits the size of public interfaces that people read as a whole.

use std::fs;

use crate::layers::{root, rust_files};

/// The maximum number of public methods of `Cluster`: groups of methods are behind a handle, such as `Cluster::files`.
const MOST: usize = 35;

/// Returns the public methods of a type in a source text.
fn methods(text: &str, of: &str) -> Vec<String> {
    let begin = format!("impl {of} {{");
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line == begin {
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if inside && let Some(name) = line.strip_prefix("    pub fn ") {
            found.push(name.split(['(', '<']).next().unwrap().to_owned());
        }
    }
    found
}

#[test]
fn the_cluster_has_few_public_methods() {
    let mut found = Vec::new();
    for file in rust_files(&root().join("crates/cluster/src")) {
        found.extend(methods(&fs::read_to_string(file).unwrap(), "Cluster"));
    }
    assert!(
        found.len() <= MOST,
        "{} public methods, {MOST} may; put some behind a handle: {}",
        found.len(),
        found.join(", ")
    );
    assert!(found.iter().any(|name| name == "submit"), "{found:?}");
}

#[test]
fn methods_are_counted_by_type_and_visibility() {
    let text = "impl A {\n    pub fn a<T>() {}\n    fn b() {}\n    pub(crate) fn c() {}\n}\nimpl B {\n    pub fn d() {}\n}\n";
    assert_eq!(methods(text, "A"), ["a"]);
    assert_eq!(methods(text, "B"), ["d"]);
}
