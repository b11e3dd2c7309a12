//! The scheduler's view in one cycle: nodes with their sums, the cache, and Pod counts by node that the Pods of the
//! cycle share.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::counts::Counts;
use super::devices::assumed::AssumedClaims;
use super::pod_info::{PodInfo, PodTerm};
use super::state::State;
use crate::api::selector::LabelSelector;
use crate::kinds::Kind;
use crate::runtime::{Cache, Object};
use crate::watched;

/// The cluster during one scheduling cycle.
pub(super) struct World<'a> {
    pub(super) state: &'a mut State,
    pub(super) cache: &'a Cache,
    /// The claims for devices that this cycle has changed.
    pub(super) claims: AssumedClaims,
    /// By label key; nodes do not change during a cycle.
    columns: RefCell<HashMap<String, Rc<Column>>>,
}

/// The values of one label on all nodes.
#[derive(Debug)]
pub(super) struct Column {
    /// The number of the value that each node has, by the number of the node.
    values: Vec<Option<usize>>,
    /// The number of distinct values.
    pub(super) size: usize,
}

impl Column {
    /// Returns the number of a node's value.
    pub(super) fn of(&self, node: usize) -> Option<usize> {
        self.values.get(node).copied().flatten()
    }

    /// Returns the sums of counts by the number of the nodes' value.
    // Visits two lists in order: a visit of 5,000 nodes by name for each Pod took longer than the rest of its placing.
    pub(super) fn sums(&self, counts: &Counts) -> Vec<i64> {
        let mut sums = vec![0; self.size];
        for (node, value) in self.values.iter().enumerate() {
            if let Some(value) = value {
                sums[*value] += counts.on(node);
            }
        }
        sums
    }
}

impl<'a> World<'a> {
    pub(super) fn new(state: &'a mut State, cache: &'a Cache) -> Self {
        Self {
            state,
            cache,
            claims: AssumedClaims::new(),
            columns: RefCell::default(),
        }
    }

    /// Returns the values of a label on all nodes.
    pub(super) fn column(&self, key: &str) -> Rc<Column> {
        // Spreading and affinity compare domains for each Pod and node. Numbers for the values make that an index
        // instead of a string comparison, and the Pods of a cycle share them.
        if let Some(known) = self.columns.borrow().get(key) {
            return Rc::clone(known);
        }
        let mut values = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for node in self.state.known() {
            if let Some(value) = node.labels.get(key) {
                let next = numbers.len();
                let number = *numbers.entry(value).or_insert(next);
                values.resize(values.len().max(node.at + 1), None);
                values[node.at] = Some(number);
            }
        }
        let size = numbers.len();
        let column = Rc::new(Column { values, size });
        let mut columns = self.columns.borrow_mut();
        columns.insert(key.to_owned(), Rc::clone(&column));
        column
    }

    /// Returns an object of the cache.
    pub(super) fn object(
        &self,
        kind: &'static Kind,
        namespace: &str,
        name: &str,
    ) -> Option<&'a Object> {
        self.cache.get(kind, namespace, name)
    }

    /// Returns all objects of a kind in a namespace, or in all.
    pub(super) fn objects(
        &self,
        kind: &'static Kind,
        namespace: &str,
    ) -> impl Iterator<Item = &'a Object> {
        self.cache.list(kind, namespace)
    }

    /// Returns true if the labels of a namespace are selected.
    pub(super) fn namespace_is(&self, name: &str, selector: &LabelSelector) -> bool {
        // An empty selector selects every namespace, so its labels need no lookup.
        if selector.is_everything() {
            return true;
        }
        let namespace = self.object(watched::namespaces(), "", name);
        namespace.is_some_and(|n| selector.matches_object(n))
    }

    /// Returns true if a term applies to a Pod.
    pub(super) fn matches_term(&self, pod: &PodInfo, term: &PodTerm) -> bool {
        pod.matches_term(term, &|name, selector| self.namespace_is(name, selector))
    }

    /// Returns the number of Pods on each node that a term selects.
    pub(super) fn counts(&self, term: &PodTerm) -> Arc<Counts> {
        self.state.counts.of(term, || self.count(term))
    }

    /// Returns the terms that count only the Pods that all of `terms` select.
    pub(super) fn shared<'t>(&self, terms: &'t [PodTerm]) -> Cow<'t, [PodTerm]> {
        if terms.len() < 2 {
            return Cow::Borrowed(terms);
        }
        let all = terms.iter().flat_map(|term| term.selector.requirements());
        let selector = match terms.iter().any(|term| term.selector.is_nothing()) {
            true => LabelSelector::nothing(),
            false => LabelSelector::from_requirements(all.cloned().collect()),
        };
        let mut namespaces = self.namespaces_of(&terms[0]);
        for term in &terms[1..] {
            let others = self.namespaces_of(term);
            namespaces.retain(|name| others.contains(name));
        }
        let shared = |term: &PodTerm| PodTerm {
            selector: selector.clone(),
            namespaces: namespaces.clone(),
            in_namespaces: None,
            ..term.clone()
        };
        Cow::Owned(terms.iter().map(shared).collect())
    }

    /// Returns the names of the namespaces that a term is about.
    fn namespaces_of(&self, term: &PodTerm) -> Vec<String> {
        let mut namespaces = term.namespaces.clone();
        if let Some(selector) = &term.in_namespaces {
            let all = self.objects(watched::namespaces(), "");
            let selected = all.filter(|n| selector.matches_object(n));
            namespaces.extend(selected.map(|n| n.name().to_owned()));
            // The API takes the union of listed and selected namespaces; without `dedup` a Pod in both would count
            // twice.
            namespaces.sort();
            namespaces.dedup();
        }
        namespaces
    }

    fn count(&self, term: &PodTerm) -> Counts {
        let mut counts = Counts::new(term, self.namespaces_of(term));
        let in_one = |name: &String| {
            let pods = watched::pods();
            self.cache.selected(pods, name, &term.selector)
        };
        let all = counts.namespaces.iter().flat_map(in_one);
        let there = all.filter(|pod| term.with_terminating || !pod.is_terminating());
        let nodes = there.filter_map(|pod| self.state.node_of(pod.uid()));
        for node in nodes.map(|node| node.at).collect::<Vec<_>>() {
            counts.add(node, 1);
        }
        counts
    }

    /// Assumes a Pod on a node for the rest of the cycle.
    pub(super) fn assume(&mut self, node: &str, pod: &Arc<PodInfo>) {
        self.state.assume(node, Arc::clone(pod));
    }
}
