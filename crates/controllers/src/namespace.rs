//! Deletes the content of terminating namespaces, Pods first, and then finalizes them.
//!
//! Rules:
//! - `empty`: an object is deleted with its namespace.
//! - `remaining`: the status reports the content that is left.
//! - `finalize`: the namespace is empty; the finalizer of its spec is removed.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{views, watched};
use crate::api::json::{Value, json};
use crate::cluster::{Part, Verb};
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::kind::Kind;
use crate::kinds::tree::{at, list, text};
use crate::runtime::{Cache, Controller, Object, Plan, PlannedWrite, ReconcileContext, Watch};

const FINALIZER: &str = "kubernetes";

/// The time that a namespace stays after its last finalizer went. The real controller does not notice that; it
/// retries after a while, so that a client that removes a finalizer can still watch the end.
const PAUSE: SignedDuration = SignedDuration::from_secs(2);

/// Empties namespaces.
#[derive(Debug, Default)]
pub(crate) struct Namespaces {
    /// The namespaces that finalizers keep, with the time at which they may be finalized.
    held: BTreeMap<String, Timestamp>,
}

impl Controller for Namespaces {
    fn name(&self) -> &'static str {
        "namespace"
    }

    fn component(&self) -> &'static str {
        "namespace-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        let inside = Watch::every(|change, cache| {
            let Some(object) = change.object().filter(|o| !o.namespace().is_empty()) else {
                return Vec::new();
            };
            let namespace = cache.get(watched::namespaces(), "", object.namespace());
            let going = namespace.filter(|n| n.is_terminating());
            going.map(|n| n.key().clone()).into_iter().collect()
        });
        vec![Watch::own(watched::namespaces()), inside]
    }

    fn stuck(&self, object: &Object, _: &Cache) -> Option<String> {
        let held = ["NamespaceFinalizersRemaining", "NamespaceContentRemaining"];
        let held = held.iter().filter_map(|held| condition::find(object, held));
        let held = held.filter(|held| text(held, "status") == "True");
        let mut why = held.map(|held| format!("Terminating: {}", text(held, "message")));
        why.next().filter(|_| object.is_terminating())
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let found = context.cache.by_key(watched::namespaces(), context.key);
        let Some(namespace) = found.filter(|n| n.is_terminating()) else {
            return plan;
        };
        let ours = list(at(namespace, &["spec"]), "finalizers")
            .iter()
            .any(|f| f == FINALIZER);
        // Another finalizer of the spec belongs to another controller.
        if !ours {
            return plan;
        }
        let content = content(context.cache, namespace.name());
        if content.is_empty() {
            let left = self.left(namespace, context.now);
            if left.is_positive() {
                plan.requeue_in(left);
            } else {
                plan.changes.push(finalized(namespace));
                // Only a namespace that another controller keeps can still be read afterwards.
                if list(at(namespace, &["spec"]), "finalizers").len() > 1 {
                    let conditions = remaining(namespace, &content, context.now);
                    let patch = json!({"status": {"conditions": conditions}});
                    let rule = "remaining: another finalizer keeps the namespace";
                    plan.status
                        .push(PlannedWrite::patch_status(namespace, patch, rule));
                }
            }
            return plan;
        }
        let pods = content.iter().any(|o| o.kind().is_pod());
        for object in content.iter().filter(|o| !o.is_terminating()) {
            // `OrderedNamespaceDeletion`: everything else stays until the Pods are gone, so that no Pod runs on
            // without its NetworkPolicies.
            if !pods || object.kind().is_pod() {
                plan.changes.push(removed(object));
            }
        }
        if plan.changes.is_empty() {
            // Objects that wait for the Pods are not reported yet.
            let looked_at = content.iter().filter(|o| !pods || o.kind().is_pod());
            let looked_at: Vec<&Object> = looked_at.copied().collect();
            let conditions = remaining(namespace, &looked_at, context.now);
            let mut status = namespace["status"].clone();
            status["conditions"] = json!(conditions);
            plan.status
                .extend(PlannedWrite::status(namespace, status, "remaining"));
        } else {
            // Objects without finalizers are gone at the next reconcile, which then reports only those that stay.
            plan.requeue_in(SignedDuration::ZERO);
        }
        plan
    }
}

impl Namespaces {
    /// Returns the time that an empty namespace still stays.
    fn left(&mut self, namespace: &Object, now: Timestamp) -> SignedDuration {
        let held = condition::of(namespace)
            .iter()
            .any(|c| c["type"] == "NamespaceFinalizersRemaining" && c["status"] == "True");
        if !held {
            return SignedDuration::ZERO;
        }
        let end = self
            .held
            .entry(namespace.uid().to_owned())
            .or_insert(now + PAUSE);
        let left = end.duration_since(now);
        if !left.is_positive() {
            self.held.remove(namespace.uid());
        }
        left
    }
}

/// Returns all objects in a namespace except events, which are deleted last.
fn content<'a>(cache: &'a Cache, namespace: &str) -> Vec<&'a Object> {
    let mut all = Vec::new();
    for kind in cache.kinds() {
        // Kinds that cannot be deleted, such as reviews, hold no objects.
        if kind.namespaced && kind.verbs.contains(&"delete") {
            all.extend(cache.list(kind, namespace));
        }
    }
    all
}

fn removed(object: &Object) -> PlannedWrite {
    PlannedWrite::delete(
        object,
        format!("empty: namespace {} is terminating", object.namespace()),
    )
}

fn finalized(namespace: &Object) -> PlannedWrite {
    // Finalizers of the spec change only through the `finalize` subresource; a plain update keeps them.
    let mut object = namespace.to_value();
    let left: Vec<Value> = list(at(namespace, &["spec"]), "finalizers")
        .iter()
        .filter(|f| *f != FINALIZER)
        .cloned()
        .collect();
    object["spec"]["finalizers"] = json!(left);
    PlannedWrite::to(
        namespace,
        Verb::Update(Part::Finalize, object),
        "finalize: the namespace is empty",
    )
}

/// Returns the conditions that name what keeps the namespace from being finalized.
fn remaining(namespace: &Object, content: &[&Object], now: Timestamp) -> Vec<Value> {
    let mut by_kind: BTreeMap<String, usize> = BTreeMap::new();
    let mut by_finalizer: BTreeMap<String, usize> = BTreeMap::new();
    for object in content {
        *by_kind.entry(resource(object.kind())).or_default() += 1;
        for finalizer in views::meta(object).finalizers() {
            let name = finalizer.as_str().unwrap_or_default().to_owned();
            *by_finalizer.entry(name).or_default() += 1;
        }
    }
    let mut conditions = condition::of(namespace);
    // The first three conditions report failures of upstream's separate steps, which cannot fail in one process. Clients
    // expect all five.
    let mut say = |kind: &str, status: &str, reason: &str, message: &str| {
        let said = NewCondition {
            kind,
            status,
            reason,
            message,
        };
        condition::set(&mut conditions, said, now);
    };
    say(
        "NamespaceDeletionDiscoveryFailure",
        "False",
        "ResourcesDiscovered",
        "All resources successfully discovered",
    );
    say(
        "NamespaceDeletionGroupVersionParsingFailure",
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    );
    say(
        "NamespaceDeletionContentFailure",
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    );
    let counted = |sums: &BTreeMap<String, usize>, how: &dyn Fn(&str, usize) -> String| {
        let all: Vec<String> = sums.iter().map(|(name, count)| how(name, *count)).collect();
        all.join(", ")
    };
    let kinds = counted(&by_kind, &|name, n| {
        format!("{name} has {n} resource instances")
    });
    let (status, reason, message) = match by_kind.is_empty() {
        true => (
            "False",
            "ContentRemoved",
            "All content successfully removed".to_owned(),
        ),
        false => (
            "True",
            "SomeResourcesRemain",
            format!("Some resources are remaining: {kinds}"),
        ),
    };
    say("NamespaceContentRemaining", status, reason, &message);
    let (status, reason, message) = match by_finalizer.is_empty() {
        true => (
            "False",
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished".to_owned(),
        ),
        false => {
            let all = counted(&by_finalizer, &|name, n| {
                format!("{name} in {n} resource instances")
            });
            let what = "Some content in the namespace has finalizers remaining";
            ("True", "SomeFinalizersRemain", format!("{what}: {all}"))
        }
    };
    say("NamespaceFinalizersRemaining", status, reason, &message);
    conditions
}

/// Returns a resource with its group after a dot, which the core group gets too.
fn resource(kind: &Kind) -> String {
    format!("{}.{}", kind.plural, kind.group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, lines};

    fn harness() -> ControllerHarness<Namespaces> {
        let mut harness = ControllerHarness::new(Namespaces::default());
        harness.put(
            "v1",
            "Namespace",
            json!({
                "metadata": {"name": "blue", "deletionTimestamp": "2026-01-02T12:00:00Z"},
                "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Terminating"},
            }),
        );
        harness
    }

    fn within(name: &str) -> Value {
        json!({"metadata": {"name": name, "namespace": "blue"}})
    }

    #[test]
    fn namespace_deletion_removes_pods_before_other_content() {
        let mut harness = harness();
        let pod = harness.put("v1", "Pod", within("p"));
        let map = harness.put("v1", "ConfigMap", within("c"));
        assert_eq!(harness.keys(&map).len(), 1);
        assert_eq!(lines(&harness.plan("", "blue")), ["delete pods p: empty"]);
        harness.remove(&pod);
        assert_eq!(
            lines(&harness.plan("", "blue")),
            ["delete configmaps c: empty"]
        );
        harness.remove(&map);
        assert_eq!(
            lines(&harness.plan("", "blue")),
            ["finalize namespaces blue: finalize"]
        );
    }

    #[test]
    fn content_kept_by_finalizers_is_reported() {
        let mut harness = harness();
        let mut held = within("lock");
        held["metadata"]["finalizers"] = json!(["example.com/wait"]);
        held["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
        harness.put("v1", "ConfigMap", held);
        let plan = harness.plan("", "blue");
        assert_eq!(lines(&plan), ["status namespaces blue: remaining"]);
        let Verb::Update(Part::Status, object) = &plan.status[0].verb else {
            panic!()
        };
        let messages: Vec<_> = list(&object["status"], "conditions")
            .iter()
            .map(|c| text(c, "message"))
            .collect();
        assert_eq!(
            messages[3..],
            [
                "Some resources are remaining: configmaps. has 1 resource instances",
                "Some content in the namespace has finalizers remaining: example.com/wait in 1 resource instances",
            ]
        );
    }

    #[test]
    fn empty_namespace_that_another_finalizer_keeps_reports_that_nothing_is_left() {
        let mut harness = harness();
        harness.put(
            "v1",
            "Namespace",
            json!({
                "metadata": {"name": "blue", "deletionTimestamp": "2026-01-02T12:00:00Z"},
                "spec": {"finalizers": ["kubernetes", "example.com/hold"]},
                "status": {"phase": "Terminating"},
            }),
        );
        let plan = harness.plan("", "blue");
        assert_eq!(
            lines(&plan),
            [
                "finalize namespaces blue: finalize",
                "patch-status namespaces blue: remaining"
            ]
        );
        let status = &crate::harness::content(&plan.status[0])["status"];
        let all = list(status, "conditions").iter();
        let states: Vec<_> = all.map(|c| text(c, "status")).collect();
        assert_eq!(states, ["False"; 5]);
    }

    #[test]
    fn while_pods_exist_no_other_content_is_reported() {
        let mut harness = harness();
        let mut pod = within("p");
        pod["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
        harness.put("v1", "Pod", pod);
        harness.put("v1", "ConfigMap", within("c"));
        let plan = harness.plan("", "blue");
        let Verb::Update(Part::Status, object) = &plan.status[0].verb else {
            panic!()
        };
        assert_eq!(
            object["status"]["conditions"][3]["message"],
            "Some resources are remaining: pods. has 1 resource instances"
        );
    }

    #[test]
    fn empty_namespace_is_finalized_after_a_pause() {
        let mut harness = harness();
        harness.put(
            "v1",
            "Namespace",
            json!({
                "metadata": {"name": "blue", "deletionTimestamp": "2026-01-02T12:00:00Z"},
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Terminating", "conditions": [
                    {"type": "NamespaceFinalizersRemaining", "status": "True"}]},
            }),
        );
        let plan = harness.plan("", "blue");
        assert_eq!((lines(&plan).len(), plan.requeue_after), (0, Some(PAUSE)));
        harness.now += PAUSE;
        let plan = harness.plan("", "blue");
        assert_eq!(lines(&plan), ["finalize namespaces blue: finalize"]);
    }

    #[test]
    fn an_active_namespace_is_not_changed() {
        let mut harness = ControllerHarness::new(Namespaces::default());
        harness.put(
            "v1",
            "Namespace",
            json!({"metadata": {"name": "blue"}, "spec": {"finalizers": ["kubernetes"]}}),
        );
        harness.put("v1", "ConfigMap", within("c"));
        assert_eq!(harness.plan("", "blue"), Plan::done());
    }
}
