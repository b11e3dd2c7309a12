//! Nodes: their heartbeats, and the taints that follow from their conditions.
//!
//! Fake kubelets do not renew their leases while nothing happens, so a node counts as alive unless a fault contains the
//! time since which it is down ([`fake::NODE_DOWN`]).
//!
//! Rules:
//! - `register`: a new node gets its annotation, and a range of Pod addresses if the others have one.
//! - `no-heartbeat`: there was no heartbeat for too long; the conditions become Unknown.
//! - `taint`: the taints are updated to match the conditions.
//! - `unready-pods`: a node is not ready; its Pods are marked as not ready.
//!
//! Must not know: the kubelet.

mod zones;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use self::zones::{Evictions, Zones};
use super::workload::{by_node, numbered};
use super::{views, watched};
use crate::api::json::{Map, Value, json};
use crate::cluster::Revision;
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::fake;
use crate::kinds::moment;
use crate::kinds::tree::{field, flag, list};
use crate::runtime::{
    Cache, Change, Controller, EventNote, Index, Key, Object, Plan, PlannedWrite, ReconcileContext,
    Watch,
};

/// The time that a node may go without a heartbeat.
// `--node-monitor-grace-period`, 50 s since Kubernetes 1.32.
const GRACE: SignedDuration = SignedDuration::from_secs(50);
/// The time that a new node may take until it reports its status for the first time.
// `--node-startup-grace-period`.
const STARTUP_GRACE: SignedDuration = SignedDuration::from_secs(60);
const TTL: &str = "node.alpha.kubernetes.io/ttl";
const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// The conditions, with the taints that follow if they are true.
const PRESSURES: [(&str, &str); 4] = [
    ("MemoryPressure", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "node.kubernetes.io/disk-pressure"),
    ("PIDPressure", "node.kubernetes.io/pid-pressure"),
    (
        "NetworkUnavailable",
        "node.kubernetes.io/network-unavailable",
    ),
];

/// The index of the nodes that are not ready, under one value.
const UNREADY: &str = "unready";

/// Monitors the heartbeats of nodes.
#[derive(Debug, Default)]
pub(crate) struct NodeLifecycle {
    /// Deleted nodes, until the event about them is recorded.
    gone: BTreeMap<Key, Object>,
    /// The uids of the deleted nodes whose leases still exist.
    leases_left: BTreeSet<String>,
    /// The nodes with Pod addresses of their own.
    // Most clusters have none. Without this, each new node reads all others, 25 million for 5,000 nodes.
    with_range: BTreeSet<Key>,
    zones: Zones,
}

/// Returns the node that a lease belongs to, without anything but its name and its uid.
fn node_of(lease: &Object) -> Option<Object> {
    let mut owners = views::meta(lease).owners().iter().map(views::owner);
    let owner = owners.find(|owner| owner.kind() == "Node")?;
    let metadata = json!({"name": owner.name(), "uid": owner.uid()});
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": metadata});
    Some(Object::new(watched::nodes(), node))
}

/// Returns the lease of a change that deletes one.
fn deleted_lease(change: &Change) -> Option<&Object> {
    let lease = change.before.as_ref().filter(|_| change.after.is_none());
    lease.filter(|lease| lease.kind() == watched::leases())
}

impl Controller for NodeLifecycle {
    fn name(&self) -> &'static str {
        "node-lifecycle"
    }

    fn component(&self) -> &'static str {
        "node-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        let pods = Watch::new(watched::pods(), |change, cache| {
            // A Pod that reports ready on a node that is not.
            let ready = change
                .after
                .iter()
                .filter(|p| condition::is_true(p, "Ready"));
            let node = ready.map(|p| views::pod(p).node_name());
            node.filter_map(|name| cache.get(watched::nodes(), "", name))
                .filter(|node| !condition::is_true(node, "Ready"))
                .map(|node| node.key().clone())
                .collect()
        });
        let leases = Watch::new(watched::leases(), |change, _| {
            let node = deleted_lease(change).and_then(node_of);
            node.map(|node| node.key().clone()).into_iter().collect()
        });
        let zones = Watch::new(watched::nodes(), |change, cache| {
            let matters = zones::concerns(change);
            let unready = cache.indexed(watched::nodes(), UNREADY, UNREADY);
            let unready = unready.filter(|_| matters);
            unready.map(|node| node.key().clone()).collect()
        });
        vec![Watch::own(watched::nodes()), pods, leases, zones]
    }

    fn indexes(&self) -> Vec<Index> {
        let unready = Index {
            kind: watched::nodes(),
            name: UNREADY,
            reads: &["/status/conditions"],
            values: |node| match condition::status(node, "Ready") {
                "False" | "Unknown" => vec![UNREADY.to_owned()],
                _ => Vec::new(),
            },
        };
        vec![by_node(), unready]
    }

    fn observe(&mut self, change: &Change, cache: &Cache) {
        self.zones.observe(change);
        if let Some(node) = change.object().filter(|o| o.kind().hosts_pods()) {
            let has_range = |node: &Object| !views::node(node).pod_range().is_empty();
            match change.after.as_ref().is_some_and(has_range) {
                true => drop(self.with_range.insert(node.key().clone())),
                false => drop(self.with_range.remove(node.key())),
            }
        }
        if let (Some(gone), None) = (&change.before, &change.after)
            && gone.kind().hosts_pods()
        {
            self.leases_left.insert(gone.uid().to_owned());
            self.gone.insert(gone.key().clone(), gone.clone());
        }
        // A node that was deleted before this process started leaves its lease to the garbage collector.
        if let Some(node) = deleted_lease(change).and_then(node_of)
            && cache.by_uid(node.uid()).is_none()
            && !self.leases_left.remove(node.uid())
        {
            self.gone.insert(node.key().clone(), node);
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        if let Some(gone) = self.gone.remove(context.key) {
            plan.events
                .push(event(&gone, "RemovingNode", "Removing", "from"));
        }
        let Some(node) = context.cache.by_key(watched::nodes(), context.key) else {
            return plan;
        };
        let conditions = heard_of(node, context.now, &mut plan);
        let mut status = field(node, "status").clone();
        if let Some(conditions) = &conditions {
            status["conditions"] = json!(conditions);
            let rule = "no-heartbeat: its kubelet has not renewed its lease";
            plan.changes
                .push(status_patch(node, json!({"conditions": conditions}), rule));
        }
        let ready = list(&status, "conditions")
            .iter()
            .find(|c| views::condition(c).kind() == "Ready");
        let ready = ready.map_or("", |c| views::condition(c).status());
        let changes = metadata(node, context);
        let evictions = match ready {
            "False" | "Unknown" => self.zones.evictions(node, context),
            _ => Evictions::Begin,
        };
        let taints = taints(node, &status, evictions, context.now);
        let range = match self.with_range.is_empty() {
            true => None,
            false => pod_range(node, context),
        };
        // A user may have changed the taints in the meantime. The write of the conditions is a change, too.
        let known = (taints.is_some() && conditions.is_none()).then(|| node.revision());
        if let Some(change) = change(node, changes.as_ref(), taints, range, known) {
            plan.changes.push(change);
        }
        if changes.is_some() {
            plan.events
                .push(event(node, "RegisteredNode", "Registered", "in"));
        }
        // Pods on such a node become unready at once, so that Services stop sending traffic to them.
        if matches!(ready, "False" | "Unknown") {
            unready_pods(node, context, &mut plan);
            let message = format!("Node {} status is now: NodeNotReady", node.name());
            // Only the end of a ready node is an event: one that never reported was never ready.
            if conditions.is_some() && condition::is_true(node, "Ready") {
                plan.events
                    .push(EventNote::normal(node, "NodeNotReady", message));
            }
        }
        plan
    }
}

/// Returns the event about a node that was added or deleted.
fn event(node: &Object, reason: &str, what: &str, at: &str) -> EventNote {
    let name = node.name();
    let message = format!("Node {name} event: {what} Node {name} {at} Controller");
    EventNote::normal(node, reason, message)
}

/// Returns the conditions of a node that has not been heard of for too long.
fn heard_of(node: &Object, now: Timestamp, plan: &mut Plan) -> Option<Vec<Value>> {
    // The annotation simulates a kubelet that stopped renewing its Lease at that time.
    let down = node.annotation(fake::NODE_DOWN)?;
    let mut since: Timestamp = down.parse().ok()?;
    let mut grace = GRACE;
    if condition::find(node, "Ready").is_none() {
        // The fault may be older than the node, which is then down from the start.
        let created = views::meta(node).created();
        (since, grace) = (created.unwrap_or(since), STARTUP_GRACE);
    }
    let silent = moment::since(since, now);
    if silent < grace {
        plan.requeue_in(grace.saturating_sub(silent));
        return None;
    }
    let mut conditions = condition::of(node);
    let mut changed = false;
    // Upstream sets these four and leaves conditions of other components alone.
    for kind in ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] {
        let posted = condition::find(node, kind).is_some();
        let said = NewCondition {
            kind,
            status: "Unknown",
            reason: if posted {
                "NodeStatusUnknown"
            } else {
                "NodeStatusNeverUpdated"
            },
            message: match posted {
                true => "Kubelet stopped posting node status.",
                false => "Kubelet never posted node status.",
            },
        };
        // A condition that is already Unknown keeps its first reason.
        if condition::status(node, kind) != "Unknown" {
            changed |= condition::set(&mut conditions, said, now);
            let own = conditions.last_mut().and_then(Value::as_object_mut);
            if let (false, Some(own), Some(created)) = (posted, own, views::meta(node).created()) {
                let created = json!(moment::text(created));
                own.insert("lastHeartbeatTime".to_owned(), created);
            }
        }
    }
    changed.then_some(conditions)
}

/// Returns the taints that follow from the conditions, after those of other writers.
fn taints(
    node: &Object,
    status: &Value,
    evictions: Evictions,
    now: Timestamp,
) -> Option<Vec<Value>> {
    let spec = field(node, "spec");
    let old = views::node(node).taints();
    let conditions = list(status, "conditions");
    let said = |kind: &str| {
        let mut conditions = conditions.iter().map(views::condition);
        let found = conditions.find(|c| c.kind() == kind);
        found.map_or("", |c| c.status())
    };
    let (ready, holds) = (said("Ready"), |kind: &str| said(kind) == "True");
    let mut wanted: Vec<(&str, &str)> = Vec::new();
    let away = match ready {
        "False" => Some(NOT_READY),
        "Unknown" => Some(UNREACHABLE),
        _ => None,
    };
    let is_leaving = old.iter().map(views::taint).any(|taint| {
        taint.effect() == "NoExecute" && matches!(taint.key(), NOT_READY | UNREACHABLE)
    });
    wanted.extend(away.map(|key| (key, "NoSchedule")));
    wanted.extend(
        away.filter(|_| evictions.reach(is_leaving))
            .map(|key| (key, "NoExecute")),
    );
    wanted.extend(
        PRESSURES
            .iter()
            .filter(|(kind, _)| holds(kind))
            .map(|(_, key)| (*key, "NoSchedule")),
    );
    if flag(spec, "unschedulable") {
        wanted.push(("node.kubernetes.io/unschedulable", "NoSchedule"));
    }
    let ours = |taint: &Value| {
        let key = views::taint(taint).key();
        let by_condition =
            PRESSURES.iter().any(|(_, k)| *k == key) || key == "node.kubernetes.io/unschedulable";
        let by_readiness = matches!(key, NOT_READY | UNREACHABLE);
        let is_own = match views::taint(taint).effect() {
            "NoSchedule" => by_condition || by_readiness,
            "NoExecute" => by_readiness,
            // The controller sets no other effects, so such a taint is a user's.
            _ => false,
        };
        // Until a node reports conditions, its initial taint stays.
        is_own && !(ready.is_empty() && key == NOT_READY)
    };
    let is = |taint: &Value, (key, effect): (&str, &str)| {
        views::taint(taint).key() == key && views::taint(taint).effect() == effect
    };
    let mut new: Vec<Value> = old
        .iter()
        .filter(|t| !ours(t) || wanted.iter().any(|w| is(t, *w)))
        .cloned()
        .collect();
    for (key, effect) in wanted {
        if !new.iter().any(|t| is(t, (key, effect))) {
            new.push(json!({"key": key, "effect": effect, "timeAdded": moment::text(now)}));
        }
    }
    (new != old).then_some(new)
}

/// Returns the required annotations and labels of a node.
fn metadata(node: &Object, context: &ReconcileContext<'_>) -> Option<Value> {
    let mut patch = json!({});
    if node.annotation(TTL).is_none() {
        let nodes = context.cache.list(watched::nodes(), "").count();
        let ttl = match nodes {
            0..=100 => "0",
            101..=500 => "15",
            501..=1000 => "30",
            1001..=2000 => "60",
            _ => "300",
        };
        patch["annotations"] = json!({TTL: ttl});
    }
    for (old, new) in [
        ("kubernetes.io/os", "beta.kubernetes.io/os"),
        ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
    ] {
        if !node.label(old).is_empty() && node.label(new) != node.label(old) {
            patch["labels"][new] = json!(node.label(old));
        }
    }
    (patch != json!({})).then_some(patch)
}

fn change(
    node: &Object,
    metadata: Option<&Value>,
    taints: Option<Vec<Value>>,
    range: Option<String>,
    known: Option<Revision>,
) -> Option<PlannedWrite> {
    let rule = match &taints {
        Some(taints) => format!("taint: {}", numbered(taints.len(), "taint", "taints")),
        None => "register: metadata or Pod addresses of a new node".to_owned(),
    };
    let mut patch = json!({});
    if let Some(metadata) = metadata {
        patch["metadata"] = metadata.clone();
    }
    if let Some(known) = known {
        patch["metadata"]["resourceVersion"] = json!(known.to_string());
    }
    let mut spec = Map::new();
    if let Some(taints) = taints {
        let none = taints.is_empty();
        let taints = if none { Value::Null } else { json!(taints) };
        spec.insert("taints".to_owned(), taints);
    }
    if let Some(range) = range {
        // The list repeats the first range, which older clients read.
        spec.insert("podCIDRs".to_owned(), json!([range]));
        spec.insert("podCIDR".to_owned(), json!(range));
    }
    if !spec.is_empty() {
        patch["spec"] = Value::Object(spec);
    }
    (patch != json!({})).then(|| PlannedWrite::merge(node, patch, rule))
}

/// Returns the Pod addresses of a node that has none, in a cluster whose nodes have some: the next free 256 next to
/// theirs.
fn pod_range(node: &Object, context: &ReconcileContext<'_>) -> Option<String> {
    let range = |node: &Object| views::node(node).pod_range().to_owned();
    if !range(node).is_empty() {
        return None;
    }
    let nodes = || context.cache.list(watched::nodes(), "");
    let taken: BTreeSet<String> = nodes().map(range).filter(|r| !r.is_empty()).collect();
    let (network, rest) = taken.first()?.rsplit_once('.')?;
    let (network, _) = network.rsplit_once('.')?;
    // Two nodes that register together are planned before either is written, so each takes another free range.
    let without = nodes().filter(|other| range(other).is_empty());
    let before = without.filter(|other| other.name() < node.name()).count();
    let ranges = (0..=u8::MAX).map(|number| format!("{network}.{number}.{rest}"));
    ranges.filter(|range| !taken.contains(range)).nth(before)
}

fn status_patch(object: &Object, status: Value, rule: &str) -> PlannedWrite {
    PlannedWrite::patch_status(object, json!({"status": status}), rule)
}

/// Marks the Pods of a node that is not ready as not ready.
fn unready_pods(node: &Object, context: &ReconcileContext<'_>, plan: &mut Plan) {
    for pod in context.cache.indexed(watched::pods(), "node", node.name()) {
        if !condition::is_true(pod, "Ready") {
            continue;
        }
        let ready = condition::find(pod, "Ready").cloned().unwrap_or_default();
        let mut ready = ready;
        ready["status"] = json!("False");
        ready["lastTransitionTime"] = json!(moment::text(context.now));
        let rule = format!("unready-pods: node {} is not ready", node.name());
        plan.changes
            .push(status_patch(pod, json!({"conditions": [ready]}), &rule));
        plan.events
            .push(EventNote::warning(pod, "NodeNotReady", "Node is not ready"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content, lines};

    fn node(ready: &str, spec: Value) -> Value {
        json!({
            "metadata": {"name": "n", "annotations": {TTL: "0"}}, "spec": spec,
            "status": {"conditions": [{"type": "Ready", "status": ready}]},
        })
    }

    /// Returns the plan for a node next to one that is ready.
    fn planned(node: Value) -> Plan {
        let mut harness = ControllerHarness::new(NodeLifecycle::default());
        harness.put("v1", "Node", node);
        let mut other = self::node("True", json!({}));
        other["metadata"]["name"] = json!("other");
        harness.put("v1", "Node", other);
        harness.plan("", "n")
    }

    #[test]
    fn a_deleted_node_is_reported() {
        let mut harness = ControllerHarness::new(NodeLifecycle::default());
        let node = harness.put("v1", "Node", node("True", json!({})));
        harness.remove(&node);
        let plan = harness.plan("", "n");
        let told: Vec<_> = plan
            .events
            .iter()
            .map(|n| (&*n.reason, &*n.message))
            .collect();
        assert_eq!(
            told,
            [(
                "RemovingNode",
                "Node n event: Removing Node n from Controller"
            )]
        );
        assert!(harness.plan("", "n").events.is_empty());
    }

    #[test]
    fn a_node_that_was_deleted_earlier_is_reported_when_its_lease_goes() {
        let lease = json!({"metadata": {"name": "n", "uid": "uid-lease", "namespace": "kube-node-lease", "ownerReferences": [
            {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "uid-n"}]}});
        let told = |deleted_before: bool, exists: bool| {
            let mut harness = ControllerHarness::new(NodeLifecycle::default());
            let lease = harness.put("coordination.k8s.io/v1", "Lease", lease.clone());
            let node = harness.put("v1", "Node", node("True", json!({})));
            if !exists {
                harness.remove(&node);
            }
            if deleted_before {
                harness.controller = NodeLifecycle::default();
            }
            let before = harness.plan("", "n").events.len();
            harness.remove(&lease);
            let plan = harness.plan("", "n");
            (before, plan.events.len())
        };
        assert_eq!(told(true, false), (0, 1));
        assert_eq!(told(false, false), (1, 0));
        assert_eq!(told(false, true), (0, 0));
    }

    #[test]
    fn taints_follow_conditions_and_cordons() {
        let dedicated = json!({"key": "dedicated", "value": "db", "effect": "NoSchedule"});
        let old = json!({"key": NOT_READY, "effect": "NoSchedule"});
        let stamped = |key: &str, effect: &str| json!({"key": key, "effect": effect, "timeAdded": "2026-01-02T12:00:00Z"});
        let cordon = stamped("node.kubernetes.io/unschedulable", "NoSchedule");
        let cases = [
            ("True", json!({}), None),
            ("True", json!({"taints": [dedicated]}), None),
            (
                "True",
                json!({"unschedulable": true}),
                Some(json!([cordon])),
            ),
            (
                "True",
                json!({"taints": [dedicated, cordon]}),
                Some(json!([dedicated])),
            ),
            ("True", json!({"taints": [old]}), Some(Value::Null)),
            (
                "True",
                json!({"taints": [
                    {"key": "node.kubernetes.io/memory-pressure", "effect": "NoExecute"},
                    {"key": "node.kubernetes.io/unschedulable", "effect": "PreferNoSchedule"},
                    {"key": NOT_READY, "effect": "PreferNoSchedule"},
                ]}),
                None,
            ),
            ("", json!({"taints": [old]}), None),
            (
                "False",
                json!({"taints": [old]}),
                Some(json!([old, stamped(NOT_READY, "NoExecute")])),
            ),
            (
                "Unknown",
                json!({"taints": [dedicated, stamped(NOT_READY, "NoExecute")]}),
                Some(json!([
                    dedicated,
                    stamped(UNREACHABLE, "NoSchedule"),
                    stamped(UNREACHABLE, "NoExecute")
                ])),
            ),
        ];
        for (ready, spec, want) in cases {
            let plan = planned(node(ready, spec.clone()));
            let taints = plan
                .changes
                .first()
                .map(|w| content(w)["spec"]["taints"].clone());
            assert_eq!(taints, want, "{ready} {spec}");
            // Otherwise, a taint that a user adds at the same time would be lost.
            let guards = |w: &PlannedWrite| content(w)["metadata"]["resourceVersion"].is_string();
            assert!(plan.changes.first().is_none_or(guards), "{ready} {spec}");
        }
    }

    #[test]
    fn silent_node_and_its_pods_become_not_ready() {
        let mut harness = ControllerHarness::new(NodeLifecycle::default());
        let mut down = node("True", json!({}));
        down["metadata"]["annotations"][fake::NODE_DOWN] = json!("2026-01-02T11:59:30Z");
        harness.put("v1", "Node", down);
        harness.put(
            "v1",
            "Pod",
            json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n"},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}}),
        );
        let plan = harness.plan("", "n");
        assert_eq!(
            (lines(&plan), plan.requeue_after),
            (Vec::new(), Some(SignedDuration::from_secs(20)))
        );
        harness.now = "2026-01-02T12:00:20Z".parse().unwrap();
        let plan = harness.plan("", "n");
        assert_eq!(
            lines(&plan),
            [
                "patch-status nodes n: no-heartbeat",
                "patch nodes n: taint",
                "patch-status pods p: unready-pods"
            ]
        );
        let conditions = &content(&plan.changes[0])["status"]["conditions"];
        assert_eq!(conditions[0]["reason"], "NodeStatusUnknown");
        assert_eq!(conditions[1]["reason"], "NodeStatusNeverUpdated");
        let told: Vec<_> = plan.events.iter().map(|n| n.message.as_str()).collect();
        assert_eq!(
            told,
            ["Node is not ready", "Node n status is now: NodeNotReady"]
        );
    }

    #[test]
    fn node_without_status_becomes_unknown_after_one_minute() {
        let mut harness = ControllerHarness::new(NodeLifecycle::default());
        harness.put(
            "v1",
            "Node",
            json!({"metadata": {
                "name": "n", "creationTimestamp": "2026-01-02T12:00:00Z",
                "annotations": {TTL: "0", fake::NODE_DOWN: "2020-01-01T00:00:00Z"},
            }}),
        );
        harness.now = "2026-01-02T12:00:10Z".parse().unwrap();
        let plan = harness.plan("", "n");
        assert_eq!(
            (lines(&plan), plan.requeue_after),
            (Vec::new(), Some(SignedDuration::from_secs(50)))
        );
        harness.now = "2026-01-02T12:01:00Z".parse().unwrap();
        let plan = harness.plan("", "n");
        let conditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map(|kind| {
            json!({
                "type": kind, "status": "Unknown", "reason": "NodeStatusNeverUpdated",
                "message": "Kubelet never posted node status.",
                "lastHeartbeatTime": "2026-01-02T12:00:00Z",
                "lastTransitionTime": "2026-01-02T12:01:00Z",
            })
        });
        let status = json!({"status": {"conditions": conditions}});
        assert_eq!(*content(&plan.changes[0]), status);
        assert_eq!(plan.events, []);
    }

    #[test]
    fn new_nodes_get_the_next_free_pod_cidr() {
        let mut harness = ControllerHarness::new(NodeLifecycle::default());
        let meta = |name: &str| json!({"name": name, "annotations": {TTL: "0"}});
        for (name, range) in [("a", "10.244.0.0/24"), ("c", "10.244.2.0/24")] {
            let spec = json!({"podCIDR": range, "podCIDRs": [range]});
            harness.put("v1", "Node", json!({"metadata": meta(name), "spec": spec}));
        }
        for name in ["x", "y"] {
            harness.put("v1", "Node", json!({"metadata": meta(name), "spec": {}}));
        }
        for (name, range) in [("x", "10.244.1.0/24"), ("y", "10.244.3.0/24")] {
            let plan = harness.plan("", name);
            let spec = json!({"spec": {"podCIDR": range, "podCIDRs": [range]}});
            assert_eq!(*content(&plan.changes[0]), spec, "{name}");
        }
        assert_eq!(lines(&harness.plan("", "a")), [""; 0]);
    }

    #[test]
    fn a_node_gets_a_pod_cidr_only_while_another_has_one() {
        let mut harness = ControllerHarness::new(NodeLifecycle::default());
        let meta = |name: &str| json!({"name": name, "annotations": {TTL: "0"}});
        harness.put("v1", "Node", json!({"metadata": meta("x"), "spec": {}}));
        assert_eq!(lines(&harness.plan("", "x")), [""; 0]);
        let other = json!({"metadata": meta("a"), "spec": {"podCIDR": "10.244.0.0/24"}});
        let other = harness.put("v1", "Node", other);
        assert_eq!(harness.plan("", "x").changes.len(), 1);
        harness.remove(&other);
        assert_eq!(lines(&harness.plan("", "x")), [""; 0]);
    }

    #[test]
    fn a_new_node_is_registered_once() {
        let plan =
            planned(json!({"metadata": {"name": "n", "labels": {"kubernetes.io/os": "linux"}}}));
        assert_eq!(lines(&plan), ["patch nodes n: register"]);
        let patch = content(&plan.changes[0]);
        assert_eq!(
            patch["metadata"]["labels"]["beta.kubernetes.io/os"],
            "linux"
        );
        assert_eq!(
            plan.events[0].message,
            "Node n event: Registered Node n in Controller"
        );
    }
}
