//! The Pods of a Job: made, let go, told apart.

use super::{FAILURES, INDEX, TRACKING};
use crate::api::json::{Value, json};
use crate::cluster::PatchType;
use crate::controllers::workload::{create_pod, pod_of, time};
use crate::kinds::tree::{at, field, list};
use crate::runtime::{Action, Object, Write};

/// Creates a Pod of a Job, for an index where it has one.
pub(super) fn creation(
    job: &Object,
    index: Option<i64>,
    failures: Option<i64>,
    rule: &str,
) -> Write {
    let mut pod = pod_of(job, at(job, &["spec", "template"]));
    let metadata = &mut pod["metadata"];
    let mut finalizers = list(metadata, "finalizers").to_vec();
    finalizers.push(json!(TRACKING));
    metadata["finalizers"] = json!(finalizers);
    if let Some(index) = index {
        metadata["generateName"] = json!(format!("{}-{index}-", job.name()));
        metadata["annotations"][INDEX] = json!(index.to_string());
        metadata["labels"][INDEX] = json!(index.to_string());
        if let Some(failures) = failures {
            metadata["annotations"][FAILURES] = json!(failures.to_string());
        }
        let spec = &mut pod["spec"];
        if spec["hostname"].as_str().is_none_or(str::is_empty) {
            spec["hostname"] = json!(format!("{}-{index}", job.name()));
        }
        for name in ["initContainers", "containers"] {
            for container in spec[name].as_array_mut().into_iter().flatten() {
                name_index(container);
            }
        }
    }
    create_pod(job, pod, rule)
}

/// Tells a container the index of its Pod.
fn name_index(container: &mut Value) {
    const NAME: &str = "JOB_COMPLETION_INDEX";
    let mut env = list(container, "env").to_vec();
    if env.iter().any(|e| e["name"] == NAME) {
        return;
    }
    env.push(json!({
        "name": NAME,
        "valueFrom": {"fieldRef": {"fieldPath": format!("metadata.labels['{INDEX}']")}},
    }));
    container["env"] = json!(env);
}

/// Takes the finalizer of a Pod away.
pub(super) fn without_finalizer(pod: &Object, rule: &str) -> Write {
    let patch = json!({"metadata": {
        "uid": pod.uid(),
        "$deleteFromPrimitiveList/finalizers": [TRACKING],
    }});
    let action = Action::Patch {
        how: PatchType::Strategic,
        patch,
        status: false,
    };
    Write::to(pod, action, rule)
}

/// The index of a Pod.
pub(super) fn index_of(pod: &Object) -> Option<i64> {
    pod.annotation(INDEX)?.parse().ok().filter(|i| *i >= 0)
}

/// When a Pod has ended, as far as anything tells.
pub(super) fn ended_at(pod: &Object) -> Option<jiff::Timestamp> {
    let statuses = list(field(pod, "status"), "containerStatuses");
    let ends = statuses
        .iter()
        .filter_map(|c| time(at(c, &["state", "terminated", "finishedAt"])));
    ends.max()
        .or_else(|| time(at(pod, &["metadata", "deletionTimestamp"])))
        .or_else(|| time(at(pod, &["metadata", "creationTimestamp"])))
}
