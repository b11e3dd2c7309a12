//! The Pods of a Job: creation, release of the finalizer, and order.

use std::cmp::Reverse;

use jiff::SignedDuration;

use super::marks::{FAILURES, IGNORED, INDEX, TRACKING};
use crate::api::json::{Value, json};
use crate::cluster::{Part, PatchType};
use crate::kinds::tree::{at, field, list, opt_int};
use crate::runtime::{Object, PlannedWrite};
use crate::views;
use crate::workload::{condition, create_pod, most_restarts, phase, pod_of, ready_since, time};

/// Returns the creation of a Pod of a Job: for an index, with the number of its counted and its ignored failures.
pub(super) fn creation(
    job: &Object,
    index: Option<i64>,
    failures: Option<(i64, i64)>,
    rule: &str,
) -> PlannedWrite {
    let mut pod = pod_of(job, views::job(job).template());
    let metadata = &mut pod["metadata"];
    let mut finalizers = list(metadata, "finalizers").to_vec();
    if !finalizers.iter().any(|name| name == TRACKING) {
        finalizers.push(json!(TRACKING));
    }
    metadata["finalizers"] = json!(finalizers);
    if let Some(index) = index {
        metadata["generateName"] = json!(format!("{}-{index}-", job.name()));
        metadata["annotations"][INDEX] = json!(index.to_string());
        metadata["labels"][INDEX] = json!(index.to_string());
        if let Some((failures, ignored)) = failures {
            metadata["annotations"][FAILURES] = json!(failures.to_string());
            if ignored > 0 {
                metadata["annotations"][IGNORED] = json!(ignored.to_string());
            }
        }
        let spec = &mut pod["spec"];
        // With a headless Service whose name is the Pods' subdomain, indexes find each other by DNS.
        spec["hostname"] = json!(format!("{}-{index}", job.name()));
        for name in ["initContainers", "containers"] {
            for container in spec[name].as_array_mut().into_iter().flatten() {
                name_index(container);
            }
        }
    }
    create_pod(job, pod, rule)
}

/// Passes the index of its Pod to a container.
fn name_index(container: &mut Value) {
    const NAME: &str = "JOB_COMPLETION_INDEX";
    let mut env = list(container, "env").to_vec();
    // A variable that the template sets itself wins.
    if env.iter().any(|e| e["name"] == NAME) {
        return;
    }
    env.push(json!({
        "name": NAME,
        "valueFrom": {"fieldRef": {"fieldPath": format!("metadata.labels['{INDEX}']")}},
    }));
    container["env"] = json!(env);
}

/// Removes the tracking finalizer of a Pod.
pub(super) fn without_finalizer(pod: &Object, rule: &str) -> PlannedWrite {
    let patch = json!({"metadata": {
        // The uid is a precondition: a new Pod of the same name must not lose its finalizer in place of the old one.
        // The list directive keeps the finalizers of others.
        "uid": pod.uid(),
        "$deleteFromPrimitiveList/finalizers": [TRACKING],
    }});
    PlannedWrite::patch(pod, Part::Whole, PatchType::Strategic, patch, rule)
}

/// Returns the index of a Pod.
pub(super) fn index_of(pod: &Object) -> Option<i64> {
    pod.annotation(INDEX)?.parse().ok().filter(|i| *i >= 0)
}

/// Returns the time at which a Pod ended: by its containers, its readiness or its deletion, in this order.
pub(super) fn ended_at(pod: &Object) -> Option<jiff::Timestamp> {
    let statuses = views::pod(pod).container_statuses().iter();
    // Complete only if every container reports its end; a time from some of them would start the back-off too early.
    let ends: Option<Vec<_>> = statuses
        .map(|c| time(at(c, &["state", "terminated", "finishedAt"])))
        .collect();
    let unready = condition(pod, "Ready").filter(|c| views::condition(c).status() == "False");
    let metadata = field(pod, "metadata");
    let deleted = || {
        let grace = opt_int(metadata, "deletionGracePeriodSeconds").unwrap_or(0);
        let end = views::meta(pod).deleted()?;
        end.checked_sub(SignedDuration::from_secs(grace)).ok()
    };
    ends.and_then(|ends| ends.into_iter().max())
        .or_else(|| time(field(unready?, "lastTransitionTime")))
        .or_else(deleted)
        .or_else(|| time(field(metadata, "creationTimestamp")))
}

/// Returns the sort key of a Pod's progress: on a node, running, ready and for how long, without restarts, older.
pub(super) fn how_far(pod: &Object) -> impl Ord + use<> {
    let phase = match phase(pod) {
        "Running" => 2,
        "Unknown" => 1,
        _ => 0,
    };
    let ready = ready_since(pod);
    (
        views::pod(pod).is_scheduled(),
        (phase, ready.is_some(), Reverse(ready)),
        // The ranks follow upstream's `ActivePods`: a Job that must stop Pods stops those that lose the least work.
        Reverse(most_restarts(pod)),
        Reverse(views::meta(pod).created()),
    )
}
