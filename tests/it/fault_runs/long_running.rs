//! Tests controllers that keep running: after every step of a random history, newly started controllers find nothing
//! left to do, and the final state equals that of a run with new controllers in every step.

use std::time::Duration;

use ctl::api::json::{Value, json};
use ctl::cluster::{ApiError, Cluster, DeleteOptions, PatchType, Place, Propagation, WriteOptions};
use ctl::runtime::{Config, Manager, Outcome, Until};
use jiff::SignedDuration;

use super::{Change, Event, Run, copy, differences, history, rested, state};
use crate::support::race::{Random, seed};
use crate::support::{count, note};

/// The number of steps in a history.
const STEPS: usize = 30;

/// A change of the cluster, which is settled before and after it.
#[derive(Clone, Debug)]
enum Step {
    Create(Value),
    Merge(&'static str, &'static str, &'static str, Value),
    Delete(&'static str, &'static str, &'static str, Propagation),
    /// Deletes all Pods of an application.
    DeletePods(&'static str, &'static str),
    /// Makes a ConfigMap the owner of another one.
    Own(&'static str, &'static str, &'static str),
    Pass(SignedDuration),
}

fn new_manager(cluster: &Cluster) -> Manager<'_> {
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    let mut manager = Manager::new(cluster, all, &|_| Config::default());
    manager.load().unwrap();
    manager
}

fn settle(manager: &mut Manager<'_>) -> Outcome {
    let until = Until {
        pass: None,
        timeout: Some(Duration::from_secs(120)),
    };
    manager.settle(&until, &|| false).unwrap()
}

fn definition(name: &str, version: &str, fields: &str) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{name}s.a.example")},
        "spec": {"group": "a.example", "scope": "Namespaced",
            "names": {"kind": name, "plural": format!("{name}s"), "singular": name},
            "versions": [{"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {fields: {"type": "string"}}}}}]}})
}

fn template(app: &str, image: &str) -> Value {
    json!({"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": image}]}})
}

/// Returns one of several values.
fn one<T: Clone>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())].clone()
}

const NAMESPACES: [&str; 3] = ["default", "blue", "green"];
const OWNED: [&str; 3] = ["m0", "m1", "m2"];
const HOLD: &str = "a.example/hold";

/// Returns a workload whose Pods have labels of their own.
fn new_workload(random: &mut Random, metadata: &Value, app: &str) -> Value {
    let replicas = random.below(4);
    let own = |suffix: &str| format!("{app}{suffix}");
    let of = |app: &str| json!({"matchLabels": {"app": app}});
    match random.below(4) {
        0 => json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {
            "replicas": replicas, "selector": of(app), "template": template(app, "i:1")}}),
        1 => json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": {
            "replicas": replicas, "serviceName": app, "selector": of(&own("-db")),
            "template": template(&own("-db"), "i:1")}}),
        2 => json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {
            "completions": replicas, "ttlSecondsAfterFinished": 60,
            "template": {"metadata": {"annotations": {"ctl.dev/run-duration": "5s"}},
                "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i:1"}]}}}}),
        _ => json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": {
            "selector": of(&own("-agent")), "template": template(&own("-agent"), "i:1")}}),
    }
}

fn new_object(random: &mut Random) -> Value {
    let namespace = one(random, &NAMESPACES);
    let app = one(random, &["web", "api"]);
    let held = one(random, &[json!([]), json!([HOLD])]);
    let metadata = json!({"name": app, "namespace": namespace});
    let custom = one(random, &["ship", "boat"]);
    let version = one(random, &["v1", "v2"]);
    match random.below(13) {
        0 | 1 => {
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": one(random, &NAMESPACES)}})
        }
        2 | 3 => definition(custom, version, one(random, &["x", "y"])),
        4 | 5 => json!({"apiVersion": format!("a.example/{version}"), "kind": custom,
            "metadata": {"name": app, "namespace": namespace, "finalizers": held}}),
        6 => json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {
            "selector": {"app": app}, "ports": [{"port": 80}],
            "type": one(random, &["ClusterIP", "LoadBalancer"])}}),
        7 => json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {
            "hard": {"pods": random.below(4).to_string(), "count/configmaps": "4"}}}),
        8 => json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": one(random, &OWNED), "namespace": "default", "finalizers": held}}),
        _ => new_workload(random, &metadata, app),
    }
}

/// Returns a fault of a node, the end of all its faults, or a change of its schedulability.
fn node_step(random: &mut Random) -> Step {
    let node = one(random, &["node-0", "node-1"]);
    let (down, unready) = ("ctl.dev/node-down", "ctl.dev/node-not-ready");
    let fault = match random.below(6) {
        0 | 1 => json!({down: "2026-01-02T12:00:00Z", unready: null}),
        2 => json!({down: null, unready: "no disk"}),
        3 | 4 => json!({down: null, unready: null}),
        _ => {
            let cordon = json!({"spec": {"unschedulable": one(random, &[true, false])}});
            return Step::Merge("nodes", "", node, cordon);
        }
    };
    Step::Merge(
        "nodes",
        "",
        node,
        json!({"metadata": {"annotations": fault}}),
    )
}

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
const CUSTOM: [&str; 2] = ["ships.a.example", "boats.a.example"];
const KINDS: [&str; 6] = [
    "deployments.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "jobs.batch",
    "services",
    "resourcequotas",
];

fn delete_step(random: &mut Random) -> Step {
    let namespace = one(random, &NAMESPACES);
    let app = one(random, &["web", "api"]);
    let background = Propagation::Background;
    let how = one(
        random,
        &[background, Propagation::Foreground, Propagation::Orphan],
    );
    match random.below(7) {
        0 | 1 => Step::Delete("namespaces", "", one(random, &NAMESPACES[1..]), background),
        2 => Step::Delete(DEFINITIONS, "", one(random, &CUSTOM), background),
        3 => Step::Delete(one(random, &CUSTOM), namespace, app, how),
        4 => Step::Delete("configmaps", "default", one(random, &OWNED), how),
        5 => Step::DeletePods(namespace, app),
        _ => Step::Delete(one(random, &KINDS), namespace, app, how),
    }
}

fn step(random: &mut Random) -> Step {
    let namespace = one(random, &NAMESPACES);
    let app = one(random, &["web", "api"]);
    let workload = one(random, &["deployments.apps", "statefulsets.apps"]);
    match random.below(24) {
        0..=8 => Step::Create(new_object(random)),
        9 => {
            let size = json!({"spec": {"replicas": random.below(5)}});
            Step::Merge(workload, namespace, app, size)
        }
        10 => {
            let image = template(app, one(random, &["i:1", "i:2"]));
            let image = json!({"spec": {"template": {"spec": image["spec"]}}});
            Step::Merge(workload, namespace, app, image)
        }
        11..=17 => delete_step(random),
        18 => Step::Own(one(random, &OWNED), one(random, &OWNED), "default"),
        19 => {
            let finalizers = one(random, &[Value::Null, json!([HOLD])]);
            let finalizers = json!({"metadata": {"finalizers": finalizers}});
            match random.below(3) {
                0 => Step::Merge("configmaps", "default", one(random, &OWNED), finalizers),
                _ => Step::Merge(one(random, &CUSTOM), namespace, app, finalizers),
            }
        }
        20 | 21 => node_step(random),
        _ => Step::Pass(SignedDuration::from_secs(one(random, &[7, 61, 400, 4000]))),
    }
}

/// Performs a step. A rejected step leaves the cluster unchanged.
fn attempt(cluster: &Cluster, step: &Step) -> Result<(), ApiError> {
    let options = WriteOptions::default();
    let place = |resource: &str, namespace: &str| -> Result<Place, ApiError> {
        Ok(Place::new(cluster.kind(resource)?, namespace))
    };
    match step {
        Step::Create(object) => {
            let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or("");
            let kinds = cluster.kinds()?;
            let Some(kind) = kinds.find_by_api_version(text("/apiVersion"), text("/kind")) else {
                return Ok(());
            };
            cluster.create(
                &Place::new(kind, text("/metadata/namespace")),
                object,
                &options,
            )?;
        }
        Step::Merge(resource, namespace, name, patch) => {
            let patch = (PatchType::Merge, patch);
            cluster.patch(&place(resource, namespace)?, name, patch, false, &options)?;
        }
        Step::Delete(resource, namespace, name, how) => {
            let options = DeleteOptions {
                propagation: Some(*how),
                ..DeleteOptions::default()
            };
            cluster.delete(&place(resource, namespace)?, name, &options)?;
        }
        Step::DeletePods(namespace, app) => {
            let own = |pod: &Value| pod["metadata"]["labels"]["app"] == *app;
            let pods = place("pods", namespace)?;
            cluster.delete_collection(&pods, &own, &DeleteOptions::default())?;
        }
        Step::Own(name, by, namespace) => {
            let maps = place("configmaps", namespace)?;
            let uid = cluster.get(&maps, by)?["metadata"]["uid"].clone();
            let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": by, "uid": uid,
                "blockOwnerDeletion": true});
            let patch = json!({"metadata": {"ownerReferences": [owner]}});
            cluster.patch(&maps, name, (PatchType::Merge, &patch), false, &options)?;
        }
        Step::Pass(length) => {
            let at = cluster.now()? + *length;
            cluster
                .election()
                .move_clock("test", "clock: it passes", None, at)?;
        }
    }
    Ok(())
}

/// Returns the outcome without the generated names of rejected objects.
fn summary(outcome: &Outcome) -> Vec<String> {
    match outcome {
        Outcome::Stuck(objects) => objects.iter().map(|stuck| stuck.object.clone()).collect(),
        outcome => vec![format!("{outcome:?}")],
    }
}

/// Starts new controllers on a settled cluster. Returns their work, except for repeated reports of rejected writes,
/// which they retry.
fn left_to_do(run: &Run, outcome: &Outcome) -> Vec<String> {
    let cluster = &run.cluster;
    let before = (cluster.stored().revision().unwrap(), cluster.now().unwrap());
    let again = settle(&mut new_manager(cluster));
    let told = |change: &Change| {
        let rule = |event: &Event| event.why.as_ref().map(|why| why.rule.clone());
        let events = change.events.iter();
        let events: Vec<String> = events.map(|e| format!("{} {:?}", e.key, rule(e))).collect();
        let cause = &change.cause;
        format!("{}: {:?} {events:?}", cause.writer, cause.rule)
    };
    let changes = history(cluster, before.0);
    let changes = changes.iter().filter(|c| c.cause.writer != "events");
    let mut found: Vec<String> = changes.map(told).collect();
    let now = cluster.now().unwrap();
    if now != before.1 {
        found.push(format!("the clock went from {} to {now}", before.1));
    }
    if summary(&again) != summary(outcome) {
        found.push(format!("{again:?} instead of {outcome:?}"));
    }
    found
}

/// Runs a history with controllers that keep running, and again with new ones for every step.
fn live(seed: u64) {
    let mut random = Random::new(seed);
    let steps: Vec<Step> = (0..STEPS).map(|_| step(&mut random)).collect();
    let (one, other) = (copy(rested()), copy(rested()));
    let mut running = new_manager(&one.cluster);
    for (number, step) in steps.iter().enumerate() {
        let done = attempt(&one.cluster, step).map_err(|e| e.to_string());
        let outcome = settle(&mut running);
        let told = || format!("seed {seed}, step {number}: {step:?}: {done:?}");
        assert!(
            !matches!(outcome, Outcome::Oscillating(_)),
            "{}: {outcome:?}",
            told()
        );
        let left = left_to_do(&one, &outcome);
        assert!(left.is_empty(), "{}: new controllers do {left:#?}", told());

        let again = attempt(&other.cluster, step).map_err(|e| e.to_string());
        assert_eq!(again.is_ok(), done.is_ok(), "{}: {again:?}", told());
        let ended = settle(&mut new_manager(&other.cluster));
        assert_eq!(summary(&ended), summary(&outcome), "{}", told());
        let (got, want) = (state(&one.cluster), state(&other.cluster));
        assert!(got == want, "{}: {}", told(), differences(&want, &got));
    }
}

#[test]
fn long_running_and_new_controllers_reach_the_same_state() {
    let first = seed(1);
    let histories = count(4, 400);
    for number in 0..histories {
        live(first + number as u64);
    }
    note(&format!(
        "{histories} histories of {STEPS} steps, from seed {first}"
    ));
}

/// Covers both orders, with an object that has a finalizer and one that has none.
#[test]
fn namespace_and_crd_are_deleted_in_either_order() {
    let background = Propagation::Background;
    let namespace = Step::Delete("namespaces", "", "blue", background);
    let kind = Step::Delete(DEFINITIONS, "", "ships.a.example", background);
    for order in [[&kind, &namespace], [&namespace, &kind]] {
        for held in [json!([]), json!([HOLD])] {
            let run = copy(rested());
            let mut running = new_manager(&run.cluster);
            for object in [
                definition("ship", "v1", "x"),
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "blue"}}),
                json!({"apiVersion": "a.example/v1", "kind": "ship", "metadata": {
                    "name": "web", "namespace": "blue", "finalizers": held}}),
            ] {
                attempt(&run.cluster, &Step::Create(object)).unwrap();
                assert_eq!(settle(&mut running), Outcome::Settled);
            }
            for step in order {
                attempt(&run.cluster, step).unwrap();
            }
            let outcome = settle(&mut running);
            let is_held = held != json!([]);
            assert_eq!(matches!(outcome, Outcome::Stuck(_)), is_held, "{outcome:?}");
            if is_held {
                let free = json!({"metadata": {"finalizers": null}});
                let free = Step::Merge("ships.a.example", "blue", "web", free);
                attempt(&run.cluster, &free).unwrap();
                assert_eq!(settle(&mut running), Outcome::Settled);
            }
            for step in order {
                let gone = attempt(&run.cluster, step).map_err(|e| e.to_string());
                assert!(
                    gone.as_ref().is_err_and(|e| e.contains("not found")),
                    "{order:?}: {gone:?}"
                );
            }
            let left = left_to_do(&run, &Outcome::Settled);
            assert!(left.is_empty(), "{order:?}: {left:#?}");
        }
    }
}

/// Returns admission rules, each with a workload that it rejects.
fn refused() -> Vec<(&'static str, Step, Value)> {
    let named = |name: &str| json!({"name": name, "namespace": "default"});
    let selector = json!({"matchLabels": {"app": "late"}});
    let quota = |of: &str| {
        let spec = json!({"hard": {of: "0"}});
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": named("gate"), "spec": spec})
    };
    let workload = |kind: &str| {
        json!({"apiVersion": "apps/v1", "kind": kind, "metadata": named("late"), "spec": {
            "selector": selector, "template": template("late", "i:1")}})
    };
    let policy = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "gate"}, "spec": {
            "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
                "operations": ["CREATE"], "resources": ["pods"]}]},
            "validations": [{"expression": "false"}]}});
    let bound = json!({"apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "gate"},
        "spec": {"policyName": "gate", "validationActions": ["Deny"]}});
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": named("late"), "spec": {
        "template": {"spec": {"restartPolicy": "Never",
            "containers": [{"name": "c", "image": "i:1"}]}}}});
    let background = Propagation::Background;
    let quotas = Step::Delete("resourcequotas", "default", "gate", background);
    let bindings = "validatingadmissionpolicybindings.admissionregistration.k8s.io";
    let unbound = Step::Delete(bindings, "", "gate", background);
    vec![
        (
            "DaemonSet",
            quotas.clone(),
            json!([quota("pods"), workload("DaemonSet")]),
        ),
        (
            "StatefulSet",
            quotas.clone(),
            json!([quota("pods"), workload("StatefulSet")]),
        ),
        ("Job", quotas.clone(), json!([quota("pods"), job])),
        (
            "Deployment",
            quotas,
            json!([quota("count/replicasets.apps"), workload("Deployment")]),
        ),
        (
            "policy",
            unbound,
            json!([policy, bound, workload("Deployment")]),
        ),
    ]
}

#[test]
fn rejected_write_is_retried_after_its_cause_is_removed() {
    for (what, gone, objects) in refused() {
        let run = copy(rested());
        let mut running = new_manager(&run.cluster);
        assert_eq!(settle(&mut running), Outcome::Settled, "{what}");
        let mut stuck = Outcome::Settled;
        for object in objects.as_array().unwrap() {
            attempt(&run.cluster, &Step::Create(object.clone())).unwrap();
            // A quota takes effect once its controller has written its status.
            stuck = settle(&mut running);
        }
        assert!(matches!(stuck, Outcome::Stuck(_)), "{what}: {stuck:?}");
        attempt(&run.cluster, &gone).unwrap();
        let outcome = settle(&mut running);
        assert_eq!(outcome, Outcome::Settled, "{what}");
        let left = left_to_do(&run, &outcome);
        assert!(left.is_empty(), "{what}: {left:#?}");
    }
}
