//! Runs all controllers on every story in `testdata/scenarios`: the bytes are the same each time, the final state does
//! not depend on kills, and every write has a reason.

use std::any::Any;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use ctl::api::yaml::{self, Mode};
use ctl::cluster::{
    Change as Commit, Cluster, DeleteOptions, HistoryQuery, Part, PatchType, Place, PodMode,
    Propagation, Revision, WriteOptions,
};
use ctl::runtime::{
    Cache, Change, Config, Controller, Manager, Object, Outcome, Plan, PlannedWrite,
    ReconcileContext, Until, Watch,
};
use jiff::SignedDuration;
use regex::Regex;
use tempfile::TempDir;

use crate::self_running::new_cluster;
use crate::support::{count, note};
use ctl::api::json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the names of all scenarios.
fn names() -> Vec<String> {
    let files = fs::read_dir(root().join("testdata/scenarios")).unwrap();
    let files = files.map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files
        .filter_map(|f| f.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() > 12);
    names
}

fn steps(name: &str) -> Vec<Value> {
    let path = root().join(format!("testdata/scenarios/{name}.yaml"));
    let documents = yaml::parse(&fs::read(path).unwrap(), Mode::Strict).unwrap();
    documents.into_iter().map(|d| d.value).collect()
}

/// The lifetime of the controllers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Life {
    /// The controllers run until the end.
    Whole,
    /// The first life ends at this observed change, and the next one lasts until the end.
    Until(i64),
    /// Every life ends with its first commit.
    OneCommit,
}

/// An observer that kills the controllers after this number of observed changes: the commit is made, but its result is
/// not used.
struct Mortal(Arc<AtomicI64>);

/// The panic payload of a kill.
struct Killed;

impl Controller for Mortal {
    fn name(&self) -> &'static str {
        "mortal"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::every(|_, _| Vec::new())]
    }

    fn observe(&mut self, _: &Change, _: &Cache) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            resume_unwind(Box::new(Killed));
        }
    }

    fn plan(&mut self, _: &ReconcileContext<'_>) -> Plan {
        Plan::done()
    }
}

/// A run of a scenario.
struct Run {
    cluster: Cluster,
    _directory: TempDir,
    start: Revision,
    life: Life,
    /// The number of changes that the controllers saw, and the number of kills.
    seen: i64,
    kills: usize,
    outcomes: Vec<String>,
}

/// A number of changes that no run reaches.
const FOR_EVER: i64 = 1_000_000;

impl Run {
    fn of(name: &str, life: Life) -> Self {
        let (cluster, directory) = new_cluster(PodMode::Default);
        let mut run = Self {
            start: cluster.stored().revision().unwrap(),
            cluster,
            _directory: directory,
            life,
            seen: 0,
            kills: 0,
            outcomes: Vec::new(),
        };
        for step in steps(name) {
            run.step(&step);
        }
        run
    }

    fn step(&mut self, step: &Value) {
        let text = |field: &str| step[field].as_str().unwrap_or_default();
        let place = || Place::new(self.cluster.kind(text("kind")).unwrap(), "default");
        let options = WriteOptions::default();
        match text("step") {
            "" => self.create(step),
            "settle" => self.settle(None),
            "pass" => self.settle(step["seconds"].as_i64()),
            "patch" => {
                let patch = (PatchType::Merge, &step["patch"]);
                let part = match text("part") {
                    "approval" => Part::Approval,
                    _ => Part::Whole,
                };
                let done = self
                    .cluster
                    .patch(&place(), text("name"), patch, part, &options);
                done.unwrap();
            }
            "delete" => {
                let propagation = match text("propagation") {
                    "Foreground" => Propagation::Foreground,
                    "Orphan" => Propagation::Orphan,
                    _ => Propagation::Background,
                };
                let options = DeleteOptions {
                    propagation: Some(propagation),
                    ..DeleteOptions::default()
                };
                self.cluster
                    .delete(&place(), text("name"), &options)
                    .unwrap();
            }
            other => panic!("no step {other}"),
        }
    }

    fn create(&self, object: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let kinds = self.cluster.kinds().unwrap();
        let kind = kinds
            .find_by_api_version(&text(&object["apiVersion"]), &text(&object["kind"]))
            .unwrap();
        let mut object = object.clone();
        let owners = object["metadata"].get_mut("ownerReferences");
        for owner in owners.and_then(Value::as_array_mut).into_iter().flatten() {
            // `$name` stands for the uid of a ConfigMap.
            let name = text(&owner["uid"]).trim_start_matches('$').to_owned();
            let place = Place::new(self.cluster.kind("configmaps").unwrap(), "default");
            owner["uid"] = self.cluster.get(&place, &name).unwrap()["metadata"]["uid"].clone();
        }
        let namespace = object["metadata"]["namespace"]
            .as_str()
            .unwrap_or("default");
        let place = Place::new(kind, namespace);
        let made = self
            .cluster
            .create(&place, &object, &WriteOptions::default());
        made.unwrap();
    }

    fn settle(&mut self, seconds: Option<i64>) {
        let end = seconds.map(|s| self.cluster.now().unwrap() + SignedDuration::from_secs(s));
        loop {
            let mortality = match self.life {
                Life::Whole => FOR_EVER,
                Life::Until(change) => change - self.seen,
                Life::OneCommit => 1,
            };
            let pass = end.map(|end| end.duration_since(self.cluster.now().unwrap()));
            match self.live(mortality, pass) {
                Some(outcome) => {
                    self.outcomes
                        .push(normal(&format!("{outcome:?}"), &BTreeMap::new()));
                    return;
                }
                None => {
                    self.kills += 1;
                    assert!(self.kills < 3000, "it never ends");
                    if self.life != Life::OneCommit {
                        self.life = Life::Whole;
                    }
                }
            }
        }
    }

    /// Runs one life of the controllers. Returns `None` if they were killed.
    fn live(&mut self, mortality: i64, pass: Option<SignedDuration>) -> Option<Outcome> {
        let left = Arc::new(AtomicI64::new(FOR_EVER * 10));
        let mut all: Vec<Box<dyn Controller>> = vec![Box::new(Mortal(Arc::clone(&left)))];
        all.extend(ctl::controllers::wanted(&|_| true));
        all.extend(ctl::kubelet::controllers());
        let epoch = self.cluster.election().lead().unwrap();
        let mut manager = Manager::new(&self.cluster, all, &|_| Config::default());
        manager.set_epoch(epoch);
        manager.load().unwrap();
        left.store(mortality, Ordering::Relaxed);
        let until = Until {
            pass: pass.map(|p| p.max(SignedDuration::ZERO)),
            timeout: Some(Duration::from_secs(100)),
        };
        let lived = catch_unwind(AssertUnwindSafe(|| manager.settle(&until, &|| false)));
        self.seen += mortality - left.load(Ordering::Relaxed);
        match lived {
            Ok(outcome) => Some(outcome.unwrap()),
            Err(thrown) => {
                let thrown: Box<dyn Any + Send> = thrown;
                assert!(thrown.is::<Killed>(), "somebody else panicked");
                None
            }
        }
    }

    fn history(&self) -> Vec<Commit> {
        let past = HistoryQuery {
            after: self.start,
            ..HistoryQuery::default()
        };
        self.cluster.stored().history(&past).unwrap()
    }

    /// Returns all objects except events, without values that vary between runs.
    fn end(&self) -> Vec<String> {
        let mut objects = Vec::new();
        for kind in self.cluster.feed().watchable().unwrap() {
            if kind.kind != "Event" {
                let list = self.cluster.list(&Place::new(kind, ""), &|_| true, None);
                objects.extend(list.unwrap().items);
            }
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let generated = |o: &&Value| o["metadata"]["generateName"].is_string();
        let names: BTreeMap<String, String> = objects
            .iter()
            .filter(generated)
            .map(|o| {
                (
                    text(&o["metadata"]["name"]),
                    text(&o["metadata"]["generateName"]),
                )
            })
            .collect();
        let mut end: Vec<String> = Vec::new();
        for mut object in objects {
            steady(&mut object);
            end.push(normal(&object.to_string(), &names));
        }
        end.sort();
        end
    }
}

/// Removes traces of an object's history: versions, and the order of its conditions.
fn steady(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for field in [
                "managedFields",
                "resourceVersion",
                "generation",
                "observedGeneration",
            ] {
                map.remove(field);
            }
            if let Some(Value::Array(conditions)) = map.get_mut("conditions") {
                conditions.sort_by_key(|c| c["type"].to_string());
            }
            map.values_mut().for_each(steady);
        }
        Value::Array(items) => items.iter_mut().for_each(steady),
        _ => {}
    }
}

/// Returns a text without uids, times, addresses, nodes and generated names.
fn normal(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (name, prefix) in names {
        text = text.replace(name, &format!("{prefix}*"));
    }
    for (pattern, instead) in [
        ("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"),
        (r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME"),
        // The value depends on the changes that a write covers, which a restart splits differently.
        (
            r#""annotations":\{"endpoints.kubernetes.io/last-change-trigger-time":"TIME"\},?"#,
            "",
        ),
        (r"\d+\.\d+\.\d+\.\d+", "IP"),
        (r#""(nodePort|healthCheckNodePort)":\d+"#, "PORT"),
        (r"containerd://[0-9a-f]+", "CONTAINER"),
        (r"node-\d", "NODE"),
        ("kube-api-access-[a-z0-9]+", "TOKEN"),
    ] {
        text = Regex::new(pattern)
            .unwrap()
            .replace_all(&text, instead)
            .into_owned();
    }
    text
}

/// Returns the first line in which two final states differ.
fn difference(one: &[String], other: &[String]) -> String {
    let only = |a: &[String], b: &[String]| {
        let found = a.iter().find(|line| !b.contains(line));
        found.cloned().unwrap_or_default()
    };
    format!(
        "\nonly here: {}\nonly there: {}",
        only(one, other),
        only(other, one)
    )
}

#[test]
fn same_scenario_writes_the_same_history() {
    for name in names() {
        let (one, other) = (Run::of(&name, Life::Whole), Run::of(&name, Life::Whole));
        assert!(
            one.history() == other.history(),
            "{name}: the histories differ"
        );
        assert_eq!(one.outcomes, other.outcomes, "{name}");
    }
}

#[test]
fn controllers_killed_after_each_commit_reach_the_same_state() {
    let mut kills = 0;
    for name in names() {
        let whole = Run::of(&name, Life::Whole);
        let killed = Run::of(&name, Life::OneCommit);
        let (a, b) = (whole.end(), killed.end());
        assert!(a == b, "{name}: {}", difference(&a, &b));
        assert_eq!(whole.outcomes, killed.outcomes, "{name}");
        assert!(killed.kills > 2, "{name}: {} kills", killed.kills);
        kills += killed.kills;
    }
    note(&format!(
        "controllers killed after each commit: {kills} kills"
    ));
}

#[test]
fn single_kill_at_any_change_keeps_the_final_state() {
    let mut kills = 0;
    for name in names() {
        let whole = Run::of(&name, Life::Whole);
        let end = whole.end();
        let steps = whole.seen.min(count(3, 1_000_000).try_into().unwrap());
        for step in 0..steps {
            let change = 1 + step * whole.seen / steps;
            let killed = Run::of(&name, Life::Until(change));
            let found = killed.end();
            assert!(
                end == found,
                "{name}, killed at {change}: {}",
                difference(&end, &found)
            );
            assert_eq!(
                whole.outcomes, killed.outcomes,
                "{name}, killed at {change}"
            );
            kills += killed.kills;
        }
    }
    note(&format!("controllers killed once: {kills} kills"));
}

/// Returns the errors in the reasons of a history. Adds the rules of each writer.
fn complaints(run: &Run, rules: &mut BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut wrong = BTreeSet::new();
    for commit in run.history() {
        let writer = &commit.cause.writer;
        if ["test", "clock"].contains(&writer.as_str()) {
            continue;
        }
        for event in &commit.events {
            let why = event.why.as_ref();
            let rule = why.map_or(&commit.cause.rule, |w| &w.rule);
            let trigger = why.map_or(&commit.cause.trigger, |w| &w.trigger).as_ref();
            let name = rule.split(':').next().unwrap_or_default();
            if name.is_empty() {
                wrong.insert(format!("{writer} writes {} by no rule", event.key));
            }
            // Some change triggered the write, even if it was due only later.
            if trigger.is_none_or(|trigger| trigger.revision >= event.revision) {
                wrong.insert(format!("{writer} writes {} ({rule}): why now?", event.key));
            }
            if writer == "events" {
                continue;
            }
            let known = rules.entry(writer.clone()).or_default();
            known.insert(name.to_owned());
        }
    }
    wrong
}

/// Returns the rules that the module docs of their controller do not list.
fn unlisted(rules: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let docs = module_docs();
    let mut wrong = BTreeSet::new();
    for (writer, rules) in rules {
        let quoted = format!("\"{writer}\"");
        for rule in rules {
            let named = docs.iter().any(|(source, docs)| {
                let names = ["`", "\n", ":"].map(|end| format!("`{rule}{end}"));
                source.contains(&quoted) && names.iter().any(|n| docs.contains(n))
            });
            if !named {
                wrong.insert(format!(
                    "the module of {writer} does not list its rule {rule:?}"
                ));
            }
        }
    }
    wrong
}

/// Returns the module docs of each controller, read from its sources.
fn module_docs() -> Vec<(String, String)> {
    let mut modules: BTreeMap<PathBuf, (String, String)> = BTreeMap::new();
    for layer in ["crates/controllers/src", "crates/kubelet/src"] {
        let layer = root().join(layer);
        for file in crate::layers::rust_files(&layer) {
            let text = fs::read_to_string(&file).unwrap();
            let within = file.strip_prefix(&layer).unwrap();
            let first = within.components().next().unwrap();
            let module = match layer.ends_with("kubelet/src") {
                true => layer.clone(),
                false => layer.join(first),
            };
            let entry = modules.entry(module).or_default();
            let docs = text.lines().filter(|l| l.starts_with("//!"));
            entry.1.extend(docs.map(|l| format!("{l}\n")));
            entry.0.push_str(&text);
        }
    }
    for (module, (_, docs)) in &mut modules {
        if module.ends_with("kubelet/src") {
            for stage in fs::read_dir(root().join("stages")).unwrap() {
                let path = stage.unwrap().path();
                if path.is_file() {
                    docs.push_str(&fs::read_to_string(path).unwrap().replace("name: ", "`"));
                }
            }
        }
    }
    modules.into_values().collect()
}

#[test]
fn every_controller_write_has_a_rule_and_a_trigger() {
    let mut rules = BTreeMap::new();
    let mut wrong = BTreeSet::new();
    for name in names() {
        let run = Run::of(&name, Life::Whole);
        wrong.extend(
            complaints(&run, &mut rules)
                .into_iter()
                .map(|w| format!("{name}: {w}")),
        );
    }
    wrong.extend(unlisted(&rules));
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    for controller in all {
        let name = controller.name();
        // This controller only reports and changes nothing.
        if !rules.contains_key(name) && name != "kubelet-stages" {
            wrong.insert(format!("no scenario has {name} write"));
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Wraps a controller and panics on objects with one name.
struct Poisoned(Box<dyn Controller>);

impl Controller for Poisoned {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn component(&self) -> &'static str {
        self.0.component()
    }

    fn watches(&self) -> Vec<Watch> {
        self.0.watches()
    }

    fn indexes(&self) -> Vec<ctl::runtime::Index> {
        self.0.indexes()
    }

    fn observe(&mut self, change: &Change, cache: &Cache) {
        self.0.observe(change, cache);
    }

    fn stuck(&self, object: &Object, cache: &Cache) -> Option<String> {
        self.0.stuck(object, cache)
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        if &*context.key.name == "poison" {
            // The panic is raised without its message on the standard error of the tests.
            resume_unwind(Box::new("poison"));
        }
        self.0.plan(context)
    }
}

/// T26: the controller panics on one object and rejects another, while many others are valid.
#[test]
fn poisoned_object_does_not_block_other_objects() {
    let good = count(20, 100);
    let (cluster, _directory) = new_cluster(PodMode::Running);
    let place = Place::new(cluster.kind("deployments.apps").unwrap(), "default");
    let huge: Vec<String> = (0..3000).map(|n| format!("value-{n}")).collect();
    let make = |name: &str| {
        let labels = ctl::api::json::json!({"app": name});
        let mut spec = ctl::api::json::json!({
            "selector": {"matchLabels": labels}, "unheardOf": {"deep": [1, 2, {"er": null}]},
            "template": {"metadata": {"labels": labels},
                "spec": {"containers": [{"name": "c", "image": "a"}]}},
        });
        if name == "huge" {
            let wide = ctl::api::json::json!([{"key": "app", "operator": "NotIn", "values": huge}]);
            spec["selector"]["matchExpressions"] = wide;
            spec["template"]["spec"]["serviceAccountName"] = "nobody".into();
        }
        let object = ctl::api::json::json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name}, "spec": spec});
        cluster
            .create(&place, &object, &WriteOptions::default())
            .unwrap();
    };
    make("poison");
    make("huge");
    for number in 0..good {
        make(&format!("good-{number}"));
    }
    let mut all: Vec<Box<dyn Controller>> = Vec::new();
    for controller in ctl::controllers::wanted(&|_| true) {
        match controller.name() {
            "deployment" => all.push(Box::new(Poisoned(controller))),
            _ => all.push(controller),
        }
    }
    all.extend(ctl::kubelet::controllers());
    let mut manager = Manager::new(&cluster, all, &|_| Config::default());
    let looks = Rc::new(Cell::new(0));
    let counter = Rc::clone(&looks);
    manager.observe(Box::new(move |seen| {
        if &*seen.key.name == "poison" && seen.controller == "deployment" {
            counter.set(counter.get() + 1);
        }
    }));
    manager.load().unwrap();
    let until = Until {
        pass: None,
        timeout: Some(Duration::from_secs(100)),
    };
    let Outcome::Stuck(objects) = manager.settle(&until, &|| false).unwrap() else {
        panic!("two of them cannot be well");
    };
    let reason = |name: &str| {
        let found = objects.iter().find(|stuck| stuck.object.ends_with(name));
        found.map(|stuck| stuck.reason.clone()).unwrap_or_default()
    };
    assert!(
        reason("deployment default/poison").contains("panicked"),
        "{objects:?}"
    );
    let huge = objects.iter().filter(|stuck| stuck.object.contains("huge"));
    assert!(
        huge.map(|stuck| &stuck.reason)
            .any(|r| r.contains("nobody")),
        "{objects:?}"
    );
    assert!(
        !objects.iter().any(|stuck| stuck.object.contains("good")),
        "{objects:?}"
    );
    let ready = |o: &Value| o["status"]["readyReplicas"] == 1;
    let all = cluster.list(&place, &|_| true, None).unwrap().items;
    assert_eq!(all.iter().filter(|o| ready(o)).count(), good);
    // The rejected object is retried at increasing intervals.
    assert!((2..30).contains(&looks.get()), "{} looks", looks.get());
}

/// A controller whose writes violate the rules. It proves that the checks in this file can fail.
struct Careless;

impl Controller for Careless {
    fn name(&self) -> &'static str {
        "careless"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(ctl::kinds::find("", "v1", "Service").unwrap())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let kind = ctl::kinds::find("", "v1", "Service").unwrap();
        let mut plan = Plan::done();
        if let Some(service) = context.cache.by_key(kind, context.key) {
            let patch = ctl::api::json::json!({"metadata": {"labels": {"seen": "yes"}}});
            plan.changes.push(PlannedWrite::merge(service, patch, ""));
        }
        plan
    }
}

#[test]
fn write_with_an_undocumented_rule_is_detected() {
    let (cluster, directory) = new_cluster(PodMode::Default);
    let start = cluster.stored().revision().unwrap();
    let mut manager = Manager::new(&cluster, vec![Box::new(Careless)], &|_| Config::default());
    manager.load().unwrap();
    let until = Until {
        pass: None,
        timeout: None,
    };
    assert_eq!(manager.settle(&until, &|| false).unwrap(), Outcome::Settled);
    drop(manager);
    let run = Run {
        start,
        cluster,
        _directory: directory,
        life: Life::Whole,
        seen: 0,
        kills: 0,
        outcomes: Vec::new(),
    };
    let mut rules = BTreeMap::new();
    assert_eq!(complaints(&run, &mut rules).len(), 0);
    let wrong: Vec<String> = unlisted(&rules).into_iter().collect();
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].starts_with("the module of careless"), "{wrong:?}");
}
