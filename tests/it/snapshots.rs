//! Tests a session for each command in `testdata/commands`: its output on success and on errors, byte by byte.
//! `CTL_UPDATE=1` rewrites the sessions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::answers::{called, commands};
use crate::causes::{opened, unexplained};
use crate::completion::shell;
use crate::support::race::write_file;
use crate::support::{CommandOutput, World, finish};

/// Commands whose output is tested elsewhere.
const ELSEWHERE: &[(&str, &str)] = &[("demo", "demo.rs")];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/commands")
}

/// A typed command: a line, and the text after `<<EOF`.
struct Typed {
    line: String,
    input: String,
}

fn typed(text: &str) -> Vec<Typed> {
    let (mut all, mut lines) = (Vec::new(), text.lines());
    while let Some(line) = lines.next() {
        let Some(line) = line.strip_prefix("$ ") else {
            continue;
        };
        let mut input = String::new();
        if line.contains("<<EOF") {
            for more in lines.by_ref().take_while(|more| *more != "EOF") {
                input += &format!("{more}\n");
            }
        }
        let line = line.to_owned();
        all.push(Typed { line, input });
    }
    all
}

/// Returns the output, with errors marked, and the exit code unless it is 0.
fn said(ran: &CommandOutput, scratch: &str) -> String {
    let mut text = ran.out.clone();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for line in ran.err.lines() {
        text += &format!("! {line}\n");
    }
    if ran.code != 0 {
        text += &format!("[{}]\n", ran.code);
    }
    let text = text.replace(scratch, "@");
    if text.contains("──") {
        ruled(&text)
    } else {
        text
    }
}

/// Returns the text with rules of a fixed width, because tables with rules are as wide as their path.
fn ruled(text: &str) -> String {
    let line = |line: &str| match line.chars().next() {
        Some(rule @ ('─' | '═')) => format!("{}\n", rule.to_string().repeat(3)),
        _ => format!("{}\n", line.trim_end()),
    };
    text.lines().map(line).collect()
}

/// Returns a session with the current output, and the changes whose cause is missing from the cluster's history.
fn run(text: &str) -> (String, Vec<String>) {
    let mut world = World::fresh();
    let _ = world.run(&["cluster", "delete"]).ok();
    world.set("CTL_TEST_CLOCK", "2030-05-06T07:08:09Z");
    let init = ["--clock", "virtual", "--seed", "7", "--nodes", "2"];
    let _ = world.run(&[&["cluster", "init"], &init[..]].concat()).ok();
    let scratch = world.outside("");
    let scratch = scratch.to_str().unwrap().trim_end_matches('/');
    let mut told = String::new();
    for typed in typed(text) {
        // Commands have a timeout, because one that waits forever would print nothing.
        let mut command = shell(&world, "timeout");
        command.args(["60", "sh", "-c", &typed.line.replacen("<<EOF", "", 1)]);
        let ran = finish(command, &typed.input);
        told += &format!("$ {}\n", typed.line);
        if typed.line.contains("<<EOF") {
            told += &format!("{}EOF\n", typed.input);
        }
        told += &said(&ran, scratch);
    }
    let unexplained = opened(&world).map_or_else(Vec::new, |cluster| unexplained(&cluster));
    (told, unexplained)
}

/// Returns the outdated part of a file. Rewrites the file if requested.
fn look(file: &Path) -> Option<String> {
    let update = std::env::var_os("CTL_UPDATE").is_some_and(|v| v == "1");
    let text = std::fs::read_to_string(file).unwrap();
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let (now, unexplained) = run(&text);
    if !unexplained.is_empty() {
        return Some(format!("{name}: changes without a cause: {unexplained:#?}"));
    }
    if now == text {
        return None;
    }
    if update {
        write_file(file, &now);
        return None;
    }
    let same = now.lines().zip(text.lines()).take_while(|(a, b)| a == b);
    let at = same.count();
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_owned();
    let (was, now) = (line(&text), line(&now));
    Some(format!("{name}:{}\n  was: {was}\n  now: {now}", at + 1))
}

#[test]
fn command_output_matches_its_recorded_session() {
    let mut files: Vec<PathBuf> = folder()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    // Sessions spend most of their time waiting, so they run in parallel.
    let (next, stale) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    stale.lock().unwrap().extend(look(file));
                }
            });
        }
    });
    let stale = stale.into_inner().unwrap();
    assert!(
        stale.is_empty(),
        "CTL_UPDATE=1 cargo test --test it snapshots\n{}",
        stale.join("\n")
    );
}

#[test]
fn every_command_has_a_session() {
    let all = commands();
    let mut left: BTreeSet<&str> = all.iter().map(String::as_str).collect();
    for entry in folder().read_dir().unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        for typed in typed(&text) {
            let words = typed.line.split(" ctl ").last().unwrap();
            let words = words.trim_start_matches("ctl ");
            if let Some(called) = called(&all, words).filter(|c| c.starts_with(&name)) {
                left.remove(called);
            }
        }
    }
    for (name, file) in ELSEWHERE {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
        let text = std::fs::read_to_string(tests.join(file)).unwrap();
        assert!(text.contains(&format!("\"{name}\"")), "{file}: {name}");
        assert!(left.remove(name), "{name}");
    }
    assert!(left.is_empty(), "no session shows {left:?}");
}
