//! The language of the sources: `docs/style.md` as far as a program can check it. `docs/design/0011-vocabulary.md` has the figures
//! from before and after the rewrite; a budget below may only shrink.

use std::fs;

use regex::Regex;

use crate::layers::{rust_files, source_directories};

/// The comments that may say "answer": two questions to a person, and the answer of the network.
const ANSWERS: usize = 3;

/// A production source file: its path and its lines before the tests.
struct Source {
    path: String,
    lines: Vec<String>,
}

fn sources() -> Vec<Source> {
    let files = source_directories();
    let files = files.iter().flat_map(|directory| rust_files(directory));
    let files = files.filter(|file| {
        !file
            .iter()
            .any(|part| part == "tests" || part == "tests.rs")
    });
    let read = |file: std::path::PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
        Source {
            path: file.display().to_string(),
            lines: code.lines().map(str::to_owned).collect(),
        }
    };
    files.map(read).collect()
}

/// The places that match, each once: a doc block counts by its first line.
fn places(matches: impl Fn(&str, bool) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources() {
        let mut in_docs = false;
        for (number, line) in source.lines.iter().enumerate() {
            let text = line.trim_start();
            let is_doc = text.starts_with("///") || text.starts_with("//!");
            if text.starts_with("//") && matches(text, is_doc && !in_docs) {
                found.push(format!("{}:{}: {text}", source.path, number + 1));
            }
            in_docs = is_doc;
        }
    }
    found
}

#[test]
fn doc_comments_open_with_a_verb_or_a_noun() {
    let opener = Regex::new(r"^//[/!] (What|Whether|Who|The same)\b").unwrap();
    let found = places(|text, opens| opens && opener.is_match(text));
    assert!(
        found.is_empty(),
        "{} doc comments open with What, Whether, Who or The same:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn functions_return_and_do_not_answer() {
    let answer = Regex::new(r"\b[Aa]nswer(s|ed)?\b").unwrap();
    let found = places(|text, _| answer.is_match(text));
    assert!(
        found.len() <= ANSWERS,
        "{} comments say \"answer\"; {ANSWERS} may:\n{}",
        found.len(),
        found.join("\n")
    );
}
