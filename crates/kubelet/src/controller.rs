//! The fake kubelet as two reconcilers, one for Pods and one for nodes.
//!
//! Rules: the names of the stages, and these. `pod-accepted` is the rule for a new Pod for which no stage is due,
//! `pod-rejected` for one that must not run on its node, `pod-resized` for one whose running containers get other
//! resources, and `volume-not-filled` for one that waits for its volumes. A Lease is written under the rule
//! `heartbeat`, and deleted with its node under `node-gone`.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::address::{Addresses, CLUSTER_RANGE};
use super::admission::{self, Admission, Rejection};
use super::at_rest::{self, AtRest};
use super::on_node::{by_node, pods_on};
use super::play::{self, PlayOutcome, World};
use super::reported_event::ReportedEvent;
use super::sources::{self, Missing, SourceRef};
use super::status::SANDBOX;
use super::user_stages::{self, InvalidStages, is_stages};
use super::{nodes, repeats, resize, stage};
use crate::api::json::{Value, json};
use crate::cluster::{Kind, Place, PodMode, Shares, Verb, find_kind};
use crate::kinds::condition;
use crate::kinds::fake;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, list, text};
use crate::runtime::{
    Cache, Change, CompletedWrite, Controller, Index, Key, Object, Plan, PlannedWrite, Planner,
    ReconcileContext, Watch,
};

/// The index of Pods that have yet to start a container, by their sources.
const BY_SOURCE: &str = "source";

/// Returns the reconcilers of fake nodes and Pods.
pub fn controllers() -> Vec<Box<dyn Controller>> {
    vec![
        Box::new(Pods::default()),
        Box::new(Nodes),
        Box::new(InvalidStages),
    ]
}

fn kind(api_version: &str, name: &str) -> Option<&'static Kind> {
    find_kind(api_version, name)
}

/// Plays Pods.
#[derive(Default)]
struct Pods {
    addresses: Addresses,
    stages: Option<Vec<stage::Stage>>,
    at_rest: AtRest,
}

impl Controller for Pods {
    fn name(&self) -> &'static str {
        "kubelet"
    }

    fn component(&self) -> &'static str {
        "kubelet"
    }

    fn field_manager(&self) -> &'static str {
        "kubelet"
    }

    fn set_shares(&mut self, shares: &Shares) {
        self.addresses.set_shares(shares);
    }

    fn watches(&self) -> Vec<Watch> {
        let own = kind("v1", "Pod").map(|pods| {
            Watch::new(pods, |change, _| {
                let bound = change
                    .after
                    .iter()
                    // A Pod without a node is the scheduler's business rather than a kubelet's.
                    .filter(|p| p["spec"]["nodeName"].is_string());
                bound.map(|p| p.key().clone()).collect()
            })
        });
        let nodes = kind("v1", "Node").map(|nodes| Watch::new(nodes, pods_of_node));
        let stages = kind("v1", "ConfigMap").map(|maps| {
            Watch::new(maps, |change, cache| match is_stages(change) {
                // New stages may apply to any Pod, so all of them are reconciled.
                true => every_pod(cache),
                false => pods_that_wait_for(change, cache),
            })
        });
        let secrets = kind("v1", "Secret").map(|secrets| Watch::new(secrets, pods_that_wait_for));
        let watches = own.into_iter().chain(nodes).chain(stages);
        watches.chain(secrets).collect()
    }

    fn indexes(&self) -> Vec<Index> {
        by_node().into_iter().chain(by_source()).collect()
    }

    fn observe(&mut self, change: &Change, _: &Cache) {
        let Some(object) = change.object() else {
            return;
        };
        match object.kind() {
            kind if kind.is_pod() => {
                let address = |o: &Option<Object>| o.as_ref().map(own_address).unwrap_or_default();
                let (before, after) = (address(&change.before), address(&change.after));
                // A Pod's new address is recorded before its old one is released: if they are equal, it is never free
                // in between.
                if before != after && !after.is_empty() {
                    self.addresses.take(object.uid(), &after);
                }
                if before != after && !before.is_empty() || change.after.is_none() {
                    self.addresses.release(object.uid(), &before);
                }
                if change.after.is_none() {
                    self.at_rest.forget(object.uid());
                }
            }
            _ if is_stages(change) => {
                self.stages = change.after.as_ref().map(user_stages::stages);
                self.at_rest = AtRest::default();
            }
            _ => {}
        }
    }

    fn on_written(&mut self, write: &CompletedWrite<'_>) {
        if write.object.kind().is_pod() {
            self.at_rest.written(write.object);
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        // Addresses are reserved before planning: two threads may plan, and their order must not matter.
        self.set_aside(context.key, context.cache);
        self.reconcile(context)
    }

    fn planner<'a>(&'a mut self, keys: &[&Key], cache: &Cache) -> Option<Planner<'a>> {
        keys.iter().for_each(|key| self.set_aside(key, cache));
        Some(Box::new(|context| self.reconcile(context)))
    }

    fn stuck(&self, object: &Object, cache: &Cache) -> Option<String> {
        let status = field(object, "status");
        if text(status, "phase") == "Pending" && says_no_sandbox(object) {
            // A missing volume explains more than the reason `ContainerCreating`.
            let (volume, why) = missing(object, cache).volumes.into_iter().next()?;
            return Some(format!("volume {volume}: {why}"));
        }
        let all = ["initContainerStatuses", "containerStatuses"];
        let mut waiting = all.iter().flat_map(|name| list(status, name));
        waiting.find_map(|c| {
            let why = at(c, &["state", "waiting"]);
            let reason = text(why, "reason");
            // Every container starts with one of these two reasons; they go away on their own.
            let hangs = !matches!(reason, "" | "ContainerCreating" | "PodInitializing");
            let name = text(c, "name");
            let message = text(why, "message");
            hangs.then(|| match reason {
                // A failed attempt is followed by the back-off, so both count as the same cause.
                "ErrImagePull" => {
                    let spec = field(object, "spec");
                    let lists = ["initContainers", "containers"].iter();
                    let mut specs = lists.flat_map(|list_name| list(spec, list_name));
                    let spec = specs.find(|spec| text(spec, "name") == name);
                    let image = spec.map_or("", |spec| text(spec, "image"));
                    let back_off = format!("ImagePullBackOff: Back-off pulling image {image:?}");
                    format!("container {name}: {back_off}: ErrImagePull: {message}")
                }
                _ => format!("container {name}: {reason}: {message}"),
            })
        })
    }
}

impl Pods {
    /// Reserves an address for a Pod without one.
    fn set_aside(&mut self, key: &Key, cache: &Cache) {
        let Some(pod) = kind("v1", "Pod").and_then(|pods| cache.by_key(pods, key)) else {
            return;
        };
        let Some(node) = node_of(pod, cache) else {
            return;
        };
        let has_one = !text(field(pod, "status"), "podIP").is_empty();
        // Mirror Pods belong to a static manifest, and Pods in the host network have the address of their node.
        if has_one || is_mirror(pod) || at(pod, &["spec", "hostNetwork"]).as_bool() == Some(true) {
            return;
        }
        let range = match text(field(node, "spec"), "podCIDR") {
            "" => CLUSTER_RANGE,
            range => range,
        };
        // The node's own range may be exhausted.
        if self.addresses.lend(pod.uid(), range).is_none() {
            self.addresses.lend(pod.uid(), CLUSTER_RANGE);
        }
    }

    /// Plans the next changes to a Pod.
    fn reconcile(&self, context: &ReconcileContext<'_>) -> Plan {
        let found = kind("v1", "Pod").and_then(|pods| context.cache.by_key(pods, context.key));
        // Rejected writes wait for the back-off of the queue; planning now would result in the same plan.
        let Some(pod) = found.filter(|pod| context.refused.is_empty() && !is_mirror(pod)) else {
            return Plan::done();
        };
        let node = node_of(pod, context.cache);
        // A Pod that is still waiting for a source may lose it in the meantime.
        let rests = node.is_some_and(|node| {
            self.at_rest.is(pod, node)
                || self.stages.is_none() && at_rest::is_remembered(pod, node, context)
        });
        if rests && sources::waited_for(pod).is_empty() {
            return Plan::done();
        }
        let refuses = |node: &&Object| {
            // A node that is down admits no Pods, and a Pod that ends before its admission is simply removed.
            let is_up = fake::annotation(node, fake::NODE_DOWN).is_empty();
            is_up && context.pods == PodMode::Default && !pod.is_terminating()
        };
        if let Some(node) = node.filter(refuses) {
            match admission::decision(pod, node, context.cache) {
                Admission::Admits => {}
                Admission::Rejects(rejection) => return rejected(pod, &rejection, context.now),
                Admission::Preempts(victims) => return preempting(&victims, node, context),
            }
        }
        let address = match text(field(pod, "status"), "podIP") {
            "" => self.addresses.lent(pod.uid()).unwrap_or_default(),
            own => own.to_owned(),
        };
        let stages = match &self.stages {
            Some(stages) => stages.as_slice(),
            None => stage::built_in(),
        };
        // With `--pods running`, Pods need neither sources nor images.
        let missing = match context.pods {
            PodMode::Default => missing(pod, context.cache),
            PodMode::Running => Missing::default(),
        };
        let images = node.and_then(|node| images(pod, node, context.cache));
        let resize = node.and_then(|node| resize::decision(pod, node, context.pods, context.cache));
        let mut played = play::pod(
            pod,
            &World {
                resize: resize.as_ref(),
                images: images.as_ref(),
                missing: Some(&missing).filter(|m| !m.is_empty()),
                stages,
                mode: context.pods,
                now: context.now,
                seed: context.seed,
                node: node.map(Object::value),
                address: &address,
            },
        );
        // A user's stages may read the time without waiting for it.
        let is_usual =
            self.stages.is_none() && missing.is_empty() && images.is_none() && resize.is_none();
        if let Some(node) = node.filter(|_| is_usual) {
            self.at_rest.note(pod, node, &played);
            at_rest::remember(pod, node, &played, context);
        }
        let repeated = std::mem::take(&mut played.repeats);
        let mut plan = planned(pod, played, context.now);
        repeats::add(&mut plan, pod, repeated, context);
        plan
    }
}

/// Fails a Pod that its kubelet does not accept.
fn rejected(pod: &Object, rejection: &Rejection, now: Timestamp) -> Plan {
    // Conditions of other writers stay: a scheduler may have placed the Pod.
    let mut status = match field(pod, "status") {
        Value::Object(map) => Value::Object(map.clone()),
        _ => json!({}),
    };
    let reason = rejection.reason.as_str();
    status["phase"] = json!("Failed");
    status["reason"] = json!(reason);
    status["message"] = json!(format!("Pod was rejected: {}", rejection.message));
    status["startTime"] = json!(moment::text(now));
    status["qosClass"] = json!(crate::kinds::pod::qos::class(pod));
    status["observedGeneration"] = field(field(pod, "metadata"), "generation").clone();
    let mut plan = Plan::done();
    let rule = format!("pod-rejected: {reason}");
    plan.status.extend(PlannedWrite::status(pod, status, rule));
    let told = ReportedEvent {
        kind: "Warning".to_owned(),
        reason: reason.to_owned(),
        message: rejection.message.clone(),
        field: String::new(),
        repeats: None,
    };
    plan.events.push(told.note(pod));
    plan
}

/// Ends Pods so that a critical one can run, which is looked at again as soon as they have ended.
fn preempting(victims: &[&Object], node: &Object, context: &ReconcileContext<'_>) -> Plan {
    let mut plan = Plan::done();
    for victim in victims {
        let images = images(victim, node, context.cache);
        let world = World {
            stages: stage::preemption(),
            mode: context.pods,
            now: context.now,
            seed: context.seed,
            node: Some(node.value()),
            address: "",
            missing: None,
            resize: None,
            images: images.as_ref(),
        };
        let ended = planned(victim, play::pod(victim, &world), context.now);
        plan.status.extend(ended.status);
        plan.events.extend(ended.events);
    }
    // The end of another Pod is no event that wakes this one.
    plan.requeue_in(SignedDuration::ZERO);
    plan
}

/// Returns the node of a Pod.
fn node_of<'c>(pod: &Object, cache: &'c Cache) -> Option<&'c Object> {
    let name = text(field(pod, "spec"), "nodeName");
    kind("v1", "Node").and_then(|nodes| cache.get(nodes, "", name))
}

/// Returns the IDs of the images that other Pods have brought to a node; `None` if its kubelet does not report ordinary
/// starts and ends of containers.
fn images<'c>(pod: &Object, node: &Object, cache: &'c Cache) -> Option<BTreeSet<&'c str>> {
    // Each such event is a write, so only nodes with the annotation report them.
    if node.annotation(fake::NODE_EVENTS) != Some("true") {
        return None;
    }
    let others = pods_on(node, cache).filter(|other| other.uid() != pod.uid());
    let known = others.flat_map(|other| {
        let lists = ["initContainerStatuses", "containerStatuses"];
        let status = field(other, "status");
        lists.into_iter().flat_map(|name| list(status, name))
    });
    Some(known.map(|status| text(status, "imageID")).collect())
}

/// Returns true if the Pod is waiting for its volumes.
fn says_no_sandbox(pod: &Object) -> bool {
    condition::find(pod, SANDBOX).is_some_and(|c| text(c, "status") == "False")
}

/// Returns the sources that a Pod with containers to start still lacks.
fn missing(pod: &Object, cache: &Cache) -> Missing {
    // Most Pods are waiting for nothing, so no source is looked up.
    if sources::waited_for(pod).is_empty() {
        return Missing::default();
    }
    sources::missing(pod, &|kept| {
        let (kind, name) = match kept {
            SourceRef::Map(name) => (kind("v1", "ConfigMap")?, name),
            SourceRef::Secret(name) => (kind("v1", "Secret")?, name),
        };
        cache.get(kind, pod.namespace(), name).map(Object::value)
    })
}

/// Returns true for a mirror Pod. A real kubelet manages it, so it is not played.
fn is_mirror(pod: &Object) -> bool {
    pod.annotation("kubernetes.io/config.mirror").is_some()
}

/// Returns the address of a Pod.
fn own_address(pod: &Object) -> String {
    let shares = at(pod, &["spec", "hostNetwork"]).as_bool() == Some(true);
    let address = text(field(pod, "status"), "podIP");
    if shares {
        String::new()
    } else {
        address.to_owned()
    }
}

fn planned(object: &Object, played: PlayOutcome, now: Timestamp) -> Plan {
    let mut plan = Plan::done();
    let rule = played
        .stages
        .last()
        .map_or("status-changed", String::as_str);
    let rule = match played.stages.as_slice() {
        [] | [_] => rule.to_owned(),
        // If several stages were applied in one reconcile, the history names all of them, in order.
        [.., last] => format!(
            "{last}: after {}",
            played.stages[..played.stages.len() - 1].join(", ")
        ),
    };
    if played.delete {
        // A grace period of 0: the containers have ended, and this is the kubelet's final deletion.
        plan.changes
            .push(PlannedWrite::delete_now(object, rule.clone()));
    } else if let Some(status) = played.status {
        plan.status
            .extend(PlannedWrite::status(object, status, rule));
    }
    plan.events = played
        .events
        .iter()
        .map(|event| event.note(object))
        .collect();
    if let Some(at) = played.wake {
        let wait = now.duration_until(at);
        // An endless cycle such as CrashLoopBackOff must not keep `ctl settle` from settling.
        match played.endless {
            true => plan.idle_requeue_in(wait),
            false => plan.requeue_in(wait),
        }
    }
    plan
}

fn by_source() -> Option<Index> {
    Some(Index {
        kind: kind("v1", "Pod")?,
        name: BY_SOURCE,
        reads: &["/spec", "/status"],
        values: sources::waited_for,
    })
}

/// Returns the Pods that may be able to continue now that a ConfigMap or Secret was created or changed.
fn pods_that_wait_for(change: &Change, cache: &Cache) -> Vec<Key> {
    let (Some(object), Some(pods)) = (&change.after, kind("v1", "Pod")) else {
        return Vec::new();
    };
    let kept = match object.kind().is_confidential() {
        true => SourceRef::Secret(object.name()),
        false => SourceRef::Map(object.name()),
    };
    // Uses an index: searching all Pods for each ConfigMap would take quadratic time.
    let waiting = cache.indexed(pods, BY_SOURCE, &kept.id(object.namespace()));
    waiting.map(|pod| pod.key().clone()).collect()
}

/// Returns the Pods on a node if it was added, became ready or unready, or has changed annotations.
fn pods_of_node(change: &Change, cache: &Cache) -> Vec<Key> {
    let ready = |node: &Option<Object>| {
        node.as_ref()
            .is_some_and(|n| condition::is_true(n, "Ready"))
    };
    // A heartbeat alone does not affect Pods.
    let same = change.before.is_some()
        && !change.differs("/metadata/annotations")
        && ready(&change.before) == ready(&change.after);
    let (Some(node), false) = (&change.after, same) else {
        return Vec::new();
    };
    pods_on(node, cache).map(|pod| pod.key().clone()).collect()
}

fn every_pod(cache: &Cache) -> Vec<Key> {
    let pods = kind("v1", "Pod").into_iter();
    let bound = pods.flat_map(|pods| cache.list(pods, ""));
    bound.map(|pod| pod.key().clone()).collect()
}

/// Plays nodes.
struct Nodes;

impl Controller for Nodes {
    fn name(&self) -> &'static str {
        "kubelet-node"
    }

    fn component(&self) -> &'static str {
        "kubelet"
    }

    fn field_manager(&self) -> &'static str {
        "kubelet"
    }

    fn watches(&self) -> Vec<Watch> {
        let nodes = kind("v1", "Node").map(Watch::own);
        let leases = kind("coordination.k8s.io/v1", "Lease").map(|leases| {
            Watch::new(leases, |change, _| {
                // A Lease that is deleted while its node exists is written again.
                let lost = change
                    .before
                    .iter()
                    .filter(|l| change.after.is_none() && l.namespace() == nodes::LEASES);
                lost.map(|l| Key::new("", l.name())).collect()
            })
        });
        nodes.into_iter().chain(leases).collect()
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let (Some(nodes), Some(leases)) =
            (kind("v1", "Node"), kind("coordination.k8s.io/v1", "Lease"))
        else {
            return Plan::done();
        };
        let lease = context.cache.get(leases, nodes::LEASES, &context.key.name);
        let Some(node) = context.cache.by_key(nodes, context.key) else {
            let mut plan = Plan::done();
            plan.changes.extend(
                lease.map(|l| PlannedWrite::delete(l, "node-gone: the Node no longer exists")),
            );
            return plan;
        };
        let world = World {
            stages: stage::built_in(),
            mode: context.pods,
            now: context.now,
            seed: context.seed,
            node: Some(node.value()),
            address: "",
            missing: None,
            resize: None,
            images: None,
        };
        let played = nodes::node(node, &world);
        let changed = played.status.is_some();
        let joins = played.stages.iter().any(|stage| stage == nodes::JOINS);
        let mut plan = planned(node, played, context.now);
        // As a kubelet does, one write registers the labels and the status.
        for write in plan.status.iter_mut().filter(|_| joins) {
            if let Verb::Update(_, registered) = &mut write.verb {
                nodes::add_labels(registered);
            }
        }
        let fresh = nodes::lease(node, context.now);
        match lease {
            None => {
                let place = Place::new(leases, nodes::LEASES);
                plan.changes
                    .push(PlannedWrite::create(place, fresh, "heartbeat"));
            }
            // Renewed only together with a change of the node, so an idle cluster writes nothing.
            Some(lease) if changed => {
                let patch = json!({"spec": {"renewTime": fresh["spec"]["renewTime"]}});
                plan.changes
                    .push(PlannedWrite::merge(lease, patch, "heartbeat"));
            }
            Some(_) => {}
        }
        plan
    }
}
