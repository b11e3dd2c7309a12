//! The scheduler on caches made by hand.

mod affinity;
mod nominations;
mod preemption;
mod volumes;

use jiff::{SignedDuration, Timestamp};

use super::Scheduler;
use crate::api::json::{Value, json};
use crate::cluster::{PodMode, Verb};
use crate::harness::content;
use crate::kinds::find_by_api_version;
use crate::runtime::{Cache, Change, Controller, Key, Object, Plan, ReconcileContext};
use crate::watched;

mod refused;

/// A scheduler with a cluster.
struct ControllerHarness {
    cache: Cache,
    scheduler: Scheduler,
    now: Timestamp,
    revision: u64,
}

impl ControllerHarness {
    /// Creates `count` nodes of 4 CPUs and 8Gi.
    fn with_nodes(count: usize) -> Self {
        let mut harness = Self {
            cache: Cache::default(),
            scheduler: Scheduler::default(),
            now: "2026-01-02T12:00:00Z".parse().unwrap(),
            revision: 0,
        };
        for number in 0..count {
            let name = format!("node-{number}");
            let node = json!({
                "metadata": {"name": name, "labels": {
                    "kubernetes.io/hostname": name, "zone": format!("z{}", number % 2),
                }},
                "status": {"allocatable": {
                    "cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "10Gi",
                }},
            });
            harness.put("v1", "Node", node);
        }
        harness
    }

    fn put(&mut self, api_version: &str, kind_: &str, mut object: Value) -> Object {
        let kind = find_by_api_version(api_version, kind_).unwrap();
        self.revision += 1;
        object["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        if object["metadata"]["uid"].is_null() {
            object["metadata"]["uid"] = json!(format!("{kind_}-{}", object["metadata"]["name"]));
        }
        if kind.namespaced && object["metadata"]["namespace"].is_null() {
            object["metadata"]["namespace"] = json!("default");
        }
        let object = Object::new(kind, object);
        if let Some(change) = self.cache.put(object.clone()) {
            self.scheduler.observe(&change, &self.cache);
        }
        object
    }

    fn pod(&mut self, name: &str, spec: Value) -> Object {
        self.put(
            "v1",
            "Pod",
            json!({"metadata": {"name": name, "labels": {"app": "web"}}, "spec": spec}),
        )
    }

    /// Creates a Pod that requests `cpu` thousandths of a CPU.
    fn asking(&mut self, name: &str, cpu: i64, mut spec: Value) -> Object {
        spec["containers"] = json!([{"resources": {"requests": {"cpu": format!("{cpu}m")}}}]);
        self.pod(name, spec)
    }

    fn change_node(&mut self, name: &str, patch: Value) {
        let node = self.cache.get(watched::nodes(), "", name).unwrap();
        let mut node = node.to_value();
        crate::api::patch::merge::apply(&mut node, &patch);
        self.put("v1", "Node", node);
    }

    fn remove(&mut self, object: &Object) {
        self.revision += 1;
        let gone: Option<Change> = self
            .cache
            .remove(object.kind(), object.key(), self.revision);
        self.scheduler.observe(&gone.unwrap(), &self.cache);
    }

    fn plan(&mut self) -> Plan {
        self.scheduler.plan(&ReconcileContext {
            key: &Key::all(),
            cache: &self.cache,
            now: self.now,
            failures: 0,
            refused: &[],
            seed: crate::runtime::Seed(7),
            pods: PodMode::Default,
            identity: crate::harness::identity(),
        })
    }

    /// Plans, and applies the bindings of the plan.
    fn bind(&mut self) -> Vec<(String, String)> {
        let plan = self.plan();
        let bound = bindings(&plan);
        for (pod, node) in &bound {
            let pods = watched::pods();
            let mut pod = self.cache.get(pods, "default", pod).unwrap().to_value();
            pod["spec"]["nodeName"] = json!(node);
            self.put("v1", "Pod", pod.clone());
            pod["status"] = json!({"phase": "Running", "startTime": "2026-01-02T12:00:00Z"});
            self.put("v1", "Pod", pod);
        }
        bound
    }

    /// Returns the plan of a new scheduler that has observed only the current objects.
    fn plan_of_new(&mut self) -> Plan {
        let mut scheduler = Scheduler::default();
        for kind in self.cache.kinds() {
            for object in self.cache.list(kind, "") {
                let change = Change {
                    before: None,
                    after: Some(object.clone()),
                };
                scheduler.observe(&change, &self.cache);
            }
        }
        let old = std::mem::replace(&mut self.scheduler, scheduler);
        let plan = self.plan();
        self.scheduler = old;
        plan
    }

    /// Returns the message about the only Pod that waits.
    fn message(&mut self) -> String {
        let plan = self.plan();
        assert_eq!(bindings(&plan), []);
        let [note, ..] = plan.events.as_slice() else {
            panic!("no failure is reported: {plan:?}")
        };
        assert_eq!(
            (note.reason.as_str(), note.action.as_str()),
            ("FailedScheduling", "Scheduling")
        );
        note.message.clone()
    }
}

fn bindings(plan: &Plan) -> Vec<(String, String)> {
    let bound = plan.changes.iter().filter_map(|w| match &w.verb {
        Verb::Bind(binding) => {
            let node = binding["target"]["name"].as_str()?;
            Some((w.name.clone(), node.to_owned()))
        }
        _ => None,
    });
    bound.collect()
}

fn affinity(kind: &str, term: Value) -> Value {
    json!({"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}})
}

const NOT_HELPFUL: &str = " no new claims to deallocate, preemption: 0/3 nodes are available: 3 \
                           Preemption is not helpful for scheduling.";
const NO_VICTIMS: &str = " no new claims to deallocate, preemption: 0/3 nodes are available: 3 No \
                          preemption victims found for incoming pod.";

#[test]
fn large_cluster_samples_nodes_in_rotation() {
    let mut harness = ControllerHarness::with_nodes(400);
    let mut nodes = std::collections::BTreeSet::new();
    for number in 0..40 {
        harness.pod(
            &format!("p{number}"),
            json!({"containers": [{"name": "c"}]}),
        );
        nodes.extend(harness.bind().into_iter().map(|(_, node)| node));
    }
    assert!(nodes.len() > 30, "{nodes:?}");
    // If a single node is feasible, it is found wherever it is.
    let spec = json!({"nodeSelector": {"kubernetes.io/hostname": "node-399"},
        "containers": [{"name": "c"}]});
    harness.pod("picky", spec);
    assert_eq!(
        harness.bind(),
        [("picky".to_owned(), "node-399".to_owned())]
    );
}

#[test]
fn pods_spread_over_nodes_with_a_scheduled_event() {
    let mut harness = ControllerHarness::with_nodes(3);
    for name in ["a", "b", "c", "d", "e", "f"] {
        harness.asking(name, 100, json!({}));
    }
    let plan = harness.plan();
    let bound = bindings(&plan);
    let mut nodes: Vec<_> = bound.iter().map(|(_, node)| node.as_str()).collect();
    nodes.sort_unstable();
    assert_eq!(
        nodes,
        ["node-0", "node-0", "node-1", "node-1", "node-2", "node-2"]
    );
    let note = plan.changes[0].on_success.first().unwrap();
    assert_eq!(
        (
            note.message.as_str(),
            note.reason.as_str(),
            note.action.as_str()
        ),
        (
            "Successfully assigned default/a to node-0",
            "Scheduled",
            "Binding"
        )
    );
    assert!(plan.changes[0].rule.starts_with("schedule: "));
}

#[test]
fn rejected_assumed_binding_is_forgotten() {
    let mut harness = ControllerHarness::with_nodes(1);
    harness.asking("a", 3000, json!({}));
    assert_eq!(harness.bind().len(), 1);
    harness.asking("b", 1000, json!({}));
    assert_eq!(bindings(&harness.plan()).len(), 1);
    assert_eq!(harness.bind().len(), 1);
    harness.asking("c", 1, json!({}));
    assert!(
        harness
            .message()
            .starts_with("0/1 nodes are available: 1 Insufficient cpu.")
    );
}

/// The nodes, the Pods on each of them, the Pod's spec, and the expected message.
type Case = (Vec<(&'static str, Value)>, Value, Value, String);

fn cases_of_nodes() -> Vec<Case> {
    let taint = json!({"spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}});
    let cordon = json!({"spec": {"unschedulable": true}});
    let elsewhere =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-0"]}]});
    vec![
        (
            vec![],
            Value::Null,
            json!({"containers": [{"resources": {"requests": {"cpu": "5", "memory": "9Gi"}}}]}),
            format!("3 Insufficient cpu, 3 Insufficient memory.{NOT_HELPFUL}"),
        ),
        (
            vec![],
            Value::Null,
            json!({"containers": [{"resources": {"requests": {"example.com/gpu": "1"}}}]}),
            format!("3 Insufficient example.com/gpu.{NOT_HELPFUL}"),
        ),
        (
            vec![
                ("node-0", cordon.clone()),
                ("node-1", taint.clone()),
                ("node-2", taint),
            ],
            Value::Null,
            json!({}),
            format!(
                "1 node(s) were unschedulable, 2 node(s) had untolerated taint(s).{NOT_HELPFUL}"
            ),
        ),
        (
            vec![],
            Value::Null,
            json!({"nodeSelector": {"disk": "ssd"}}),
            format!("3 node(s) didn't match Pod's node affinity/selector.{NOT_HELPFUL}"),
        ),
        (
            vec![("node-0", cordon)],
            Value::Null,
            json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [elsewhere],
            }}}}),
            format!(
                "1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].{NOT_HELPFUL}"
            ),
        ),
    ]
}

fn cases_of_pods() -> Vec<Case> {
    let port = json!({"containers": [{"ports": [{"hostPort": 80, "protocol": "TCP"}]}]});
    let other = json!({"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": "kubernetes.io/hostname"});
    let own = json!({"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"});
    let nowhere = json!({"topologySpreadConstraints": [{
        "topologyKey": "rack", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }]});
    // The resources of the nodes, the Pods on each of them, the requests of the Pod, and the message.
    vec![
        (
            vec![],
            port.clone(),
            port.clone(),
            format!("3 node(s) didn't have free ports for the requested pod ports.{NO_VICTIMS}"),
        ),
        (
            vec![],
            Value::Null,
            affinity("podAffinity", other),
            format!("3 node(s) didn't match pod affinity rules.{NOT_HELPFUL}"),
        ),
        (
            vec![],
            json!({}),
            affinity("podAntiAffinity", own.clone()),
            format!("3 node(s) didn't match pod anti-affinity rules.{NO_VICTIMS}"),
        ),
        (
            vec![],
            affinity("podAntiAffinity", own),
            json!({}),
            format!("3 node(s) didn't satisfy existing pods anti-affinity rules.{NO_VICTIMS}"),
        ),
        (
            vec![],
            Value::Null,
            nowhere,
            format!(
                "3 node(s) didn't match pod topology spread constraints (missing required label).{NOT_HELPFUL}"
            ),
        ),
    ]
}

#[test]
fn unschedulable_message_lists_the_reasons_per_node() {
    for (nodes, running, spec, said) in cases_of_nodes().into_iter().chain(cases_of_pods()) {
        let mut harness = ControllerHarness::with_nodes(3);
        for (name, patch) in nodes {
            harness.change_node(name, patch);
        }
        for number in 0..3 {
            if !running.is_null() {
                let mut spec = running.clone();
                spec["nodeName"] = json!(format!("node-{number}"));
                harness.pod(&format!("old-{number}"), spec);
            }
        }
        harness.pod("p", spec);
        assert_eq!(
            harness.message(),
            format!("0/3 nodes are available: {said}")
        );
        // No change, so no new message.
        assert!(harness.plan().is_empty());
    }
}

#[test]
fn preemption_policy_never_and_missing_nodes_are_reported() {
    let mut harness = ControllerHarness::with_nodes(1);
    harness.asking("p", 5000, json!({"preemptionPolicy": "Never"}));
    assert_eq!(
        harness.message(),
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not \
         eligible due to preemptionPolicy=Never."
    );
    let mut harness = ControllerHarness::with_nodes(0);
    harness.asking("p", 1, json!({}));
    assert_eq!(harness.message(), "no nodes available to schedule pods");
}

#[test]
fn an_added_label_lets_a_waiting_pod_run() {
    let mut harness = ControllerHarness::with_nodes(2);
    harness.pod("p", json!({"nodeSelector": {"disk": "ssd"}}));
    harness.message();
    harness.change_node("node-1", json!({"metadata": {"labels": {"disk": "ssd"}}}));
    assert_eq!(harness.bind(), [("p".to_owned(), "node-1".to_owned())]);
}

#[test]
fn deleted_pod_frees_resources_for_a_pending_pod() {
    let mut harness = ControllerHarness::with_nodes(1);
    let old = harness.asking("old", 4000, json!({"nodeName": "node-0"}));
    harness.asking("p", 1000, json!({}));
    harness.message();
    harness.remove(&old);
    assert_eq!(harness.bind().len(), 1);
}

#[test]
fn gated_foreign_and_terminated_pods_are_not_scheduled() {
    let mut harness = ControllerHarness::with_nodes(1);
    harness.pod("gated", json!({"schedulingGates": [{"name": "g"}]}));
    harness.pod("foreign", json!({"schedulerName": "mine"}));
    let over = json!({"metadata": {"name": "over"}, "spec": {}, "status": {"phase": "Failed"}});
    harness.put("v1", "Pod", over);
    assert_eq!(harness.plan(), Plan::done());
}

#[test]
fn unschedulable_pod_is_tried_and_reported_again_after_five_minutes() {
    let mut harness = ControllerHarness::with_nodes(1);
    harness.asking("big", 9000, json!({}));
    let five = SignedDuration::from_mins(5);
    let plan = harness.plan();
    assert_eq!(
        (plan.events.len(), plan.idle_requeue_after),
        (1, Some(five))
    );
    let condition = content(&plan.changes[0])["status"]["conditions"].clone();
    let status = json!({"conditions": condition});
    let big = harness.cache.get(watched::pods(), "default", "big");
    let mut told = big.unwrap().to_value();
    told["status"] = status;
    harness.put("v1", "Pod", told);
    assert_eq!(harness.plan().events, []);
    harness.now += SignedDuration::from_mins(4);
    let plan = harness.plan();
    let minute = Some(SignedDuration::from_mins(1));
    assert_eq!((plan.events.len(), plan.idle_requeue_after), (0, minute));
    harness.now += SignedDuration::from_mins(1);
    let plan = harness.plan();
    assert_eq!(plan.changes.len(), 0);
    assert_eq!(plan.events[0].reason, "FailedScheduling");
    assert_eq!(plan.idle_requeue_after, Some(five));
}

#[test]
fn higher_priority_pod_is_first_and_preempts() {
    let mut harness = ControllerHarness::with_nodes(2);
    for number in 0..2 {
        let spec = json!({"nodeName": format!("node-{number}"), "priority": 10 * number});
        harness.asking(&format!("old-{number}"), 3000, spec);
    }
    harness.asking("low", 1500, json!({"priority": 5}));
    harness.asking("high", 2000, json!({"priority": 100}));
    let plan = harness.plan();
    assert_eq!(bindings(&plan), []);
    let writes: Vec<_> = plan
        .changes
        .iter()
        .map(|w| (w.name.as_str(), w.wave))
        .collect();
    assert_eq!(
        writes,
        [("high", 0), ("old-0", 1), ("old-0", 2), ("low", 0)]
    );
    let Verb::Patch { patch, .. } = &plan.changes[0].verb else {
        panic!()
    };
    assert_eq!(patch["status"]["nominatedNodeName"], "node-0");
    assert_eq!(
        patch["status"]["conditions"][0]["message"],
        "0/2 nodes are available: 2 Insufficient cpu."
    );
    let marked = content(&plan.changes[1]);
    assert_eq!(
        marked["status"]["$setElementOrder/conditions"],
        json!([{"type": "DisruptionTarget"}])
    );
    let note = plan.changes[2].on_success.first().unwrap();
    assert_eq!(note.message, "Preempted by pod Pod-\"high\" on node node-0");
    assert_eq!(note.related["name"], "high");
}

#[test]
fn pod_affinity_groups_and_anti_affinity_spreads_pods() {
    let mut harness = ControllerHarness::with_nodes(3);
    let own = json!({"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"});
    for name in ["a", "b", "c"] {
        harness.pod(name, affinity("podAntiAffinity", own.clone()));
    }
    let mut nodes: Vec<_> = harness.bind().into_iter().map(|(_, node)| node).collect();
    nodes.sort();
    assert_eq!(nodes, ["node-0", "node-1", "node-2"]);
    let mut harness = ControllerHarness::with_nodes(4);
    let zone = json!({"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "zone"});
    for name in ["a", "b", "c"] {
        harness.pod(name, affinity("podAffinity", zone.clone()));
    }
    let zones: Vec<_> = harness.bind().into_iter().map(|(_, node)| node).collect();
    assert!(
        zones.iter().all(|n| n == "node-0" || n == "node-2"),
        "{zones:?}"
    );
}

#[test]
fn spread_constraints_hold_between_zones() {
    let mut harness = ControllerHarness::with_nodes(3);
    let spread = json!({"topologySpreadConstraints": [{
        "topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }]});
    for name in ["a", "b", "c", "d"] {
        harness.pod(name, spread.clone());
    }
    let bound = harness.bind();
    let odd = bound.iter().filter(|(_, node)| node == "node-1").count();
    assert_eq!((bound.len(), odd), (4, 2));
}

#[test]
fn preferences_and_soft_taints_are_followed() {
    let mut harness = ControllerHarness::with_nodes(3);
    let term = json!({"weight": 10, "preference": {"matchExpressions": [
        {"key": "zone", "operator": "In", "values": ["z1"]},
    ]}});
    harness.pod(
        "p",
        json!({"affinity": {"nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [term],
        }}}),
    );
    assert_eq!(harness.bind()[0].1, "node-1");
    let mut harness = ControllerHarness::with_nodes(2);
    let soft = json!({"spec": {"taints": [{"key": "k", "effect": "PreferNoSchedule"}]}});
    harness.change_node("node-0", soft);
    harness.pod("p", json!({}));
    assert_eq!(harness.bind()[0].1, "node-1");
}

#[test]
fn thousand_identical_pods_are_scheduled_in_one_cycle() {
    let mut harness = ControllerHarness::with_nodes(20);
    let owner = json!([{"kind": "ReplicaSet", "uid": "rs", "controller": true, "name": "r"}]);
    harness.put(
        "apps/v1",
        "ReplicaSet",
        json!({"metadata": {"name": "r", "uid": "rs"}, "spec": {
            "selector": {"matchLabels": {"app": "web"}},
        }}),
    );
    for number in 0..1000 {
        harness.put("v1", "Pod", json!({
            "metadata": {"name": format!("p{number:04}"), "ownerReferences": owner, "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c"}]},
        }));
    }
    let bound = harness.bind();
    let on = |node: &str| bound.iter().filter(|(_, n)| n == node).count();
    assert_eq!(bound.len(), 1000);
    assert!((0..20).all(|n| on(&format!("node-{n}")) == 50));
}

#[test]
fn restricting_a_node_does_not_retry_pending_pods() {
    let mut harness = ControllerHarness::with_nodes(2);
    harness.asking("big", 9000, json!({}));
    assert!(harness.message().contains("2 Insufficient cpu"));
    let taint = json!([{"key": "m", "effect": "NoSchedule"}]);
    harness.change_node("node-1", json!({"spec": {"taints": taint}}));
    harness.change_node("node-0", json!({"spec": {"unschedulable": true}}));
    let plan = harness.plan();
    assert_eq!((plan.changes.len(), plan.events.len()), (0, 0));
    // A taint that goes helps only Pods that a taint refused.
    harness.change_node("node-1", json!({"spec": {"taints": null}}));
    assert_eq!(harness.plan().events, []);
    harness.change_node("node-1", json!({"status": {"allocatable": {"cpu": "5"}}}));
    assert!(harness.message().contains("1 node(s) were unschedulable"));
}

/// Returns a Pod of one of several classes, each of which fits on some node.
fn classes(number: usize, sort: usize) -> Value {
    let app = ["web", "db", "web"][sort % 3];
    let selector = json!({"matchLabels": {"app": "web"}});
    let over = |key: &str| {
        json!([{"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": selector}])
    };
    let apart = json!({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 10, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": selector,
            "namespaceSelector": {}}}]}});
    let owner = json!([{"kind": "ReplicaSet", "uid": "rs", "controller": true, "name": "r"}]);
    let cpu = format!("{}m", [100, 300, 50][sort % 3]);
    let mut pod = json!({
        "metadata": {"name": format!("p{number}"), "labels": {"app": app}},
        "spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}]},
    });
    match sort {
        0 | 1 => pod["metadata"]["ownerReferences"] = owner,
        2 => pod["spec"]["topologySpreadConstraints"] = over("zone"),
        3 => pod["spec"]["topologySpreadConstraints"] = over("kubernetes.io/hostname"),
        4 => pod["spec"]["affinity"] = apart,
        _ => {}
    }
    pod
}

#[test]
fn incremental_scheduler_state_equals_a_fresh_scheduler() {
    let mut harness = ControllerHarness::with_nodes(7);
    for name in ["default", "other"] {
        harness.put("v1", "Namespace", json!({"metadata": {"name": name}}));
    }
    harness.put(
        "apps/v1",
        "ReplicaSet",
        json!({"metadata": {"name": "r", "uid": "rs"}, "spec": {
            "selector": {"matchLabels": {"app": "web"}},
        }}),
    );
    let mut drawn = 7_usize;
    let mut draw = |below: usize| {
        drawn = drawn
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (drawn >> 33) % below
    };
    let (mut bound, mut made) = (0, 0);
    for round in 0..60 {
        for _ in 0..draw(5) {
            harness.put("v1", "Pod", classes(made, draw(6)));
            made += 1;
        }
        let pods = watched::pods();
        let all: Vec<Object> = harness.cache.list(pods, "").cloned().collect();
        if let Some(pod) = all.get(draw(all.len() + 1)) {
            let mut changed = pod.to_value();
            match draw(6) {
                0 => changed["metadata"]["labels"]["app"] = json!("web"),
                1 => changed["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z"),
                2 => changed["status"]["phase"] = json!("Succeeded"),
                3 => changed["spec"]["nodeName"] = json!("node-1"),
                4 => changed["spec"]["nodeName"] = json!("lost"),
                _ => changed = Value::Null,
            }
            match changed.is_null() {
                true => harness.remove(pod),
                false => drop(harness.put("v1", "Pod", changed)),
            }
        }
        if round % 9 == 0 {
            let more = json!({"metadata": {"labels": {"zone": format!("z{}", draw(3))}},
                "status": {"allocatable": {"cpu": format!("{}", 3 + draw(3))}}});
            harness.change_node(&format!("node-{}", draw(7)), more);
        }
        let plan = harness.plan_of_new();
        assert_eq!(harness.plan(), plan, "round {round}");
        assert_eq!(harness.bind(), bindings(&plan));
        bound += bindings(&plan).len();
    }
    assert!(bound > 80, "{bound}");
}

#[test]
fn sidecars_count_in_the_scores_of_nodes() {
    let mut harness = ControllerHarness::with_nodes(2);
    let sidecar = json!([{"name": "s", "restartPolicy": "Always"}]);
    let containers = json!([{"name": "c"}]);
    let with = json!({"nodeName": "node-0", "initContainers": sidecar, "containers": containers});
    harness.pod("with", with);
    harness.pod(
        "without",
        json!({"nodeName": "node-1", "containers": containers}),
    );
    harness.pod("p", json!({"containers": containers}));
    assert_eq!(harness.bind(), [("p".to_owned(), "node-1".to_owned())]);
}
