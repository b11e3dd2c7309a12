//! Tests Ctrl-C and closed pipes: no change is left half-done, and nothing is printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use ctl::cluster::{Cluster, Open};
use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;
use serde_json::Value;

use crate::screen::Shown;
use crate::support::race::{eventually, signal, wait_until_stopped, write_file};
use crate::support::{CommandOutput, World, collect, config_map, in_time, note, quiet};

/// Returns a manifest of many ConfigMaps, each with the same long text twice.
fn manifest(count: usize, letter: &str) -> String {
    let mut text = String::new();
    let long = letter.repeat(LONG);
    for n in 0..count {
        write!(
            text,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{n:05}}}\ndata: {{a: {long}, b: {long}}}\n---\n"
        ).unwrap();
    }
    text
}

const LONG: usize = 500;

fn start(world: &World, args: &[&str]) -> Child {
    let mut command = world.command();
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Returns SIGINT, or SIGTERM if the tests run in the background of a shell, which ignores SIGINT. Also returns the
/// exit code of a program without a handler.
fn interruption() -> (Signal, i32) {
    match has_bits("/proc/self/status", "SigIgn:", SIGINT) {
        false => (Signal::INT, 130),
        true => (Signal::TERM, 143),
    }
}

fn interrupted(child: Child) -> CommandOutput {
    signal(&child, interruption().0);
    collect(child)
}

/// Returns the existing ConfigMaps, each with its letter. Each must be complete.
fn letters(world: &World) -> BTreeMap<String, char> {
    let list = world.run(&["get", "cm", "-o", "json"]).ok();
    let list: Value = serde_json::from_str(&list).unwrap();
    let mut letters = BTreeMap::new();
    for item in list["items"].as_array().unwrap() {
        let (name, data) = (item["metadata"]["name"].as_str().unwrap(), &item["data"]);
        if name.starts_with("c0") {
            let text = data["a"].as_str().unwrap();
            let letter = text.chars().next().unwrap();
            assert_eq!(text, letter.to_string().repeat(LONG), "{name}");
            assert_eq!(data["a"], data["b"], "{name}");
            letters.insert(name.to_owned(), letter);
        }
    }
    letters
}

/// The moment at which a command is interrupted.
#[derive(Clone, Copy)]
enum When {
    /// After this number of milliseconds, unless it has ended before.
    After(u64),
    /// Before it makes this file-system call.
    At(&'static str),
}

/// Runs a command and interrupts it. Returns the objects that it reported, and its exit code.
fn interrupt(world: &World, args: &[&str], when: When) -> (Vec<String>, i32) {
    let ran = match when {
        When::After(time) => {
            let child = start(world, args);
            std::thread::sleep(Duration::from_millis(time));
            interrupted(child)
        }
        When::At(call) => {
            let mut command = world.command();
            command.args(args).env("CTL_FAULT", format!("stop:{call}"));
            let child = command.stdin(Stdio::null()).stdout(Stdio::piped());
            let child = child.stderr(Stdio::piped()).spawn().unwrap();
            wait_until_stopped(&child);
            signal(&child, interruption().0);
            signal(&child, Signal::CONT);
            collect(child)
        }
    };
    let codes = match when {
        When::After(_) => &[0, interruption().1][..],
        When::At(_) => &[interruption().1],
    };
    assert!(codes.contains(&ran.code), "{ran:?}");
    assert_eq!(ran.err, "");
    world.fsck_without_remarks();
    let names = ran.out.lines().map(|line| {
        let word = line.split(' ').next().unwrap();
        word.trim_start_matches("configmap/").to_owned()
    });
    (names.collect(), ran.code)
}

#[test]
fn interrupted_command_wrote_every_object_that_it_printed() {
    let world = World::fresh();
    let count = 300;
    let file = |letter: &str| {
        let path = world.outside(letter);
        write_file(&path, manifest(count, letter));
        path.to_str().unwrap().to_owned()
    };
    let (x, y) = (file("x"), file("y"));
    let mut seen = Vec::new();
    let (after, at) = (When::After, When::At);
    for when in [at("fdatasync:1"), after(0), after(10)] {
        let (told, code) = interrupt(&world, &["apply", "-f", &x], when);
        // All new objects are created in a single commit.
        let there = letters(&world).len();
        assert!(there == 0 || there == count, "{there}");
        assert!(told.len() <= there, "{told:?}");
        seen.push((code, there));
    }
    // A killed commit may only now become visible in the journal.
    let _ = world.run(&["apply", "-f", &x]).ok();
    for when in [
        after(2),
        after(40),
        after(300),
        at("fdatasync:1"),
        at("fdatasync:40"),
    ] {
        let (told, code) = interrupt(&world, &["apply", "-f", &y], when);
        let now = letters(&world);
        assert!(told.iter().all(|name| now[name] == 'y'), "{told:?}");
        let done = now.values().filter(|letter| **letter == 'y').count();
        assert!(now.len() == count && told.len() <= done, "{done}");
        seen.push((code, done));
        let _ = world.run(&["apply", "-f", &x]).ok();
    }
    for when in [after(2), after(50), at("fdatasync:40")] {
        let delete = ["delete", "cm", "--all", "--wait=false", "-o", "name"];
        let (told, code) = interrupt(&world, &delete, when);
        let left = letters(&world);
        assert!(told.iter().all(|name| !left.contains_key(name)), "{told:?}");
        seen.push((code, left.len()));
        let _ = world.run(&["apply", "-f", &x]).ok();
    }
    assert_eq!(letters(&world).len(), count);
    // A command that is stopped at a call does no more than that call.
    assert!(seen[6].1 <= 1, "{seen:?}");
    assert!((38..=40).contains(&seen[7].1), "{seen:?}");
    assert!((count - 40..count - 37).contains(&seen[10].1), "{seen:?}");
    note(&format!(
        "interrupted (exit code, objects made, changed or left): {seen:?}"
    ));
}

const STAYS: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stays, finalizers: [a.example/b]}\n";

/// Returns true if a process has handlers for SIGINT and SIGTERM.
fn heeds_interrupts(child: &Child) -> bool {
    // The two handlers are not installed at the same moment.
    let status = format!("/proc/{}/status", child.id());
    has_bits(&status, "SigCgt:", SIGINT | SIGTERM)
}

/// The bits of signals 2 and 15 in the masks of a process's status.
const SIGINT: u64 = 1 << 1;
const SIGTERM: u64 = 1 << 14;

/// Returns true if all these signals are in a mask of a process's status.
fn has_bits(status: &str, line: &str, signals: u64) -> bool {
    let status = std::fs::read_to_string(status).unwrap();
    let mask = status.lines().find_map(|l| l.strip_prefix(line));
    let mask = u64::from_str_radix(mask.unwrap().trim(), 16).unwrap();
    mask & signals == signals
}

#[test]
fn interrupt_ends_waiting_commands_immediately() {
    let world = World::fresh();
    let _ = world.run_with(&["apply", "-f", "-"], STAYS).ok();
    let web = ["create", "deployment", "web", "--image=shop:1"];
    let _ = world.run(&web).ok();
    for (args, first) in [
        (&["get", "cm", "-w"][..], "NAME"),
        (&["get", "cm", "-w", "-o", "name"], "configmap/"),
        (&["rollout", "status", "deploy/web"], "Waiting for "),
        (&["delete", "cm", "stays"], "configmap \"stays\" deleted"),
        (&["wait", "--for=delete", "cm/stays", "--timeout=60s"], ""),
        (&["wait", "--for=create", "cm/never", "--timeout=60s"], ""),
        (&["events", "-w"], ""),
    ] {
        let mut child = start(&world, args);
        // The pipe stays open until the end, because a command that writes to a closed pipe exits with 0.
        let mut out = BufReader::new(child.stdout.take().unwrap());
        if !first.is_empty() {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            assert!(line.starts_with(first), "{args:?}: {line}");
        }
        assert!(
            eventually(Duration::from_secs(60), || heeds_interrupts(&child)),
            "{args:?}"
        );
        let ran = interrupted(child);
        // As in kubectl, an interrupted wait exits with 1.
        assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{args:?}");
    }
    world.fsck_without_remarks();
}

/// The longest time that a command may run after the signal.
const PROMPT: Duration = Duration::from_secs(1);

/// There are more Pods than can ever be created, so the controllers have no natural end.
#[test]
fn interrupt_stops_busy_controllers_promptly() {
    quiet::alone();
    for command in [
        &["settle"][..],
        &["controllers"],
        &["controllers", "--once"],
    ] {
        let world = World::fresh();
        let set = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec:\n  replicas: 2147483647\n  \
                   selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    \
                   spec: {containers: [{name: c, image: \"shop:1\"}]}\n";
        let _ = world.run_with(&["apply", "-f", "-"], set).ok();
        let child = start(&world, command);
        let cluster = Cluster::open(&world.state(), Open::as_writer("test")).unwrap();
        let busy = || cluster.stored().revision().unwrap() > 3000;
        assert!(eventually(Duration::from_secs(60), busy), "{command:?}");
        let watch = Stopwatch::start();
        let ran = interrupted(child);
        let took = watch.elapsed();
        assert!(took < in_time(PROMPT), "{command:?} went on for {took:?}");
        let code = i32::from(command == ["settle"]);
        assert_eq!(ran.code, code, "{command:?}: {ran:?}");
        // The completed work is consistent, and the next writer shows it.
        let _ = world
            .run(&["delete", "rs", "web", "--cascade=orphan", "--wait=false"])
            .ok();
        world.fsck_without_remarks();
    }
}

#[test]
fn watch_ends_after_the_request_timeout() {
    let world = World::fresh();
    let _ = world.run_with(&["apply", "-f", "-"], STAYS).ok();
    for args in [
        &["get", "cm", "-w", "-o", "name", "--request-timeout=1s"][..],
        &["events", "-w", "--request-timeout=1s"],
    ] {
        let ran = world.run(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    }
    let run = [
        "run",
        "alone",
        "--image=shop:1",
        "--command",
        "--",
        "sh",
        "-c",
        "echo one; sleep 9999",
    ];
    let _ = world.run(&run).ok();
    let _ = world.run(&["settle"]).ok();
    let ran = world.run(&["logs", "-f", "alone", "--request-timeout=1s"]);
    let over = "error: context deadline exceeded (Client.Timeout or context cancellation while reading body)\n";
    assert_eq!(
        (ran.code, ran.err.as_str(), ran.out.as_str()),
        (1, over, "one\n")
    );
}

#[test]
fn closed_stdout_pipe_is_no_error() {
    let world = World::fresh();
    let put = |n: u32| format!("put configmaps/default/c{n:05} {}\n", config_map("x"));
    let puts: String = (0..5000).map(put).collect();
    let _ = world.run_with(&["raw", "batch"], &puts).ok();
    for args in [
        &["get", "cm"][..],
        &["get", "cm", "-o", "yaml"],
        &["get", "cm", "-o", "jsonpath={range .items[*]}{.data}{end}"],
        &["describe", "cm"],
        &["label", "cm", "--all", "seen=yes"],
    ] {
        let mut child = start(&world, args);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = Vec::new();
        // These bytes show that output has begun; the pipe holds less than the full output.
        let mut part = std::io::Read::take(&mut out, 10);
        part.read_until(b'\n', &mut line).unwrap();
        drop(out);
        let ran = collect(child);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    }
    world.fsck_without_remarks();
}

#[test]
fn ctrl_c_in_exec_interrupts_the_container_command() {
    let world = World::new();
    let init = ["cluster", "init", "--nodes", "1", "--seed", "7"];
    let _ = world.run_env(&[("CTL_TEST_BARE", "")], &init, "").ok();
    let _ = world.run(&["run", "web", "--image=i"]).ok();
    world.run(&["settle"]).must_not_crash();
    let args = ["exec", "-it", "web", "--"];
    let mut shell = Shown::start(&world, &[&args[..], &["sh"]].concat());
    shell.until("# ");
    shell.press("sleep 1000\r");
    shell.until("sleep 1000\r");
    shell.press("\u{3}");
    shell.until("^C");
    shell.press("echo code $?\r");
    shell.until("code 130");
    // At the prompt, Ctrl-C discards the unfinished line.
    shell.press("never\u{3}echo still here\r");
    shell.until("/ # still here");
    shell.press("\u{4}");
    let (text, status) = shell.left();
    assert!(
        status.success() && !text.contains("never: not found"),
        "{text}"
    );
    let mut sleeps = Shown::start(&world, &[&args[..], &["sleep", "1000"]].concat());
    // The test waits until the command has the keys; before that, this program has them.
    assert!(eventually(in_time(Duration::from_secs(20)), || sleeps.is_raw()));
    sleeps.press("\u{3}");
    let (text, status) = sleeps.left();
    assert!(
        text.contains("command terminated with exit code 130"),
        "{text}"
    );
    assert_eq!(status.code(), Some(130));
}

#[test]
fn ctrl_c_ends_the_script_of_a_test_case_and_reports_the_others() {
    let world = World::new();
    let case = |name: &str, steps: &str| {
        let head =
            format!("apiVersion: ctl.dev/v1\nkind: Test\nmetadata: {{name: {name}}}\nspec:\n");
        write_file(
            &world.outside(&format!("{name}.test.yaml")),
            format!("{head}  steps:\n{steps}"),
        );
    };
    let place = world.outside("place");
    case("a-quick", "  - run: create configmap a\n");
    let script = format!(
        "echo $$ > {0}.new; mv {0}.new {0}; sleep 1000; true",
        place.display()
    );
    case("b-slow", &format!("  - script: {script:?}\n"));
    let args = [
        "test",
        "--parallel",
        "1",
        "a-quick.test.yaml",
        "b-slow.test.yaml",
    ];
    let child = start(&world, &args);
    assert!(eventually(in_time(Duration::from_secs(60)), || place.exists()));
    let ran = interrupted(child);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.out.contains("a-quick") && !ran.out.contains("b-slow"),
        "{ran:?}"
    );
    assert!(ran.err.contains("stopped after 1 of 2 cases"), "{ran:?}");
    let shell = std::fs::read_to_string(&place).unwrap();
    let shell = std::path::PathBuf::from(format!("/proc/{}", shell.trim()));
    assert!(!shell.exists(), "{}", shell.display());
}

#[test]
fn ctrl_c_before_the_first_screen_of_the_demo_leaves_nothing() {
    let mut world = World::new();
    let place = world.outside("demos");
    std::fs::create_dir(&place).unwrap();
    world.set("TMPDIR", place.to_str().unwrap());
    world.set("CTL_TEST_BARE", "");
    let demo = Shown::start(&world, &["demo"]);
    let demos = || std::fs::read_dir(&place).unwrap().count();
    assert!(eventually(in_time(Duration::from_secs(60)), || demos() > 0));
    signal(demo.process(), interruption().0);
    let (text, _) = demo.left();
    // On a fast machine the screen is already open, and then the cluster remains.
    let stays = text.contains("The cluster stays in");
    assert_eq!(demos(), usize::from(stays), "{text}");
}
