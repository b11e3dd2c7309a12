//! Measures a cluster on etcd: a commit compared with a bare transaction, a watch, and the controllers of one process
//! and of two.
//!
//! The rows are omitted if there is no etcd on this machine.

#[path = "../../crates/etcd/tests/server/mod.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    clippy::print_stderr,
    reason = "it is a module of the client's tests, which use more of it and print why they are left out"
)]
mod server;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ctl::api::json::{Value, json};
use ctl::cluster::{ClockMode, Cluster, Open, Place, Remote, Settings, WriteOptions};
use ctl::kinds::find;
use ctl::store::{Batch, EtcdStore, Expect, Members, Op, Options, Store as _};
use ctl::sys::clock::Stopwatch;
use ctl::sys::entropy::Seed;
use ctl_etcd::{Client, KeyWrite, Txn};
use server::Etcd;

use crate::Size;
use crate::controllers::{create, deployment, settle};
use crate::raw::cpu_of;
use crate::sample::{cause, key, pod};
use crate::scratch::Scratch;
use crate::table::{Table, median, ms};

/// The longest wait for controllers in other processes.
const PATIENCE: Duration = Duration::from_secs(300);

const NAMESPACES: usize = 16;

fn settings(clock: ClockMode, nodes: u32) -> Settings {
    Settings {
        clock,
        nodes,
        ..Settings::new(Seed(1))
    }
}

fn store(etcd: &Etcd, prefix: &str) -> EtcdStore {
    let members = Members {
        addresses: vec![etcd.address.clone()],
        prefix: prefix.to_owned(),
        tls: None,
    };
    let settings = settings(ClockMode::System, 3);
    EtcdStore::open_or_create(&members, &Options::default(), &settings).unwrap()
}

/// Takes all measurements, each with a single-member etcd.
pub(crate) fn measure(table: &mut Table, size: Size, quick: bool) {
    let Some((etcd, client)) = Etcd::plain() else {
        return;
    };
    commits(table, size, &etcd, &client);
    watch(table, size, &etcd);
    pods(table, &etcd, if quick { 1_000 } else { 10_000 });
    hosts(table, &etcd, if quick { 100 } else { 1_000 });
}

/// Measures a commit of an object of 2.5 KB, alternating with a bare transaction of the same bytes.
fn commits(table: &mut Table, size: Size, etcd: &Etcd, client: &Client) {
    let store = store(etcd, "commits");
    let (mut own, mut bare) = (Vec::new(), Vec::new());
    for round in 0..size.rounds {
        let op = Op::put(key("a"), pod("a", round), Expect::Any);
        let stopwatch = Stopwatch::start();
        store.commit(&cause(), Batch::new(vec![op])).unwrap();
        own.push(stopwatch.elapsed());
        let txn = Txn {
            writes: vec![KeyWrite::put("/bare/a", pod("a", round))],
            ..Txn::default()
        };
        let stopwatch = Stopwatch::start();
        assert!(client.txn(&txn).unwrap().succeeded);
        bare.push(stopwatch.elapsed());
    }
    let (own, bare) = (median(own), median(bare));
    let met = own <= bare.mul_f64(1.5);
    table.row(
        "a commit on etcd, and a bare txn",
        &ms(own),
        &ms(bare),
        "1.5 x bare",
        met,
    );
}

/// Measures the time from the end of a commit until a watcher with a connection of its own wakes up.
fn watch(table: &mut Table, size: Size, etcd: &Etcd) {
    let (writer, reader) = (store(etcd, "watch"), store(etcd, "watch"));
    let mut times = Vec::new();
    for round in 0..size.rounds {
        let before = reader.revision().unwrap();
        let woken = std::thread::scope(|scope| {
            let reader = &reader;
            let waiting = scope.spawn(move || {
                let _ = reader.wait(before, Duration::from_secs(10)).unwrap();
                Stopwatch::start()
            });
            let op = Op::put(key("a"), pod("a", round), Expect::Any);
            writer.commit(&cause(), Batch::new(vec![op])).unwrap();
            let committed = Stopwatch::start();
            let woken = waiting.join().unwrap();
            committed.elapsed().saturating_sub(woken.elapsed())
        });
        times.push(woken);
    }
    let (time, target) = (median(times), Duration::from_millis(5));
    let what = "a watcher on etcd wakes up, from the end of the commit";
    table.row(what, &ms(time), "", &ms(target), time <= target);
}

fn cluster(etcd: &Etcd, state: &Path, prefix: &str, settings: &Settings) -> Cluster {
    let address = format!("etcd://{}/{prefix}", etcd.address);
    let remote = Remote::parse(&address).unwrap();
    let (cluster, _) = remote.init(state, &Open::default(), settings).unwrap();
    cluster.bootstrap().unwrap();
    cluster
}

/// Measures a Deployment of many Pods, from the controllers' first read until all Pods are ready.
fn pods(table: &mut Table, etcd: &Etcd, count: usize) {
    let dir = Scratch::new();
    let nodes = u32::try_from(count / 100).unwrap();
    let settings = settings(ClockMode::Virtual, nodes);
    let cluster = cluster(etcd, &dir.path().join("state"), "pods", &settings);
    create(&cluster, &deployment("web", count));
    let stopwatch = Stopwatch::start();
    settle(&cluster);
    let time = stopwatch.elapsed();
    assert_eq!(ready(&cluster), count);
    let what = format!("a Deployment of {count} Pods on etcd to ready");
    let target = Duration::from_secs(6);
    table.row(&what, &ms(time), "", &ms(target), time <= target);
}

/// Returns the number of Pods that all Deployments report as ready.
fn ready(cluster: &Cluster) -> usize {
    let all = Place::new(find("apps", "v1", "Deployment").unwrap(), "");
    let found = cluster.list(&all, &|_| true, None).unwrap();
    let replicas = |object: &Value| object["status"]["readyReplicas"].as_u64();
    let counts = found.items.iter().filter_map(replicas).sum::<u64>();
    usize::try_from(counts).unwrap()
}

/// A process with controllers, which is stopped when it is dropped.
struct Host(Child);

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Creates Deployments of one Pod in the namespaces that the hosts share.
fn spread(cluster: &Cluster, count: usize) {
    let options = WriteOptions::default();
    let namespaces = Place::new(find("", "v1", "Namespace").unwrap(), "");
    for number in 0..NAMESPACES {
        let name = format!("n{number}");
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        cluster.create(&namespaces, &object, &options).unwrap();
    }
    for number in 0..count {
        let namespace = format!("n{}", number % NAMESPACES);
        let place = Place::new(find("apps", "v1", "Deployment").unwrap(), &namespace);
        let object = deployment(&format!("web-{number}"), 1);
        cluster.create(&place, &object, &options).unwrap();
    }
}

/// Measures many Deployments in sixteen namespaces, with the controllers of one process and of two. The CPU times of the
/// controllers and of etcd show how much of the machine is left for another process.
fn hosts(table: &mut Table, etcd: &Etcd, count: usize) {
    let took = |processes: usize| {
        let dir = Scratch::new();
        let prefix = format!("hosts-{processes}");
        let state = dir.path().join("state");
        let settings = settings(ClockMode::System, 30);
        let cluster = cluster(etcd, &state, &prefix, &settings);
        spread(&cluster, count);
        let before = cpu_of(etcd.child.id());
        let stopwatch = Stopwatch::start();
        let start = |_| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ctl"));
            command.arg("--state").arg(&state).arg("controllers");
            let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
            Host(quiet.stderr(Stdio::null()).spawn().unwrap())
        };
        let hosts: Vec<Host> = (0..processes).map(start).collect();
        while ready(&cluster) < count {
            assert!(
                stopwatch.elapsed() < PATIENCE,
                "{} are ready",
                ready(&cluster)
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        let wall = stopwatch.elapsed();
        let own: Duration = hosts.iter().map(|host| cpu_of(host.0.id())).sum();
        let cpu = format!(
            "CPU {}, etcd {}",
            ms(own),
            ms(cpu_of(etcd.child.id()) - before)
        );
        (wall, format!("{} ({cpu})", ms(wall)))
    };
    let ((one, of_one), (two, of_two)) = (took(1), took(2));
    let what =
        format!("{count} Deployments on etcd by the controllers of two processes, and of one");
    let said = format!("{of_two}, {of_one}");
    table.row(&what, &said, "", "1.6 x as fast", two.mul_f64(1.6) <= one);
}
