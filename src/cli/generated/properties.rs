//! The properties of objects in any cluster, at any time and after its controllers have finished.

use std::collections::{BTreeMap, BTreeSet};

use super::custom;
use crate::api::json::Value;

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flat_map(|all| all.iter())
}

fn of_kind<'a>(all: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    all.iter().filter(move |o| o["kind"] == kind)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// Checks the properties that hold after every request.
#[track_caller]
pub(super) fn of_each(all: &[Value]) {
    for object in all {
        let meta = &object["metadata"];
        let mut owners = BTreeSet::new();
        for entry in items(&meta["managedFields"]) {
            let mut missing = missing(&entry["fieldsV1"], object, "");
            missing.retain(|path| !is_cleared_later(object, path));
            assert!(
                missing.is_empty(),
                "owned and absent: {missing:?} of {object}"
            );
            let by = (
                text(&entry["manager"]),
                text(&entry["operation"]),
                text(&entry["apiVersion"]),
                text(&entry["subresource"]),
            );
            assert!(owners.insert(by), "two entries of {by:?}: {object}");
            let empty = entry["fieldsV1"]
                .as_object()
                .is_none_or(|fields| fields.is_empty());
            assert!(!empty, "an entry owns nothing: {object}");
        }
        custom::has_its_defaults(object);
        let observed = &object["status"]["observedGeneration"];
        assert!(
            observed.is_null() || count(observed) <= count(&meta["generation"]),
            "observed before it was: {object}"
        );
    }
}

/// Returns true for fields that kube-apiserver clears without updating managedFields, which continues to list them.
fn is_cleared_later(object: &Value, path: &str) -> bool {
    /// Fields that a Service loses when its type changes, after managedFields was updated.
    const TYPE: &[&str] = &[
        "/f:allocateLoadBalancerNodePorts",
        "/f:clusterIP",
        "/f:clusterIPs",
        "/f:externalTrafficPolicy",
        "/f:healthCheckNodePort",
        "/f:loadBalancerClass",
        "/f:nodePort",
    ];
    /// A binding replaces the condition in which the scheduler reported that no node fits.
    const BOUND: &str = "/f:status/f:conditions/k:{\"type\":\"PodScheduled\"}/f:";
    match text(&object["kind"]) {
        // The server converts the texts of an applied Secret to data, but does not update managedFields.
        "Secret" => path.starts_with("/f:stringData"),
        "Service" => TYPE.iter().any(|f| path.ends_with(f)),
        "Pod" => path.starts_with(BOUND),
        _ => false,
    }
}

/// Checks that a second run of the controllers wrote nothing.
#[track_caller]
pub(super) fn unchanged(before: &[Value], after: &[Value]) {
    for (old, new) in before.iter().zip(after) {
        assert!(old == new, "a second settle changed\n{old}\nto\n{new}");
    }
    assert_eq!(
        before.len(),
        after.len(),
        "a second settle made or removed objects"
    );
}

/// Checks the properties that hold when nothing is left to do.
#[track_caller]
pub(super) fn settled(all: &[Value]) {
    let uids: BTreeSet<&str> = all.iter().map(|o| text(&o["metadata"]["uid"])).collect();
    for object in all {
        let meta = &object["metadata"];
        let observed = &object["status"]["observedGeneration"];
        // A budget whose Pods cannot be counted keeps what it observed before, as in Kubernetes (seed 1824).
        let failed = items(&object["status"]["conditions"]).any(|c| c["reason"] == "SyncFailed");
        let current = failed || observed.is_null() || *observed == meta["generation"];
        assert!(current, "observedGeneration is behind: {object}");
        for owner in items(&meta["ownerReferences"]) {
            assert!(
                uids.contains(text(&owner["uid"])),
                "an owner is gone: {object}"
            );
        }
        assert!(
            meta["deletionTimestamp"].is_null(),
            "deleted and still there: {object}"
        );
    }
    replica_sets(all);
    deployments(all);
    stateful_sets(all);
    jobs(all);
    services(all);
}

/// Returns true if two autoscalers scale the same workload. Each follows its own limits, so the workload may never rest.
pub(super) fn has_rival_autoscalers(all: &[Value]) -> bool {
    let mut targets = BTreeSet::new();
    let mut targets_of = of_kind(all, "HorizontalPodAutoscaler").map(|scaler| {
        let target = &scaler["spec"]["scaleTargetRef"];
        (text(&target["kind"]), text(&target["name"]))
    });
    targets_of.any(|target| !targets.insert(target))
}

fn controller(object: &Value) -> &str {
    let controls = |o: &&Value| o["controller"] == true;
    items(&object["metadata"]["ownerReferences"])
        .find(controls)
        .map_or("", |o| text(&o["uid"]))
}

/// Returns the active Pods by the uid of their controller.
fn active(all: &[Value]) -> BTreeMap<&str, Vec<&Value>> {
    let mut owned: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for pod in of_kind(all, "Pod") {
        if !["Succeeded", "Failed"].contains(&text(&pod["status"]["phase"])) {
            owned.entry(controller(pod)).or_default().push(pod);
        }
    }
    owned
}

pub(super) fn is_ready(pod: &Value) -> bool {
    items(&pod["status"]["conditions"]).any(|c| c["type"] == "Ready" && c["status"] == "True")
}

#[track_caller]
fn replica_sets(all: &[Value]) {
    let owned = active(all);
    let sets = of_kind(all, "ReplicaSet").chain(of_kind(all, "ReplicationController"));
    for set in sets {
        let pods = owned
            .get(text(&set["metadata"]["uid"]))
            .map_or(&[][..], Vec::as_slice);
        let (status, all) = (&set["status"], pods.len() as u64);
        assert_eq!(count(&status["replicas"]), all, "status.replicas: {set}");
        assert_eq!(count(&set["spec"]["replicas"]), all, "not scaled: {set}");
        let ready = pods.iter().filter(|p| is_ready(p)).count() as u64;
        assert_eq!(
            count(&status["readyReplicas"]),
            ready,
            "status.readyReplicas: {set}"
        );
        assert_eq!(
            count(&status["availableReplicas"]),
            ready,
            "status.availableReplicas: {set}"
        );
    }
}

#[track_caller]
fn deployments(all: &[Value]) {
    for deployment in of_kind(all, "Deployment") {
        let uid = text(&deployment["metadata"]["uid"]);
        let sets: Vec<&Value> = of_kind(all, "ReplicaSet")
            .filter(|s| controller(s) == uid)
            .collect();
        let status = &deployment["status"];
        for field in ["replicas", "readyReplicas", "availableReplicas"] {
            let sum: u64 = sets.iter().map(|s| count(&s["status"][field])).sum();
            assert_eq!(count(&status[field]), sum, "status.{field}: {deployment}");
        }
        let revision = |o: &Value| {
            text(&o["metadata"]["annotations"]["deployment.kubernetes.io/revision"])
                .parse::<u64>()
                .unwrap_or_default()
        };
        let newest = sets.iter().map(|s| revision(s)).max().unwrap_or_default();
        if deployment["spec"]["paused"] != true && !is_blocked(deployment, &sets) {
            assert_eq!(revision(deployment), newest, "the revision: {deployment}");
            let same = |s: &&&Value| {
                s["spec"]["template"]["spec"] == deployment["spec"]["template"]["spec"]
            };
            let current: Vec<u64> = sets.iter().filter(same).map(|s| revision(s)).collect();
            assert!(current.contains(&newest), "no current set: {deployment}");
        }
    }
}

/// Returns true if a Deployment with the strategy `Recreate` was scaled while two of its old ReplicaSets had Pods. A
/// real controller, too, waits for the number to be right before it continues, and scales neither of them.
fn is_blocked(deployment: &Value, sets: &[&Value]) -> bool {
    let active = sets.iter().filter(|s| count(&s["spec"]["replicas"]) > 0);
    let wanted = count(&deployment["spec"]["replicas"]).to_string();
    let desired = "deployment.kubernetes.io/desired-replicas";
    let numbers: Vec<&str> = active
        .map(|s| text(&s["metadata"]["annotations"][desired]))
        .collect();
    let is_scaled = numbers.iter().any(|number| *number != wanted);
    deployment["spec"]["strategy"]["type"] == "Recreate" && numbers.len() > 1 && is_scaled
}

#[track_caller]
fn stateful_sets(all: &[Value]) {
    let owned = active(all);
    for set in of_kind(all, "StatefulSet") {
        let pods = owned
            .get(text(&set["metadata"]["uid"]))
            .map_or(&[][..], Vec::as_slice);
        let status = &set["status"];
        assert_eq!(
            count(&status["replicas"]),
            pods.len() as u64,
            "status.replicas: {set}"
        );
        let ready = pods.iter().filter(|p| is_ready(p)).count() as u64;
        assert_eq!(
            count(&status["readyReplicas"]),
            ready,
            "status.readyReplicas: {set}"
        );
        let start = count(&set["spec"]["ordinals"]["start"]);
        let name = text(&set["metadata"]["name"]);
        let want: BTreeSet<String> = (start..start + count(&set["spec"]["replicas"]))
            .map(|i| format!("{name}-{i}"))
            .collect();
        // A set that has adopted Pods of higher ordinals removes them only when the others are ready (seed 705).
        let waits = pods
            .iter()
            .any(|p| !is_ready(p) && want.contains(text(&p["metadata"]["name"])));
        if ready == count(&set["spec"]["replicas"]) && !waits {
            let have: BTreeSet<String> = pods
                .iter()
                .map(|p| text(&p["metadata"]["name"]).to_owned())
                .collect();
            assert_eq!(want, have, "ordinals: {set}");
        }
    }
}

#[track_caller]
fn jobs(all: &[Value]) {
    let owned = active(all);
    for job in of_kind(all, "Job") {
        let pods = owned
            .get(text(&job["metadata"]["uid"]))
            .map_or(&[][..], Vec::as_slice);
        let status = &job["status"];
        assert_eq!(
            count(&status["active"]),
            pods.len() as u64,
            "status.active: {job}"
        );
        let met = |kind: &str| {
            items(&status["conditions"]).any(|c| c["type"] == kind && c["status"] == "True")
        };
        assert!(
            !(met("Complete") && met("Failed")),
            "complete and failed: {job}"
        );
        if met("Complete") || met("Failed") {
            assert!(pods.is_empty(), "over with active Pods: {job}");
        }
        if met("Complete") {
            let completed = !status["completionTime"].is_null();
            assert!(completed, "no completionTime: {job}");
        }
    }
    for pod in of_kind(all, "Pod")
        .filter(|p| p["status"]["phase"] == "Failed" || p["status"]["phase"] == "Succeeded")
    {
        let tracked =
            items(&pod["metadata"]["finalizers"]).any(|f| f == "batch.kubernetes.io/job-tracking");
        assert!(!tracked, "finished and not counted: {pod}");
    }
}

/// Checks that the ready addresses of a Service are those of the ready Pods it selects.
#[track_caller]
fn services(all: &[Value]) {
    for service in of_kind(all, "Service") {
        let Some(selector) = service["spec"]["selector"].as_object() else {
            continue;
        };
        let selected = |pod: &&Value| {
            selector
                .iter()
                .all(|(k, v)| pod["metadata"]["labels"][&**k] == *v)
        };
        let every = service["spec"]["publishNotReadyAddresses"] == true;
        let over = |pod: &&Value| ["Succeeded", "Failed"].contains(&text(&pod["status"]["phase"]));
        let ready: BTreeSet<&str> = of_kind(all, "Pod")
            .filter(selected)
            .filter(|pod| !over(pod) && (every || is_ready(pod)))
            .map(|pod| text(&pod["status"]["podIP"]))
            .filter(|ip| !ip.is_empty())
            .collect();
        let name = &service["metadata"]["name"];
        let told: BTreeSet<&str> = of_kind(all, "EndpointSlice")
            .filter(|s| s["metadata"]["labels"]["kubernetes.io/service-name"] == *name)
            .flat_map(|slice| items(&slice["endpoints"]))
            .filter(|e| e["conditions"]["ready"] == true)
            .map(|e| text(&e["addresses"][0]))
            .collect();
        assert_eq!(told, ready, "endpoints of {service}");
    }
}

/// Returns the fields of a field set that an object lacks.
fn missing(fields: &Value, object: &Value, path: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (step, below) in fields.as_object().into_iter().flatten() {
        let here = format!("{path}/{}", &**step);
        let value = match step.split_once(':') {
            Some(("f", name)) => object.get(name),
            Some(("k", keys)) => {
                let keys: Value = serde_json::from_str(keys).unwrap();
                let keys = keys.as_object().unwrap();
                let fits = |item: &&Value| keys.iter().all(|(k, v)| item[&**k] == *v);
                items(object).find(fits)
            }
            Some(("v", value)) => {
                let value: Value = serde_json::from_str(value).unwrap();
                items(object).find(|item| **item == value)
            }
            // The object itself exists.
            _ => continue,
        };
        match value {
            Some(value) => all.extend(missing(below, value, &here)),
            None => all.push(here),
        }
    }
    all
}
