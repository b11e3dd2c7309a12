//! Pod affinity and anti-affinity.

use std::collections::HashMap;
use std::sync::Arc;

use super::pod_info::{PodInfo, PodTerm};
use super::refusal::Refusal;
use super::state::Node;
use super::world::World;
use crate::api::json::Text;

/// The domains of the Pods that a Pod's terms select, gathered once for all nodes.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// For each affinity term: the number of Pods by domain that all terms select, and in all.
    with: Vec<(HashMap<String, i64>, i64)>,
    /// True if the Pod matches its own terms, so that it may be the first Pod of a group.
    own: bool,
    without: Vec<HashMap<String, i64>>,
    /// The anti-affinity terms of running Pods: topology key, value, and owner of the term.
    unwanted: Vec<(String, String, Text)>,
}

impl Places {
    pub(super) fn new(pod_info: &PodInfo, world: &World<'_>) -> Self {
        let needs = &pod_info.needs;
        let sums = |term: &PodTerm| world.counts(term).by_label(world.state.known(), &term.key);
        // A Pod counts for a term only if it matches all of them.
        let shared = world.shared(&needs.with);
        let with = shared.iter().map(|term| {
            let sums = sums(term);
            let all: i64 = sums.values().sum();
            (sums, all)
        });
        Self {
            with: with.collect(),
            own: matches_all(pod_info, &needs.with, world),
            without: needs.without.iter().map(sums).collect(),
            unwanted: unwanted(pod_info, world),
        }
    }

    /// Returns true if these may refuse a node.
    pub(super) fn select(&self) -> bool {
        !(self.with.is_empty() && self.without.is_empty() && self.unwanted.is_empty())
    }

    /// Returns the reason against a node; `gone` contains the Pods that preemption would remove.
    pub(super) fn refusal(
        &self,
        pod_info: &PodInfo,
        node: &Node,
        gone: &[Arc<PodInfo>],
        world: &World<'_>,
    ) -> Option<Refusal> {
        let needs = &pod_info.needs;
        let away = gone.iter().filter(|_| !self.with.is_empty());
        let away = away.filter(|pod| matches_all(pod, &needs.with, world));
        let away = i64::try_from(away.count()).unwrap_or(0);
        // Upstream's exception: the first Pod of a group with affinity to itself could never be placed otherwise.
        let first = self.own && self.with.iter().all(|(_, all)| *all <= away);
        for (term, (sums, _)) in needs.with.iter().zip(&self.with) {
            let value = node.labels.get(&term.key);
            let there = value.is_some_and(|v| sums.get(v).is_some_and(|n| *n > away));
            // The topology key is required even of the first Pod. The refusal is final: removing Pods cannot satisfy
            // affinity.
            if value.is_none() || !there && !first {
                return Some(Refusal::for_good("node(s) didn't match pod affinity rules"));
            }
        }
        for (term, sums) in needs.without.iter().zip(&self.without) {
            let Some(value) = node.labels.get(&term.key) else {
                continue;
            };
            // Preemption tries the node without its victims, whose anti-affinity ends with them.
            let away = gone
                .iter()
                .filter(|pod| world.matches_term(pod, term))
                .count();
            if sums.get(value).copied().unwrap_or(0) > i64::try_from(away).unwrap_or(0) {
                return Some(Refusal::for_now(
                    "node(s) didn't match pod anti-affinity rules",
                ));
            }
        }
        let here = |(key, value, owner): &&(String, String, Text)| {
            node.labels.get(key) == Some(value) && !gone.iter().any(|pod| pod.uid == *owner)
        };
        self.unwanted
            .iter()
            .find(here)
            .map(|_| Refusal::for_now("node(s) didn't satisfy existing pods anti-affinity rules"))
    }
}

/// Returns true if all affinity terms apply to a Pod.
fn matches_all(pod: &PodInfo, terms: &[PodTerm], world: &World<'_>) -> bool {
    terms.iter().all(|term| world.matches_term(pod, term))
}

fn unwanted(pod_info: &PodInfo, world: &World<'_>) -> Vec<(String, String, Text)> {
    let mut unwanted = Vec::new();
    // Anti-affinity works both ways: a running Pod keeps others away although they have no terms of their own.
    for pod in world
        .state
        .particular
        .values()
        .filter(|p| p.uid != pod_info.uid)
    {
        for term in pod
            .needs
            .without
            .iter()
            .filter(|t| world.matches_term(pod_info, t))
        {
            let node = world.state.node_of(&pod.uid);
            if let Some(value) = node.and_then(|n| n.labels.get(&term.key)) {
                unwanted.push((term.key.clone(), value.clone(), pod.uid.clone()));
            }
        }
    }
    unwanted
}

/// Returns the preference of a Pod for each node, by its own terms and those of the Pods there.
pub(super) fn preferences(pod_info: &PodInfo, nodes: &[&Node], world: &World<'_>) -> Vec<i64> {
    let mut scores = vec![0_i64; nodes.len()];
    let mut add = |sums: &HashMap<String, i64>, key: &str, weight: i64| {
        for (score, node) in scores.iter_mut().zip(nodes) {
            let count = node.labels.get(key).and_then(|value| sums.get(value));
            *score += weight * count.copied().unwrap_or(0);
        }
    };
    for (weight, term) in &pod_info.needs.rather {
        let sums = world.counts(term).by_label(world.state.known(), &term.key);
        add(&sums, &term.key, *weight);
    }
    for pod in world.state.particular.values() {
        let Some(node) = world.state.node_of(&pod.uid) else {
            continue;
        };
        // A Pod that must be with others counts, a little, for those others too.
        let hard = pod.needs.with.iter().map(|term| (1, term));
        let soft = pod
            .needs
            .rather
            .iter()
            .map(|(weight, term)| (*weight, term));
        for (weight, term) in hard
            .chain(soft)
            .filter(|(_, t)| world.matches_term(pod_info, t))
        {
            if let Some(value) = node.labels.get(&term.key) {
                add(&HashMap::from([(value.clone(), 1)]), &term.key, weight);
            }
        }
    }
    scores
}
