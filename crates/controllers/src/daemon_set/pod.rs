//! The Pod of a node.

use super::HASH;
use crate::api::json::{List, Value, json};
use crate::kinds::tree::{flag, text};
use crate::runtime::Object;
use crate::views;
use crate::workload::pod_of;

/// The annotation with the number of changes of a set's template.
const GENERATION: &str = "deprecated.daemonset.template.generation";
/// The label with that count.
const POD_GENERATION: &str = "pod-template-generation";

/// The taints that every daemon tolerates: problems of the node that keep other Pods away.
const TOLERATED: [(&str, &str); 6] = [
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    // Daemons ignore a cordon, which is why `kubectl drain` does not delete them: they would be back at once.
    ("unschedulable", "NoSchedule"),
];

/// Adds the tolerations of daemons to a Pod's spec; an equal toleration with a time limit loses its limit.
pub(super) fn tolerate(spec: &mut Value) {
    let on_host = flag(spec, "hostNetwork").then_some(("network-unavailable", "NoSchedule"));
    let mut all = match spec.get("tolerations") {
        Some(Value::Array(own)) => own.clone(),
        _ => List::new(),
    };
    for (problem, effect) in TOLERATED.into_iter().chain(on_host) {
        let key = format!("node.kubernetes.io/{problem}");
        let added = json!({"key": key, "operator": "Exists", "effect": effect});
        let same = |t: &Value| {
            let names = ["key", "operator", "effect", "value"];
            names.iter().all(|name| text(t, name) == text(&added, name))
        };
        match all.iter().position(same) {
            Some(index) => all[index] = added,
            None => all.push(added),
        }
    }
    spec["tolerations"] = json!(all);
}

/// Returns the Pod of a set for a node.
pub(super) fn of(set: &Object, node: &str, hash: &str) -> Value {
    let mut pod = pod_of(set, views::workload(set).template());
    if let Some(generation) = generation(set) {
        pod["metadata"]["labels"][POD_GENERATION] = json!(generation);
    }
    pod["metadata"]["labels"][HASH] = json!(hash);
    let spec = &mut pod["spec"];
    tolerate(spec);
    // The template's own node requirements were checked for this node already; further alternatives would let the Pod
    // start elsewhere.
    let terms = json!([{"matchFields": [
        {"key": "metadata.name", "operator": "In", "values": [node]}]}]);
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    spec["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"] = terms;
    pod
}

/// Returns the number of changes of a set's template, as text.
fn generation(set: &Object) -> Option<String> {
    let count: i64 = set.annotation(GENERATION)?.parse().ok()?;
    Some(count.to_string())
}

/// Returns true if a Pod has the current template.
pub(super) fn is_updated(set: &Object, pod: &Object, hash: &str) -> bool {
    pod.label(HASH) == hash || generation(set).is_some_and(|g| pod.label(POD_GENERATION) == g)
}
