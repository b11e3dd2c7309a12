//! Tests processes that settle a cluster at the same time, or while controllers run: they take turns, and none fails.

use std::process::{Child, Stdio};
use std::time::Duration;

use ctl::cluster::{Cluster, HistoryQuery, Open};
use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;

use crate::support::race::{Messages, eventually, open, signal};
use crate::support::{CommandOutput, World, collect, in_time};

const PATIENCE: Duration = Duration::from_secs(120);

/// Returns a cluster on the system clock with a Pod that takes this long to become ready.
fn slow_pod(seconds: u32) -> World {
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let _ = world
        .run(&["cluster", "init", "--seed", "7", "--nodes", "1"])
        .ok();
    let _ = world.run(&["settle"]).ok();
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: slow, annotations: {{ctl.dev/ready-delay: {seconds}s}}}}\n\
         spec: {{containers: [{{name: c, image: a}}]}}\n"
    );
    let _ = world.run_with(&["apply", "-f", "-"], &pod).ok();
    world
}

fn start(world: &World, args: &[&str]) -> Child {
    let mut command = world.command();
    command.args(args).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Returns the number of times that a process became the leader.
fn leads(cluster: &Cluster) -> usize {
    let past = HistoryQuery {
        after: 1,
        ..HistoryQuery::default()
    };
    let history = cluster.stored().history(&past).unwrap();
    history.iter().filter(|c| c.cause.rule == "lead").count()
}

/// Starts a process that settles the cluster, and waits until it has begun.
fn settling(world: &World) -> Child {
    let cluster = open(world, "test");
    let before = leads(&cluster);
    let child = start(world, &["settle"]);
    assert!(eventually(PATIENCE, || leads(&cluster) > before));
    child
}

fn well(ran: &CommandOutput) {
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
}

#[test]
fn concurrent_settle_waits_for_the_first_process() {
    // The others say that they wait after two seconds, and may start late.
    let world = slow_pod(12);
    let first = settling(&world);
    let number = first.id();
    let others = [start(&world, &["settle"]), start(&world, &["settle"])];
    for other in others {
        let ran = collect(other);
        well(&ran);
        let told = format!("waiting for process {number} (");
        assert!(
            ran.err.contains(&told) && ran.err.contains(" settle) to settle the cluster"),
            "{ran:?}"
        );
    }
    let ran = collect(first);
    well(&ran);
    assert_eq!(ran.err, "");
    let ready = world.run(&["get", "pod", "slow", "--no-headers"]).ok();
    assert!(ready.contains("1/1"), "{ready}");
}

#[test]
fn waiting_settle_ends_at_timeout_or_sigterm() {
    let world = slow_pod(60);
    let first = settling(&world);
    let ran = world.run(&["settle", "--timeout", "100ms"]);
    let told = format!(
        "stuck: controllers: still waiting for process {} (",
        first.id()
    );
    assert!(ran.code == 1 && ran.err.starts_with(&told), "{ran:?}");
    let mut second = start(&world, &["settle"]);
    let mut messages = Messages::from_child(&mut second);
    messages.until("waiting for process");
    let watch = Stopwatch::start();
    signal(&second, Signal::TERM);
    let ran = collect(second);
    assert!(watch.elapsed() < in_time(Duration::from_secs(1)));
    let text = messages.all();
    let last = text.lines().last();
    assert_eq!(
        (ran.code, last),
        (1, Some("stopped before the cluster was settled")),
        "{text}"
    );
    // No process waits for one that was killed.
    signal(&first, Signal::KILL);
    assert_eq!(collect(first).code, 137);
    let watch = Stopwatch::start();
    let ran = world.run(&["settle", "--timeout", "0s"]);
    assert!(watch.elapsed() < in_time(Duration::from_secs(1)));
    assert!(!ran.err.contains("waiting for process"), "{ran:?}");
}

#[test]
fn controllers_pause_during_settle_and_resume_afterwards() {
    let world = slow_pod(4);
    let running = start(&world, &["controllers"]);
    let cluster = Cluster::open(&world.state(), Open::as_writer("test")).unwrap();
    let before = leads(&cluster);
    assert!(eventually(PATIENCE, || leads(&cluster) > before));
    // The Pod needs more time to become ready than their timeout for silence allows.
    let (first, second) = (settling(&world), start(&world, &["settle"]));
    well(&collect(first));
    well(&collect(second));
    let _ = world
        .run(&["create", "deployment", "web", "--image=i"])
        .ok();
    let ready = || {
        let args = [
            "get",
            "deployment",
            "web",
            "-o",
            "jsonpath={.status.readyReplicas}",
        ];
        world.run(&args).ok() == "1"
    };
    assert!(eventually(PATIENCE, ready));
    signal(&running, Signal::TERM);
    assert_eq!(collect(running).code, 0);
}
