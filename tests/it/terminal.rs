//! Tests objects full of control sequences, none of which may reach the terminal (T34). The terminal is a real pair of
//! pseudo-terminals.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::{Deadline, World, note};
use ctl::api::json::Value;

/// Colors, the clipboard, links, a cleared screen, a carriage return, the bell, the eight-bit introducer, delete, NUL,
/// and other control characters.
const EVIL: &str = "x\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://e\u{1b}\\\u{1b}[31m\u{1b}[2J\rred\u{9b}31m\u{9d}0;t\u{9c}\u{7f}\0\u{8}\u{b}end";

/// Returns the program's output on a terminal, and its exit code.
pub fn on_terminal(world: &World, args: &[&str]) -> (String, i32) {
    at_terminal(world, args, None)
}

/// Runs the program on a terminal with typed input, which the terminal also shows.
pub fn at_terminal(world: &World, args: &[&str], typed: Option<&str>) -> (String, i32) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let open = || {
        let mut options = File::options();
        let options = options.read(true).write(true);
        let file = options.open(name.to_str().unwrap()).unwrap();
        Stdio::from(OwnedFd::from(file))
    };
    let mut command = world.command();
    command
        .args(args)
        .stdin(typed.map_or_else(Stdio::null, |_| open()))
        .stdout(open())
        .stderr(open());
    let mut child = command.spawn().unwrap();
    // The command also holds the other end of the terminal.
    drop(command);
    let mut text = Vec::new();
    let mut master = File::from(master);
    let typed = typed.unwrap_or_default();
    master.write_all(typed.as_bytes()).unwrap();
    let mut part = [0; 4096];
    let limit = Deadline::of(&child);
    // Reads return an error once the last writer has closed the terminal.
    while let Ok(count @ 1..) = master.read(&mut part) {
        text.extend_from_slice(&part[..count]);
    }
    let code = child.wait().unwrap().code().unwrap_or(-1);
    drop(limit);
    // The terminal expands line ends to two characters.
    let text = String::from_utf8(text).unwrap().replace("\r\n", "\n");
    (text, code)
}

#[track_caller]
fn assert_harmless(text: &str, what: &str) {
    let bad = text
        .chars()
        .find(|c| c.is_control() && *c != '\n' && *c != '\t');
    assert_eq!(bad, None, "{what}: {text:?}");
    assert!(!text.contains("panicked"), "{what}: {text}");
}

/// Replaces every text with the hostile one, except the texts that identify the object.
fn poison(value: &mut Value, path: &str) {
    match value {
        Value::String(_)
            if [
                "/apiVersion",
                "/kind",
                "/metadata/name",
                "/metadata/namespace",
            ]
            .contains(&path) => {}
        Value::String(text) => *text = EVIL.into(),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| poison(item, &format!("{path}/-"))),
        Value::Object(map) => {
            for (name, value) in map {
                poison(value, &format!("{path}/{name}"));
            }
        }
        _ => {}
    }
}

/// Puts every sample object with hostile texts directly into the store. Returns the types.
fn poisoned(world: &World) -> Vec<String> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/facts/defaults");
    let (mut types, mut lines) = (Vec::new(), String::new());
    let mut files: Vec<_> = std::fs::read_dir(samples)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    for file in files
        .iter()
        .filter(|f| f.to_str().unwrap().ends_with(".out.yaml"))
    {
        let text = std::fs::read(file).unwrap();
        let Ok(Some(mut object)) = ctl::api::yaml::parse_one(&text, ctl::api::yaml::Mode::Lenient)
        else {
            continue;
        };
        let (api_version, kind) = (object["apiVersion"].as_str(), object["kind"].as_str());
        let found = api_version
            .zip(kind)
            .and_then(|(v, k)| ctl::kinds::find_by_api_version(v, k));
        let Some(kind) = found.filter(|kind| kind.served && kind.verbs.contains(&"list")) else {
            continue;
        };
        poison(&mut object, "");
        let namespace = if kind.namespaced {
            "default"
        } else {
            "_cluster"
        };
        let resource = kind.qualified_resource();
        let name = format!("p{}", types.len());
        object["metadata"]["name"] = Value::from(name.as_str());
        if kind.namespaced {
            object["metadata"]["namespace"] = Value::from("default");
        }
        lines += &format!("put {resource}/{namespace}/{name} {object}\n");
        types.push(resource);
    }
    let _ = world.run_with(&["raw", "batch"], &lines).ok();
    types.dedup();
    types
}

#[test]
fn no_control_character_of_an_object_reaches_a_terminal() {
    let world = World::fresh();
    let types = poisoned(&world);
    assert!(types.len() > 30, "{types:?}");
    let (mut runs, mut shown, mut bytes) = (0, 0, 0);
    let mut look = |args: &[&str]| {
        let (text, code) = on_terminal(&world, args);
        assert_harmless(&text, &args.join(" "));
        assert!(
            (0..100).contains(&code),
            "{args:?} ended with {code}: {text}"
        );
        let shows = code == 0 && text.contains("]52;c;aGk=");
        runs += 1;
        shown += usize::from(shows);
        bytes += text.len();
        shows
    };
    for name in &types {
        look(&["get", name, "-A"]);
        look(&["get", name, "-A", "-o", "wide"]);
        look(&["get", name, "-A", "-o", "yaml"]);
        look(&["get", name, "-A", "-o", "json"]);
        look(&["get", name, "-A", "-o", "name"]);
        look(&["describe", name, "-A"]);
    }
    assert!(look(&["events", "-A"]), "events show what happened");
    look(&["cluster-info", "dump"]);
    for format in ["", "json", "mermaid", "dot", "svg"] {
        look(&["tree", "-A", "-o", format]);
    }
    for format in ["--svg", "--html"] {
        look(&["render", "-A", format, "-"]);
    }
    // Most outputs contain some of the text, but a name or a table of ages contains none.
    assert!(
        shown > types.len() * 3,
        "{shown} of {runs} looks showed something of it"
    );
    note(&format!(
        "T34: {} types, {runs} looks on a terminal, {shown} at it, {bytes} bytes, no control character",
        types.len()
    ));
}

#[test]
fn no_control_character_of_a_command_line_reaches_a_terminal() {
    let world = World::fresh();
    let evil = EVIL.replace('\0', "");
    for args in [
        &[evil.as_str()][..],
        &["get", &evil],
        &["get", "cm", &evil],
        &["get", "cm", "-o", &evil],
        &["get", "cm", "-n", &evil, "x"],
        &["get", "cm", "-l", &evil],
        &["describe", "cm", &evil],
        &["apply", "-f", &evil],
        &["apply", "-k", &evil],
        &["kustomize", &evil],
        &["delete", "cm", &evil],
        &["get", "--no-such-flag", &evil],
        &[&format!("--{evil}")],
    ] {
        let (text, code) = on_terminal(&world, args);
        assert_harmless(&text, &format!("{args:?}"));
        assert!(
            (0..100).contains(&code),
            "{args:?} ended with {code}: {text}"
        );
    }
}

#[test]
fn color_flag_and_no_color_control_status_colors() {
    let mut world = World::fresh();
    let green = "\u{1b}[32mActive\u{1b}[0m";
    let shown = |world: &World, args: &[&str]| on_terminal(world, args).0;
    assert!(!shown(&world, &["get", "ns"]).contains(green));
    assert!(shown(&world, &["get", "ns", "--color=always"]).contains(green));
    world.set("NO_COLOR", "");
    assert!(shown(&world, &["get", "ns"]).contains(green));
    assert!(!shown(&world, &["get", "ns", "--color=never"]).contains('\u{1b}'));
    assert!(!world.run(&["get", "ns"]).ok().contains('\u{1b}'));
}

#[test]
fn empty_get_names_the_directory_on_a_terminal() {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let place = world.state().display().to_string();
    let (first, code) = on_terminal(&world, &["get", "pods"]);
    let empty = format!("No resources found in default namespace.\nctl: looked in {place}\n");
    assert_eq!(first, format!("ctl: created a cluster in {place}\n{empty}"));
    assert_eq!(code, 0);
    assert_eq!(on_terminal(&world, &["get", "pods"]).0, empty);
    let piped = world.run(&["get", "pods"]);
    assert_eq!(piped.err, "No resources found in default namespace.\n");
}

#[test]
fn waiting_drain_shows_and_erases_its_progress() {
    let world = World::fresh();
    for words in [
        &["create", "deployment", "web", "--image=i", "--replicas=4"][..],
        &["settle"],
    ] {
        let _ = world.run(words).ok();
    }
    // No kubelet is running, so the Pods remain terminating.
    let args = ["drain", "node-0", "--timeout=3s", "--ignore-daemonsets"];
    let (text, code) = on_terminal(&world, &args);
    assert_ne!(code, 0, "{text}");
    let shown = "] 0/2 waiting for evicted Pods to end ";
    assert!(text.contains(shown), "{text:?}");
    let (_, end) = text.rsplit_once(shown).unwrap();
    assert!(end.contains("\r\u{1b}[K"), "it is removed: {end:?}");
    let piped = world.run(&args);
    assert!(!piped.err.contains("] 0/2"), "{piped:?}");
}
