//! Deletes the content of terminating namespaces, Pods first, and then finalizes them.
//!
//! It looks at a namespace five seconds after the deletion, and then at the times at which Kubernetes' controller does.
//!
//! Rules:
//! - `empty`: an object is deleted with its namespace.
//! - `remaining`: the status reports the content that is left.
//! - `finalize`: the namespace is empty; the finalizer of its spec is removed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::{views, watched};
use crate::api::json::{Value, json};
use crate::cluster::{Part, Verb};
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::kind::Kind;
use crate::kinds::tree::{at, list, text};
use crate::runtime::backoff::Class;
use crate::runtime::{
    Cache, Controller, Failure, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

const FINALIZER: &str = "kubernetes";

/// The delay of a pass after a change of the namespace. It gives all API servers of a real cluster the time to notice the
/// deletion; on this one, clients that follow the deletion expect it.
const GRACE: SignedDuration = SignedDuration::from_secs(5);

/// The condition about APIs that cannot be discovered.
const DISCOVERY: &str = "NamespaceDeletionDiscoveryFailure";

/// The condition about objects whose deletion is refused.
const CONTENT: &str = "NamespaceDeletionContentFailure";

/// The time in seconds that finalizers are expected to take.
const FINALIZERS: i64 = 15;

/// Empties namespaces.
#[derive(Debug, Default)]
pub(crate) struct Namespaces {
    /// The next pass over each terminating namespace.
    passes: BTreeMap<String, Pass>,
}

/// A pass: it deletes the content of a namespace, reports the remaining objects, or finalizes the namespace.
#[derive(Debug)]
struct Pass {
    uid: String,
    start: Timestamp,
    /// The seconds that the objects deleted in this pass may take.
    estimate: i64,
}

impl Pass {
    fn first(namespace: &Object) -> Self {
        // The time follows from the object, so that another process does not wait again.
        let deletion = views::meta(namespace).deleted();
        Self {
            uid: namespace.uid().to_owned(),
            start: deletion.map_or(Timestamp::MIN, |at| at + GRACE),
            estimate: 0,
        }
    }
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
            let Some(object) = change.object() else {
                return Vec::new();
            };
            if object.kind() == watched::api_services() {
                let all = cache.list(watched::namespaces(), "");
                let going = all.filter(|n| n.is_terminating());
                return going.map(|n| n.key().clone()).collect();
            }
            let namespace = cache.get(watched::namespaces(), "", object.namespace());
            let going = namespace.filter(|n| n.is_terminating());
            going.map(|n| n.key().clone()).into_iter().collect()
        });
        vec![Watch::own(watched::namespaces()), inside]
    }

    fn stuck(&self, object: &Object, _: &Cache) -> Option<String> {
        let held = [
            DISCOVERY,
            CONTENT,
            "NamespaceFinalizersRemaining",
            "NamespaceContentRemaining",
        ];
        let held = held.iter().filter_map(|held| condition::find(object, held));
        let held = held.filter(|held| text(held, "status") == "True");
        let mut why = held.map(|held| format!("Terminating: {}", text(held, "message")));
        why.next().filter(|_| object.is_terminating())
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let found = context.cache.by_key(watched::namespaces(), context.key);
        let Some(namespace) = found.filter(|n| n.is_terminating()) else {
            self.passes.remove(&*context.key.name);
            return plan;
        };
        let ours = list(at(namespace, &["spec"]), "finalizers")
            .iter()
            .any(|f| f == FINALIZER);
        // Another finalizer of the spec belongs to another controller.
        if !ours {
            return plan;
        }
        let content = Content::of(context.cache, namespace.name());
        let pass = self
            .passes
            .entry(namespace.name().to_owned())
            .or_insert_with(|| Pass::first(namespace));
        if pass.uid != namespace.uid() {
            *pass = Pass::first(namespace);
        }
        let errors = ContentErrors {
            hidden: undiscovered(context.cache),
            refused: refused(context.refused),
        };
        let mut left = content.reported();
        // Like upstream, counts no objects of a kind that could not be deleted.
        left.retain(|o| errors.refused.is_none() || o.is_terminating());
        let conditions = remaining(namespace, &left, &errors, context.now);
        let reported = conditions == condition::of(namespace);
        let wait = pass.start.duration_since(context.now);
        let is_blocked = content.all.is_empty() && errors.hidden.is_some();
        let goes_on = content.is_removable() && !is_blocked;
        if wait.is_positive() {
            // A change of the content makes the key due again. Without any, another pass would change nothing.
            if !reported || goes_on {
                plan.requeue_in(wait);
            }
            return plan;
        }
        pass.estimate = pass.estimate.max(content.estimate(namespace, context.now));
        if errors.refused.is_some() {
            // The next pass follows the back-off of the refused deletions.
            plan.status.extend(reported_in(namespace, conditions));
            return plan;
        }
        plan.changes.extend(content.removable().map(removed));
        if !plan.changes.is_empty() {
            // This pass also reports the objects that stay, before the kubelet stops the Pods.
            plan.partial = true;
            return plan;
        }
        if content.all.is_empty() && pass.estimate == 0 && !is_blocked {
            self.passes.remove(namespace.name());
            plan.changes.push(finalized(namespace));
            // Only a namespace that another controller keeps can still be read afterwards.
            if list(at(namespace, &["spec"]), "finalizers").len() > 1 {
                let patch = json!({"status": {"conditions": conditions}});
                let rule = "remaining: another finalizer keeps the namespace";
                plan.status
                    .push(PlannedWrite::patch_status(namespace, patch, rule));
            }
            return plan;
        }
        plan.status.extend(reported_in(namespace, conditions));
        // The changed status brings the next pass forward. Objects that should be gone are tried again at once.
        let estimated = SignedDuration::from_secs(pass.estimate / 2 + 1);
        let next = match (reported, std::mem::take(&mut pass.estimate)) {
            (false, _) => GRACE,
            (true, 0) => SignedDuration::ZERO,
            (true, _) => estimated,
        };
        pass.start = context.now + next;
        if goes_on {
            plan.requeue_in(next);
        }
        plan
    }
}

/// The objects in a namespace except events, which are deleted last.
struct Content<'a> {
    all: Vec<&'a Object>,
    /// True if there are Pods.
    pods: bool,
}

impl<'a> Content<'a> {
    fn of(cache: &'a Cache, namespace: &str) -> Self {
        let mut all = Vec::new();
        for kind in cache.kinds() {
            // Kinds that cannot be deleted, such as reviews, hold no objects.
            if kind.namespaced && kind.verbs.contains(&"delete") {
                all.extend(cache.list(kind, namespace));
            }
        }
        let pods = all.iter().any(|o: &&Object| o.kind().is_pod());
        Self { all, pods }
    }

    /// Returns the objects of a pass. `OrderedNamespaceDeletion`: everything else stays until the Pods are gone, so that
    /// no Pod runs on without its NetworkPolicies.
    fn reported(&self) -> Vec<&'a Object> {
        let of_pass = |o: &&&Object| !self.pods || o.kind().is_pod();
        self.all.iter().filter(of_pass).copied().collect()
    }

    fn removable(&self) -> impl Iterator<Item = &'a Object> {
        self.reported().into_iter().filter(|o| !o.is_terminating())
    }

    /// Returns true if the next pass deletes an object or finalizes the namespace.
    fn is_removable(&self) -> bool {
        self.all.is_empty() || self.removable().next().is_some()
    }

    /// Returns the seconds that the objects of a pass are expected to stay.
    fn estimate(&self, namespace: &Object, now: Timestamp) -> i64 {
        let objects = self.reported();
        let pods = objects.iter().filter(|o| o.kind().is_pod());
        let pods = pods.map(|o| views::pod(o)).filter(|pod| !pod.has_ended());
        let grace = pods.map(|pod| pod.grace_period()).max().unwrap_or(0);
        let deletion = views::meta(namespace).deleted();
        let over = deletion.map_or(i64::MAX, |at| now.duration_since(at).as_secs());
        if over < grace {
            return grace;
        }
        let held = objects
            .iter()
            .any(|o| !views::meta(o).finalizers().is_empty());
        if held { FINALIZERS } else { 0 }
    }
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

/// Returns the write of the conditions, if they have changed.
fn reported_in(namespace: &Object, conditions: Vec<Value>) -> Option<PlannedWrite> {
    let mut status = namespace["status"].clone();
    status["conditions"] = json!(conditions);
    let rule = "remaining: the conditions name what is left";
    PlannedWrite::status(namespace, status, rule)
}

/// Returns the error about deletions that were refused, for example because a conversion webhook is down.
fn refused(failures: &[Failure]) -> Option<String> {
    // The next plan deletes the newer object, so a conflict is no failure.
    let deletions = failures
        .iter()
        .filter(|f| f.rule.starts_with("empty") && f.class() != Class::Conflict);
    // Upstream deletes all objects of a kind with one request, so equal errors count once.
    let errors: BTreeSet<&str> = deletions.map(|f| f.status.message.as_str()).collect();
    let count = errors.len();
    let errors: Vec<&str> = errors.into_iter().collect();
    (count > 0).then(|| {
        let errors = errors.join(", ");
        format!("Failed to delete all resource types, {count} remaining: {errors}")
    })
}

/// Returns the error about APIs whose resources are unknown, because no Service could serve them. A namespace may
/// contain objects of them, and stays.
fn undiscovered(cache: &Cache) -> Option<String> {
    let apis = cache.list(watched::api_services(), "");
    let fails = |api: &&Object| {
        let said = condition::find(api, "Available").map(views::condition);
        // A Service with endpoints would serve the API on a real cluster, although nothing here does.
        condition::status(api, "Available") == "False"
            && said.is_none_or(|said| said.reason() != "FailedDiscoveryCheck")
    };
    let apis = apis.filter(|api| !views::api_service(api).is_local());
    let failed = apis.filter(fails).map(|api| {
        let api = views::api_service(api);
        let version = format!("{}/{}", api.group(), api.version());
        format!("{version}: stale GroupVersion discovery: {version}")
    });
    let mut failed: Vec<String> = failed.collect();
    failed.sort();
    (!failed.is_empty()).then(|| {
        format!(
            "Discovery failed for some groups, {} failing: unable to retrieve the complete list of server APIs: {}",
            failed.len(),
            failed.join(", ")
        )
    })
}

/// The errors that keep the content of a namespace.
struct ContentErrors {
    /// The error of [`undiscovered`].
    hidden: Option<String>,
    /// The error of [`refused`].
    refused: Option<String>,
}

/// Returns the conditions that name what keeps the namespace from being finalized.
fn remaining(
    namespace: &Object,
    content: &[&Object],
    errors: &ContentErrors,
    now: Timestamp,
) -> Vec<Value> {
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
    // The second condition reports a failure that is impossible in one process. Clients expect all five.
    let mut say = |kind: &str, status: &str, reason: &str, message: &str| {
        let said = NewCondition {
            kind,
            status,
            reason,
            message,
        };
        condition::set(&mut conditions, said, now);
    };
    match &errors.hidden {
        Some(why) => say(DISCOVERY, "True", "DiscoveryFailed", why),
        None => {
            let message = "All resources successfully discovered";
            say(DISCOVERY, "False", "ResourcesDiscovered", message);
        }
    }
    say(
        "NamespaceDeletionGroupVersionParsingFailure",
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    );
    match &errors.refused {
        Some(why) => say(CONTENT, "True", "ContentDeletionFailed", why),
        None => {
            let message = "All content successfully deleted, may be waiting on finalization";
            say(CONTENT, "False", "ContentDeleted", message);
        }
    }
    let kinds = counted(&by_kind, "has");
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
            let all = counted(&by_finalizer, "in");
            let what = "Some content in the namespace has finalizers remaining";
            ("True", "SomeFinalizersRemain", format!("{what}: {all}"))
        }
    };
    say("NamespaceFinalizersRemaining", status, reason, &message);
    conditions
}

/// Returns sums as text.
fn counted(sums: &BTreeMap<String, usize>, word: &str) -> String {
    let one = |(name, count)| format!("{name} {word} {count} resource instances");
    let all: Vec<String> = sums.iter().map(one).collect();
    all.join(", ")
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
        harness.put("v1", "Namespace", terminating());
        harness.now = "2026-01-02T12:01:00Z".parse().unwrap();
        harness
    }

    fn terminating() -> Value {
        json!({
            "metadata": {"name": "blue", "deletionTimestamp": "2026-01-02T12:00:00Z"},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Terminating"},
        })
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
    fn a_namespace_waits_for_apis_that_no_service_serves() {
        let mut harness = harness();
        let api = |reason: &str| {
            json!({"metadata": {"name": "v1.a.b"},
                "spec": {"group": "a.b", "version": "v1", "service": {"name": "s", "namespace": "x"}},
                "status": {"conditions": [{"type": "Available", "status": "False", "reason": reason}]}})
        };
        let group = "apiregistration.k8s.io/v1";
        let put = harness.put(group, "APIService", api("ServiceNotFound"));
        assert_eq!(harness.keys(&put).len(), 1);
        let plan = harness.plan("", "blue");
        assert_eq!(lines(&plan), ["status namespaces blue: remaining"]);
        let status = &crate::harness::content(&plan.status[0])["status"];
        let first = &list(status, "conditions")[0];
        assert_eq!(
            text(first, "message"),
            "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: \
             a.b/v1: stale GroupVersion discovery: a.b/v1"
        );
        assert_eq!((text(first, "status"), plan.requeue_after), ("True", None));
        harness.put(group, "APIService", api("FailedDiscoveryCheck"));
        harness.now = "2026-01-02T12:02:00Z".parse().unwrap();
        assert_eq!(
            lines(&harness.plan("", "blue")),
            ["finalize namespaces blue: finalize"]
        );
    }

    #[test]
    fn a_namespace_stays_as_long_as_a_deletion_is_refused() {
        let mut harness = harness();
        harness.put("v1", "ConfigMap", within("a"));
        harness.put("v1", "ConfigMap", within("b"));
        assert_eq!(harness.plan("", "blue").changes.len(), 2);
        let failure = |message: &str| Failure {
            rule: "empty: namespace blue is terminating".to_owned(),
            index: Some(0),
            status: crate::api::status::Status::internal(message),
        };
        let refused = [failure("webhook: no"), failure("webhook: no")];
        let plan = harness.controller.plan(&ReconcileContext {
            key: &crate::runtime::Key::new("", "blue"),
            cache: &harness.cache,
            now: harness.now,
            failures: 1,
            refused: &refused,
            seed: crate::runtime::Seed(7),
            pods: harness.mode,
            identity: crate::harness::identity(),
        });
        assert_eq!(lines(&plan), ["status namespaces blue: remaining"]);
        let conditions = &crate::harness::content(&plan.status[0])["status"]["conditions"];
        let failed = &conditions[2];
        assert_eq!(failed["reason"], "ContentDeletionFailed");
        let message = text(failed, "message");
        let expected = format!(
            "Failed to delete all resource types, 1 remaining: {}",
            refused[0].status.message
        );
        assert_eq!((text(failed, "status"), message), ("True", &*expected));
        assert_eq!(conditions[3]["status"], "False");
        // The objects are tried again.
        assert_eq!(harness.plan("", "blue").changes.len(), 2);
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

    fn seconds(count: i64) -> Option<SignedDuration> {
        Some(SignedDuration::from_secs(count))
    }

    #[test]
    fn empty_namespace_is_finalized_five_seconds_after_its_deletion() {
        let mut harness = harness();
        harness.now = "2026-01-02T12:00:01Z".parse().unwrap();
        let plan = harness.plan("", "blue");
        assert_eq!((lines(&plan).len(), plan.requeue_after), (0, seconds(4)));
        harness.now += SignedDuration::from_secs(4);
        let plan = harness.plan("", "blue");
        assert_eq!(lines(&plan), ["finalize namespaces blue: finalize"]);
    }

    #[test]
    fn namespace_whose_pods_had_a_grace_period_is_looked_at_again_after_five_seconds() {
        let mut harness = harness();
        harness.now = "2026-01-02T12:00:05Z".parse().unwrap();
        let mut pod = within("p");
        pod["spec"] = json!({"terminationGracePeriodSeconds": 30});
        let pod = harness.put("v1", "Pod", pod);
        let plan = harness.plan("", "blue");
        assert_eq!(
            (lines(&plan), plan.partial),
            (vec!["delete pods p: empty".to_owned()], true)
        );
        // The Pod had no node: it is gone in the same pass, but the namespace waits for its grace period.
        harness.remove(&pod);
        let plan = harness.plan("", "blue");
        assert_eq!(lines(&plan), ["status namespaces blue: remaining"]);
        assert_eq!(plan.requeue_after, seconds(5));
        harness.now += SignedDuration::from_secs(5);
        assert_eq!(
            lines(&harness.plan("", "blue")),
            ["finalize namespaces blue: finalize"]
        );
    }

    #[test]
    fn namespace_held_by_a_finalizer_is_looked_at_every_eight_seconds() {
        let mut harness = harness();
        harness.now = "2026-01-02T12:00:05Z".parse().unwrap();
        let mut held = within("lock");
        held["metadata"]["finalizers"] = json!(["example.com/wait"]);
        held["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:05Z");
        let map = harness.put("v1", "ConfigMap", held);
        let plan = harness.plan("", "blue");
        assert_eq!(lines(&plan), ["status namespaces blue: remaining"]);
        let Verb::Update(Part::Status, object) = &plan.status[0].verb else {
            panic!()
        };
        let conditions = object["status"]["conditions"].clone();
        let mut namespace = terminating();
        namespace["status"]["conditions"] = conditions;
        harness.put("v1", "Namespace", namespace);
        // The status has changed, so the second pass comes after five seconds, the third after 15 / 2 + 1.
        harness.now += SignedDuration::from_secs(5);
        assert_eq!(harness.plan("", "blue"), Plan::done());
        harness.remove(&map);
        harness.now += SignedDuration::from_secs(1);
        assert_eq!(harness.plan("", "blue").requeue_after, seconds(7));
        harness.now += SignedDuration::from_secs(7);
        assert_eq!(
            lines(&harness.plan("", "blue")),
            ["finalize namespaces blue: finalize"]
        );
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
