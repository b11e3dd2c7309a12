//! What one look sees: the nodes with their sums, the cache, and counts of Pods by node that several
//! Pods of the look share.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::ask::{Ask, PodTerm};
use super::counts::Counts;
use super::state::State;
use crate::api::selector::LabelSelector;
use crate::kinds::{Kind, find_by_api_version};
use crate::runtime::{Cache, Object};

/// The cluster as one look sees it.
pub(super) struct World<'a> {
    pub(super) state: &'a mut State,
    pub(super) cache: &'a Cache,
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
        self.state.counts.of(term, || self.count(term))
    }

    fn count(&self, term: &PodTerm) -> Counts {
        let mut namespaces = term.namespaces.clone();
        if let Some(selector) = &term.in_namespaces {
            let all = self.objects("v1", "Namespace", "");
            let selected = all.filter(|n| selector.matches_object(n));
            namespaces.extend(selected.map(|n| n.name().to_owned()));
            namespaces.sort();
            namespaces.dedup();
        }
        let mut counts = Counts::new(term, namespaces);
        let pods = kind("v1", "Pod").into_iter();
        let all = pods.flat_map(|pods| {
            let in_one = |name: &String| self.cache.selected(pods, name, &term.selector);
            counts.namespaces.iter().flat_map(in_one)
        });
        let mut by_node = HashMap::new();
        for pod in all.filter(|pod| !pod.is_terminating()) {
            if let Some(node) = self.state.node_of(pod.uid()) {
                *by_node.entry(node.to_owned()).or_default() += 1;
            }
        }
        counts.by_node = by_node;
        counts
    }

    /// Places a Pod for the rest of the look.
    pub(super) fn assume(&mut self, node: &str, pod: &Arc<Ask>) {
        self.state.assume(node, Arc::clone(pod));
    }
}
