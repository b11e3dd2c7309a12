//! The number of Pods on each node that a term selects.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::pod_info::{PodInfo, PodTerm};
use super::state::Node;

/// The number of terms whose counts are cached. Pods of one owner follow each other, and a term that returns later is
/// counted again.
// A linear search over so few entries is cheaper than hashing a selector.
const MOST: usize = 16;

/// The number of Pods on each node that a term selects.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    term: PodTerm,
    /// The namespaces of the term, by name.
    pub(super) namespaces: Vec<String>,
    by_node: Vec<i64>,
}

impl Counts {
    /// Creates the counts of a term, all zero.
    pub(super) fn new(term: &PodTerm, namespaces: Vec<String>) -> Self {
        Self {
            term: term.clone(),
            namespaces,
            by_node: Vec::new(),
        }
    }

    fn are_of(&self, term: &PodTerm) -> bool {
        let (a, b) = (&self.term, term);
        a.selector == b.selector
            && a.namespaces == b.namespaces
            && a.in_namespaces == b.in_namespaces
            && a.with_terminating == b.with_terminating
    }

    fn is_about(&self, pod: &PodInfo) -> bool {
        (self.term.with_terminating || !pod.terminating)
            && pod.selected(&self.term.selector)
            && self.namespaces.iter().any(|n| pod.namespace == *n)
    }

    /// Returns the count of one node.
    pub(super) fn on(&self, node: usize) -> i64 {
        self.by_node.get(node).copied().unwrap_or(0)
    }

    /// Adds 1 to the count of a node, or -1.
    pub(super) fn add(&mut self, node: usize, sign: i64) {
        // Nodes are numbered as they are added, so a later node may be beyond the end.
        if self.by_node.len() <= node {
            self.by_node.resize(node + 1, 0);
        }
        self.by_node[node] += sign;
    }

    /// Returns the numbers by the value of a label of the nodes.
    pub(super) fn by_label<'n>(
        &self,
        nodes: impl Iterator<Item = &'n Node>,
        key: &str,
    ) -> HashMap<String, i64> {
        // Nodes without the label belong to no domain of the term, as in Kubernetes.
        let mut sums = HashMap::new();
        for node in nodes {
            if let Some(value) = node.labels.get(key) {
                *sums.entry(value.clone()).or_default() += self.on(node.at);
            }
        }
        sums
    }
}

/// The counts of the most recently used terms.
#[derive(Debug, Default)]
pub(super) struct CountCache(RefCell<Vec<Arc<Counts>>>);

impl CountCache {
    /// Returns the counts of a term and moves it to the front.
    pub(super) fn of(&self, term: &PodTerm, count: impl FnOnce() -> Counts) -> Arc<Counts> {
        let mut kept = self.0.borrow_mut();
        if let Some(at) = kept.iter().position(|counts| counts.are_of(term)) {
            kept[..=at].rotate_right(1);
        } else {
            kept.truncate(MOST - 1);
            kept.insert(0, Arc::new(count()));
        }
        Arc::clone(&kept[0])
    }

    /// Counts a Pod on a node or, with -1, no longer.
    pub(super) fn add(&mut self, node: usize, pod: &PodInfo, sign: i64) {
        for counts in self.0.get_mut() {
            if counts.is_about(pod) {
                Arc::make_mut(counts).add(node, sign);
            }
        }
    }

    /// Drops counts that depend on the labels of namespaces: they may have changed since the last cycle.
    pub(super) fn begin(&mut self) {
        let counts = self.0.get_mut();
        counts.retain(|counts| counts.term.in_namespaces.is_none());
    }
}
