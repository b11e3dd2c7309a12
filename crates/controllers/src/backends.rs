//! The Pods of each Service, in the order of its endpoints.
//!
//! Must not know: the objects that are created from them.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use super::service_pods::selector;
use super::workload::facts;
use super::{views, watched};
use crate::api::json::Text;
use crate::api::selector::LabelSelector;
use crate::kinds::Kind;
use crate::runtime::{Cache, Change, Key, Object, Tally};

/// The position of a Pod among the endpoints of its service: by address, then by uid.
type Rank = (Option<IpAddr>, Box<str>);

/// Returns the place of a Pod that has an address and has not ended.
fn rank(pod: &Object) -> Option<Rank> {
    let has_address = !views::pod(pod).ip().is_empty();
    let facts = facts(pod);
    (has_address && !facts.life.over).then(|| (facts.address, pod.uid().into()))
}

/// A service with its Pods.
#[derive(Clone, Debug)]
struct Service {
    selector: LabelSelector,
    pods: BTreeMap<Rank, Object>,
}

impl Service {
    /// Returns the position of a Pod among the endpoints of this service, if it is one.
    fn rank(&self, pod: &Object) -> Option<Rank> {
        let selected = self.selector.matches_object(pod);
        selected.then(|| rank(pod)).flatten()
    }
}

/// The Pods of all services that select some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backends(HashMap<Text, BTreeMap<Text, Service>>);

impl Backends {
    /// Returns the Pods of a service that have an address and have not ended.
    pub(crate) fn of(&self, service: &Key) -> impl ExactSizeIterator<Item = &Object> {
        static NONE: BTreeMap<Rank, Object> = BTreeMap::new();
        let pods = self.service(service).map_or(&NONE, |service| &service.pods);
        pods.values()
    }

    /// Returns true if a Pod is an endpoint of the service.
    pub(crate) fn has(&self, service: &Key, pod: &Object) -> bool {
        let service = self.service(service);
        service.is_some_and(|service| service.rank(pod).is_some())
    }

    /// Returns the services that select a Pod before or after a change.
    pub(crate) fn selecting<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = Key> + 'a {
        let namespace = change.object().and_then(|pod| {
            let (namespace, services) = self.0.get_key_value(pod.namespace())?;
            Some(services.iter().map(move |s| (namespace, s)))
        });
        let selects = |service: &Service| {
            let mut versions = change.versions();
            versions.any(|pod| service.selector.matches_object(pod))
        };
        let all = namespace.into_iter().flatten();
        all.filter(move |(_, (_, service))| selects(service))
            .map(|(namespace, (name, _))| Key {
                namespace: namespace.clone(),
                name: name.clone(),
            })
    }

    fn service(&self, key: &Key) -> Option<&Service> {
        self.0.get(&key.namespace)?.get(&key.name)
    }

    fn change_service(&mut self, change: &Change, cache: &Cache) {
        let Some(key) = change.object().map(Object::key) else {
            return;
        };
        let services = self.0.entry(key.namespace.clone()).or_default();
        let Some(selector) = change.after.as_ref().and_then(|s| selector(s)) else {
            services.remove(&key.name);
            if services.is_empty() {
                self.0.remove(&key.namespace);
            }
            return;
        };
        let kept = services.get(&key.name).map(|s| &s.selector);
        if kept != Some(&selector) {
            let pods = cache.selected(watched::pods(), &key.namespace, &selector);
            let pods = pods.into_iter();
            let pods = pods.filter_map(|pod| Some((rank(pod)?, pod.clone())));
            let pods = pods.collect();
            services.insert(key.name.clone(), Service { selector, pods });
        }
    }

    fn change_pod(&mut self, change: &Change) {
        let services = change.object().and_then(|o| self.0.get_mut(o.namespace()));
        for service in services.into_iter().flat_map(BTreeMap::values_mut) {
            if let Some(rank) = change.before.as_ref().and_then(|pod| service.rank(pod)) {
                service.pods.remove(&rank);
            }
            let after = change.after.as_ref();
            let after = after.and_then(|pod| Some((service.rank(pod)?, pod.clone())));
            service.pods.extend(after);
        }
    }
}

impl Tally for Backends {
    fn kinds(&self) -> Vec<&'static Kind> {
        vec![watched::services(), watched::pods()]
    }

    fn change(&mut self, change: &Change, cache: &Cache) {
        match change.object().is_some_and(|o| o.kind().is_pod()) {
            true => self.change_pod(change),
            false => self.change_service(change, cache),
        }
    }
}
