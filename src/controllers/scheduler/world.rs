//! What one look sees: the nodes with their sums, the cache, and counts of Pods by node that several
//! Pods of the look share.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::ask::{Ask, PodTerm};
use super::state::{Node, State};
use crate::api::selector::LabelSelector;
use crate::kinds::{Kind, find_by_api_version};
use crate::runtime::{Cache, Object};

/// The counts of so many terms are kept up to date; Pods of one owner come one after the other, and a
/// term that comes again later is counted again.
const MOST_COUNTS: usize = 16;

/// How many Pods that a term is about run on each node.
#[derive(Debug)]
pub(super) struct Counts {
    term: PodTerm,
    by_node: HashMap<String, i64>,
}

/// The cluster as one look sees it.
pub(super) struct World<'a> {
    pub(super) state: &'a mut State,
    pub(super) cache: &'a Cache,
    /// The one that was asked for last comes first.
    counts: RefCell<Vec<Rc<Counts>>>,
    /// Whether any node has a label; no node changes during a look.
    labelled: RefCell<HashMap<String, bool>>,
}

/// A kind of the core group and others, by name.
pub(super) fn kind(api_version: &str, name: &str) -> Option<&'static Kind> {
    find_by_api_version(api_version, name)
}

impl<'a> World<'a> {
    pub(super) fn new(state: &'a mut State, cache: &'a Cache) -> Self {
        Self {
            state,
            cache,
            counts: RefCell::new(Vec::new()),
            labelled: RefCell::default(),
        }
    }

    /// Whether any node has a label of the name.
    pub(super) fn is_labelled(&self, key: &str) -> bool {
        if let Some(known) = self.labelled.borrow().get(key) {
            return *known;
        }
        let any = self.state.known().any(|n| n.labels.contains_key(key));
        self.labelled.borrow_mut().insert(key.to_owned(), any);
        any
    }

    /// An object of the cache.
    pub(super) fn object(
        &self,
        api_version: &str,
        kind_: &str,
        namespace: &str,
        name: &str,
    ) -> Option<&'a Object> {
        self.cache.get(kind(api_version, kind_)?, namespace, name)
    }

    /// All objects of a kind in a namespace, or in all.
    pub(super) fn objects(
        &self,
        api_version: &str,
        kind_: &str,
        namespace: &str,
    ) -> impl Iterator<Item = &'a Object> {
        let kind = kind(api_version, kind_);
        let (cache, namespace) = (self.cache, namespace.to_owned());
        kind.into_iter()
            .flat_map(move |kind| cache.list(kind, &namespace))
    }

    /// Whether the labels of a namespace are selected.
    pub(super) fn namespace_is(&self, name: &str, selector: &LabelSelector) -> bool {
        if selector.is_everything() {
            return true;
        }
        let namespace = self.object("v1", "Namespace", "", name);
        namespace.is_some_and(|n| selector.matches_object(n))
    }

    /// Whether a Pod is one that a term is about.
    pub(super) fn is_meant(&self, pod: &Ask, term: &PodTerm) -> bool {
        pod.is_meant(term, &|name, selector| self.namespace_is(name, selector))
    }

    /// How many Pods that a term is about run on each node.
    pub(super) fn counts(&self, term: &PodTerm) -> Rc<Counts> {
        let mut counts = self.counts.borrow_mut();
        if let Some(at) = counts.iter().position(|c| c.is_about(term)) {
            counts[..=at].rotate_right(1);
        } else {
            counts.truncate(MOST_COUNTS - 1);
            counts.insert(0, Rc::new(self.count(term)));
        }
        Rc::clone(&counts[0])
    }

    fn count(&self, term: &PodTerm) -> Counts {
        let mut by_node: HashMap<String, i64> = HashMap::new();
        let mut namespaces = term.namespaces.clone();
        if let Some(selector) = &term.in_namespaces {
            let all = self.objects("v1", "Namespace", "");
            let selected = all.filter(|n| selector.matches_object(n));
            namespaces.extend(selected.map(|n| n.name().to_owned()));
            namespaces.sort();
            namespaces.dedup();
        }
        let pods = kind("v1", "Pod");
        for (namespace, pods) in namespaces.iter().zip(std::iter::repeat(pods).flatten()) {
            for pod in self.cache.selected(pods, namespace, &term.selector) {
                if let Some(node) = self
                    .state
                    .node_of(pod.uid())
                    .filter(|_| !pod.is_terminating())
                {
                    *by_node.entry(node.to_owned()).or_default() += 1;
                }
            }
        }
        Counts {
            term: term.clone(),
            by_node,
        }
    }

    /// Places a Pod for the rest of the look.
    pub(super) fn assume(&mut self, node: &str, pod: &Arc<Ask>) {
        let mut counts = std::mem::take(&mut *self.counts.borrow_mut());
        for count in &mut counts {
            if self.is_meant(pod, &count.term)
                && let Some(count) = Rc::get_mut(count)
            {
                *count.by_node.entry(node.to_owned()).or_default() += 1;
            }
        }
        self.counts = RefCell::new(counts);
        self.state.assume(node, Arc::clone(pod));
    }
}

impl Counts {
    fn is_about(&self, term: &PodTerm) -> bool {
        let (a, b) = (&self.term, term);
        a.selector == b.selector
            && a.namespaces == b.namespaces
            && a.in_namespaces == b.in_namespaces
    }

    /// The number on one node.
    pub(super) fn on(&self, node: &str) -> i64 {
        self.by_node.get(node).copied().unwrap_or(0)
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
                *sums.entry(value.clone()).or_default() += self.on(&node.name);
            }
        }
        sums
    }
}
