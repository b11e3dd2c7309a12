//! Tests that every command that runs for a while notices saved files, whichever tool saves them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use ctl::api::json::Value;
use ctl::cluster::{Cluster, Range};
use rustix::process::Signal;

use crate::support::edits;
use crate::support::race::{eventually, open, signal, write_file};
use crate::support::{CommandOutput, World, can_run, collect, finish, in_time, quiet};

/// The time in which a save must become a commit.
const SOON: Duration = Duration::from_secs(1);

/// A way in which a user changes the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    RenameOver,
    Truncate,
    Append,
    Sed,
    Git,
    Copy,
    Rsync,
    NewFile,
    Rename,
    Remove,
}

const TOOLS: [Tool; 10] = [
    Tool::RenameOver,
    Tool::Truncate,
    Tool::Append,
    Tool::Sed,
    Tool::Git,
    Tool::Copy,
    Tool::Rsync,
    Tool::NewFile,
    Tool::Rename,
    Tool::Remove,
];

/// Returns a cluster on the system clock with a ConfigMap for each tool.
fn world() -> World {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let init = ["cluster", "init", "--seed", "7", "--nodes", "2"];
    let _ = world.run(&init).ok();
    let maps = TOOLS.iter().map(|tool| manifest(&name_of(*tool), "first"));
    let manifests: String = maps.collect();
    let _ = world.run_with(&["apply", "-f", "-"], &manifests).ok();
    let mut git = world.command_for(Path::new("git"));
    git.args(["init", "-q"]).current_dir(world.state());
    let _ = finish(git, "").ok();
    world
}

fn name_of(tool: Tool) -> String {
    format!("{tool:?}").to_lowercase()
}

fn manifest(name: &str, value: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: default\n\
         data:\n  t: {value}\n"
    )
}

fn spawn(world: &World, args: &[&str]) -> Child {
    let mut command = world.command();
    let piped = command.args(args).stdin(Stdio::null());
    let piped = piped.stdout(Stdio::piped()).stderr(Stdio::piped());
    piped.spawn().unwrap()
}

fn end(child: Child) -> CommandOutput {
    signal(&child, Signal::TERM);
    collect(child)
}

/// A reader of the journal that opens no object file.
struct Onlooker {
    cluster: Cluster,
}

impl Onlooker {
    fn new(world: &World) -> Self {
        Self {
            cluster: open(world, "onlooker"),
        }
    }

    /// Returns the last committed state of an object; `None` if it was removed or never existed.
    fn object(&self, key: &str) -> Option<Value> {
        let range = Range::prefix(key);
        let (events, _) = self.cluster.stored().events(&range, 1).unwrap();
        let last = events.into_iter().rfind(|e| e.key.as_str() == key)?;
        Some(serde_json::from_slice(&last.after?).unwrap())
    }

    #[track_caller]
    fn sees(&self, what: &str, patience: Duration, done: impl Fn(&Self) -> bool) {
        let seen = eventually(in_time(patience), || done(self));
        assert!(seen, "not within {patience:?}: {what}");
    }

    /// Waits until the file of an object shows its last committed state, because users read a file before they edit it.
    #[track_caller]
    fn is_shown(&self, world: &World, key: &str) {
        let (resource, rest) = key.split_once('/').unwrap();
        let (namespace, name) = rest.split_once('/').unwrap();
        let path = world.path(&format!("{namespace}/{resource}/{name}.yaml"));
        self.sees(&format!("{key} in its file"), SOON, |onlooker| {
            let range = Range::prefix(key);
            let (events, _) = onlooker.cluster.stored().events(&range, 1).unwrap();
            let last = events.into_iter().rfind(|e| e.key.as_str() == key).unwrap();
            let line = format!("resourceVersion: \"{}\"", last.revision);
            fs::read_to_string(&path).is_ok_and(|text| text.contains(&line))
        });
    }

    fn value(&self, name: &str) -> Option<String> {
        let object = self.object(&format!("configmaps/default/{name}"))?;
        let text = |path: &str| {
            object
                .pointer(path)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        text("/metadata/labels/t").or_else(|| text("/data/t"))
    }
}

/// Changes a file with a tool, and returns a check that the cluster followed.
fn change(world: &World, tool: Tool) -> Box<dyn Fn(&Onlooker) -> bool> {
    let (name, value) = (name_of(tool), format!("by-{}", name_of(tool)));
    let path = edits::file_of(world, &name);
    let outside = world.outside(&name);
    let text = fs::read_to_string(&path).unwrap();
    let text = edits::with_token(&text, &value);
    let run = |program: &str, args: [&Path; 2]| {
        let mut command = world.command_for(Path::new(program));
        command.args(args);
        let _ = finish(command, "").ok();
    };
    match tool {
        Tool::RenameOver => edits::rename_over(&path, text.as_bytes()),
        Tool::Truncate => {
            edits::save_slowly(&path, &text, Duration::from_millis(50));
        }
        Tool::Append => {
            let labels = format!("  labels:\n    t: {value}\n");
            let _ = edits::append(&path, &labels);
        }
        Tool::Sed => edits::sed(&path, &value),
        Tool::Git => edits::git_checkout(world, &path, &text),
        Tool::Copy | Tool::Rsync => {
            write_file(&outside, &text);
            let program = if tool == Tool::Copy { "cp" } else { "rsync" };
            run(program, [&outside, &path]);
        }
        Tool::NewFile => {
            let path = edits::file_of(world, "brand-new");
            write_file(&path, manifest("brand-new", &value));
            return Box::new(move |o| o.value("brand-new").as_deref() == Some(&*value));
        }
        Tool::Rename => {
            // The object has the name of its new file, as in a copy that kubectl makes.
            let text = manifest("renamed", &value);
            write_file(&outside, &text);
            run("mv", [&path, &world.outside("old")]);
            run("mv", [&outside, &edits::file_of(world, "renamed")]);
            let gone = move |o: &Onlooker| o.value(&name).is_none();
            return Box::new(move |o| gone(o) && o.value("renamed").as_deref() == Some(&*value));
        }
        Tool::Remove => {
            fs::remove_file(&path).unwrap();
            return Box::new(move |o| o.value(&name).is_none());
        }
    }
    Box::new(move |o| o.value(&name).as_deref() == Some(&*value))
}

/// Adds a directory of objects by a rename, edits it, and removes it.
fn change_directories(world: &World, onlooker: &Onlooker) {
    let secret = |value: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  labels:\n    round: none\n  name: s\n  \
             namespace: other\nstringData:\n  t: {value}\ntype: Opaque\n"
        )
    };
    let key = "secrets/other/s";
    let (outside, inside) = (world.outside("secrets"), world.path("other/secrets"));
    fs::create_dir(&outside).unwrap();
    fs::create_dir_all(world.path("other")).unwrap();
    for round in 0..2 {
        write_file(&outside.join("s.yaml"), secret("hunter2"));
        fs::rename(&outside, &inside).unwrap();
        let there = |o: &Onlooker| o.object(key).is_some();
        onlooker.sees("a directory that came", SOON, there);
        // Files in an added directory are noticed, too.
        onlooker.is_shown(world, key);
        let path: PathBuf = inside.join("s.yaml");
        let mut sed = world.command_for(Path::new("sed"));
        let script = format!("s/round: .*/round: \"{round}\"/");
        sed.args(["-i", &script]).arg(&path);
        let _ = finish(sed, "").ok();
        let edited = |o: &Onlooker| {
            let object = o.object(key);
            let round = round.to_string();
            object.is_some_and(|o| o["metadata"]["labels"]["round"] == round.as_str())
        };
        onlooker.sees("a file below it", SOON, edited);
        onlooker.is_shown(world, key);
        fs::rename(&inside, &outside).unwrap();
        onlooker.sees("a directory that went", SOON, |o| o.object(key).is_none());
        // The removal is visible before its writer has compared the files. A file that comes back in between would be an
        // edit of a removed object, which is kept aside.
        drop(world.lock());
    }
}

/// Starts a command and changes files in every way. Each change must soon become a commit.
fn notices(args: &[&str]) -> CommandOutput {
    quiet::alone();
    let world = world();
    let _ = world.run(&["create", "namespace", "other"]).ok();
    notices_in(&world, args)
}

fn notices_in(world: &World, args: &[&str]) -> CommandOutput {
    let onlooker = Onlooker::new(world);
    // The first read of the command imports this file, which shows that the command runs. A file saved after the start
    // could come too late for `wait`, which fails if its object does not exist.
    let first = edits::file_of(world, "first");
    write_file(&first, manifest("first", "x"));
    let child = spawn(world, args);
    let runs = |o: &Onlooker| o.value("first").is_some();
    onlooker.sees("the first file", Duration::from_secs(20), runs);
    for tool in TOOLS {
        if tool == Tool::Rsync && !can_run(&["rsync", "--version"]) {
            crate::support::note("rsync is not installed: it was not tried");
            continue;
        }
        let done = change(world, tool);
        onlooker.sees(&format!("{args:?}: {tool:?}"), SOON, done);
    }
    change_directories(world, &onlooker);
    let ran = end(child);
    let _ = world.fsck();
    ran
}

/// Returns the lines that report imported edits.
fn told(ran: &CommandOutput) -> Vec<&str> {
    ran.err.lines().filter(|l| l.contains(".yaml: ")).collect()
}

#[test]
fn controllers_import_and_log_every_hand_edit() {
    let ran = notices(&["controllers"]);
    let sed = told(&ran)
        .into_iter()
        .find(|line| line.contains("configmaps/sed.yaml"))
        .unwrap();
    let (time, rest) = sed.split_once(' ').unwrap();
    assert!(time.parse::<jiff::Timestamp>().is_ok(), "{sed}");
    assert_eq!(
        rest,
        "hand-edit default/configmaps/sed.yaml: edited: data.t first -> by-sed"
    );
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn controllers_log_hand_edits_as_json_on_request() {
    let world = world();
    let onlooker = Onlooker::new(&world);
    let child = spawn(&world, &["controllers", "--log-format=json"]);
    edits::sed(&edits::file_of(&world, "sed"), "five");
    let done = |o: &Onlooker| o.value("sed").as_deref() == Some("five");
    onlooker.sees("an edit", Duration::from_secs(20), done);
    let ran = end(child);
    let lines = ran
        .err
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let line = lines.rev().find(|line| line["file"].is_string()).unwrap();
    assert_eq!(line["file"], "default/configmaps/sed.yaml");
    assert_eq!(line["action"], "edited");
    assert_eq!(line["changes"], "data.t first -> five");
    assert!(line["revision"].is_u64(), "{line}");
}

#[test]
fn watch_reports_hand_edits() {
    let ran = notices(&["get", "configmaps", "-w", "-o", "name"]);
    for name in ["sed", "brand-new", "append", "git"] {
        let line = format!("configmap/{name}");
        assert!(
            ran.out.lines().filter(|l| *l == line).count() >= 1,
            "{ran:?}"
        );
    }
    let sed = "ctl: default/configmaps/sed.yaml: edited: data.t first -> by-sed";
    assert!(told(&ran).contains(&sed), "{ran:?}");
    assert!(
        told(&ran).contains(&"ctl: default/configmaps/remove.yaml: removed"),
        "{ran:?}"
    );
    assert!(
        told(&ran).contains(&"ctl: default/configmaps/brand-new.yaml: created"),
        "{ran:?}"
    );
    // The values of a Secret must not be printed.
    assert!(!ran.err.contains("hunter2"), "{ran:?}");
}

#[test]
fn events_watch_imports_hand_edits() {
    drop(notices(&["events", "-w"]));
}

#[test]
fn serve_imports_hand_edits() {
    drop(notices(&["serve", "--listen", "127.0.0.1:0"]));
}

#[test]
fn proxy_imports_hand_edits() {
    drop(notices(&["proxy", "--port=0"]));
}

#[test]
fn settle_imports_hand_edits_while_waiting_for_the_clock() {
    drop(notices(&["settle", "--for=300s"]));
}

#[test]
fn wait_imports_hand_edits() {
    let condition = "--for=jsonpath={.data.t}=never";
    drop(notices(&["wait", condition, "cm/first", "--timeout=300s"]));
}

#[test]
fn rollout_status_imports_hand_edits() {
    quiet::alone();
    let world = world();
    let _ = world.run(&["create", "namespace", "other"]).ok();
    let _ = world
        .run(&["create", "deployment", "web", "--image=nginx"])
        .ok();
    drop(notices_in(&world, &["rollout", "status", "deployment/web"]));
}

#[test]
fn delete_imports_hand_edits_while_waiting() {
    quiet::alone();
    let world = world();
    let _ = world.run(&["create", "namespace", "other"]).ok();
    let held = manifest("held", "x").replace(
        "  name: held\n",
        "  name: held\n  finalizers: [example.com/hold]\n",
    );
    let _ = world.run_with(&["apply", "-f", "-"], &held).ok();
    drop(notices_in(&world, &["delete", "configmap", "held"]));
}

#[test]
fn wait_ends_when_a_hand_edit_meets_its_condition() {
    let world = world();
    let condition = "--for=jsonpath={.data.t}=done";
    let child = spawn(&world, &["wait", condition, "cm/sed", "--timeout=60s"]);
    let onlooker = Onlooker::new(&world);
    edits::sed(&edits::file_of(&world, "sed"), "nearly");
    onlooker.sees("the first edit", Duration::from_secs(20), |o| {
        o.value("sed").as_deref() == Some("nearly")
    });
    onlooker.is_shown(&world, "configmaps/default/sed");
    edits::sed(&edits::file_of(&world, "sed"), "done");
    let ran = collect(child);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "configmap/sed condition met\n")
    );
    assert_eq!(
        ran.err,
        "ctl: default/configmaps/sed.yaml: edited: data.t first -> nearly\n\
         ctl: default/configmaps/sed.yaml: edited: data.t nearly -> done\n"
    );
}

/// Tests the central promise of ctl: the controllers watch the directory and reconcile.
#[test]
fn controllers_scale_a_deployment_whose_file_is_edited() {
    quiet::alone();
    let world = world();
    let create = [
        "create",
        "deployment",
        "web",
        "--image=nginx",
        "--replicas=3",
    ];
    let _ = world.run(&create).ok();
    let child = spawn(&world, &["controllers"]);
    let onlooker = Onlooker::new(&world);
    let ready = |o: &Onlooker| {
        let web = o.object("deployments.apps/default/web");
        web.and_then(|web| web["status"]["readyReplicas"].as_i64())
    };
    onlooker.sees("three Pods", Duration::from_secs(60), |o| {
        ready(o) == Some(3)
    });
    let path = world.path("default/deployments.apps/web.yaml");
    onlooker.is_shown(&world, "deployments.apps/default/web");
    let sed = |script: &str| {
        let mut sed = world.command_for(Path::new("sed"));
        sed.args(["-i", script]).arg(&path);
        let _ = finish(sed, "").ok();
    };
    sed("s/replicas: 3/replicas: 5/");
    onlooker.sees("five replicas", SOON, |o| {
        let web = o.object("deployments.apps/default/web");
        web.is_some_and(|web| web["spec"]["replicas"] == 5)
    });
    onlooker.sees("five Pods", Duration::from_secs(20), |o| {
        ready(o) == Some(5)
    });
    let ran = end(child);
    let edited = "default/deployments.apps/web.yaml: edited: spec.replicas 3 -> 5";
    assert!(ran.err.contains(edited), "{ran:?}");
    let _ = world.fsck();
}

#[test]
fn running_controllers_respect_pause_and_resume() {
    quiet::alone();
    let world = world();
    let child = spawn(&world, &["controllers"]);
    let onlooker = Onlooker::new(&world);
    let ready = |name: &str, o: &Onlooker| {
        let web = o.object(&format!("deployments.apps/default/{name}"));
        web.is_some_and(|web| web["status"]["readyReplicas"] == 1)
    };
    let _ = world
        .run(&["create", "deployment", "one", "--image=i"])
        .ok();
    onlooker.sees("a ready Pod", Duration::from_secs(60), |o| ready("one", o));
    let _ = world.run(&["pause", "replicaset"]).ok();
    // This is longer than the polling interval of a running process.
    std::thread::sleep(2 * SOON);
    let _ = world
        .run(&["create", "deployment", "two", "--image=i"])
        .ok();
    let has_replicas = |o: &Onlooker| {
        let two = o.object("deployments.apps/default/two");
        two.is_some_and(|two| two["status"]["observedGeneration"] == 1)
    };
    onlooker.sees("a rollout", Duration::from_secs(20), has_replicas);
    std::thread::sleep(2 * SOON);
    assert!(
        !ready("two", &onlooker),
        "a paused controller has created Pods"
    );
    let _ = world.run(&["resume", "replicaset"]).ok();
    onlooker.sees("its Pod", Duration::from_secs(20), |o| ready("two", o));
    let ran = end(child);
    assert!(!ran.err.contains("panicked"), "{ran:?}");
}

#[test]
fn watch_without_inotify_polls_for_hand_edits() {
    quiet::alone();
    let mut world = world();
    world.set("CTL_TEST_NO_NOTIFY", "1");
    let onlooker = Onlooker::new(&world);
    let child = spawn(&world, &["get", "configmaps", "-w"]);
    for value in ["one", "two", "three"] {
        edits::sed(&edits::file_of(&world, "sed"), value);
        onlooker.sees(value, Duration::from_secs(4), |o| {
            o.value("sed").as_deref() == Some(value)
        });
        onlooker.is_shown(&world, "configmaps/default/sed");
    }
    let ran = end(child);
    assert_eq!(
        ran.err.matches("ctl checks for changes every").count(),
        1,
        "{ran:?}"
    );
}
