//! PodDisruptionBudgets: the number of Pods that may be unavailable.
//!
//! Rules:
//! - `budget`: the status counts the healthy Pods and the disruptions that are allowed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;

use super::{views, watched};
use crate::api::int_or_percent::IntOrPercent;
use crate::api::json::{Value, json};
use crate::api::selector::{self, LabelSelector};
use crate::cluster::ScalePaths;
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::moment;
use crate::kinds::tree::{at, entries, field, int, text};
use crate::runtime::{
    Cache, Change, Controller, EventNote, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

/// The time after which an admitted eviction without a deletion is forgotten.
const BELIEVED: SignedDuration = SignedDuration::from_secs(120);

/// Maintains the status of budgets.
#[derive(Debug, Default)]
pub(crate) struct Disruptions {
    /// The events about Pods of several budgets, until the budget that is named is reconciled.
    ambiguous: BTreeMap<Key, Vec<EventNote>>,
    /// The budgets that covered Pods when they were last reconciled.
    covering: BTreeSet<Key>,
    /// The budgets that users changed, until they are reconciled.
    edited: BTreeSet<Key>,
}

impl Controller for Disruptions {
    fn name(&self) -> &'static str {
        "disruption"
    }

    fn component(&self) -> &'static str {
        "controllermanager"
    }

    fn watches(&self) -> Vec<Watch> {
        let budgets = watched::disruption_budgets();
        let mut watches = vec![Watch::own(budgets), Watch::new(watched::pods(), of_both)];
        watches.extend(watched::scalable().map(|kind| {
            Watch::new(kind, move |change, cache| {
                let both = change.before.is_some() && change.after.is_some();
                match change
                    .object()
                    .filter(|_| !both || change.differs("/spec/replicas"))
                {
                    Some(owner) => {
                        let own = cache.list(budgets, owner.namespace());
                        own.map(|b| b.key().clone()).collect()
                    }
                    None => Vec::new(),
                }
            })
        }));
        watches
    }

    // A reconcile of a budget does not know which change led to it.
    fn observe(&mut self, change: &Change, cache: &Cache) {
        if let (Some(_), Some(after)) = (&change.before, &change.after)
            && after.kind() == watched::disruption_budgets()
            && ["/metadata/labels", "/metadata/annotations", "/spec"]
                .iter()
                .any(|part| change.differs(part))
        {
            self.edited.insert(after.key().clone());
        }
        let is_pod = |object: &&Object| object.kind().is_pod();
        let Some(pod) = change.object().filter(is_pod) else {
            return;
        };
        if let [first, _, ..] =
            of_pod(change, cache, |budget| selector(budget).matches_object(pod)).as_slice()
        {
            let message = format!(
                "Pod {:?}/{:?} matches multiple PodDisruptionBudgets.  Chose {:?} arbitrarily.",
                pod.namespace(),
                pod.name(),
                first.name
            );
            let note = EventNote::warning(pod, "MultiplePodDisruptionBudgets", message);
            self.ambiguous.entry(first.clone()).or_default().push(note);
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let budgets = watched::disruption_budgets();
        let mut plan = Plan::done();
        plan.events
            .extend(self.ambiguous.remove(context.key).into_iter().flatten());
        let covered = self.covering.remove(context.key);
        let is_edited = self.edited.remove(context.key);
        let Some(budget) = context.cache.by_key(budgets, context.key) else {
            return plan;
        };
        // Upstream does not update a budget that is being deleted.
        if budget.is_terminating() {
            return plan;
        }
        let pods = selected(budget, context.cache);
        let mut said = Vec::new();
        let has_lost_all = covered && pods.is_empty();
        if !pods.is_empty() {
            self.covering.insert(context.key.clone());
        } else {
            said.push(EventNote::normal(
                budget,
                "NoPods",
                "No matching pods found",
            ));
        }
        let status = match expected(budget, &pods, context.cache) {
            Ok(counts) => {
                said.extend(unmanaged(budget, &counts));
                counted(budget, &pods, &counts, context, &mut plan)
            }
            Err(why) => {
                let message = format!("Failed to calculate the number of expected pods: {why}");
                let old = condition::find(budget, "DisruptionAllowed");
                // Upstream retries with growing delays and repeats the event each time; here it is reported when the
                // reason changes.
                if old.is_none_or(|c| views::condition(c).message() != why) {
                    plan.events.push(EventNote::warning(
                        budget,
                        "CalculateExpectedPodCountFailed",
                        message,
                    ));
                }
                failed(budget, &why, context)
            }
        };
        let rule = format!(
            "budget: {} of {} healthy",
            int(&status, "currentHealthy"),
            int(&status, "expectedPods")
        );
        plan.status
            .extend(PlannedWrite::status(budget, status, rule));
        // Upstream reports it at every sync: at this one, and at the one that the status write causes. Here, a reconcile
        // without a write is a sync only if the last Pod has just ended or the budget was edited, or each one would add to
        // the count.
        if !plan.status.is_empty() {
            plan.events.extend(said.clone());
            plan.events.extend(said);
        } else if has_lost_all || is_edited {
            plan.events.extend(said);
        }
        plan
    }
}

/// Returns the budgets that cover a Pod before or after a change.
fn of_both(change: &Change, cache: &Cache) -> Vec<Key> {
    of_pod(change, cache, |budget| {
        let selector = selector(budget);
        change.versions().any(|pod| selector.matches_object(pod))
    })
}

/// Returns the budgets of a Pod's namespace that cover it, if a change matters to them.
fn of_pod(change: &Change, cache: &Cache, covers: impl Fn(&Object) -> bool) -> Vec<Key> {
    let parts = [
        "/metadata/labels",
        "/metadata/deletionTimestamp",
        "/status",
        "/metadata/ownerReferences",
    ];
    let both = change.before.is_some() && change.after.is_some();
    let Some(pod) = change.object() else {
        return Vec::new();
    };
    let budgets = cache.list(watched::disruption_budgets(), pod.namespace());
    let mut budgets = budgets.peekable();
    if budgets.peek().is_none() || both && !parts.iter().any(|part| change.differs(part)) {
        return Vec::new();
    }
    let covering = budgets.filter(|budget| covers(budget));
    covering.map(|b| b.key().clone()).collect()
}

fn selector(budget: &Value) -> LabelSelector {
    LabelSelector::from_object(at(budget, &["spec"]).get("selector"))
        .unwrap_or(LabelSelector::nothing())
}

fn selected<'a>(budget: &Object, cache: &'a Cache) -> Vec<&'a Object> {
    // Pods that have ended count as Pods that are not healthy.
    cache.selected(watched::pods(), budget.namespace(), &selector(budget))
}

/// The counts that a budget requires.
struct Counts {
    expected: i64,
    desired: i64,
    unmanaged: Vec<String>,
}

/// # Errors
/// The reason why the expected number of Pods cannot be computed.
fn expected(budget: &Object, pods: &[&Object], cache: &Cache) -> Result<Counts, String> {
    let spec = field(budget, "spec");
    let number = |name: &str| spec.get(name).and_then(IntOrPercent::from_value);
    let all = i64::try_from(pods.len()).unwrap_or(i64::MAX);
    if let Some(most) = number("maxUnavailable") {
        let (expected, unmanaged) = scales(pods, cache)?;
        // A percentage rounds up, as `GetScaledValueFromIntOrPercent` does here: of 7 Pods 50 % may be missing means
        // 4.
        let most = most.scaled(expected, true).unwrap_or(0);
        return Ok(Counts {
            expected,
            desired: (expected - most).max(0),
            unmanaged,
        });
    }
    let none = Vec::new();
    match number("minAvailable") {
        Some(IntOrPercent::Int(desired)) => Ok(Counts {
            expected: all,
            desired,
            unmanaged: none,
        }),
        Some(percent) => {
            let (expected, unmanaged) = scales(pods, cache)?;
            let desired = percent.scaled(expected, true).unwrap_or(0);
            Ok(Counts {
                expected,
                desired,
                unmanaged,
            })
        }
        // Such a budget expects no Pods, and so allows no disruption.
        None => Ok(Counts {
            expected: 0,
            desired: 0,
            unmanaged: none,
        }),
    }
}

/// Returns the sum of the scales of the Pods' controllers, and the Pods without a controller.
fn scales(pods: &[&Object], cache: &Cache) -> Result<(i64, Vec<String>), String> {
    let mut scales: BTreeMap<String, i64> = BTreeMap::new();
    let mut unmanaged = Vec::new();
    for pod in pods {
        // A Pod without a controller has no scale, so it cannot be part of the expected number.
        let Some(owner) = pod.controller() else {
            unmanaged.push(pod.name().to_owned());
            continue;
        };
        let uid = text(owner, "uid");
        if scales.contains_key(uid) {
            continue;
        }
        let Some(mut object) = cache.by_uid(uid) else {
            let kind =
                crate::kinds::find_by_api_version(text(owner, "apiVersion"), text(owner, "kind"));
            return Err(match kind.and_then(|kind| kind.subresource("scale")) {
                Some(_) => format!("found no controllers for pod \"{}\"", pod.name()),
                None => not_scaled(owner),
            });
        };
        let above = object
            .controller()
            .and_then(|o| cache.by_uid(text(o, "uid")));
        // The ReplicaSets of a Deployment change during a rollout; the Deployment's own number does not.
        if let Some(deployment) = above.filter(|d| d.kind() == watched::deployments()) {
            object = deployment;
        }
        let scaled = object.kind().subresource("scale").is_some();
        if !scaled {
            return Err(not_scaled(owner));
        }
        // A custom resource may keep the number elsewhere.
        let paths = ScalePaths::for_kind(object.kind());
        let scale = paths.map_or(Value::Null, |paths| paths.show(object));
        let replicas = int(field(&scale, "spec"), "replicas");
        scales.insert(object.uid().to_owned(), replicas);
    }
    Ok((scales.values().sum(), unmanaged))
}

fn not_scaled(owner: &Value) -> String {
    let (group, _) = crate::kinds::kind::split_api_version(text(owner, "apiVersion"));
    let kind = crate::kinds::find_by_api_version(text(owner, "apiVersion"), text(owner, "kind"));
    let resource = kind.map_or_else(
        || format!("{}s.{group}", text(owner, "kind").to_lowercase()),
        crate::kinds::Kind::qualified_resource,
    );
    format!("{resource} does not implement the scale subresource")
}

fn unmanaged(budget: &Object, counts: &Counts) -> Option<EventNote> {
    if counts.unmanaged.is_empty() {
        return None;
    }
    let selector = selector::in_go(at(budget, &["spec", "selector"]));
    let message = format!(
        "Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be \
         unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may \
         result in undefined behavior. To account for these pods please set \".spec.minAvailable\" \
         field of the PDB to an integer value."
    );
    Some(EventNote::warning(budget, "UnmanagedPods", message))
}

fn counted(
    budget: &Object,
    pods: &[&Object],
    counts: &Counts,
    context: &ReconcileContext<'_>,
    plan: &mut Plan,
) -> Value {
    let mut disrupted = crate::api::json::Map::new();
    for (name, since) in entries(field(budget, "status"), "disruptedPods") {
        // An eviction that was allowed counts as a missing Pod until the Pod terminates or two minutes have passed.
        let there = pods.iter().any(|p| p.name() == name && !p.is_terminating());
        let age = moment::read(since).map(|at| moment::since(at, context.now));
        match age {
            Some(age) if there && age < BELIEVED => {
                disrupted.insert(name.to_owned(), since.clone());
                plan.requeue_in(BELIEVED.saturating_sub(age));
            }
            Some(_) => {
                let stayed = pods.iter().find(|p| there && p.name() == name);
                plan.events
                    .extend(stayed.map(|pod| not_deleted(budget, pod)));
            }
            None => {}
        }
    }
    let healthy = |pod: &&&Object| {
        condition::is_true(pod, "Ready")
            && !pod.is_terminating()
            && !disrupted.contains_key(pod.name())
    };
    let current = i64::try_from(pods.iter().filter(healthy).count()).unwrap_or(i64::MAX);
    // Without expected Pods nothing may be evicted, even if Pods beyond the scale are healthy.
    let allowed = match counts.expected {
        n if n <= 0 => 0,
        _ => (current - counts.desired).max(0),
    };
    let (status, reason) = match allowed {
        0 => ("False", "InsufficientPods"),
        _ => ("True", "SufficientPods"),
    };
    let generation = views::meta(budget).generation();
    let said = NewCondition {
        kind: ALLOWED,
        status,
        reason,
        message: "",
    };
    let mut new = json!({
        "conditions": conditions(budget, said, generation, context),
        "currentHealthy": current, "desiredHealthy": counts.desired, "disruptionsAllowed": allowed,
        "expectedPods": counts.expected,
        "observedGeneration": generation,
    });
    if !disrupted.is_empty() {
        new["disruptedPods"] = Value::Object(disrupted);
    }
    new
}

/// Returns the event about an admitted eviction whose Pod still exists. Kubernetes names the namespace twice.
fn not_deleted(budget: &Object, pod: &Object) -> EventNote {
    let namespace = budget.namespace();
    let message =
        format!("Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't");
    EventNote::warning(pod, "NotDeleted", message)
}

fn failed(budget: &Object, why: &str, context: &ReconcileContext<'_>) -> Value {
    let mut status = match field(budget, "status") {
        Value::Object(map) => Value::Object(map.clone()),
        _ => json!({}),
    };
    // These three are required in the status, so a failed computation still has to set them.
    for name in ["currentHealthy", "desiredHealthy", "expectedPods"] {
        if status.get(name).is_none() {
            status[name] = json!(0);
        }
    }
    status["disruptionsAllowed"] = json!(0);
    // A budget that could not be counted was not observed: an eviction waits for it.
    let observed = int(&status, "observedGeneration");
    let said = NewCondition {
        kind: ALLOWED,
        status: "False",
        reason: "SyncFailed",
        message: why,
    };
    status["conditions"] = conditions(budget, said, observed, context);
    status
}

/// The condition of every budget.
const ALLOWED: &str = "DisruptionAllowed";

fn conditions(
    budget: &Object,
    said: NewCondition<'_>,
    observed: i64,
    context: &ReconcileContext<'_>,
) -> Value {
    let mut conditions = condition::of(budget);
    condition::set(&mut conditions, said, context.now);
    for condition in &mut conditions {
        // The conditions of this group are `metav1.Condition`: an empty message is written and not left out.
        condition["message"] = json!(views::condition(condition).message());
        if observed > 0 {
            condition["observedGeneration"] = json!(observed);
        } else if let Some(condition) = condition.as_object_mut() {
            condition.remove("observedGeneration");
        }
    }
    json!(conditions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content};

    /// Returns the status of a budget for a Deployment with `replicas` Pods of which `ready` are ready.
    fn status(replicas: i64, ready: i64, spec: Value) -> (Value, Vec<EventNote>) {
        let mut harness = ControllerHarness::new(Disruptions::default());
        harness.put(
            "apps/v1",
            "Deployment",
            json!({"metadata": {"name": "d"}, "spec": {"replicas": replicas}}),
        );
        let owner = |kind: &str, name: &str| {
            json!([{
                "apiVersion": "apps/v1", "kind": kind, "name": name, "uid": format!("uid-{name}"), "controller": true,
            }])
        };
        harness.put("apps/v1", "ReplicaSet", json!({
            "metadata": {"name": "r", "ownerReferences": owner("Deployment", "d")}, "spec": {"replicas": 99},
        }));
        for number in 0..replicas {
            let is_ready = if number < ready { "True" } else { "False" };
            harness.put("v1", "Pod", json!({
                "metadata": {"name": format!("p{number}"), "labels": {"app": "shop"}, "ownerReferences": owner("ReplicaSet", "r")},
                "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": is_ready}]},
            }));
        }
        let mut budget = json!({"metadata": {"name": "b", "generation": 1}, "spec": spec});
        budget["spec"]["selector"] = json!({"matchLabels": {"app": "shop"}});
        harness.put("policy/v1", "PodDisruptionBudget", budget);
        let plan = harness.plan("default", "b");
        (content(&plan.status[0])["status"].clone(), plan.events)
    }

    #[test]
    fn pods_of_several_budgets_are_reported_at_each_change() {
        let mut harness = ControllerHarness::new(Disruptions::default());
        let mut pod = json!({"metadata": {"name": "p", "labels": {"app": "shop"}}});
        for (name, app) in [("b", "shop"), ("other", "blog"), ("c", "shop")] {
            let budget = json!({"metadata": {"name": name}, "spec": {
                "minAvailable": 1, "selector": {"matchLabels": {"app": app}}}});
            harness.put("policy/v1", "PodDisruptionBudget", budget);
        }
        let told = |harness: &mut ControllerHarness<Disruptions>, name: &str| -> Vec<String> {
            let mut events = harness.plan("default", name).events;
            events.retain(|note| note.reason == "MultiplePodDisruptionBudgets");
            events.into_iter().map(|note| note.message).collect()
        };
        let message = "Pod \"default\"/\"p\" matches multiple PodDisruptionBudgets.  Chose \"b\" arbitrarily.";
        harness.put("v1", "Pod", pod.clone());
        assert_eq!(told(&mut harness, "b"), [message]);
        pod["status"] = json!({"phase": "Running"});
        harness.put("v1", "Pod", pod.clone());
        assert_eq!(told(&mut harness, "c"), [""; 0]);
        assert_eq!(told(&mut harness, "b"), [message]);
        pod["metadata"]["labels"]["app"] = json!("blog");
        harness.put("v1", "Pod", pod);
        assert_eq!(told(&mut harness, "b"), [""; 0]);
    }

    #[test]
    fn budgets_count_as_kubernetes_does() {
        for (replicas, ready, spec, want) in [
            (4, 4, json!({"minAvailable": "75%"}), [4, 3, 4, 1]),
            (3, 3, json!({"minAvailable": "75%"}), [3, 3, 3, 0]),
            (3, 3, json!({"maxUnavailable": 2}), [3, 1, 3, 2]),
            (10, 8, json!({"maxUnavailable": "25%"}), [10, 7, 8, 1]),
            (5, 2, json!({"minAvailable": 3}), [5, 3, 2, 0]),
            (3, 3, json!({}), [0, 0, 3, 0]),
            (2, 2, json!({"maxUnavailable": 5}), [2, 0, 2, 2]),
        ] {
            let (status, _) = status(replicas, ready, spec.clone());
            let numbers = [
                "expectedPods",
                "desiredHealthy",
                "currentHealthy",
                "disruptionsAllowed",
            ];
            assert_eq!(
                numbers.map(|n| int(&status, n)),
                want,
                "{replicas} {ready} {spec}"
            );
            let reason = if want[3] > 0 {
                "SufficientPods"
            } else {
                "InsufficientPods"
            };
            assert_eq!(status["conditions"][0]["reason"], reason);
        }
    }

    #[test]
    fn pods_that_have_ended_count_as_unhealthy() {
        let mut harness = ControllerHarness::new(Disruptions::default());
        harness.put("v1", "Pod", json!({"metadata": {"name": "p", "labels": {"a": "b"}},
            "status": {"phase": "Succeeded", "conditions": [{"type": "Ready", "status": "False"}]}}));
        harness.put(
            "policy/v1",
            "PodDisruptionBudget",
            json!({"metadata": {"name": "b"}, "spec": {
                "minAvailable": 1, "selector": {"matchLabels": {"a": "b"}},
            }}),
        );
        let plan = harness.plan("default", "b");
        let status = &content(&plan.status[0])["status"];
        assert_eq!(
            (int(status, "expectedPods"), int(status, "currentHealthy")),
            (1, 0)
        );
        assert_eq!(plan.events, []);
    }

    #[test]
    fn budget_without_pods_reports_no_pods() {
        let (status, notes) = status(0, 0, json!({"minAvailable": 1}));
        assert_eq!(int(&status, "disruptionsAllowed"), 0);
        assert_eq!(
            (notes[0].reason.as_str(), notes[0].message.as_str()),
            ("NoPods", "No matching pods found")
        );
    }

    #[test]
    fn the_end_of_the_last_pod_is_reported_without_a_write() {
        let mut harness = ControllerHarness::new(Disruptions::default());
        let pod =
            json!({"metadata": {"name": "p", "labels": {"a": "b"}}, "status": {"phase": "Failed"}});
        let pod = harness.put("v1", "Pod", pod);
        let budget = json!({"metadata": {"name": "b"}, "spec": {
            "minAvailable": 0, "selector": {"matchLabels": {"a": "b"}}}});
        harness.put("policy/v1", "PodDisruptionBudget", budget);
        let plan = harness.plan("default", "b");
        let mut counted = content(&plan.status[0]).clone();
        let none = json!({"status": {"expectedPods": 0}});
        crate::api::patch::merge::apply(&mut counted, &none);
        harness.put("policy/v1", "PodDisruptionBudget", counted);
        harness.remove(&pod);
        for events in [1, 0] {
            let plan = harness.plan("default", "b");
            assert_eq!((plan.status.len(), plan.events.len()), (0, events));
        }
    }

    #[test]
    fn an_edit_of_a_budget_without_pods_is_reported_without_a_write() {
        let mut harness = ControllerHarness::new(Disruptions::default());
        let budget = json!({"metadata": {"name": "b"}, "spec": {"minAvailable": 0}});
        harness.put("policy/v1", "PodDisruptionBudget", budget);
        let plan = harness.plan("default", "b");
        assert_eq!((plan.status.len(), plan.events.len()), (1, 2));
        let mut counted = content(&plan.status[0]).clone();
        harness.put("policy/v1", "PodDisruptionBudget", counted.clone());
        assert_eq!(harness.plan("default", "b").events, []);
        counted["metadata"]["labels"] = json!({"x": "1"});
        harness.put("policy/v1", "PodDisruptionBudget", counted);
        for events in [1, 0] {
            let plan = harness.plan("default", "b");
            assert_eq!((plan.status.len(), plan.events.len()), (0, events));
        }
    }

    #[test]
    fn a_pod_without_a_scalable_controller_fails_the_sync() {
        let mut harness = ControllerHarness::new(Disruptions::default());
        harness.put("batch/v1", "Job", json!({"metadata": {"name": "j"}}));
        harness.put("v1", "Pod", json!({"metadata": {"name": "p", "labels": {"a": "b"}, "ownerReferences": [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "uid-j", "controller": true},
        ]}}));
        harness.put(
            "policy/v1",
            "PodDisruptionBudget",
            json!({"metadata": {"name": "b", "generation": 1}, "spec": {
                "maxUnavailable": 1, "selector": {"matchLabels": {"a": "b"}},
            }}),
        );
        let plan = harness.plan("default", "b");
        let status = &content(&plan.status[0])["status"];
        let condition = &status["conditions"][0];
        assert_eq!(condition["reason"], "SyncFailed");
        // It was not observed: an eviction waits until it is.
        let observed = [status, condition].map(|of| of["observedGeneration"].is_null());
        assert_eq!(observed, [true, true]);
        assert_eq!(
            condition["message"],
            "jobs.batch does not implement the scale subresource"
        );
        assert_eq!(plan.events[0].reason, "CalculateExpectedPodCountFailed");
    }

    #[test]
    fn allowed_eviction_counts_as_disrupted_until_timeout() {
        let mut harness = ControllerHarness::new(Disruptions::default());
        for name in ["p", "q"] {
            harness.put("v1", "Pod", json!({"metadata": {"name": name, "labels": {"a": "b"}},
                "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}));
        }
        harness.put("policy/v1", "PodDisruptionBudget", json!({"metadata": {"name": "b"}, "spec": {
            "minAvailable": 1, "selector": {"matchLabels": {"a": "b"}},
        }, "status": {"disruptedPods": {"p": "2026-01-02T11:59:00Z", "gone": "2026-01-02T11:59:00Z"}}}));
        let plan = harness.plan("default", "b");
        let status = &content(&plan.status[0])["status"];
        assert_eq!(
            status["disruptedPods"],
            json!({"p": "2026-01-02T11:59:00Z"})
        );
        assert_eq!(int(status, "currentHealthy"), 1);
        assert_eq!(plan.requeue_after, Some(SignedDuration::from_secs(60)));
        assert!(plan.events.iter().all(|n| n.reason != "NotDeleted"));
        harness.now += SignedDuration::from_secs(60);
        let plan = harness.plan("default", "b");
        let told = plan
            .events
            .iter()
            .find(|n| n.reason == "NotDeleted")
            .unwrap();
        assert_eq!(
            (&told.about["name"], &*told.message),
            (
                &json!("p"),
                "Pod was expected by PDB default/default to be deleted but it wasn't"
            )
        );
    }
}
