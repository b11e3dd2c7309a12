//! Tests that every controller reaches the same final state if it is killed after every commit and if the API rejects
//! some of its requests. The commits before a kill are replayed into a copy of the cluster, and new controllers without
//! memory continue there.

mod long_running;
mod scenarios;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use ctl::api::json::Value;
use ctl::cluster::{
    ApiFault, Change, Cluster, DeleteOptions, Event, Expect, HistoryQuery, Key, Part, PatchType,
    Place, PodMode, Propagation, Range, RawOp, WriteOptions,
};
use ctl::runtime::{Config, Manager, Outcome, Until};
use jiff::{SignedDuration, Timestamp};
use regex::Regex;
use serde::Deserialize as _;
use tempfile::TempDir;

use crate::self_running::{new_cluster, opened};
use crate::support::{count, note, scratch};
use scenarios::{ENDLESS, SCENARIOS};

/// A cluster in a directory that is removed with the value.
struct Run {
    cluster: Cluster,
    directory: TempDir,
}

/// The end of a run.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// Until no work is due.
    Quiet,
    /// Up to a time.
    Time(Timestamp),
}

/// Returns a new, settled cluster, which is created once.
fn rested() -> &'static Path {
    static RESTED: OnceLock<(Cluster, TempDir)> = OnceLock::new();
    let (_, directory) = RESTED.get_or_init(|| {
        let (cluster, directory) = new_cluster(PodMode::Default);
        rest(&cluster, Goal::Quiet);
        (cluster, directory)
    });
    directory.path()
}

fn copy(from: &Path) -> Run {
    let directory = scratch();
    let cluster = Cluster::open(from, opened()).unwrap();
    let cluster = cluster
        .files()
        .copy_to(&directory.path().join("c"), opened(), None)
        .unwrap();
    Run { cluster, directory }
}

impl Run {
    fn path(&self) -> std::path::PathBuf {
        self.directory.path().join("c")
    }
}

/// Runs new controllers, which know only the stored state.
fn go_on(cluster: &Cluster, goal: Goal) -> Outcome {
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    let mut manager = Manager::new(cluster, all, &|_| Config::default());
    manager.load().unwrap();
    let pass = match goal {
        Goal::Quiet => None,
        Goal::Time(at) => Some(at.duration_since(cluster.now().unwrap())),
    };
    let until = Until {
        pass,
        timeout: Some(Duration::from_secs(120)),
    };
    manager.settle(&until, &|| false).unwrap()
}

/// Runs new controllers, but allows objects that are still stuck.
#[track_caller]
fn rest(cluster: &Cluster, goal: Goal) {
    let outcome = go_on(cluster, goal);
    let rests = matches!(outcome, Outcome::Settled | Outcome::Stuck(_));
    assert!(rests, "{outcome:?}");
}

fn place_of(cluster: &Cluster, path: &str) -> (Place, String) {
    let (resource, name) = path.split_once('/').unwrap();
    let place = Place::new(cluster.kind(resource).unwrap(), "default");
    (place, name.to_owned())
}

fn execute(cluster: &Cluster, order: &Value) {
    let options = WriteOptions::default();
    if let Some(path) = order["patch"].as_str() {
        let (place, name) = place_of(cluster, path);
        let patch = (PatchType::Strategic, &order["to"]);
        let part = match order["part"].as_str() {
            Some("approval") => Part::Approval,
            _ => Part::Whole,
        };
        cluster.patch(&place, &name, patch, part, &options).unwrap();
    } else if let Some(job) = order["delete-pods-of"].as_str() {
        let place = Place::new(cluster.kind("pods").unwrap(), "default");
        let own = |pod: &Value| pod["metadata"]["labels"]["job-name"] == job;
        let gone = cluster.delete_collection(&place, &own, &DeleteOptions::default());
        assert!(!gone.unwrap().is_empty());
    } else if let Some(path) = order["delete"].as_str() {
        let (place, name) = place_of(cluster, path);
        let options = DeleteOptions {
            propagation: Some(Propagation::Background),
            ..DeleteOptions::default()
        };
        cluster.delete(&place, &name, &options).unwrap();
    } else {
        let text = |path: &str| order.pointer(path).and_then(Value::as_str);
        let kind = ctl::cluster::find_kind(text("/apiVersion").unwrap(), text("/kind").unwrap());
        let place = Place::new(
            kind.unwrap(),
            text("/metadata/namespace").unwrap_or("default"),
        );
        cluster.create(&place, order, &options).unwrap();
    }
}

/// Returns the cluster before the observed run, and the goal of that run.
fn start(script: &str) -> (Run, Goal) {
    let run = copy(rested());
    let orders = serde_yaml::Deserializer::from_str(script);
    let mut goal = None;
    for order in orders.map(|o| Value::deserialize(o).unwrap()) {
        match &order["run"] {
            Value::Null => execute(&run.cluster, &order),
            length => {
                rest(&run.cluster, Goal::Quiet);
                goal = Some(length.clone());
            }
        }
    }
    let goal = match goal.unwrap() {
        Value::Number(seconds) => {
            let length = SignedDuration::from_secs(seconds.as_i64().unwrap());
            Goal::Time(run.cluster.now().unwrap() + length)
        }
        _ => Goal::Quiet,
    };
    (run, goal)
}

fn history(cluster: &Cluster, after: u64) -> Vec<Change> {
    let past = HistoryQuery {
        after,
        ..HistoryQuery::default()
    };
    cluster.stored().history(&past).unwrap()
}

/// A copy of a cluster that receives the commits of the original.
struct Follower {
    run: Run,
    /// The cluster as opened by each writer.
    writers: BTreeMap<String, Cluster>,
}

impl Follower {
    fn of(run: &Run) -> Self {
        Self {
            run: copy(&run.path()),
            writers: BTreeMap::new(),
        }
    }

    /// Repeats another cluster's commit with the same writer and the same rules.
    fn replay(&mut self, change: &Change) {
        let name = &change.cause.writer;
        let path = self.run.path();
        let cluster = self.writers.entry(name.clone()).or_insert_with(|| {
            let mut open = opened();
            open.options.command.clone_from(name);
            Cluster::open(&path, open).unwrap()
        });
        if change.time > cluster.now().unwrap() {
            let rule = &change.cause.rule;
            cluster
                .election()
                .move_clock(name, rule, None, change.time)
                .unwrap();
        }
        let rule = |event: &Event| match &event.why {
            Some(why) => why.rule.clone(),
            None => change.cause.rule.clone(),
        };
        for events in change.events.chunk_by(|a, b| rule(a) == rule(b)) {
            let op = |event: &Event| RawOp {
                key: event.key.clone(),
                object: event
                    .after
                    .as_ref()
                    .map(|json| serde_json::from_slice(json).unwrap()),
                expect: Expect::Any,
            };
            let ops: Vec<RawOp> = events.iter().map(op).collect();
            cluster
                .stored()
                .commit(&ops, None, &rule(&events[0]))
                .unwrap();
        }
    }
}

/// Returns the stored objects without values that depend on the time, the order or a random draw: times, uids,
/// addresses, suffixes of generated names, and the choice between equal nodes.
fn state(cluster: &Cluster) -> Vec<String> {
    let listing = cluster.stored().list(&Range::all(), None).unwrap();
    let skipped = ["events", "leases.coordination.k8s.io"];
    let objects: Vec<(&Key, Value)> = listing
        .items
        .iter()
        .filter(|stored| !skipped.contains(&stored.key.resource()))
        .map(|stored| (&stored.key, serde_json::from_slice(&stored.json).unwrap()))
        .collect();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (_, object) in &objects {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str);
        if let (Some(prefix), Some(name)) = (text("/metadata/generateName"), text("/metadata/name"))
        {
            names.insert(name.to_owned(), format!("{prefix}*"));
        }
        // Names that contain a uid.
        if let Some(uid) = text("/metadata/uid") {
            names.insert(uid.to_owned(), "UID".to_owned());
        }
    }
    let drawn = [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"),
        (r"\b10\.\d+\.\d+\.\d+\b", "ADDRESS"),
        (r"\b172\.\d+\.\d+\.\d+\b", "ADDRESS"),
        (r#""nodePort":3[0-2]\d{3}"#, "NODEPORT"),
        (r"\bnode-\d\b", "NODE"),
        (r"kube-api-access-\w{5}", "kube-api-access-*"),
        (r"://[0-9a-f]{64}", "://ID"),
        (r#""resourceVersion":"\d+""#, "REVISION"),
        // The suffix of a rejected object's name cannot be looked up, because the object does not exist.
        (r#"-[a-z0-9]{5}\\" is forbidden"#, r#"-*\" is forbidden"#),
    ];
    let drawn = drawn.map(|(pattern, word)| (Regex::new(pattern).unwrap(), word));
    let mut all: Vec<String> = Vec::new();
    for (key, mut object) in objects {
        let metadata = object["metadata"].as_object_mut().unwrap();
        for field in ["resourceVersion", "managedFields", "generation"] {
            metadata.remove(field);
        }
        if let Some(status) = object["status"].as_object_mut() {
            status.remove("observedGeneration");
            // This field depends on the status at that moment and may be missing.
            status.remove("lastScaleTime");
            // A condition that changes moves to the end of the list.
            if let Some(conditions) = status.get_mut("conditions").and_then(Value::as_array_mut) {
                conditions.sort_by_key(|c| c["type"].to_string());
            }
        }
        if key.resource() == "endpointslices.discovery.k8s.io" {
            let order = |e: &Value| e["conditions"].to_string();
            if let Some(endpoints) = object["endpoints"].as_array_mut() {
                endpoints.sort_by_key(order);
            }
        }
        let mut text = format!("{} {object}", key.resource());
        for (name, word) in &names {
            text = text.replace(name, word);
        }
        for (pattern, word) in &drawn {
            text = pattern.replace_all(&text, *word).into_owned();
        }
        all.push(text);
    }
    all.sort();
    all
}

/// Returns the lines that only one of two states has.
fn differences(want: &[String], got: &[String]) -> String {
    let lacks = |of: &[String], from: &[String]| -> Vec<String> {
        let mut left = from.to_vec();
        let lost = of
            .iter()
            .filter(|line| match left.iter().position(|l| l == *line) {
                Some(at) => {
                    left.remove(at);
                    false
                }
                None => true,
            });
        lost.cloned().collect()
    };
    format!(
        "missing: {:#?}\nunexpected: {:#?}",
        lacks(want, got),
        lacks(got, want)
    )
}

/// Checks that every write has a reason of the form `rule: why`. A kubelet's reason is the name of its stage.
fn check_reasons(controller: &str, changes: &[Change]) {
    for change in changes {
        let own = change
            .events
            .iter()
            .filter_map(|e| e.why.as_ref().map(|w| &w.rule));
        for rule in own.chain([&change.cause.rule]) {
            let (name, why) = rule.split_once(": ").unwrap_or((rule, ""));
            let is_stage = change.cause.writer.starts_with("kubelet");
            assert!(
                !name.is_empty() && (is_stage || !why.is_empty()),
                "{controller}: {} writes by {rule:?}",
                change.cause.writer
            );
        }
    }
}

/// Runs a scenario, and again with a kill at each commit. Returns the number of kills.
fn kill_everywhere(controller: &str, script: &str) -> usize {
    let (run, goal) = start(script);
    let mut follower = Follower::of(&run);
    let begin = run.cluster.stored().revision().unwrap();
    let outcome = go_on(&run.cluster, goal);
    assert!(
        !matches!(outcome, Outcome::Oscillating(_)),
        "{controller}: {outcome:?}"
    );
    let want = state(&run.cluster);
    let changes = history(&run.cluster, begin);
    // This controller only reports and writes events.
    let writer = match controller {
        "kubelet-stages" => "events",
        other => other,
    };
    assert!(
        changes.iter().any(|c| c.cause.writer == writer),
        "{controller} has nothing to do: {:?}",
        changes
            .iter()
            .map(|c| &c.cause.writer)
            .collect::<BTreeSet<_>>()
    );
    check_reasons(controller, &changes);
    let step = count(changes.len().div_ceil(4), 1).max(1);
    let mut kills = 0;
    for (number, change) in changes.iter().enumerate() {
        follower.replay(change);
        if number % step != 0 {
            continue;
        }
        let resumed = copy(&follower.run.path());
        let again = go_on(&resumed.cluster, goal);
        assert_eq!(again, outcome, "{controller}: killed after commit {number}");
        let got = state(&resumed.cluster);
        assert!(
            got == want,
            "{controller}: killed after commit {number} of {} ({} {:?}): {}",
            changes.len(),
            change.cause.writer,
            change.cause.rule,
            differences(&want, &got)
        );
        kills += 1;
    }
    kills
}

fn fault(code: u16, rate: f64, seed: u64) -> ApiFault {
    ApiFault {
        verbs: ["create", "update", "patch", "delete"]
            .map(str::to_owned)
            .into(),
        code: Some(code),
        rate,
        seed: Some(seed),
        ..ApiFault::default()
    }
}

/// Runs a scenario on an API that rejects three of ten writes, and one of ten with a conflict.
fn refuse(controller: &str, script: &str, seed: u64) {
    let (mut run, goal) = start(script);
    let mut troubled = copy(&run.path());
    let finish = |run: &mut Run| {
        rest(&run.cluster, goal);
        run.cluster.configure().clear_faults(None).unwrap();
        // Retries wait until they are due.
        let outcome = go_on(&run.cluster, Goal::Quiet);
        (outcome, state(&run.cluster))
    };
    let (outcome, want) = finish(&mut run);
    for (code, rate) in [(500, 0.3), (409, 0.1)] {
        troubled
            .cluster
            .configure()
            .set_fault(fault(code, rate, seed))
            .unwrap();
    }
    let (again, got) = finish(&mut troubled);
    assert!(
        again == outcome && got == want,
        "{controller}, seed {seed}: {again:?}: {}",
        differences(&want, &got)
    );
}

/// Returns the times of the writes of a rule.
fn times(cluster: &Cluster, after: u64, rule: &str) -> Vec<(Timestamp, String)> {
    let mut times = Vec::new();
    for change in history(cluster, after) {
        for event in &change.events {
            let own = event
                .why
                .as_ref()
                .map_or(&change.cause.rule, |why| &why.rule);
            if own.starts_with(rule) {
                times.push((change.time, own.clone()));
            }
        }
    }
    times
}

#[test]
fn restarted_controllers_act_at_the_same_times() {
    let autoscaler = SCENARIOS
        .iter()
        .find(|(name, _)| name.starts_with("horizontal"));
    for (controller, script, rule, least) in [
        (
            "horizontalpodautoscaler",
            autoscaler.unwrap().1,
            "rescale: ",
            1,
        ),
        ("daemonset", ENDLESS, "replace: it has failed", 3 * 5),
    ] {
        let (run, goal) = start(script);
        let mut follower = Follower::of(&run);
        let begin = run.cluster.stored().revision().unwrap();
        rest(&run.cluster, goal);
        let want = times(&run.cluster, begin, rule);
        assert!(want.len() >= least, "{want:?}");
        let changes = history(&run.cluster, begin);
        let step = count(changes.len().div_ceil(6), 1).max(1);
        for (number, change) in changes.iter().enumerate() {
            follower.replay(change);
            if number % step == 0 {
                let resumed = copy(&follower.run.path());
                rest(&resumed.cluster, goal);
                let got = times(&resumed.cluster, begin, rule);
                assert_eq!(got, want, "{controller}: killed after commit {number}");
            }
        }
    }
}

#[test]
fn every_controller_has_a_scenario() {
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    let known: BTreeSet<&str> = all.iter().map(|c| c.name()).collect();
    let tried: BTreeSet<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
    assert_eq!(known, tried);
}

#[test]
fn controllers_killed_after_any_commit_reach_the_same_state() {
    let kills = every_scenario(&kill_everywhere);
    note(&format!(
        "{kills} kills of {} controllers, and the same end after each",
        SCENARIOS.len()
    ));
}

#[test]
fn controllers_reach_the_same_state_despite_api_faults() {
    let runs = every_scenario(&|controller, script| {
        let seeds = count(1, 20);
        for seed in 0..seeds {
            refuse(controller, script, seed as u64);
        }
        seeds
    });
    note(&format!(
        "{runs} runs on an API that refuses, and the same end"
    ));
}

/// Runs all scenarios, even after one fails. Returns the sum of their results.
fn every_scenario(run: &dyn Fn(&str, &str) -> usize) -> usize {
    let (mut sum, mut failed) = (0, Vec::new());
    for (controller, script) in SCENARIOS {
        let ran = catch_unwind(AssertUnwindSafe(|| run(controller, script)));
        match ran {
            Ok(count) => sum += count,
            Err(_) => failed.push(*controller),
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
    sum
}
