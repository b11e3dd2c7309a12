//! Tests controllers as processes: a leader and a standby (T22), a leader that is stopped and resumes (T23), kills at
//! every commit of a rollout (T24) and of cascading deletes (T25).

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Stdio};
use std::time::Duration;

use ctl::api::json::{Value, json};
use ctl::cluster::{Cluster, HistoryQuery, Open, PatchType, Place, Range, Revision, WriteOptions};
use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;

use crate::support::race::{Random, eventually, seed, signal, write_file};
use crate::support::state::Snapshot;
use crate::support::{World, collect, count, note};

/// The exit code of a program that SIGKILL ended.
const KILLED: i32 = 137;

/// The limit on waiting for a result that normally takes a moment, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn open(world: &World) -> Cluster {
    Cluster::open(&world.state(), Open::as_writer("test")).unwrap()
}

fn controllers(world: &World, lease: &str) -> Child {
    let mut command = world.command();
    command.args(["controllers", "--lease", lease]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null());
    child.stderr(Stdio::piped()).spawn().unwrap()
}

fn deployment(name: &str, replicas: usize) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}},
        "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}},
        "template": {"metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "c", "image": "shop:1"}]}}}})
}

fn place(cluster: &Cluster, resource: &str) -> Place {
    Place::new(cluster.kind(resource).unwrap(), "default")
}

fn create(cluster: &Cluster, resource: &str, object: &Value) {
    let place = place(cluster, resource);
    cluster
        .create(&place, object, &WriteOptions::default())
        .unwrap();
}

fn merge(cluster: &Cluster, resource: &str, name: &str, patch: &Value) {
    let options = WriteOptions::default();
    let patch = (PatchType::Merge, patch);
    cluster
        .patch(&place(cluster, resource), name, patch, false, &options)
        .unwrap();
}

/// Returns true if all Pods of a workload are updated and ready, and no other Pods exist.
fn is_done(cluster: &Cluster, resource: &str, name: &str) -> bool {
    let object = cluster.get(&place(cluster, resource), name).unwrap();
    let (spec, status) = (&object["spec"], &object["status"]);
    let counts = ["replicas", "updatedReplicas", "readyReplicas"];
    let number = |v: &Value| v.as_u64().unwrap_or(0);
    status["observedGeneration"] == object["metadata"]["generation"]
        && counts
            .iter()
            .all(|c| number(&status[*c]) == number(&spec["replicas"]))
}

/// A commit as a reader of the history sees it.
struct Step<'a> {
    /// All objects after the commit.
    after: &'a BTreeMap<String, Value>,
    /// The writer of the commit.
    writer: &'a str,
    /// The removed objects in their last state.
    removed: Vec<Value>,
    /// The created objects.
    made: Vec<Value>,
    epoch: u64,
    is_lead: bool,
}

/// Returns a query for the whole retained history.
fn past() -> HistoryQuery {
    HistoryQuery {
        after: 1,
        ..HistoryQuery::default()
    }
}

/// Reads the history, and calls `check` for every commit after a revision.
fn at_every_prefix(cluster: &Cluster, from: Revision, check: &mut dyn FnMut(&Step<'_>)) {
    let base = cluster.stored().list(&Range::all(), Some(1)).unwrap();
    let read = |json: &[u8]| serde_json::from_slice::<Value>(json).unwrap();
    let mut state: BTreeMap<String, Value> = base
        .items
        .iter()
        .map(|stored| (stored.key.to_string(), read(&stored.json)))
        .collect();
    let mut seen = 1;
    for commit in cluster.stored().history(&past()).unwrap() {
        let (mut removed, mut made) = (Vec::new(), Vec::new());
        for event in &commit.events {
            let key = event.key.to_string();
            match &event.after {
                Some(bytes) => {
                    let object = read(bytes);
                    if state.insert(key, object.clone()).is_none() {
                        made.push(object);
                    }
                }
                None => removed.extend(state.remove(&key)),
            }
        }
        seen = commit.events.last().map_or(seen, |e| e.revision);
        if seen < from || seen == from && !commit.events.is_empty() {
            continue;
        }
        check(&Step {
            after: &state,
            writer: &commit.cause.writer,
            removed,
            made,
            epoch: commit.epoch,
            is_lead: commit.cause.rule == "lead",
        });
    }
}

fn pods<'a>(state: &'a BTreeMap<String, Value>, app: &str) -> Vec<&'a Value> {
    let of = state.iter().filter(|(key, _)| key.starts_with("pods/"));
    let alive = |p: &&Value| {
        p["metadata"]["labels"]["app"] == app && p["metadata"]["deletionTimestamp"].is_null()
    };
    of.map(|(_, pod)| pod).filter(alive).collect()
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array();
    let ready = |c: &Value| c["type"] == "Ready" && c["status"] == "True";
    conditions.is_some_and(|all| all.iter().any(ready))
}

/// Checks the bounds of T24: nine of ten Pods are available, and there are never more than eleven.
fn check_rollout(cluster: &Cluster, from: Revision) -> usize {
    let mut prefixes = 0;
    at_every_prefix(cluster, from, &mut |step| {
        let pods = pods(step.after, "web");
        let available = pods.iter().filter(|p| is_ready(p)).count();
        assert!(
            available >= 9,
            "{available} available after {}",
            step.writer
        );
        assert!(
            pods.len() <= 11,
            "{} Pods after {}",
            pods.len(),
            step.writer
        );
        prefixes += 1;
    });
    prefixes
}

/// Returns a world with ten running Pods and a rollout that has begun.
fn rollout() -> (World, Revision) {
    let world = World::fresh();
    let cluster = open(&world);
    create(&cluster, "deployments.apps", &deployment("web", 10));
    let _ = world.run(&["settle"]).ok();
    let from = cluster.stored().revision().unwrap();
    let _ = world.run(&["set", "image", "deploy/web", "c=shop:2"]).ok();
    (world, from)
}

/// Kills `settle` at every commit, each time from the same start. A second run completes the work.
fn sweep(world: &World, check: &dyn Fn(&Cluster)) -> usize {
    let gold = Snapshot::of(&world.state());
    let mut kills = 0;
    for number in (1..).step_by(count(13, 1)) {
        gold.restore();
        let order = format!("kill:fdatasync:{number}");
        let ran = world.run_env(&[("CTL_FAULT", &order)], &["settle"], "");
        assert!(
            ran.code == 0 || ran.code == KILLED,
            "killed at {number}: {ran:?}"
        );
        let second = world.run(&["settle"]);
        assert_eq!(second.code, 0, "killed at {number}: {second:?}");
        check(&open(world));
        if ran.code == 0 {
            return kills;
        }
        kills += 1;
    }
    kills
}

#[test]
fn rollout_keeps_replica_bounds_when_killed_at_any_commit() {
    let (world, from) = rollout();
    let kills = sweep(&world, &|cluster| {
        assert!(is_done(cluster, "deployments.apps", "web"));
        assert!(check_rollout(cluster, from) > 10);
    });
    let _ = world.fsck();
    note(&format!(
        "T24: {kills} kills at a commit, the bounds held at every prefix"
    ));
    assert!(kills > 1, "{kills} kills: is the fault injection built in?");
}

#[test]
fn rollout_keeps_replica_bounds_under_randomly_killed_controllers() {
    let (world, from) = rollout();
    let cluster = open(&world);
    let mut random = Random::new(seed(24));
    let rounds = count(5, 200);
    let mut rollouts = 1;
    let go_on = |rollouts: &mut usize| {
        if is_done(&cluster, "deployments.apps", "web") {
            *rollouts += 1;
            let image = json!([{"name": "c", "image": format!("shop:{rollouts}")}]);
            let patch = json!({"spec": {"template": {"spec": {"containers": image}}}});
            merge(&cluster, "deployments.apps", "web", &patch);
        }
    };
    for _ in 0..rounds {
        let pair = [controllers(&world, "100ms"), controllers(&world, "100ms")];
        random.pause(Duration::from_millis(500));
        for mut child in pair {
            child.kill().unwrap();
            let _ = child.wait().unwrap();
        }
        go_on(&mut rollouts);
    }
    // With work left to do, a finished rollout shows that the last process runs and handles SIGTERM.
    go_on(&mut rollouts);
    let watch = Stopwatch::start();
    let last = controllers(&world, "100ms");
    let done = || is_done(&cluster, "deployments.apps", "web");
    assert!(eventually(PATIENCE, done), "it does not finish");
    let took = watch.elapsed();
    signal(&last, Signal::TERM);
    assert_eq!(collect(last).code, 0, "SIGTERM is no failure");
    let prefixes = check_rollout(&cluster, from);
    note(&format!(
        "T24: {rounds} kills of two controllers at random, {rollouts} rollouts, {prefixes} prefixes, \
         finished {took:?} after the last start"
    ));
    assert!(
        count(0, 1) == 0 || took < Duration::from_secs(10),
        "{took:?}"
    );
    let _ = world.fsck();
}

/// The maximum age of a committed plan, in controller commits: a controller plans many keys on one state of its cache
/// and commits them one after the other. Commits of other writers do not count, because any number of them may come in
/// between.
const PLAN_AGE: usize = 40;

/// The recent replica counts of each workload.
#[derive(Default)]
struct Wanted {
    /// Replaced counts: the last controller commit for which they are valid, the workload, the count.
    recent: Vec<(usize, String, u64)>,
    last: BTreeMap<String, u64>,
}

impl Wanted {
    fn observe(&mut self, after: &BTreeMap<String, Value>, commits: usize) {
        self.recent.retain(|(until, _, _)| *until > commits);
        for (key, object) in after {
            let Some(replicas) = object["spec"]["replicas"].as_u64() else {
                continue;
            };
            if let Some(old) = self.last.insert(key.clone(), replicas)
                && old != replicas
            {
                self.recent.push((commits + PLAN_AGE, key.clone(), old));
            }
        }
    }

    /// Returns the largest replica count that a current plan may be based on.
    fn most(&self, key: &str, now: u64) -> u64 {
        let lately = self.recent.iter().filter(|(_, of, _)| of == key);
        lately.map(|(_, _, replicas)| *replicas).fold(now, u64::max)
    }
}

/// Checks the promises of T22: every write is made under the last epoch, and no ReplicaSet or StatefulSet has more Pods
/// than it should. Returns the number of commits.
fn check_leaders(cluster: &Cluster, from: Revision) -> usize {
    let (mut epoch, mut commits, mut planned) = (0, 0_usize, 0_usize);
    let mut wanted = Wanted::default();
    at_every_prefix(cluster, from, &mut |step| {
        if step.is_lead {
            assert!(step.epoch > epoch);
            epoch = step.epoch;
        }
        if step.writer != "test" {
            assert_eq!(
                step.epoch, epoch,
                "{} writes under another epoch",
                step.writer
            );
            planned += 1;
        }
        for pod in step.made.iter().filter(|o| o["kind"] == "Pod") {
            let owner = &pod["metadata"]["ownerReferences"][0];
            let resource = match owner["kind"].as_str().unwrap() {
                "ReplicaSet" => "replicasets.apps",
                "StatefulSet" => "statefulsets.apps",
                other => panic!("a Pod of a {other}"),
            };
            let key = format!("{resource}/default/{}", owner["name"].as_str().unwrap());
            let now = step.after[&key]["spec"]["replicas"].as_u64().unwrap();
            let most = wanted.most(&key, now);
            let app = pod["metadata"]["labels"]["app"].as_str().unwrap();
            let there = pods(step.after, app);
            let of_owner = |p: &&&Value| p["metadata"]["ownerReferences"][0]["uid"] == owner["uid"];
            let there = there.iter().filter(of_owner).count() as u64;
            assert!(there <= most, "{there} Pods of {key}, {most} are wanted");
        }
        wanted.observe(step.after, planned);
        commits += 1;
    });
    commits
}

/// T22: no Pod is created twice, and every write is the leader's.
#[test]
fn two_controller_processes_create_no_duplicates() {
    let (sets, size, cycles) = (count(6, 100), count(4, 10), count(4, 20));
    let world = World::fresh();
    // The log keeps every commit, because every commit is checked at the end.
    let settings = world.state().join("cluster.yaml");
    let text = std::fs::read_to_string(&settings).unwrap();
    let kept = text.replace("history: 64", "history: 4096");
    assert_ne!(kept, text);
    write_file(&settings, kept);
    let cluster = open(&world);
    let from = cluster.stored().revision().unwrap();
    let pair = [controllers(&world, "1s"), controllers(&world, "1s")];
    let names: Vec<String> = (0..sets).map(|n| format!("web-{n}")).collect();
    for name in &names {
        create(&cluster, "deployments.apps", &deployment(name, size));
    }
    let labels = json!({"app": "db"});
    create(
        &cluster,
        "statefulsets.apps",
        &json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "db"}, "spec": {"replicas": 2, "serviceName": "db",
        "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels},
        "spec": {"containers": [{"name": "c", "image": "db:1"}]}}}}),
    );
    for cycle in 0..cycles {
        for (number, name) in names.iter().enumerate() {
            let replicas = 1 + (cycle * 7 + number * 3) % (2 * size);
            merge(
                &cluster,
                "deployments.apps",
                name,
                &json!({"spec": {"replicas": replicas}}),
            );
        }
        let ordinals = json!({"spec": {"replicas": 1 + cycle % 4}});
        merge(&cluster, "statefulsets.apps", "db", &ordinals);
    }
    let done = || {
        let deployments = names
            .iter()
            .all(|n| is_done(&cluster, "deployments.apps", n));
        deployments && is_done(&cluster, "statefulsets.apps", "db")
    };
    assert!(eventually(PATIENCE, done), "it does not come to rest");
    for child in pair {
        signal(&child, Signal::TERM);
        let ran = collect(child);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let commits = check_leaders(&cluster, from);
    let _ = world.fsck();
    note(&format!(
        "T22: {sets} Deployments, {cycles} cycles, {commits} commits, one leader"
    ));
}

/// T23: a leader that was stopped detects that it no longer leads, and writes nothing.
#[test]
fn stopped_leader_writes_nothing_after_it_resumes() {
    let rounds = count(3, 20);
    let world = World::fresh();
    let cluster = open(&world);
    create(&cluster, "deployments.apps", &deployment("web", 1));
    // On a machine that is busy with other tests, a leader may be late by some hundred milliseconds.
    let lease = ["2s", "500ms"][count(0, 1)];
    let mut leader = controllers(&world, lease);
    let done = || is_done(&cluster, "deployments.apps", "web");
    assert!(eventually(PATIENCE, done));
    let mut standby = controllers(&world, lease);
    std::thread::sleep(Duration::from_millis(count(1500, 400) as u64));
    let mut slowest = Duration::ZERO;
    let epoch = || {
        cluster
            .stored()
            .history(&past())
            .unwrap()
            .last()
            .unwrap()
            .epoch
    };
    for round in 0..rounds {
        // An idle leader holds no lock. T18 covers a process that is stopped while it holds the lock.
        let mut resting = cluster.stored().revision().unwrap();
        let at_rest = || {
            std::thread::sleep(Duration::from_millis(300));
            let now = cluster.stored().revision().unwrap();
            std::mem::replace(&mut resting, now) == now
        };
        assert!(eventually(PATIENCE, at_rest));
        let before = epoch();
        signal(&leader, Signal::STOP);
        let mut watch = Stopwatch::start();
        // A leader that was not scheduled during its lease has been replaced before, and the other process leads.
        if !eventually(PATIENCE / 4, || epoch() > before) {
            signal(&leader, Signal::CONT);
            std::mem::swap(&mut leader, &mut standby);
            signal(&leader, Signal::STOP);
            watch = Stopwatch::start();
        }
        assert!(
            eventually(PATIENCE, || epoch() > before),
            "nobody takes over"
        );
        slowest = slowest.max(watch.elapsed());
        let mine = cluster.stored().revision().unwrap();
        signal(&leader, Signal::CONT);
        let replicas = 2 + round % 3;
        merge(
            &cluster,
            "deployments.apps",
            "web",
            &json!({"spec": {"replicas": replicas}}),
        );
        assert!(eventually(PATIENCE, done), "the new leader does not work");
        at_every_prefix(&cluster, mine, &mut |step| {
            let writer = step.writer;
            assert!(step.epoch > before, "{writer} wrote under the old epoch");
            assert!(pods(step.after, "web").len() <= 5);
        });
        std::mem::swap(&mut leader, &mut standby);
    }
    note(&format!(
        "T23: {rounds} rounds, the slowest takeover took {slowest:?}"
    ));
    assert!(
        count(0, 1) == 0 || slowest < Duration::from_millis(1500),
        "{slowest:?}"
    );
    for child in [leader, standby] {
        signal(&child, Signal::TERM);
        let ran = collect(child);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(
            ran.err.contains("standing by"),
            "each stood by once: {ran:?}"
        );
    }
}

#[test]
fn deposed_leader_ends_cleanly_on_sigterm() {
    let world = World::fresh();
    let cluster = open(&world);
    let leader = controllers(&world, "2s");
    let led = || {
        cluster
            .stored()
            .history(&past())
            .unwrap()
            .last()
            .unwrap()
            .epoch
            > 0
    };
    assert!(eventually(PATIENCE, led));
    // Another process begins an epoch, as `ctl settle` does. Later writes of the leader are rejected.
    let _ = cluster.election().lead().unwrap();
    create(&cluster, "deployments.apps", &deployment("web", 1));
    std::thread::sleep(Duration::from_millis(700));
    signal(&leader, Signal::TERM);
    let ran = collect(leader);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Checks the promises of T25 at every commit and at the end.
fn check_owners(cluster: &Cluster) {
    let mut gone: BTreeSet<String> = BTreeSet::new();
    let uid = |o: &Value| o["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    let mut end = BTreeMap::new();
    at_every_prefix(cluster, 0, &mut |step| {
        gone.extend(step.removed.iter().map(uid));
        for made in &step.made {
            assert!(
                !gone.contains(&uid(made)),
                "{} came back",
                made["metadata"]["name"]
            );
        }
        for removed in step
            .removed
            .iter()
            .filter(|_| step.writer == "garbage-collector")
        {
            for owner in removed["metadata"]["ownerReferences"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let owner = step
                    .after
                    .values()
                    .find(|o| o["metadata"]["uid"] == owner["uid"]);
                let stays = owner.filter(|o| o["metadata"]["deletionTimestamp"].is_null());
                assert!(
                    stays.is_none(),
                    "{} had an owner",
                    removed["metadata"]["name"]
                );
            }
        }
        end.clone_from(step.after);
    });
    let there: BTreeSet<String> = end.values().map(uid).collect();
    for object in end.values() {
        for owner in object["metadata"]["ownerReferences"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let owner = owner["uid"].as_str().unwrap();
            assert!(
                there.contains(owner),
                "{} is an orphan",
                object["metadata"]["name"]
            );
        }
    }
    assert_eq!(pods(&end, "web").len(), 0);
    let kept = pods(&end, "kept");
    assert_eq!(kept.len(), 2);
    for pod in kept {
        assert_eq!(pod["metadata"]["ownerReferences"][0]["name"], "next");
    }
    assert!(!end.contains_key("configmaps/default/held"));
}

#[test]
fn cascades_finalizers_and_adoptions_survive_kills_at_every_commit() {
    let world = World::fresh();
    let cluster = open(&world);
    let set = |name: &str| {
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": "kept"}},
            "template": {"metadata": {"labels": {"app": "kept"}},
                "spec": {"containers": [{"name": "c", "image": "shop:1"}]}}}})
    };
    create(&cluster, "deployments.apps", &deployment("web", 3));
    create(&cluster, "replicasets.apps", &set("first"));
    let _ = world.run(&["settle"]).ok();
    let web = cluster
        .get(&place(&cluster, "deployments.apps"), "web")
        .unwrap();
    create(
        &cluster,
        "configmaps",
        &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "name": "held", "finalizers": ["example.com/hold"], "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web",
             "uid": web["metadata"]["uid"]}]}}),
    );
    for (what, how) in [("deploy/web", "foreground"), ("rs/first", "orphan")] {
        let cascade = format!("--cascade={how}");
        let _ = world.run(&["delete", what, &cascade, "--wait=false"]).ok();
    }
    create(&cluster, "replicasets.apps", &set("next"));
    merge(
        &cluster,
        "configmaps",
        "held",
        &json!({"metadata": {"finalizers": null}}),
    );
    let kills = sweep(&world, &check_owners);
    let _ = world.fsck();
    note(&format!("T25: {kills} kills at a commit"));
}
