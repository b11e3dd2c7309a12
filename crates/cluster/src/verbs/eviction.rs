//! `/eviction`: a deletion that first checks the disruption budgets.

use crate::api::json::{Map, Value, json};
use crate::api::selector::LabelSelector;
use crate::api::status::{Cause, CauseReason, Details, Status};
use crate::commit::step::{Decided, Decision, Step};
use crate::entry::Admitted;
use crate::kinds::admission::policy::Operation;
use crate::kinds::find;
use crate::kinds::strategy::deletion;
use crate::kinds::tree::{ensure, field, has, int, len, list, set, text};
use crate::objects;
use crate::objects::seconds;
use crate::request::Place;
use crate::request::options::{DeleteOptions, Propagation};
use crate::request::response::ApiError;
use crate::rules::managed;
use crate::rules::policies::{self, SubresourceBody};
use crate::store::{Expect, Op, Range, View};
use crate::verbs::condition::set_condition;
use crate::verbs::delete;

const BUDGETS: &str = "poddisruptionbudgets.policy";
const REFUSED: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

/// The number of terminating Pods from which a budget accepts no more evictions.
const MOST_DISRUPTED: usize = 2000;

/// Evicts a Pod if its disruption budget allows it; returns the last state of the Pod.
///
/// # Errors
/// The API's error if it is rejected: 429 if a budget forbids it.
pub(crate) fn evict_step<'s>(
    at: Admitted<'s>,
    options: &'s DeleteOptions,
) -> Result<Step<'s>, ApiError> {
    let (place, name) = (at.place(), at.name());
    let key = objects::key(place, name)?;
    let decide = move |view: &dyn View| {
        let stored = view
            .get(&key)?
            .ok_or_else(|| objects::not_found(place.kind, name))?;
        let old = objects::shown_as(place.kind, &stored)?;
        let mut warnings = Vec::new();
        let mut eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"name": name, "namespace": place.namespace}});
        let deletion = body_of(options);
        if !deletion.is_empty() {
            eviction["deleteOptions"] = Value::Object(deletion);
        }
        let posted = SubresourceBody {
            name,
            subresource: "eviction",
            operation: Operation::Create,
            body: &eviction,
        };
        // Policies may match `pods/eviction`, whose body is an Eviction and not the Pod.
        let eviction =
            policies::part_created(view, place, at.author(), posted, &|_| Ok(()), &mut warnings)?;
        let options = &options_in(field(&eviction, "deleteOptions"), options);
        let also = allowed(view, place, &old)?;
        delete::check_preconditions(place.kind, name, &old, options)?;
        // The condition and the deletion are one commit; the real server writes the condition first and may then fail
        // to delete.
        let mut marked = old.clone();
        let condition = json!({
            "type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
        });
        set_condition(&mut marked, &condition, &seconds(view));
        let expect = Expect::At(stored.revision);
        let decision = match delete::step(place.kind, &marked, view, options) {
            deletion::Step::Gone(last) => Decision::Remove(key.clone(), expect, last),
            deletion::Step::Marked(new) => Decision::Put(key.clone(), expect, new),
            // A repeated eviction of a terminating Pod writes nothing, so that it triggers no watch event.
            deletion::Step::Unchanged if marked == old => Decision::Keep(old),
            deletion::Step::Unchanged => Decision::Put(key.clone(), expect, marked),
        };
        Ok(Decided {
            also,
            warnings,
            ..decision.into()
        })
    };
    Ok(Step::new(at, "evict", decide))
}

/// Returns the options of a deletion as an object.
fn body_of(options: &DeleteOptions) -> Map {
    let mut body = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    add("gracePeriodSeconds", options.grace_period.map(Value::from));
    let policy = options.propagation.map(|policy| format!("{policy:?}"));
    add("propagationPolicy", policy.map(Value::from));
    let preconditions = [
        ("uid", &options.uid),
        ("resourceVersion", &options.resource_version),
    ];
    let preconditions = preconditions
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), Value::from(value.as_deref()?))));
    let preconditions = Map::from_iter(preconditions);
    let has_preconditions = !preconditions.is_empty();
    add(
        "preconditions",
        has_preconditions.then_some(Value::Object(preconditions)),
    );
    body
}

/// Returns the options as webhooks and policies leave them.
fn options_in(body: &Value, asked: &DeleteOptions) -> DeleteOptions {
    let precondition = |name: &str| {
        let value = text(field(body, "preconditions"), name);
        (!value.is_empty()).then(|| value.to_owned())
    };
    let policies = [
        Propagation::Background,
        Propagation::Foreground,
        Propagation::Orphan,
    ];
    let policy = text(body, "propagationPolicy");
    let mut policies = policies.into_iter();
    DeleteOptions {
        grace_period: field(body, "gracePeriodSeconds").as_i64(),
        propagation: policies.find(|known| format!("{known:?}") == policy),
        uid: precondition("uid"),
        resource_version: precondition("resourceVersion"),
        write: asked.write.clone(),
    }
}

/// Returns the change of the Pod's disruption budget, if a budget covers the Pod and allows the
/// eviction.
fn allowed(view: &dyn View, place: &Place, pod: &Value) -> Result<Vec<Op>, ApiError> {
    let phase = text(field(pod, "status"), "phase");
    let going = has(field(pod, "metadata"), "deletionTimestamp");
    // Such Pods do not serve traffic, so the real server deletes them without asking the budget.
    if going || matches!(phase, "Pending" | "Succeeded" | "Failed") {
        return Ok(Vec::new());
    }
    let mut budgets = Vec::new();
    for stored in view.list(&Range::resource(BUDGETS, Some(&place.namespace)))? {
        let budget = objects::shown(&stored)?;
        let selector = LabelSelector::from_object(field(&budget, "spec").get("selector"));
        if selector.is_ok_and(|selector| selector.matches_object(pod)) {
            budgets.push((stored, budget));
        }
    }
    let mut budgets = budgets.into_iter();
    let (Some((stored, budget)), rest) = (budgets.next(), budgets.next()) else {
        return Ok(Vec::new());
    };
    // As in kube-apiserver: with two budgets it is unclear which one to charge.
    if rest.is_some() {
        return Err(Status::internal(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        )
        .into());
    }
    if !is_ready(pod) && spares_unready(&budget) {
        return Ok(Vec::new());
    }
    let name = objects::meta(pod, "name");
    let Some(kind) = find("policy", "v1", "PodDisruptionBudget") else {
        return Ok(Vec::new());
    };
    let mut spent = spent(budget.clone(), name, &seconds(view))?;
    managed::note_own(kind, &budget, &mut spent, &seconds(view));
    let json = objects::bytes(kind, &spent);
    // Part of the eviction's commit, so that two evictions cannot use the same disruption.
    Ok(vec![Op::put(stored.key, json, Expect::At(stored.revision))])
}

fn is_ready(pod: &Value) -> bool {
    let mut conditions = list(field(pod, "status"), "conditions").iter();
    conditions.any(|c| text(c, "type") == "Ready" && text(c, "status") == "True")
}

/// Returns true if Pods that are not ready may be evicted without counting.
fn spares_unready(budget: &Value) -> bool {
    let status = field(budget, "status");
    let (healthy, desired) = (int(status, "currentHealthy"), int(status, "desiredHealthy"));
    // The default policy `IfHealthyBudget`: unhealthy Pods may be evicted as long as enough healthy ones are left.
    text(field(budget, "spec"), "unhealthyPodEvictionPolicy") == "AlwaysAllow"
        || healthy >= desired && desired > 0
}

/// Returns the budget with one disruption less.
fn spent(mut budget: Value, pod: &str, now: &str) -> Result<Value, Status> {
    let name = objects::meta(&budget, "name").to_owned();
    let status = field(&budget, "status");
    let generation = int(field(&budget, "metadata"), "generation");
    // A budget that changed since the controller's last sync counts stale numbers; the client retries after ten
    // seconds.
    if int(status, "observedGeneration") < generation {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        return Err(too_many(why, 10));
    }
    let left = int(status, "disruptionsAllowed");
    let forbid = |why: &str| Err(Status::forbidden("poddisruptionbudget.policy", &name, why));
    if left < 0 {
        return forbid("pdb disruptions allowed is negative");
    }
    if len(status, "disruptedPods") > MOST_DISRUPTED {
        return forbid(
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        );
    }
    if left == 0 {
        return Err(too_many(refusal(&name, status), 0));
    }
    let status = ensure(&mut budget, "status");
    set(status, "disruptionsAllowed", left - 1);
    // The controller does not count this Pod as healthy from now on, although it is still there.
    set(ensure(status, "disruptedPods"), pod, now);
    if left == 1 {
        insufficient(status, now);
    }
    Ok(budget)
}

fn refusal(name: &str, status: &Value) -> String {
    let failed = list(status, "conditions").iter().find(|c| {
        text(c, "type") == "DisruptionAllowed"
            && text(c, "status") == "False"
            && text(c, "reason") == "SyncFailed"
    });
    match failed.map(|c| text(c, "message")) {
        Some(why) => format!(
            "The disruption budget {name} does not allow evicting pods currently because it failed \
             sync: {why}"
        ),
        None => format!(
            "The disruption budget {name} needs {} healthy pods and has {} currently",
            int(status, "desiredHealthy"),
            int(status, "currentHealthy")
        ),
    }
}

/// Notes in the status that no further disruption is allowed.
fn insufficient(status: &mut Value, now: &str) {
    let condition = json!({
        "type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": "",
        "observedGeneration": int(status, "observedGeneration"), "lastTransitionTime": now,
    });
    let mut conditions = list(status, "conditions").to_vec();
    conditions.retain(|c| text(c, "type") != "DisruptionAllowed");
    conditions.push(condition);
    set(status, "conditions", conditions);
}

fn too_many(why: String, retry_after_seconds: u32) -> Status {
    let cause = Cause {
        reason: CauseReason::DisruptionBudget,
        field: String::new(),
        message: why,
    };
    let mut status = Status::bad_request(REFUSED);
    (status.code, status.reason) = (429, "TooManyRequests");
    status.details = Some(Box::new(Details {
        retry_after_seconds,
        causes: vec![cause],
        ..Details::default()
    }));
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scratch, fresh, place, pod};
    use crate::{Part, WriteOptions};

    fn budget(policy: &str) -> Value {
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "b"}, "spec": {"selector": {"matchLabels": {"app": "a"}},
                "minAvailable": 1, "unhealthyPodEvictionPolicy": policy}})
    }

    /// Returns a running Pod on a node with a budget with this status.
    fn guarded(policy: &str, status: Value, ready: &str) -> Scratch {
        let cluster = fresh();
        let (pods, budgets) = (place("pods"), place("pdb"));
        let options = WriteOptions::default();
        let mut object = pod("p");
        object["metadata"]["labels"] = json!({"app": "a"});
        object["spec"]["nodeName"] = json!("node-0");
        let mut object = cluster.create(&pods, &object, &options).unwrap().object;
        object["status"] = json!({"phase": "Running", "qosClass": "BestEffort",
            "conditions": [{"type": "Ready", "status": ready}]});
        cluster
            .replace(&pods, "p", &object, Part::Status, &options)
            .unwrap();
        let mut object = cluster
            .create(&budgets, &budget(policy), &options)
            .unwrap()
            .object;
        object["status"] = status;
        cluster
            .replace(&budgets, "b", &object, Part::Status, &options)
            .unwrap();
        cluster
    }

    fn status(observed: i64, allowed: i64) -> Value {
        json!({"observedGeneration": observed, "disruptionsAllowed": allowed, "currentHealthy": 1,
            "desiredHealthy": 1, "expectedPods": 1})
    }

    #[test]
    fn api_server_owns_what_an_eviction_counts() {
        let cluster = guarded("IfHealthyBudget", status(1, 2), "True");
        let pods = place("pods");
        let options = DeleteOptions::default();
        cluster.subresources().evict(&pods, "p", &options).unwrap();
        let budget = cluster.get(&place("pdb"), "b").unwrap();
        let mut managers = list(field(&budget, "metadata"), "managedFields").iter();
        let own = managers.find(|entry| text(entry, "manager") == "kube-apiserver");
        let own = own.unwrap();
        assert_eq!(text(own, "subresource"), "status");
        assert!(has(
            field(&own["fieldsV1"], "f:status"),
            "f:disruptionsAllowed"
        ));
    }

    #[test]
    fn eviction_checks_the_budget_and_decrements_allowed_disruptions() {
        for (policy, budget, ready, answer) in [
            (
                "IfHealthyBudget",
                status(0, 1),
                "True",
                Err("still being processed"),
            ),
            (
                "IfHealthyBudget",
                status(1, 0),
                "True",
                Err("needs 1 healthy pods and has 1 currently"),
            ),
            ("IfHealthyBudget", status(1, 1), "True", Ok(0)),
            ("IfHealthyBudget", status(1, 2), "True", Ok(1)),
            // An unready Pod is evicted without counting if enough others are ready.
            ("IfHealthyBudget", status(1, 0), "False", Ok(0)),
            (
                "AlwaysAllow",
                json!({"observedGeneration": 1, "desiredHealthy": 2, "currentHealthy": 0,
                "disruptionsAllowed": 0, "expectedPods": 2}),
                "False",
                Ok(0),
            ),
            (
                "IfHealthyBudget",
                json!({"observedGeneration": 1, "desiredHealthy": 2,
                "currentHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 2}),
                "False",
                Err("needs 2 healthy pods and has 0 currently"),
            ),
        ] {
            let said = format!("{policy} {budget} {ready}");
            let cluster = guarded(policy, budget.clone(), ready);
            let done = cluster
                .subresources()
                .evict(&place("pods"), "p", &DeleteOptions::default());
            let after = cluster.get(&place("pdb"), "b").unwrap()["status"].clone();
            match (answer, done) {
                (Ok(left), Ok(answer)) => {
                    assert_eq!(after["disruptionsAllowed"], left, "{said}");
                    assert!(!answer.gone);
                    let condition = &answer.object["status"]["conditions"][1];
                    assert_eq!(condition["reason"], "EvictionByEvictionAPI", "{said}");
                    let counted = budget["disruptionsAllowed"] != json!(left);
                    assert_eq!(after["disruptedPods"]["p"].is_string(), counted, "{said}");
                }
                (Err(words), Err(e)) => {
                    let refused = e.status().unwrap();
                    assert_eq!((refused.code, &*refused.message), (429, REFUSED), "{said}");
                    assert!(refused.causes()[0].message.contains(words), "{said}");
                    assert_eq!(after["disruptionsAllowed"], budget["disruptionsAllowed"]);
                }
                (_, done) => panic!("{said}: {done:?}"),
            }
        }
    }

    #[test]
    fn a_dry_run_checks_the_budget_without_using_it() {
        let cluster = guarded("IfHealthyBudget", status(1, 1), "True");
        let mut options = DeleteOptions::default();
        options.write.dry_run = true;
        cluster
            .subresources()
            .evict(&place("pods"), "p", &options)
            .unwrap();
        assert_eq!(
            cluster.get(&place("pdb"), "b").unwrap()["status"]["disruptionsAllowed"],
            1
        );
        assert!(
            cluster.get(&place("pods"), "p").unwrap()["metadata"]["deletionTimestamp"].is_null()
        );
    }

    #[test]
    fn eviction_fails_with_two_budgets_unless_the_pod_terminates() {
        let cluster = guarded("IfHealthyBudget", status(1, 1), "True");
        let mut second = budget("IfHealthyBudget");
        second["metadata"]["name"] = json!("b2");
        cluster
            .create(&place("pdb"), &second, &WriteOptions::default())
            .unwrap();
        let options = DeleteOptions::default();
        let refused = cluster
            .subresources()
            .evict(&place("pods"), "p", &options)
            .unwrap_err();
        assert_eq!(refused.status().unwrap().code, 500);
        cluster.delete(&place("pods"), "p", &options).unwrap();
        cluster
            .subresources()
            .evict(&place("pods"), "p", &options)
            .unwrap();
    }
}
