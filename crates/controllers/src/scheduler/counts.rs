//! How many Pods that a term is about run on each node, kept up to date as Pods come and go.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::ask::{Ask, PodTerm};
use super::state::Node;

/// The counts of so many terms are kept; Pods of one owner come one after the other, and a term that
/// comes again later is counted again.
const MOST: usize = 16;

/// How many Pods that a term is about run on each node.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    term: PodTerm,
    /// Those that the term is about, by name.
    pub(super) namespaces: Vec<String>,
    by_node: Vec<i64>,
}

impl Counts {
    /// Of a term, with nothing counted.
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
    }

    fn is_about(&self, pod: &Ask) -> bool {
        !pod.terminating
            && pod.selected(&self.term.selector)
            && self.namespaces.iter().any(|n| pod.namespace == *n)
    }

    /// The number on one node.
    pub(super) fn on(&self, node: &Node) -> i64 {
        self.by_node.get(node.at).copied().unwrap_or(0)
    }

    /// Counts one more on the node of a number or, with -1, one fewer.
    pub(super) fn add(&mut self, node: usize, sign: i64) {
        if self.by_node.len() <= node {
            self.by_node.resize(node + 1, 0);
        }
        self.by_node[node] += sign;
    }

    /// The numbers by the value of a label of the nodes.
    pub(super) fn by_label<'n>(
        &self,
        nodes: impl Iterator<Item = &'n Node>,
        key: &str,
    ) -> HashMap<String, i64> {
        let mut sums = HashMap::new();
        for node in nodes {
            if let Some(value) = node.labels.get(key) {
                *sums.entry(value.clone()).or_default() += self.on(node);
            }
        }
        sums
    }
}

/// The counts of the terms that were asked for last.
#[derive(Debug, Default)]
pub(super) struct Kept(RefCell<Vec<Arc<Counts>>>);

impl Kept {
    /// The counts of a term; the term asked for last comes first.
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
    pub(super) fn add(&mut self, node: usize, pod: &Ask, sign: i64) {
        for counts in self.0.get_mut() {
            if counts.is_about(pod) {
                Arc::make_mut(counts).add(node, sign);
            }
        }
    }

    /// Forgets what rests on the labels of namespaces: they may have changed since.
    pub(super) fn begin(&mut self) {
        let counts = self.0.get_mut();
        counts.retain(|counts| counts.term.in_namespaces.is_none());
    }
}
