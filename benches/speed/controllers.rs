//! The controllers: Pods to ready, rolling updates, many small Deployments, the scheduler, idling.
//!
//! Each run is a separate process with its own memory and CPU time: this program again (`settle` in-process), or the
//! real binary. The time is compared with that of the bare file system for the same bytes: the journal's records, each
//! synced, and the YAML files, each created and renamed.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ctl::cluster::{ClockMode, Cluster, Open, PatchType, Place, Settings, Verb, WriteOptions};
use ctl::controllers::Scheduler;
use ctl::kinds::find;
use ctl::runtime::{
    Cache, Config, Controller as _, Key, Manager, Object, Outcome, ReconcileContext, Until,
};
use ctl::sys::clock::Stopwatch;
use ctl::sys::entropy::Seed;

use crate::processes::{own_peak_kilobytes, worker};
use crate::raw;
use crate::scratch::Scratch;
use crate::table::{Table, median, ms};
use ctl::api::json::{Value, json};

/// The runs to execute, because the largest take minutes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Pods of one Deployment, with the target in milliseconds and in MB.
    pub(crate) deployments: &'static [(usize, u64, f64)],
    /// Pods of a rolling update, with the target in milliseconds.
    pub(crate) update: (usize, u64),
    /// Deployments of three Pods, with the target in milliseconds.
    pub(crate) many: (usize, u64),
    /// Existing Pods when the cost of one reconcile is measured.
    pub(crate) crowd: usize,
    /// The duration for which idling is measured.
    pub(crate) idle: Duration,
    /// The number of files saved one after the other.
    pub(crate) saves: usize,
}

/// The full scale.
pub(crate) const FULL: Scale = Scale {
    deployments: &[
        (1_000, 250, 60.0),
        (10_000, 1_500, 150.0),
        (100_000, 15_000, 600.0),
    ],
    update: (1_000, 500),
    many: (1_000, 1_000),
    crowd: 10_000,
    idle: Duration::from_secs(20),
    saves: 300,
};

/// The scale that takes seconds.
pub(crate) const QUICK: Scale = Scale {
    deployments: &[(1_000, 250, 60.0)],
    update: (200, 100),
    many: (100, 100),
    crowd: 1_000,
    idle: Duration::from_secs(5),
    saves: 100,
};

/// The cost of a run.
struct Took {
    wall: Duration,
    cpu: Duration,
    megabytes: f64,
}

pub(crate) fn deployment(name: &str, replicas: usize) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{
                    "name": "web", "image": "nginx:1.25", "ports": [{"containerPort": 80}],
                    "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
                }]},
            },
        },
    })
}

fn service(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
        "spec": {"selector": {"app": name}, "ports": [{"port": 80}]},
    })
}

pub(crate) fn place(group: &str, kind: &str) -> Place {
    Place::new(find(group, "v1", kind).unwrap(), "default")
}

/// Returns a new cluster with enough nodes for this number of Pods.
fn fresh(state: &Path, pods: usize) -> Cluster {
    with_nodes(state, (pods / 100).max(5))
}

/// Returns a new cluster with this number of nodes.
fn with_nodes(state: &Path, nodes: usize) -> Cluster {
    let mut settings = Settings::new(Seed(1));
    settings.nodes = u32::try_from(nodes).unwrap();
    let (cluster, _) = Cluster::init(state, Open::default(), settings).unwrap();
    cluster.bootstrap().unwrap();
    cluster
}

pub(crate) fn create(cluster: &Cluster, object: &Value) {
    let group = match object["kind"].as_str() {
        Some("Service" | "ConfigMap") => "",
        _ => "apps",
    };
    let place = place(group, object["kind"].as_str().unwrap());
    cluster
        .create(&place, object, &WriteOptions::default())
        .unwrap();
}

pub(crate) fn every() -> Vec<Box<dyn ctl::runtime::Controller>> {
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    all
}

/// Settles a cluster as `ctl settle` does.
pub(crate) fn settle(cluster: &Cluster) {
    let epoch = cluster.election().lead().unwrap();
    cluster.files().hold_tree();
    let mut manager = Manager::new(cluster, every(), &|_| Config::default());
    manager.set_epoch(epoch);
    manager.load().unwrap();
    let until = Until {
        pass: None,
        timeout: None,
    };
    let outcome = manager.settle(&until, &|| false).unwrap();
    assert_eq!(outcome, Outcome::Settled);
    cluster.files().show_held().unwrap();
    // A program that ends does not free its memory either.
    std::mem::forget(manager);
}

/// Runs the task of a worker process.
pub(crate) fn work(state: &Path) {
    let stopwatch = Stopwatch::start();
    let cpu = raw::own_cpu();
    let cluster = Cluster::open(state, Open::default()).unwrap();
    settle(&cluster);
    let (wall, cpu) = (stopwatch.elapsed(), raw::own_cpu() - cpu);
    println!(
        "{} {} {}",
        wall.as_micros(),
        cpu.as_micros(),
        own_peak_kilobytes()
    );
}

/// Settles a directory in a separate process.
#[expect(clippy::cast_precision_loss, reason = "a memory size for people")]
fn in_process(state: &Path) -> Took {
    let output = worker(&["settle", state.to_str().unwrap()])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<u64> = text.split_whitespace().flat_map(str::parse).collect();
    let [wall, cpu, kilobytes] = numbers[..] else {
        panic!("the worker printed {text:?}")
    };
    Took {
        wall: Duration::from_micros(wall),
        cpu: Duration::from_micros(cpu),
        megabytes: kilobytes as f64 / 1024.0,
    }
}

fn ctl(state: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctl"));
    command.arg("--state").arg(state).args(args);
    command.stdout(Stdio::null());
    command
}

fn run(state: &Path, args: &[&str]) -> Duration {
    let stopwatch = Stopwatch::start();
    assert!(ctl(state, args).status().unwrap().success(), "{args:?}");
    stopwatch.elapsed()
}

fn ready(state: &Path, name: &str) -> i64 {
    let cluster = Cluster::open(state, Open::default()).unwrap();
    let found = cluster.get(&place("apps", "Deployment"), name).unwrap();
    assert_eq!(
        found["status"]["updatedReplicas"],
        found["spec"]["replicas"]
    );
    found["status"]["readyReplicas"].as_i64().unwrap()
}

fn number(count: usize) -> String {
    let digits = count.to_string();
    let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
    let comma = if head.is_empty() { "" } else { "," };
    format!("{head}{comma}{tail}")
}

/// Adds a row: a run compared with the bare file system and a target.
fn row(
    table: &mut Table,
    what: &str,
    took: &Took,
    (bare, target): (Duration, Duration),
    memory: Option<f64>,
) {
    let (mut said, mut wanted) = (
        format!("{} ({} CPU)", ms(took.wall), ms(took.cpu)),
        ms(target),
    );
    let mut met = took.wall <= target;
    if let Some(most) = memory {
        said = format!("{said}, {:.0} MB", took.megabytes);
        wanted = format!("{wanted}, {most:.0} MB");
        met = met && took.megabytes <= most;
    }
    table.row(what, &said, &ms(bare), &wanted, met);
}

/// Measures a Deployment of many Pods, from creation to ready.
pub(crate) fn deployment_row(
    table: &mut Table,
    nodes: usize,
    (pods, target, memory): (usize, u64, f64),
) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    let before = prepare(with_nodes(&state, nodes), &state, pods);
    let took = in_process(&state);
    assert_eq!(ready(&state, "web"), i64::try_from(pods).unwrap());
    let bare = raw::same_again(&state, before);
    let what = match nodes {
        5_000.. => format!(
            "a Deployment of {} Pods on {} nodes to ready",
            number(pods),
            number(nodes)
        ),
        _ => format!("a Deployment of {} Pods to ready", number(pods)),
    };
    let target = Duration::from_millis(target);
    row(table, &what, &took, (bare, target), Some(memory));
}

/// Measures Deployments of many Pods.
pub(crate) fn deployments(table: &mut Table, scale: Scale) {
    for wanted in scale.deployments {
        deployment_row(table, (wanted.0 / 100).max(5), *wanted);
    }
    let (count, target, _) = scale.deployments[0];
    let dir = Scratch::new();
    let state = dir.path().join("state");
    let before = prepare(fresh(&state, count), &state, count);
    let cpu = raw::children_cpu();
    let took = Took {
        wall: run(&state, &["settle"]),
        cpu: raw::children_cpu() - cpu,
        megabytes: 0.0,
    };
    let bare = raw::same_again(&state, before);
    let what = format!("{} Pods to ready by `ctl settle`", number(count));
    let target = Duration::from_millis(target);
    row(table, &what, &took, (bare, target), None);
}

/// Creates an unreconciled Deployment in a cluster; returns the length of the cluster's journal.
fn prepare(cluster: Cluster, state: &Path, pods: usize) -> u64 {
    create(&cluster, &service("web"));
    create(&cluster, &deployment("web", pods));
    raw::journal_length(state)
}

/// Measures a new image for every Pod of a Deployment.
pub(crate) fn rolling_update(table: &mut Table, scale: Scale) {
    let (count, target) = scale.update;
    let dir = Scratch::new();
    let state = dir.path().join("state");
    prepare(fresh(&state, count), &state, count);
    in_process(&state);
    let cluster = Cluster::open(&state, Open::default()).unwrap();
    let image = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}}});
    let patch = cluster.patch(
        &place("apps", "Deployment"),
        "web",
        (PatchType::Strategic, &image),
        false,
        &WriteOptions::default(),
    );
    patch.unwrap();
    drop(cluster);
    let before = raw::journal_length(&state);
    let took = in_process(&state);
    assert_eq!(ready(&state, "web"), i64::try_from(count).unwrap());
    let bare = raw::same_again(&state, before);
    let what = format!("a rolling update of {} Pods at 25 %", number(count));
    let target = Duration::from_millis(target);
    row(table, &what, &took, (bare, target), None);
}

/// Measures many Deployments of three Pods each.
pub(crate) fn many(table: &mut Table, scale: Scale) {
    let (count, target) = scale.many;
    let dir = Scratch::new();
    let state = dir.path().join("state");
    let cluster = fresh(&state, 3 * count);
    (0..count).for_each(|n| create(&cluster, &deployment(&format!("web-{n}"), 3)));
    drop(cluster);
    let before = raw::journal_length(&state);
    let took = in_process(&state);
    assert_eq!(ready(&state, "web-0"), 3);
    let bare = raw::same_again(&state, before);
    let what = format!("{} Deployments of 3", number(count));
    let target = Duration::from_millis(target);
    row(table, &what, &took, (bare, target), None);
}

/// Measures `ctl apply` and `ctl settle` of a new user, in a directory that does not exist yet.
pub(crate) fn first_steps(table: &mut Table) {
    let dir = Scratch::new();
    let file = dir.path().join("web.yaml");
    let manifest = deployment("web", 3).to_string();
    let mut written = File::create(&file).unwrap();
    written.write_all(manifest.as_bytes()).unwrap();
    let (mut walls, mut bares) = (Vec::new(), Vec::new());
    for n in 0..11 {
        let state = dir.path().join(format!("state-{n}"));
        let apply = run(&state, &["apply", "-f", file.to_str().unwrap()]);
        walls.push(apply + run(&state, &["settle"]));
        bares.push(raw::same_again(&state, 0));
    }
    let (wall, bare) = (median(walls), median(bares));
    let target = Duration::from_millis(30);
    table.row(
        "ctl apply and ctl settle of one Deployment, new directory",
        &ms(wall),
        &ms(bare),
        &ms(target),
        wall <= target,
    );
}

/// Measures a scenario in memory, from the first object to the settled cluster. A test case of `ctl test` takes this
/// long.
pub(crate) fn in_memory(table: &mut Table) {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(1))
    };
    let start = Cluster::in_memory(&Open::default(), settings);
    start.bootstrap().unwrap();
    let run = |_| {
        let stopwatch = Stopwatch::start();
        let cluster = start.fork(None).unwrap();
        create(&cluster, &deployment("web", 100));
        settle(&cluster);
        stopwatch.elapsed()
    };
    let (wall, target) = (median((0..21).map(run).collect()), Duration::from_millis(8));
    let what = "a Deployment of 100 Pods in a fork in memory, create to settled";
    table.row(what, &ms(wall), "-", &ms(target), wall <= target);
}

/// Measures one more Deployment of 3 Pods, among few and among many Pods, with controllers that have read all of them.
pub(crate) fn one_more(table: &mut Table, scale: Scale) {
    let few = among(scale.crowd / 100);
    let many = among(scale.crowd);
    let what = format!(
        "CPU of one more Deployment of 3 among {} and {} Pods",
        number(scale.crowd / 100),
        number(scale.crowd)
    );
    let said = format!("{}, {}", ms(few), ms(many));
    // The limit allows for the resolution of a millisecond clock.
    let limit = few.mul_f64(1.5) + Duration::from_millis(2);
    table.row(&what, &said, "", "at most 1.5 times as much", many <= limit);
}

fn among(crowd: usize) -> Duration {
    let dir = Scratch::new();
    let cluster = fresh(&dir.path().join("state"), crowd);
    create(&cluster, &deployment("crowd", crowd));
    let mut manager = Manager::new(&cluster, every(), &|_| Config::default());
    cluster.files().hold_tree();
    manager.load().unwrap();
    let until = Until {
        pass: None,
        timeout: None,
    };
    let settled = |manager: &mut Manager<'_>| {
        let outcome = manager.settle(&until, &|| false).unwrap();
        assert_eq!(outcome, Outcome::Settled);
    };
    settled(&mut manager);
    cluster.files().show_held().unwrap();
    // `ctl controllers` does only this work; `settle` also reads every object at the end to find stuck ones.
    let reconciled = |manager: &mut Manager<'_>| {
        while manager.pass().unwrap() > 0 || manager.refresh().unwrap() {}
    };
    let one = |n: usize| {
        create(&cluster, &deployment(&format!("one-{n}"), 3));
        cluster.files().hold_tree();
        let cpu = raw::thread_cpu();
        reconciled(&mut manager);
        let cpu = raw::thread_cpu() - cpu;
        cluster.files().show_held().unwrap();
        cpu
    };
    median((0..15).map(one).collect())
}

/// Measures the scheduling of a thousand Pods: the plan alone, without its commit.
pub(crate) fn scheduler(table: &mut Table) {
    let mut cache = Cache::new(Scheduler::default().indexes());
    let mut changes = Vec::new();
    let (nodes, pods) = (
        find("", "v1", "Node").unwrap(),
        find("", "v1", "Pod").unwrap(),
    );
    for n in 0..5 {
        let node = json!({
            "metadata": {"name": format!("node-{n}"), "uid": format!("n{n}"), "resourceVersion": "1"},
            "status": {"allocatable": {"cpu": "32", "memory": "64Gi", "pods": "500"}},
        });
        changes.extend(cache.put(Object::new(nodes, node)));
    }
    for n in 0..1000 {
        let mut pod = deployment("web", 1)["spec"]["template"].take();
        pod["metadata"]["name"] = json!(format!("web-{n}"));
        pod["metadata"]["namespace"] = json!("default");
        pod["metadata"]["uid"] = json!(format!("p{n}"));
        pod["metadata"]["resourceVersion"] = json!((n + 2).to_string());
        pod["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "r", "controller": true,
        }]);
        changes.extend(cache.put(Object::new(pods, pod)));
    }
    let memory = Cluster::in_memory(&Open::default(), Settings::new(Seed(1)));
    let one = |_| {
        let mut scheduler = Scheduler::default();
        for change in &changes {
            scheduler.observe(change, &cache);
        }
        let context = ReconcileContext {
            key: &Key::all(),
            cache: &cache,
            now: "2026-01-02T12:00:00Z".parse().unwrap(),
            failures: 0,
            refused: &[],
            seed: Seed(1),
            pods: ctl::cluster::PodMode::Default,
            identity: memory.rights().keys(),
        };
        let stopwatch = Stopwatch::start();
        let plan = scheduler.plan(&context);
        let time = stopwatch.elapsed();
        let bound = |w: &&ctl::runtime::PlannedWrite| matches!(w.verb, Verb::Bind(_));
        assert_eq!(plan.changes.iter().filter(bound).count(), 1000);
        time
    };
    let time = median((0..9).map(one).collect());
    let target = Duration::from_millis(30);
    table.row(
        "scheduler: place 1,000 Pods on 5 nodes",
        &ms(time),
        "",
        &ms(target),
        time <= target,
    );
}

/// Measures `ctl controllers` while idle.
pub(crate) fn idle(table: &mut Table, scale: Scale) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    drop(fresh(&state, 100));
    idle_row(table, &state, "idle `ctl controllers`", scale.idle);
}

/// Measures `ctl controllers` with many files, while idle and while files are saved one after the other.
pub(crate) fn files(table: &mut Table, scale: Scale) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    let cluster = fresh(&state, 100);
    let map = |n: usize| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("map-{n}")},
            "data": {"a": n.to_string()},
        })
    };
    cluster.files().hold_tree();
    (0..scale.crowd).for_each(|n| create(&cluster, &map(n)));
    cluster.files().show_held().unwrap();
    let what = format!("{} watched files", number(scale.crowd));
    let running = idle_row(table, &state, &what, scale.idle);
    let mut delays: Vec<Duration> = (0..scale.saves)
        .map(|n| {
            // A user saves again only after seeing the import of the last save.
            std::thread::sleep(Duration::from_millis(20));
            save(&cluster, &state, n * 37 % scale.crowd)
        })
        .collect();
    drop(running);
    delays.sort_unstable();
    let (half, most) = (delays[delays.len() / 2], delays[delays.len() * 99 / 100]);
    let target = Duration::from_millis(250);
    table.row(
        &format!(
            "a saved file of {} is a commit, 99 of 100",
            number(scale.crowd)
        ),
        &format!("{}, {}", ms(half), ms(most)),
        "",
        &ms(target),
        most <= target,
    );
}

/// Saves a file as an editor does, and waits for the commit without reading any file. Returns the time since the
/// rename.
fn save(cluster: &Cluster, state: &Path, n: usize) -> Duration {
    let path = state.join(format!("default/configmaps/map-{n}.yaml"));
    let text = std::fs::read_to_string(&path).unwrap();
    let saved = text.replacen("  a: ", "  b: \"x\"\n  a: ", 1);
    let temporary = path.with_extension("swp");
    File::create(&temporary)
        .unwrap()
        .write_all(saved.as_bytes())
        .unwrap();
    let before = cluster.stored().revision().unwrap();
    std::fs::rename(&temporary, &path).unwrap();
    let stopwatch = Stopwatch::start();
    while cluster.stored().revision().unwrap() == before {
        assert!(
            stopwatch.elapsed() < Duration::from_secs(10),
            "the save was not detected"
        );
        std::thread::sleep(Duration::from_micros(200));
    }
    stopwatch.elapsed()
}

/// Starts `ctl controllers` and measures its CPU time while idle.
fn idle_row(table: &mut Table, state: &Path, what: &str, time: Duration) -> Running {
    let child = ctl(state, &["controllers"]).stderr(Stdio::null()).spawn();
    let mut running = Running(child.unwrap());
    std::thread::sleep(Duration::from_secs(2));
    let before = raw::cpu_of_threads(running.0.id());
    std::thread::sleep(time);
    let used = raw::cpu_of_threads(running.0.id()) - before;
    assert!(running.0.try_wait().unwrap().is_none(), "it has ended");
    let share = 100.0 * used.as_secs_f64() / time.as_secs_f64();
    table.row(
        &format!("{what}: share of a processor"),
        &format!("{share:.2} %"),
        "",
        "0.1 %",
        share < 0.1,
    );
    running
}

/// A process that is killed when the value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
