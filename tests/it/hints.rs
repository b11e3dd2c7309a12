//! Tests hints that appear on a terminal and never in a pipe: similar names, locks, and waits for work that no process
//! does.

use std::process::Stdio;
use std::time::Duration;

use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;

use crate::support::race::{eventually, leads, signal};
use crate::support::{World, collect};
use crate::terminal::on_terminal;

const BOATS: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
    metadata: {name: sailboats.sea.example}\nspec:\n  group: sea.example\n  scope: Namespaced\n  \
    names: {plural: sailboats, singular: sailboat, kind: Sailboat, shortNames: [sbt]}\n  versions:\n  \
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n";

#[test]
fn mistyped_word_gets_a_suggestion_only_on_a_terminal() {
    let world = World::fresh();
    let _ = world.run_with(&["apply", "-f", "-"], BOATS).ok();
    for (line, question) in [
        ("get pdos", "Did you mean \"pods\"?"),
        ("get pods,servces", "Did you mean \"services\"?"),
        ("describe deploymnets/web", "Did you mean \"deployments\"?"),
        ("delete sailboatss x", "Did you mean \"sailboats\"?"),
        ("get sbtt", "Did you mean \"sbt\"?"),
        ("get deployments.apsp", "Did you mean \"deployments.apps\"?"),
        (
            "scale deplyoment web --replicas=1",
            "Did you mean \"deployment\"?",
        ),
        ("explain podz.spec", "Did you mean \"pod\" or \"pods\"?"),
        ("get pods --outptu=json", "Did you mean \"--output\"?"),
        ("get pods --namespcae=x", "Did you mean \"--namespace\"?"),
        ("rollout stauts deploy/web", "Did you mean \"status\"?"),
        ("create deploymnt web", "Did you mean \"deployment\"?"),
        ("clock advnace 1m", "Did you mean \"advance\"?"),
        ("config veiw", "Did you mean \"view\"?"),
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let (shown, code) = on_terminal(&world, &args);
        assert_eq!(shown.lines().last(), Some(question), "{line}: {shown}");
        let ran = world.run(&args);
        assert_eq!(ran.code, code, "{line}");
        assert_eq!(format!("{}{question}\n", ran.err), shown, "{line}");
    }
    let (shown, _) = on_terminal(&world, &["get", "rockets"]);
    assert_eq!(
        shown,
        "error: the server doesn't have a resource type \"rockets\"\n"
    );
}

const NOBODY: &str = "No controllers are running on this cluster: run `ctl controllers` or `ctl settle` to reconcile it\n";

#[test]
fn wait_without_controllers_prints_a_hint_on_a_terminal() {
    let world = World::new();
    let init = ["cluster", "init", "--nodes", "1"];
    let _ = world.run_env(&[("CTL_TEST_BARE", "")], &init, "").ok();
    let wait = [
        "wait",
        "--for=jsonpath={.data.v}=x",
        "cm/none",
        "--timeout=4s",
    ];
    let _ = world.run(&["create", "configmap", "none"]).ok();
    let said = "error: timed out waiting for the condition on configmaps/none\n";
    let (shown, code) = on_terminal(&world, &wait);
    assert!(shown.contains(NOBODY), "{shown:?}");
    // The progress line appears and disappears.
    assert!(
        shown.contains("\r\u{1b}[Kwaiting for configmap/none "),
        "{shown:?}"
    );
    assert!(shown.ends_with(&format!("\r\u{1b}[K{said}")), "{shown:?}");
    assert_eq!(code, 1);
    let piped = world.run(&wait);
    assert_eq!((piped.err.as_str(), piped.code), (said, 1));
    // With a leader, there is no hint.
    let before = leads(&world);
    let mut command = world.command();
    command.args(["controllers"]).stdin(Stdio::null());
    let leader = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lead = || leads(&world) > before;
    assert!(eventually(Duration::from_secs(60), lead));
    let (shown, code) = on_terminal(&world, &wait);
    assert!(!shown.contains("No controllers"), "{shown:?}");
    assert_eq!(code, 1);
    signal(&leader, Signal::TERM);
    let _ = collect(leader).ok();
}

#[test]
fn long_wait_shows_progress_only_on_a_terminal() {
    let world = World::fresh();
    let web = [
        "create",
        "deployment",
        "web",
        "--image=shop:1",
        "--replicas=2",
    ];
    let _ = world.run(&web).ok();
    let stays = |name: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, finalizers: [a.example/b]}}\n---\n"
        )
    };
    let both = stays("one") + &stays("two");
    let _ = world.run_with(&["apply", "-f", "-"], &both).ok();
    let empty = "[                              ] 0/2";
    for (args, line) in [
        (
            &["rollout", "status", "deploy/web", "--timeout=2s"][..],
            format!("{empty} waiting for deployment.apps/web "),
        ),
        (
            &["delete", "cm", "one", "two", "--timeout=2s"],
            format!("{empty} waiting for the end of configmap/one "),
        ),
        (
            &["wait", "--for=delete", "cm/one", "cm/two", "--timeout=2s"],
            format!("{empty} waiting for configmap/one "),
        ),
    ] {
        let (shown, code) = on_terminal(&world, args);
        assert!(shown.contains(&format!("\r\u{1b}[K{line}")), "{shown:?}");
        assert_eq!(code, 1, "{args:?}");
        let ran = world.run(args);
        assert!(
            !format!("{}{}", ran.out, ran.err).contains('\u{1b}'),
            "{ran:?}"
        );
        // Without the progress line, a terminal shows the same text as a pipe.
        let plain: String = shown
            .split("\r\u{1b}[K")
            .filter(|part| !part.starts_with('['))
            .collect();
        assert_eq!(plain, format!("{}{}", ran.out, ran.err), "{args:?}");
    }
}

#[test]
fn waiting_for_a_held_lock_prints_a_notice() {
    let world = World::fresh();
    let held = world.lock();
    let write = ["create", "configmap", "late", "--request-timeout=6s"];
    let (shown, code) = on_terminal(&world, &write);
    assert!(
        shown.starts_with("ctl: waiting for process ") && shown.contains(" s so far)\n"),
        "{shown}"
    );
    assert_eq!(code, 1, "{shown}");
    let ran = world.run(&write);
    assert!(ran.err.contains(" s so far)"), "{ran:?}");
    assert_eq!(ran.out, "");
    // A command that only reads does not wait, and a short wait is not reported.
    assert_eq!(
        world.run(&["get", "cm", "-o", "name", "-n", "none"]).err,
        ""
    );
    let since = Stopwatch::start();
    let mut command = world.command();
    command.args(["create", "configmap", "late"]);
    let waiting = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let waiting = waiting.stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    drop(held);
    let ended = collect(waiting);
    // On a busy machine even this wait may take two seconds.
    let is_short = since.elapsed() < Duration::from_secs(2);
    assert!(ended.err.is_empty() || !is_short, "{ended:?}");
    let _ = ended.ok();
}

#[test]
fn verbose_flag_prints_durations() {
    let world = World::fresh();
    let ran = world.run(&["get", "ns", "-v=1"]);
    let lines: Vec<&str> = ran.err.lines().collect();
    let times = |word: &str| {
        let line = lines.iter().find(|line| line.contains(word));
        let time = line.and_then(|line| line.rsplit(' ').next());
        assert!(
            time.is_some_and(|t| t.ends_with("ms") || t.ends_with("µs") || t.ends_with('s')),
            "{lines:?}"
        );
    };
    times(": open after ");
    times("done after ");
    assert_eq!(world.run(&["get", "ns"]).err, "");
    let idle = world.run(&["get", "ns", "--tls-server-name=x", "-v", "1"]);
    assert!(
        idle.err
            .contains("--tls-server-name has no effect on a cluster in a directory\n"),
        "{idle:?}"
    );
}
