//! Zones: if too many nodes of one are not ready, the network is a likelier cause than the nodes, and evictions stop.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::GRACE;
use crate::kinds::condition;
use crate::kinds::fake;
use crate::kinds::moment;
use crate::runtime::{Change, Object, ReconcileContext};
use crate::views;
use crate::watched;

/// The labels that name the zone of a node.
const ZONE: [&str; 2] = [
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];
/// The label of a node that counts in no zone.
const EXCLUDED: &str = "node.kubernetes.io/exclude-disruption";
/// The percentage of nodes from which on a zone is partially disrupted.
// `--unhealthy-zone-threshold`.
const UNHEALTHY: usize = 55;
/// The most nodes of a small zone, in which a partial disruption stops evictions.
// `--large-cluster-size-threshold`; larger zones go on slowly.
const SMALL: usize = 50;

/// Which Pods of a node that is not ready are evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evictions {
    /// All.
    Begin,
    /// Those of a node that was tainted before.
    GoOn,
    /// None, because no node of the cluster is ready.
    Stop,
}

/// The numbers of nodes that are ready, and of those that are not, by zone.
type Sums = BTreeMap<[String; 2], (usize, usize)>;

/// The states of the zones.
#[derive(Debug, Default)]
pub(super) struct Zones {
    /// The sums and the time for which they are valid. All plans of a batch share them, because the time would grow with
    /// the square of the number of nodes if each silent node counted all others.
    known: Option<(Timestamp, Sums)>,
}

impl Zones {
    /// Forgets the sums after a change of a node.
    pub(super) fn observe(&mut self, change: &Change) {
        if change.object().is_some_and(|o| o.kind().hosts_pods()) {
            self.known = None;
        }
    }

    /// Derives the evictions of a node that is not ready from the state of its zone and of the others.
    pub(super) fn evictions(&mut self, node: &Object, context: &ReconcileContext<'_>) -> Evictions {
        let known = self.known.take().filter(|(at, _)| *at == context.now);
        let (_, zones) = self
            .known
            .insert(known.unwrap_or_else(|| (context.now, sums(context))));
        if !zones.is_empty() && zones.values().all(|(ready, _)| *ready == 0) {
            return Evictions::Stop;
        }
        let (ready, unready) = zones.get(&zone(node)).copied().unwrap_or_default();
        let all = ready + unready;
        // A zone without any ready node is evicted as usual, because other zones have room.
        let partial = ready > 0 && unready > 2 && unready * 100 >= UNHEALTHY * all;
        match partial && all <= SMALL {
            true => Evictions::GoOn,
            false => Evictions::Begin,
        }
    }
}

fn sums(context: &ReconcileContext<'_>) -> Sums {
    let mut sums = Sums::new();
    for node in context.cache.list(watched::nodes(), "") {
        if views::meta(node).labels().get(EXCLUDED).is_some() {
            continue;
        }
        let (ready, unready) = sums.entry(zone(node)).or_default();
        match is_ready(node, context.now) {
            true => *ready += 1,
            false => *unready += 1,
        }
    }
    sums
}

impl Evictions {
    /// Returns true if the Pods of a node are evicted, given that it is tainted already or not.
    pub(super) fn reach(self, is_leaving: bool) -> bool {
        match self {
            Self::Begin => true,
            Self::GoOn => is_leaving,
            Self::Stop => false,
        }
    }
}

fn zone(node: &Object) -> [String; 2] {
    ZONE.map(|label| node.label(label).to_owned())
}

/// Returns true if a node is ready and has not been silent for too long.
fn is_ready(node: &Object, now: Timestamp) -> bool {
    let down = node.annotation(fake::NODE_DOWN);
    let since = down.and_then(|down| down.parse().ok());
    // The conditions of a silent node may be written by the same batch.
    let silent = since.is_some_and(|since| moment::since(since, now) >= GRACE);
    condition::is_true(node, "Ready") && !silent
}

/// Returns true if a change of a node may end or begin the disruption of a zone.
pub(super) fn concerns(change: &Change) -> bool {
    let is_ready = |node: &Object| condition::is_true(node, "Ready");
    let before = change.before.as_ref().map(is_ready);
    before != change.after.as_ref().map(is_ready) || change.differs("/metadata/labels")
}

#[cfg(test)]
mod tests {
    use super::super::{NOT_READY, NodeLifecycle, TTL};
    use crate::api::json::{Value, json};
    use crate::harness::{ControllerHarness, content};

    /// Returns the effects of the taints of the first of some nodes, by their readiness.
    fn effects(nodes: &[&str], tainted: bool) -> Vec<String> {
        let mut harness = ControllerHarness::new(NodeLifecycle::default());
        let taint = |effect: &str| json!({"key": NOT_READY, "effect": effect});
        for (number, ready) in nodes.iter().enumerate() {
            let mut taints = vec![taint("NoSchedule")];
            if tainted {
                taints.push(taint("NoExecute"));
            }
            harness.put(
                "v1",
                "Node",
                json!({
                    "metadata": {"name": format!("n{number}"), "annotations": {TTL: "0"}},
                    "spec": {"taints": taints},
                    "status": {"conditions": [{"type": "Ready", "status": *ready}]},
                }),
            );
        }
        let plan = harness.plan("", "n0");
        let changed = plan
            .changes
            .first()
            .map(|write| content(write)["spec"]["taints"].clone());
        let kept = harness.cache.get(crate::watched::nodes(), "", "n0");
        let kept = kept.map(|node| node["spec"]["taints"].clone());
        let taints = changed.or(kept).unwrap_or(Value::Null);
        let taints = taints.as_array().unwrap().iter();
        taints
            .map(|taint| taint["effect"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn the_sums_of_zones_follow_the_nodes() {
        let node = |name: &str, ready: &str| {
            json!({"metadata": {"name": name, "annotations": {TTL: "0"}},
                "status": {"conditions": [{"type": "Ready", "status": ready}]}})
        };
        let mut harness = ControllerHarness::new(NodeLifecycle::default());
        harness.put("v1", "Node", node("n0", "False"));
        // For each state of the other node: the number of taints of this one.
        for (ready, count) in [("False", 1), ("True", 2), ("False", 1)] {
            harness.put("v1", "Node", node("n1", ready));
            let plan = harness.plan("", "n0");
            let taints = &content(&plan.changes[0])["spec"]["taints"];
            assert_eq!(taints.as_array().unwrap().len(), count, "{ready}");
        }
    }

    #[test]
    fn evictions_stop_if_too_many_nodes_are_not_ready() {
        let (all, none): (&[&str], &[&str]) = (&["NoSchedule", "NoExecute"], &["NoSchedule"]);
        let cases: &[(&[&str], bool, &[&str])] = &[
            (&["False", "True"], false, all),
            (&["False", "False"], false, none),
            (&["False", "False"], true, none),
            (&["False", "Unknown", "True"], false, all),
            (&["False", "False", "False", "True", "True"], false, none),
            (&["False", "False", "False", "True", "True"], true, all),
            (
                &["False", "False", "False", "True", "True", "True"],
                false,
                all,
            ),
        ];
        for (nodes, tainted, expected) in cases {
            assert_eq!(effects(nodes, *tainted), *expected, "{nodes:?} {tainted}");
        }
    }
}
