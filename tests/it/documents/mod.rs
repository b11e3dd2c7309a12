//! Runs every command in the README and in docs/, in order, in one shell per document, and compares the output with the
//! document.
//!
//! `CTL_UPDATE=1 cargo test documents` writes the current outputs.

mod compare;
mod differences;
mod parse;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::state::write_file;
use crate::support::{World, finish, write_program};
use compare::is_as_shown;
pub use compare::plain;
use parse::{Block, Shown, blocks, session};

/// Commands that are shown but not run here, given as their beginnings, and the reasons.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo install", "builds a release; .ci/run does it"),
    ("cargo test", "runs this test"),
    ("CTL_TEST_FULL=1", "takes many minutes"),
    (
        "cargo bench",
        "takes minutes; .ci/run does it with small counts",
    ),
];

/// The languages of blocks; a block without commands is not a session.
const LANGUAGES: &[&str] = &["console", "sh", "yaml", "json", "rust", "toml", "text"];

/// A `cargo` whose `run` starts the program that the tests were built with.
const CARGO: &str = r#"#!/bin/bash
case "$1 $2 $3" in
  'run --release --') exec ctl "${@:4}" ;;
  'run --example '*)
    [ -x "$EXAMPLES/$3" ] || { echo 'cargo build --examples (a plain cargo test does it)'; exit 99; }
    exec "$EXAMPLES/$3" "${@:5}" ;;
  *) echo "cargo $*: not known to the tests of the documents"; exit 99 ;;
esac
"#;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the documents that show commands to users.
fn documents() -> Vec<PathBuf> {
    let mut found = [
        "README.md",
        "CONTRIBUTING.md",
        "testdata/README.md",
        "testdata/strategies/README.md",
    ]
    .map(|name| root().join(name))
    .to_vec();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn name(document: &Path) -> String {
    document.strip_prefix(root()).unwrap().display().to_string()
}

fn not_run(command: &str) -> Option<&'static str> {
    let begins = |(begin, _): &&(&'static str, &str)| command.starts_with(*begin);
    NOT_RUN.iter().find(begins).map(|(begin, _)| *begin)
}

/// A part of the shell script: a command that is shown, or a whole script.
enum Part {
    Command(Shown),
    Script(usize, String),
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for block in blocks(text) {
        match block.language.as_str() {
            "console" => parts.extend(session(&block).into_iter().map(Part::Command)),
            "sh" => parts.push(Part::Script(block.start, block.lines.join("\n"))),
            _ => {}
        }
    }
    parts
}

/// Returns the shell script of a document, with a mark before each part and the exit code after it.
fn script(parts: &[Part]) -> String {
    let mut script = "exec 2>&1\n".to_owned();
    for part in parts {
        let command = match part {
            Part::Command(shown) if not_run(&shown.command).is_some() => "true",
            Part::Command(shown) => &shown.command,
            Part::Script(_, text) => {
                &format!("bash -euo pipefail <<'END OF SCRIPT'\n{text}\nEND OF SCRIPT")
            }
        };
        write!(script, "printf '\\001'\n{command}\nprintf '\\002%s' $?\n").unwrap();
    }
    script
}

/// Returns the output and the exit code of each part.
fn run(parts: &[Part]) -> Vec<(Vec<String>, i32)> {
    let world = World::new();
    let [scratch, home, programs] = ["tmp", "home", "bin"].map(|name| world.outside(name));
    for folder in [&scratch, &home, &programs] {
        fs::create_dir(folder).unwrap();
    }
    let ctl = Path::new(env!("CARGO_BIN_EXE_ctl"));
    for name in ["ctl", "kubectl"] {
        symlink(ctl, programs.join(name)).unwrap();
    }
    write_program(&programs.join("cargo"), CARGO);
    let temporary = format!("{}/", scratch.display());
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = world.command_for(Path::new("timeout"));
    command
        .env("PATH", path)
        .env("HOME", &home)
        .env("TMPDIR", &scratch)
        .env("EXAMPLES", ctl.with_file_name("examples"))
        .env_remove("CTL_STATE")
        .env_remove("CTL_TEST_BARE")
        .current_dir(root())
        .args([
            "600",
            "bash",
            "-c",
            &script(parts).replace("/tmp/", &temporary),
        ]);
    let ran = finish(command, "");
    let text = ran.out.replace(&temporary, "/tmp/");
    let text = text.replace(&home.display().to_string(), "/home/you");
    let said = |part: &str| {
        let (text, code) = part.rsplit_once('\u{2}').unwrap_or((part, "-1"));
        let text = text.trim_end_matches('\n');
        let lines = text.lines().map(|l| l.trim_end().to_owned()).collect();
        (lines, code.trim().parse().unwrap_or(-1))
    };
    let said: Vec<_> = text.split('\u{1}').skip(1).map(said).collect();
    assert_eq!(said.len(), parts.len(), "the shell ended early: {text}");
    said
}

/// Runs a document and then a command in the same shell. Returns the output of the command.
pub fn after(document: &Path, command: &str) -> String {
    let mut all = parts(&fs::read_to_string(document).unwrap());
    all.push(Part::Command(Shown {
        command: command.to_owned(),
        at: 0,
        output: Vec::new(),
    }));
    let (said, code) = run(&all).pop().unwrap();
    assert_eq!(code, 0, "{}: {command}: {said:#?}", name(document));
    said.join("\n") + "\n"
}

/// Runs a document. Returns its errors, and its text with the actual outputs.
fn check(document: &Path) -> (Vec<String>, String) {
    let text = fs::read_to_string(document).unwrap();
    let parts = parts(&text);
    if parts.is_empty() {
        return (Vec::new(), text);
    }
    let (mut wrong, mut lines) = (
        Vec::new(),
        text.lines().map(str::to_owned).collect::<Vec<_>>(),
    );
    let said = run(&parts);
    for (part, (said, code)) in parts.iter().zip(&said).rev() {
        let place = |line: usize| format!("{}:{line}", name(document));
        match part {
            Part::Script(line, _) if *code != 0 => {
                wrong.push(format!(
                    "{}: the script ends with {code}: {said:#?}",
                    place(*line)
                ));
            }
            Part::Script(..) => {}
            Part::Command(shown) if not_run(&shown.command).is_some() => {}
            Part::Command(shown) => {
                let Shown {
                    command,
                    at,
                    output,
                } = shown;
                let is_refused = *code != 0 && said.is_empty();
                if is_refused || !is_as_shown(output, said) {
                    wrong.push(format!(
                        "{}: $ {command}\nshown {output:#?}\nsaid {said:#?}, exit code {code}",
                        place(*at)
                    ));
                }
                // Outputs are compared exactly, so that text in columns stays aligned.
                if !output.iter().any(|line| line.ends_with("...")) {
                    lines.splice(at..&(at + output.len()), said.iter().cloned());
                }
            }
        }
    }
    wrong.reverse();
    (wrong, lines.join("\n") + "\n")
}

#[test]
fn documented_commands_print_the_documented_output() {
    let documents = documents();
    let checked: Vec<_> = std::thread::scope(|scope| {
        let threads = documents.iter().map(|d| scope.spawn(|| check(d)));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    if std::env::var_os("CTL_UPDATE").is_some() {
        for (document, (wrong, text)) in documents.iter().zip(&checked) {
            if !wrong.is_empty() {
                write_file(document, text.as_bytes());
            }
        }
    }
    let wrong: Vec<String> = checked.into_iter().flat_map(|(wrong, _)| wrong).collect();
    assert!(
        wrong.is_empty(),
        "{}\n\nCTL_UPDATE=1 cargo test documents writes what they say now",
        wrong.join("\n\n")
    );
}

/// Returns an error in the form of a block, if there is one.
fn misshapen(block: &Block) -> Option<String> {
    let begins = |line: &String| {
        ["$ ", "ctl ", "cargo ", "git ", "kubectl "]
            .iter()
            .any(|b| line.starts_with(b))
    };
    match block.language.as_str() {
        "console" | "sh" => None,
        "indented" if block.lines.iter().any(begins) => Some("a command that is no session".into()),
        "indented" => None,
        "yaml" => {
            let text = block.lines.join("\n");
            let read = ctl::api::yaml::parse(text.as_bytes(), ctl::api::yaml::Mode::Lenient);
            read.err().map(|e| format!("no YAML: {e}"))
        }
        language if !LANGUAGES.contains(&language) => Some(format!("the language {language:?}")),
        _ if block.lines.iter().any(begins) => Some("a command that is no session".into()),
        _ => None,
    }
}

#[test]
fn every_document_block_is_well_formed() {
    let mut used = BTreeSet::new();
    let mut sessions = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for block in blocks(&text) {
            let wrong = misshapen(&block);
            assert_eq!(wrong, None, "{}:{}", name(&document), block.start);
        }
        for part in parts(&text) {
            sessions += 1;
            if let Part::Command(shown) = part {
                used.extend(not_run(&shown.command));
            }
        }
    }
    assert!(sessions > 50, "{sessions}");
    let listed: BTreeSet<&str> = NOT_RUN.iter().map(|(begin, _)| *begin).collect();
    assert_eq!(used, listed, "what is not run is shown somewhere");
}

#[test]
fn every_document_link_has_an_existing_target() {
    let link = regex::Regex::new(r"\]\(([^)#\s]+)(#[^)]*)?\)").unwrap();
    let mut links = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let folder = document.parent().unwrap();
        for found in link.captures_iter(&text) {
            let target = &found[1];
            if !target.contains("://") {
                links += 1;
                assert!(
                    folder.join(target).exists(),
                    "{}: {target}",
                    name(&document)
                );
            }
        }
    }
    assert!(links > 30, "{links}");
}
