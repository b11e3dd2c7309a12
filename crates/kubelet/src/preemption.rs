//! Selects the Pods that a kubelet ends to make room for a critical Pod that no scheduler placed.
//!
//! Must not know: how a Pod ends.

use super::admission::{Lack, Rejection, units};
use crate::kinds::pod::{qos, resources};
use crate::kinds::tree::{field, int};
use crate::runtime::Object;

/// The priority from which a Pod is critical.
const CRITICAL: i64 = 2_000_000_000;

/// The amount of a resource that must become free.
#[derive(Clone)]
struct Requirement {
    resource: String,
    amount: i64,
}

fn priority(pod: &Object) -> i64 {
    int(field(pod, "spec"), "priority")
}

/// Returns true if a kubelet makes room for the Pod.
pub(super) fn is_critical(pod: &Object) -> bool {
    priority(pod) >= CRITICAL
}

/// Returns the Pods whose end frees what a critical Pod lacks.
pub(super) fn victims<'c>(
    pod: &Object,
    lacks: Vec<Lack>,
    others: Vec<&'c Object>,
) -> Result<Vec<&'c Object>, Rejection> {
    let required = lacks.iter().map(|lack| {
        let (resource, amount) = lack.missing();
        Requirement {
            resource: resource.to_owned(),
            amount,
        }
    });
    let required: Vec<Requirement> = required.collect();
    // A critical Pod never ends one that is as important, such as a part of the control plane.
    let is_weaker = |other: &&Object| !is_critical(other) || priority(other) < priority(pod);
    let weaker: Vec<&Object> = others.into_iter().filter(is_weaker).collect();
    // Checked first: no Pod is ended in vain.
    let unmet = without(&required, &weaker);
    if !unmet.is_empty() {
        let unmet = unmet
            .iter()
            .map(|one| format!("(res: {}, q: {}), ", one.resource, one.amount));
        let message = format!(
            "Unexpected error while attempting to recover from admission failure: preemption: error finding a set \
             of pods to preempt: no set of running pods found to reclaim resources: [{}]",
            unmet.collect::<String>()
        );
        return Err(Rejection::new("UnexpectedAdmissionError", message));
    }
    let of = |class: &str| -> Vec<&Object> {
        let members = weaker.iter().filter(|pod| qos::class(pod) == class);
        members.copied().collect()
    };
    let [best_effort, burstable, guaranteed] = ["BestEffort", "Burstable", "Guaranteed"].map(of);
    // A class gives only what the weaker classes cannot.
    let rest = without(&without(&required, &best_effort), &burstable);
    let guaranteed = nearest(guaranteed, rest);
    let rest = without(&without(&required, &best_effort), &guaranteed);
    let burstable = nearest(burstable, rest);
    let rest = without(&without(&required, &burstable), &guaranteed);
    let best_effort = nearest(best_effort, rest);
    Ok([best_effort, burstable, guaranteed].concat())
}

/// Returns how much of a resource a Pod requests.
fn request(pod: &Object, resource: &str) -> i64 {
    match resource {
        "pods" => 1,
        name => resources::of_pod(field(pod, "spec"), "requests")
            .get(name)
            .map_or(0, |amount| units(name, amount)),
    }
}

/// Returns what is still required after the end of some Pods.
fn without(required: &[Requirement], ended: &[&Object]) -> Vec<Requirement> {
    // An excess of one resource does not make up for a lack of another.
    let rest = required.iter().map(|one| Requirement {
        resource: one.resource.clone(),
        amount: one.amount
            - ended
                .iter()
                .map(|pod| request(pod, &one.resource))
                .sum::<i64>(),
    });
    rest.filter(|one| one.amount > 0).collect()
}

/// Selects Pods one after the other, each time the one that leaves the least, until nothing is required.
fn nearest(mut pods: Vec<&Object>, mut required: Vec<Requirement>) -> Vec<&Object> {
    let mut chosen = Vec::new();
    while !required.is_empty() && !pods.is_empty() {
        let mut best = 0;
        for index in 1..pods.len() {
            let (nearest, this) = (left(&required, pods[best]), left(&required, pods[index]));
            let is_smaller = size(pods[index]) <= size(pods[best]);
            if this < nearest || this.total_cmp(&nearest).is_eq() && is_smaller {
                best = index;
            }
        }
        // The last Pod takes the place of the chosen one, as upstream: the order decides between equal Pods.
        let pod = pods.swap_remove(best);
        required = without(&required, &[pod]);
        chosen.push(pod);
    }
    chosen
}

/// Returns the distance of a Pod from the requirements: the sum of the squares of the fractions that it leaves.
fn left(required: &[Requirement], pod: &Object) -> f64 {
    // Fractions, so that bytes do not outweigh CPUs.
    let fractions = required.iter().map(|one| {
        let rest = (one.amount - request(pod, &one.resource)).max(0);
        rest as f64 / one.amount as f64
    });
    fractions.map(|fraction| fraction * fraction).sum()
}

/// Returns the requests that order Pods at the same distance.
fn size(pod: &Object) -> [i64; 2] {
    // Memory first: it cannot be taken back from a running container.
    ["memory", "cpu"].map(|resource| request(pod, resource))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::{Admission, decision};
    use crate::api::json::{Value, json};
    use crate::cluster::find_kind;
    use crate::on_node::by_node;
    use crate::runtime::Cache;

    fn object(kind: &str, name: &str, rest: Value) -> Object {
        let kind = find_kind("v1", kind).unwrap();
        let mut object = json!({"metadata": {"name": name, "uid": name, "resourceVersion": "1"}});
        crate::api::patch::merge::apply(&mut object, &rest);
        Object::new(kind, object)
    }

    fn pod(name: &str, priority: i64, resources: Value) -> Object {
        let running = match name {
            "critical" => Value::Null,
            _ => json!("2026-01-02T12:00:00Z"),
        };
        let spec = json!({"nodeName": "n", "priority": priority, "containers": [{"resources": resources}]});
        let rest = json!({"metadata": {"namespace": "default", "creationTimestamp": "2026-01-02T12:00:00Z"},
            "spec": spec, "status": {"startTime": running}});
        object("Pod", name, rest)
    }

    /// Returns the decision of a node with four CPUs about a critical Pod that requests some of them.
    fn decided(cpu: &str, others: &[Object]) -> String {
        let mut cache = Cache::new(by_node());
        others.iter().for_each(|pod| drop(cache.put(pod.clone())));
        let critical = pod(
            "critical",
            CRITICAL + 1000,
            json!({"requests": {"cpu": cpu}}),
        );
        let _ = cache.put(critical.clone());
        let node = object(
            "Node",
            "n",
            json!({"status": {"allocatable": {"cpu": "4", "pods": "9"}}}),
        );
        match decision(&critical, &node, &cache) {
            Admission::Admits => "admits".to_owned(),
            Admission::Rejects(rejection) => rejection.message,
            Admission::Preempts(pods) => {
                let names: Vec<&str> = pods.iter().map(|pod| pod.name()).collect();
                names.join(" ")
            }
        }
    }

    #[test]
    fn critical_pod_takes_the_room_of_the_nearest_weaker_pods() {
        let cpu = |amount: &str| json!({"requests": {"cpu": amount}});
        let sure = json!({"requests": {"cpu": "2", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}});
        let others = [
            pod("best-effort", 0, json!({})),
            pod("large", 0, cpu("1")),
            pod("small", 1000, cpu("500m")),
            pod("sure", 0, sure),
        ];
        assert_eq!(decided("500m", &others), "admits");
        assert_eq!(decided("1", &others), "small");
        assert_eq!(decided("1500m", &others), "large");
        assert_eq!(decided("2", &others), "large small");
        assert_eq!(decided("2500m", &others), "sure");
    }

    #[test]
    fn critical_pod_is_rejected_if_the_weaker_ones_have_too_little() {
        let cpu = |amount: &str| json!({"requests": {"cpu": amount}});
        let others = [
            pod("own", CRITICAL + 1000, cpu("3")),
            pod("small", 0, cpu("500m")),
        ];
        assert_eq!(
            decided("2", &others),
            "Unexpected error while attempting to recover from admission failure: preemption: error finding a set \
             of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]"
        );
    }
}
