//! The parts that workload controllers share: facts about Pods, Pods from templates, adoption and
//! release, and hash suffixes.

use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use super::{views, watched};
use crate::api::json::{Map, Value, json};
use crate::api::selector::LabelSelector;
use crate::api::status::CauseReason;
use crate::cluster::{Part, PatchType, Place};
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::tree::{at, field, int};
use crate::runtime::{Cache, EventNote, Failure, Index, Key, Object, Plan, PlannedWrite};

/// The letters of hashes in names.
// Without vowels, 0, 1 and 3, so that no generated name is a word; the alphabet of apimachinery's `SafeEncodeString`.
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// Returns a number as the hashes in names are written: its decimal digits as letters.
pub(crate) fn letters(number: u32) -> String {
    let letter = |digit: u8| LETTERS[usize::from(digit) % LETTERS.len()] as char;
    number.to_string().bytes().map(letter).collect()
}

/// Returns the FNV-1a hash of some bytes.
pub(crate) fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

/// Returns the FNV-1 hash of some bytes.
pub(crate) fn fnv1(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        hash.wrapping_mul(0x0100_0193) ^ u32::from(*byte)
    })
}

/// Returns a time of an object.
pub(crate) fn time(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}

/// Returns a time in the form that objects contain.
pub(crate) fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns the next time at which a component looks at its objects every `period` seconds.
pub(crate) fn next_look(period: i64, now: Timestamp) -> Timestamp {
    let over = now.as_second().rem_euclid(period);
    // A look at this very second comes at once.
    match over {
        0 => now,
        _ => now + SignedDuration::from_secs(period - over),
    }
}

/// Returns the index of Pods by their node.
pub(crate) fn by_node() -> Index {
    Index {
        kind: watched::pods(),
        name: "node",
        reads: &["/spec/nodeName"],
        values: |pod| {
            // Pods without a node are omitted: the index entry for the empty name would contain all of them.
            let node = views::pod(pod).node_name();
            if node.is_empty() {
                Vec::new()
            } else {
                vec![node.to_owned()]
            }
        },
    }
}

/// Returns the keys of a node's Pods.
pub(crate) fn pods_of(node: &Object, cache: &Cache) -> Vec<Key> {
    let pods = cache.indexed(watched::pods(), "node", node.name());
    pods.map(|pod| pod.key().clone()).collect()
}

/// Returns the phase of a Pod.
pub(crate) fn phase(pod: &Value) -> &str {
    views::pod(pod).phase()
}

/// Returns true if a Pod has ended.
pub(crate) fn is_over(pod: &Value) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Returns true if a Pod of the cache has terminated.
pub(crate) fn is_over_object(pod: &Object) -> bool {
    facts(pod).life.over
}

/// The stage of a Pod's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Life {
    /// True if it has ended.
    pub over: bool,
    /// True if it counts: it has not ended and is not terminating.
    pub active: bool,
    /// True if it is being deleted and its containers may still run.
    pub terminating: bool,
    /// The time since which it is ready, if it is.
    pub ready: Option<Timestamp>,
}

impl Life {
    /// Returns the time until it counts as available: zero if it does, `None` if it is not ready.
    pub(crate) fn available_in(&self, min_ready: i64, now: Timestamp) -> Option<SignedDuration> {
        let since = self.ready?;
        // Without `minReadySeconds` a ready Pod is available at once, regardless of its transition time.
        if min_ready <= 0 {
            return Some(SignedDuration::ZERO);
        }
        let end = since
            .checked_add(SignedDuration::from_secs(min_ready))
            .unwrap_or(Timestamp::MAX);
        Some(end.duration_since(now).max(SignedDuration::ZERO))
    }

    /// Returns true if it is available.
    pub(crate) fn is_available(&self, min_ready: i64, now: Timestamp) -> bool {
        self.available_in(min_ready, now)
            .is_some_and(|wait| wait.is_zero())
    }
}

/// The facts that controllers need of a Pod often, for thousands of Pods at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The stage of its life.
    pub life: Life,
    /// Its address, if it has a valid one.
    pub address: Option<IpAddr>,
}

/// Returns the facts about a Pod of the cache; computed once.
pub(crate) fn facts(pod: &Object) -> Facts {
    // Computed once per version of the Pod: counting 10,000 Pods would parse each of them for every ReplicaSet and
    // Service.
    pod.derived(|pod| {
        let (over, terminating) = (is_over(pod), pod.is_terminating());
        Facts {
            life: Life {
                over,
                active: !over && !terminating,
                // A Pod that has ended is only kept by a finalizer (`IsPodTerminating`).
                terminating: terminating && !over,
                ready: read_ready(pod),
            },
            address: views::pod(pod).ip().parse().ok(),
        }
    })
}

/// Returns true if a Pod counts: it has not ended and is not terminating.
pub(crate) fn is_active(pod: &Object) -> bool {
    facts(pod).life.active
}

/// Returns a condition of an object.
pub(crate) fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    let conditions = views::meta(object).conditions();
    conditions
        .iter()
        .find(|c| views::condition(c).kind() == kind)
}

/// Returns the time since which a Pod is ready, if it is.
pub(crate) fn ready_since(pod: &Object) -> Option<Timestamp> {
    facts(pod).life.ready
}

fn read_ready(pod: &Value) -> Option<Timestamp> {
    let ready = condition(pod, "Ready").filter(|c| views::condition(c).status() == "True")?;
    Some(
        views::condition(ready)
            .since()
            // A condition without a time counts as old, so a Pod that was restored from a file is available.
            .unwrap_or(Timestamp::UNIX_EPOCH),
    )
}

/// Returns true if a Pod is ready.
pub fn is_ready(pod: &Object) -> bool {
    ready_since(pod).is_some()
}

/// Returns true if a Pod is available.
pub(crate) fn is_available(pod: &Object, min_ready: i64, now: Timestamp) -> bool {
    facts(pod).life.is_available(min_ready, now)
}

/// Returns the highest restart count of a Pod's containers.
pub(crate) fn most_restarts(pod: &Value) -> i64 {
    let statuses = views::pod(pod).container_statuses();
    let restarts = statuses.iter().map(|s| int(s, "restartCount"));
    restarts.max().unwrap_or(0)
}

/// Returns the Pod that an owner's template describes, without a name.
pub(crate) fn pod_of(owner: &Object, template: &Value) -> Value {
    let mut metadata = Map::new();
    metadata.insert(
        "generateName".to_owned(),
        json!(format!("{}-", owner.name())),
    );
    metadata.insert("namespace".to_owned(), json!(owner.namespace()));
    // `GetPodFromTemplate` copies only these fields of the metadata.
    for name in ["labels", "annotations", "finalizers"] {
        let value = at(template, &["metadata", name]);
        if !value.is_null() {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    let owners = json!([owner.controller_reference()]);
    metadata.insert("ownerReferences".to_owned(), owners);
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": field(template, "spec"),
    })
}

/// Creates a Pod and records an event.
pub(crate) fn create_pod(owner: &Object, pod: Value, rule: impl Into<String>) -> PlannedWrite {
    PlannedWrite::create(Place::new(watched::pods(), owner.namespace()), pod, rule)
        .with_event(EventNote::normal(
            owner,
            "SuccessfulCreate",
            "Created pod: {name}",
        ))
        .with_failure_event(EventNote::warning(
            owner,
            "FailedCreate",
            "Error creating: {error}",
        ))
}

/// Returns true if a creation was refused because its namespace is being deleted, which no controller reports.
pub(crate) fn is_in_ending_namespace(failure: &Failure) -> bool {
    let mut causes = failure.status.causes().iter();
    causes.any(|cause| cause.reason == CauseReason::NamespaceTerminating)
}

/// Deletes a Pod and records an event.
pub(crate) fn delete_pod(owner: &Object, pod: &Object, rule: impl Into<String>) -> PlannedWrite {
    PlannedWrite::delete(pod, rule)
        .with_event(EventNote::normal(
            owner,
            "SuccessfulDelete",
            "Deleted pod: {name}",
        ))
        .with_failure_event(EventNote::warning(
            owner,
            "FailedDelete",
            "Error deleting: {error}",
        ))
}

/// Returns the part of a Pod's status that reports why a controller or the scheduler deletes it.
pub(crate) fn disruption(pod: &Object, reason: &str, message: &str, now: Timestamp) -> Value {
    let said = NewCondition {
        kind: "DisruptionTarget",
        status: "True",
        reason,
        message,
    };
    let mut all = condition::of(pod);
    condition::set(&mut all, said, now);
    // A strategic merge puts new elements first. The order makes the condition the last one.
    let order: Value = all.iter().map(|c| json!({"type": c["type"]})).collect();
    let own = all
        .iter_mut()
        .find(|c| views::condition(c).kind() == said.kind);
    let mut own = own.map(Value::take).unwrap_or_default();
    own["observedGeneration"] = json!(views::meta(pod).generation());
    json!({"conditions": [own], "$setElementOrder/conditions": order})
}

/// The objects of a kind that an owner controls, once it has adopted those that it should have and
/// released those that it should not.
pub(crate) struct Claimed<'a> {
    /// The objects that it controls afterwards.
    pub own: Vec<&'a Object>,
    /// The writes that this requires.
    pub writes: Vec<PlannedWrite>,
}

/// Caches a predicate that depends only on an object's labels: Pods of one template share the labels and the result.
pub(crate) fn by_labels<'a>(ask: impl Fn(&'a Object) -> bool) -> impl FnMut(&'a Object) -> bool {
    let mut last: Option<(&Value, bool)> = None;
    move |object| {
        let labels = views::meta(object).labels();
        if let Some((_, answer)) = last.filter(|(seen, _)| seen.is_shared_with(labels)) {
            return answer;
        }
        let answer = ask(object);
        last = Some((labels, answer));
        answer
    }
}

/// Claims objects: adopts matching objects without a controller, and releases controlled objects that no longer match.
/// A terminating owner adopts and releases nothing.
pub(crate) fn claim<'a>(
    owner: &Object,
    kind: &'static crate::kinds::Kind,
    selector: &LabelSelector,
    cache: &'a Cache,
) -> Claimed<'a> {
    claim_if(owner, kind, selector, &|_| true, cache)
}

/// Claims objects as [`claim`] does, but releases none.
pub(crate) fn adopt<'a>(
    owner: &Object,
    kind: &'static crate::kinds::Kind,
    selector: &LabelSelector,
    cache: &'a Cache,
) -> Claimed<'a> {
    let mut is_selected = by_labels(|object| selector.matches_object(object));
    let controlled = cache.controlled_by(kind, owner.uid());
    let mut claimed = Claimed {
        own: controlled.filter(|object| is_selected(object)).collect(),
        writes: Vec::new(),
    };
    let all: &dyn Fn(&Object) -> bool = &|_| true;
    claimed.adopt(owner, adopted(owner, kind, selector, cache), all);
    claimed
}

impl<'a> Claimed<'a> {
    /// Adds orphans that are members, with the writes that adopt them.
    fn adopt(
        &mut self,
        owner: &Object,
        orphans: impl Iterator<Item = &'a Object>,
        is_member: &dyn Fn(&Object) -> bool,
    ) {
        for object in orphans.filter(|object| is_member(object)) {
            let patch = json!({"metadata": {
                "uid": object.uid(),
                "ownerReferences": [owner.controller_reference()],
            }});
            let write = strategic(object, patch, "adopt: its labels match");
            self.writes.push(write);
            self.own.push(object);
        }
    }
}

/// Claims objects as [`claim`] does, but only matching objects that `is_member` accepts.
pub(crate) fn claim_if<'a>(
    owner: &Object,
    kind: &'static crate::kinds::Kind,
    selector: &LabelSelector,
    is_member: &dyn Fn(&Object) -> bool,
    cache: &'a Cache,
) -> Claimed<'a> {
    let orphans = adopted(owner, kind, selector, cache);
    let mut is_selected = by_labels(|object| selector.matches_object(object));
    let mut claimed = keep(owner, kind, cache, |object| {
        is_selected(object) && is_member(object)
    });
    claimed.adopt(owner, orphans, is_member);
    claimed
}

/// Claims Pods as [`claim`] does, but leaves those alone that have ended or are terminating.
pub(crate) fn claim_active<'a>(
    owner: &Object,
    selector: &LabelSelector,
    cache: &'a Cache,
) -> Claimed<'a> {
    let pods = watched::pods();
    let orphans = adopted(owner, pods, selector, cache);
    let mut is_selected = by_labels(|pod| selector.matches_object(pod));
    let mut claimed = keep(owner, pods, cache, |pod| {
        !is_active(pod) || is_selected(pod)
    });
    claimed.adopt(owner, orphans, &is_active);
    claimed
}

/// Makes everything else in a plan wait for its adoptions: if another owner was faster, the plan counts the objects of
/// that one.
pub(crate) fn adopt_first(plan: &mut Plan) {
    let is_adoption = |write: &PlannedWrite| write.rule.starts_with("adopt: ");
    let waits = |write: &PlannedWrite| !is_adoption(write) && !write.rule.starts_with("release: ");
    let changes = &mut plan.changes;
    if !changes.iter().any(is_adoption) || !changes.iter().any(waits) {
        return;
    }
    for write in changes {
        match waits(write) {
            true => write.wave += 2,
            false => write.wave = u32::from(is_adoption(write)),
        }
    }
}

/// Returns the objects of an owner that belong to it, with the writes that release the others.
fn keep<'a>(
    owner: &Object,
    kind: &'static crate::kinds::Kind,
    cache: &'a Cache,
    mut belongs: impl FnMut(&'a Object) -> bool,
) -> Claimed<'a> {
    let (mut own, mut writes) = (Vec::new(), Vec::new());
    for object in cache.controlled_by(kind, owner.uid()) {
        if belongs(object) {
            own.push(object);
        } else if !owner.is_terminating() {
            let patch = json!({"metadata": {
                "uid": object.uid(),
                "ownerReferences": [{"$patch": "delete", "uid": owner.uid()}],
            }});
            writes.push(strategic(
                object,
                patch,
                "release: its labels no longer match",
            ));
        }
    }
    Claimed { own, writes }
}

/// Returns the objects that an owner adopts.
pub(crate) fn adopted<'a>(
    owner: &Object,
    kind: &'static crate::kinds::Kind,
    selector: &LabelSelector,
    cache: &'a Cache,
) -> impl Iterator<Item = &'a Object> {
    // An empty selector would adopt every orphan of the namespace.
    let adopts = !owner.is_terminating() && !selector.is_everything();
    let orphans = cache.orphans(kind, owner.namespace());
    orphans
        .filter(move |object| adopts && selector.matches_object(object) && !object.is_terminating())
}

fn strategic(object: &Object, patch: Value, rule: &str) -> PlannedWrite {
    PlannedWrite::patch(object, Part::Whole, PatchType::Strategic, patch, rule)
}

/// Returns the selector of a workload in its object form.
pub(crate) fn selector_of(owner: &Object) -> LabelSelector {
    let selector = views::workload(owner).selector();
    LabelSelector::from_object(Some(selector)).unwrap_or_else(|_| LabelSelector::nothing())
}

/// Returns true if a workload's selector matches an object.
pub(crate) fn selects(owner: &Object, object: &Object) -> bool {
    selector_of(owner).matches_object(object)
}

/// Numbers creations so that they start slowly: one, then two, then four, each wave only after the previous one
/// succeeded.
pub(crate) fn start_slowly(writes: &mut [PlannedWrite]) {
    let (mut wave, mut left) = (1, 1);
    for write in writes {
        if left == 0 {
            wave += 1;
            // Upstream's `slowStartBatch` doubles each wave, so a quota that refuses the first Pod costs one request
            // and not 500.
            left = 1 << (wave - 1).min(20);
        }
        write.wave = wave;
        left -= 1;
    }
}

/// Requeues a plan for the time at which the next Pod becomes available.
pub(crate) fn requeue_when_available(
    plan: &mut Plan,
    pods: impl Iterator<Item = Life>,
    min_ready: i64,
    now: Timestamp,
) {
    let waits = pods.filter_map(|life| life.available_in(min_ready, now));
    if let Some(wait) = waits.filter(|wait| !wait.is_zero()).min() {
        plan.requeue_in(wait);
    }
}

/// Returns a count with its words in the singular or the plural, for the text of a rule: `1 Pod is`, `2 Pods are`.
pub(crate) fn numbered(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Sets a field of a status, or omits it if it is zero.
pub(crate) fn set_count(status: &mut Value, name: &str, count: usize) {
    if let Some(map) = status.as_object_mut() {
        // The counters of a status are `omitempty` in Go, so zero is omitted.
        if count == 0 {
            map.remove(name);
        } else {
            map.insert(name.to_owned(), json!(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicate_runs_once_per_shared_label_map() {
        let labels = json!({"app": "web"});
        let pod = |labels: &Value| {
            Object::new(
                watched::pods(),
                json!({"metadata": {"name": "p", "labels": labels}}),
            )
        };
        let pods = [
            &labels,
            &labels,
            &json!({"app": "web"}),
            &json!({"app": "db"}),
            &labels,
        ]
        .map(pod);
        let asked = std::cell::Cell::new(0);
        let mut is_web = by_labels(|pod| {
            asked.set(asked.get() + 1);
            pod.label("app") == "web"
        });
        assert_eq!(
            pods.each_ref().map(&mut is_web),
            [true, true, true, false, true]
        );
        assert_eq!(asked.get(), 4);
    }

    #[test]
    fn slow_start_waves_double_in_size() {
        let place = Place::new(watched::pods(), "a");
        let mut writes: Vec<PlannedWrite> = (0..8)
            .map(|_| PlannedWrite::create(place.clone(), json!({}), "x"))
            .collect();
        start_slowly(&mut writes);
        let waves: Vec<u32> = writes.iter().map(|w| w.wave).collect();
        assert_eq!(waves, [1, 2, 2, 3, 3, 3, 3, 4]);
    }

    #[test]
    fn hashes_use_the_safe_alphabet() {
        assert_eq!(fnv1a(b""), 0x811c_9dc5);
        assert_eq!(fnv1a(b"a"), 0xe40c_292c);
        assert_eq!(fnv1(b"a"), 0x050c_5d7e);
        assert_eq!(letters(0), "4");
        assert!(letters(u32::MAX).bytes().all(|b| LETTERS.contains(&b)));
    }
}
