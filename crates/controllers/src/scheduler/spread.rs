//! Topology spread constraints.

use std::collections::HashMap;
use std::sync::Arc;

use super::pod_info::{PodInfo, PodTerm, Spread};
use super::refusal::Refusal;
use super::state::Node;
use super::world::World;
use crate::api::selector::LabelSelector;
use crate::kinds::pod::node_rules::Taint;
use crate::kinds::tree::{at, has};
use crate::watched;

pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";
const ZONE: &str = "topology.kubernetes.io/zone";

/// The numbers of Pods by place that the constraints of a Pod are about.
#[derive(Debug, Default)]
pub(super) struct Skews(Vec<(HashMap<String, i64>, i64)>);

/// Returns the `DoNotSchedule` constraints.
fn required(pod_info: &PodInfo) -> impl Iterator<Item = &Spread> {
    pod_info.needs.spread.iter().filter(|s| s.required)
}

impl Skews {
    pub(super) fn new(pod_info: &PodInfo, world: &World<'_>) -> Self {
        let keys: Vec<&String> = required(pod_info).map(|s| &s.term.key).collect();
        let sums = |spread: &Spread| {
            let counts = world.counts(&spread.term);
            let counted = |node: &&Node| {
                // A node without one of the keys belongs to no domain of any constraint.
                let has_all = keys.iter().all(|key| node.labels.contains_key(*key));
                let accepted = !spread.honors_affinity
                    || pod_info.needs.nodes.accepts(&node.name, &node.labels);
                // A soft taint does not keep Pods away, so its node counts.
                let repels = |t: &&Taint| t.effect != "PreferNoSchedule";
                let tolerated = !spread.honors_taints
                    || node
                        .taints
                        .iter()
                        .filter(repels)
                        .all(|t| pod_info.needs.nodes.tolerates(t));
                has_all && accepted && tolerated
            };
            let sums = counts.by_label(world.state.known().filter(counted), &spread.term.key);
            let domains = i64::try_from(sums.len()).unwrap_or(i64::MAX);
            // With too few domains the minimum counts as zero, which forces the use of new domains.
            let least = match domains < spread.min_domains {
                true => 0,
                false => sums.values().copied().min().unwrap_or(0),
            };
            (sums, least)
        };
        Self(required(pod_info).map(sums).collect())
    }

    /// Returns true if these may refuse a node.
    pub(super) fn select(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the reason against a node.
    pub(super) fn refusal(
        &self,
        pod_info: &PodInfo,
        node: &Node,
        gone: &[Arc<PodInfo>],
    ) -> Option<Refusal> {
        for (spread, (sums, least)) in required(pod_info).zip(&self.0) {
            let Some(value) = node.labels.get(&spread.term.key) else {
                return Some(Refusal::for_good(
                    "node(s) didn't match pod topology spread constraints (missing required label)",
                ));
            };
            let same = |pod: &&Arc<PodInfo>| {
                pod.namespace == pod_info.namespace && pod.selected(&spread.term.selector)
            };
            let away = i64::try_from(gone.iter().filter(same).count()).unwrap_or(0);
            let there = sums.get(value).copied().unwrap_or(0) - away;
            // The Pod itself counts only if the constraint selects it.
            let own = i64::from(pod_info.selected(&spread.term.selector));
            if there + own - (*least).min(there) > spread.max_skew {
                return Some(Refusal::for_now(
                    "node(s) didn't match pod topology spread constraints",
                ));
            }
        }
        None
    }
}

/// Returns the default spreading constraints: the Pods of its Services and owner, over nodes and
/// zones.
pub(super) fn usual(pod_info: &PodInfo, world: &World<'_>) -> Vec<Spread> {
    let Some(selector) = siblings(pod_info, world) else {
        return Vec::new();
    };
    let over = |key: &str, max_skew| Spread {
        term: PodTerm::within(&pod_info.namespace, selector.clone(), key),
        max_skew,
        required: false,
        min_domains: 1,
        honors_affinity: true,
        honors_taints: false,
    };
    // kube-scheduler's system defaults for `PodTopologySpread`.
    vec![over(HOSTNAME, 3), over(ZONE, 5)]
}

/// Returns the selector of the Pods that are spread together with this one.
fn siblings(pod_info: &PodInfo, world: &World<'_>) -> Option<LabelSelector> {
    let mut requirements = Vec::new();
    for service in world.objects(watched::services(), &pod_info.namespace) {
        if !has(at(service, &["spec"]), "selector") {
            continue;
        }
        if let Ok(selector) = LabelSelector::from_labels(service.pointer("/spec/selector"))
            && !selector.is_everything()
            && pod_info.selected(&selector)
        {
            requirements.extend_from_slice(selector.requirements());
        }
    }
    let pod = world.object(watched::pods(), &pod_info.namespace, &pod_info.name);
    let owner = pod
        .and_then(|pod| pod.controller())
        .and_then(|o| o["uid"].as_str());
    let owner = owner.and_then(|uid| world.cache.by_uid(uid));
    let selector = owner.and_then(|owner| match owner.kind() {
        kind if kind == watched::replica_sets() || kind == watched::stateful_sets() => {
            LabelSelector::from_object(owner.pointer("/spec/selector")).ok()
        }
        kind if kind == watched::replication_controllers() => {
            LabelSelector::from_labels(owner.pointer("/spec/selector")).ok()
        }
        _ => None,
    });
    requirements.extend(selector.iter().flat_map(|s| s.requirements().to_vec()));
    (!requirements.is_empty()).then(|| LabelSelector::from_requirements(requirements))
}

/// Returns the constraints that rank nodes: the Pod's own, or the default ones if it has none.
pub(super) fn soft<'s>(pod_info: &'s PodInfo, usual: &'s [Spread]) -> Vec<&'s Spread> {
    match pod_info.needs.spread.as_slice() {
        [] => usual.iter().collect(),
        own => own.iter().filter(|s| !s.required).collect(),
    }
}

/// Returns the skew that each node would cause by constraints: 0 is best; nodes that lack a required label have none.
pub(super) fn scores(
    pod_info: &PodInfo,
    constraints: &[&Spread],
    nodes: &[usize],
    world: &World<'_>,
) -> Vec<Option<f64>> {
    let by_default = pod_info.needs.spread.is_empty();
    let mut scores: Vec<Option<f64>> = vec![Some(0.0); nodes.len()];
    for spread in constraints {
        let (column, counts) = (world.column(&spread.term.key), world.counts(&spread.term));
        let by_host = spread.term.key == HOSTNAME;
        let sums = match by_host {
            true => Vec::new(),
            false => column.sums(&counts),
        };
        let size = if by_host { nodes.len() } else { column.size };
        // Upstream's `topologyNormalizingWeight`: more domains weigh more, but not in proportion.
        let weight = ((size + 2) as f64).ln();
        // Without the label on any node there is nothing to add.
        if by_default && column.size == 0 {
            continue;
        }
        for (score, node) in scores.iter_mut().zip(nodes.iter().copied()) {
            let Some(value) = column.of(node) else {
                // With the Pod's own constraints the node is ignored; the system defaults ignore only the missing
                // label.
                if !by_default {
                    *score = None;
                }
                continue;
            };
            let there = if by_host {
                counts.on(node)
            } else {
                sums[value]
            };
            if let Some(score) = score {
                *score += there as f64 * weight + (spread.max_skew - 1) as f64;
            }
        }
    }
    scores
}
