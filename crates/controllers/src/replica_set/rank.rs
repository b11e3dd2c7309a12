//! The order in which surplus Pods are deleted.
//!
//! In this order: without a node; Pending before Unknown before Running; not ready; of lower deletion
//! cost; on a node with more Pods of the same owner; ready for less time; with more restarts; younger.
//! Times are compared by their order of magnitude only, so that among Pods of about the same age the uid
//! decides.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::Timestamp;

use crate::runtime::Object;
use crate::views;
use crate::workload::{most_restarts, phase, ready_since};

const COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// The sort key of Pods: the lowest is deleted first.
type Rank<'a> = (
    (bool, u8, bool, i64),
    Reverse<usize>,
    u32,
    Reverse<i64>,
    u32,
    &'a str,
);

/// Returns the Pods that go first.
pub(super) fn first<'a>(
    pods: &[&'a Object],
    count: usize,
    now: Timestamp,
    pod_counts: &dyn Fn(&Object) -> usize,
) -> Vec<&'a Object> {
    if count >= pods.len() {
        return pods.to_vec();
    }
    let mut crowds: HashMap<&str, usize> = HashMap::new();
    let mut ranked: Vec<(Rank<'_>, &Object)> = pods
        .iter()
        .map(|pod| {
            let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
            // Counted once per node: the number is the same for all Pods there.
            let pod_counts = *crowds.entry(node).or_insert_with(|| pod_counts(pod));
            (rank(pod, now, pod_counts), *pod)
        })
        .collect();
    ranked.sort_by(|a, b| a.0.cmp(&b.0));
    ranked.into_iter().take(count).map(|(_, pod)| pod).collect()
}

fn rank(pod: &Object, now: Timestamp, pod_counts: usize) -> Rank<'_> {
    let assigned = pod["spec"]["nodeName"]
        .as_str()
        .is_some_and(|n| !n.is_empty());
    let phase = match phase(pod) {
        "Running" => 2,
        "Unknown" => 1,
        _ => 0,
    };
    let ready = ready_since(pod);
    let cost = pod
        .annotation(COST)
        // An unreadable cost counts as 0, as upstream.
        .and_then(|c| c.parse().ok())
        .unwrap_or(0);
    let created = views::meta(pod).created();
    (
        (assigned, phase, ready.is_some(), cost),
        Reverse(pod_counts),
        magnitude(ready, now),
        Reverse(most_restarts(pod)),
        magnitude(created, now),
        pod.uid(),
    )
}

/// Returns the order of magnitude of the time since then, 0 for none.
fn magnitude(since: Option<Timestamp>, now: Timestamp) -> u32 {
    // Upstream's logarithmic scale-down: without it, the youngest Pods, often those on the newest nodes, always go
    // first.
    let nanos = since.map_or(0, |since| now.duration_since(since).as_nanos());
    u128::try_from(nanos).map_or(0, |n| n.checked_ilog2().map_or(0, |log| log + 1))
}
