//! The Pods of each Service, in the order of its Endpoints.
//!
//! Must not know: the objects that are created from them.

use std::collections::{BTreeMap, HashMap};

use super::service_pods::{address, selector};
use super::watched;
use super::workload::{facts, is_ready};
use crate::api::json::Text;
use crate::api::selector::LabelSelector;
use crate::kinds::Kind;
use crate::runtime::{Cache, Change, Key, Object, Tally};

/// The position of a Pod among the endpoints of its service: by the text of its address, then by uid.
// Endpoints list the first thousand in this order. Sorting 100,000 Pods for each plan took 7 % of the time of a run.
type Rank = (Text, Text);

/// Returns true if a Pod has an address and has not ended.
fn is_backend(pod: &Object) -> bool {
    // Most changes are of Pods without an address, so the other fact is read last.
    !address(pod).is_empty() && !facts(pod).life.over
}

fn rank(pod: &Object) -> Rank {
    let uid = pod.uid_text().cloned();
    (address(pod).into(), uid.unwrap_or_default())
}

/// The numbers of Pods that are ready and of others, without those that are being deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Live {
    pub ready: usize,
    pub others: usize,
}

impl Live {
    /// Returns the number of all of them.
    pub(crate) fn all(self) -> usize {
        self.ready + self.others
    }

    /// Returns the number that counts a Pod, if it is one of these.
    fn counter(&mut self, pod: &Object) -> Option<&mut usize> {
        match (pod.is_terminating(), is_ready(pod)) {
            (true, _) => None,
            (false, true) => Some(&mut self.ready),
            (false, false) => Some(&mut self.others),
        }
    }
}

/// A service with its Pods.
#[derive(Clone, Debug)]
struct Service {
    selector: LabelSelector,
    pods: BTreeMap<Rank, Object>,
    live: Live,
}

impl Service {
    fn new(selector: LabelSelector) -> Self {
        Self {
            selector,
            pods: BTreeMap::new(),
            live: Live::default(),
        }
    }

    /// Returns true if a Pod is an endpoint of this service.
    fn has(&self, pod: &Object) -> bool {
        is_backend(pod) && self.selector.matches_object(pod)
    }

    fn add(&mut self, pod: &Object) {
        if let Some(count) = self.live.counter(pod) {
            *count += 1;
        }
        let old = self.pods.insert(rank(pod), pod.clone());
        self.uncount(old);
    }

    fn uncount(&mut self, old: Option<Object>) {
        if let Some(count) = old.and_then(|pod| self.live.counter(&pod)) {
            *count -= 1;
        }
    }

    fn change(&mut self, change: &Change) {
        let [before, after] = [&change.before, &change.after];
        let before = before.as_ref().filter(|pod| self.has(pod));
        let after = after.as_ref().filter(|pod| self.has(pod));
        // A Pod that keeps its address is replaced in place. A list may show a Pod that was deleted and created again as
        // one change.
        let stays = |old: &Object| after.is_some_and(|pod| rank(pod) == rank(old));
        if let Some(before) = before.filter(|pod| !stays(pod)) {
            let old = self.pods.remove(&rank(before));
            self.uncount(old);
        }
        if let Some(after) = after {
            self.add(after);
        }
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

    /// Returns the numbers of these Pods that are not being deleted.
    pub(crate) fn live(&self, service: &Key) -> Live {
        self.service(service).map(|s| s.live).unwrap_or_default()
    }

    /// Returns true if a Pod is an endpoint of the service.
    pub(crate) fn has(&self, service: &Key, pod: &Object) -> bool {
        let service = self.service(service);
        service.is_some_and(|service| service.has(pod))
    }

    /// Returns the services that select a Pod before or after a change.
    pub(crate) fn selecting<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = Key> + 'a {
        self.services(change, |service, pod| service.selector.matches_object(pod))
    }

    /// Returns the services of which a Pod is an endpoint before or after a change.
    pub(crate) fn serving<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = Key> + 'a {
        self.services(change, Service::has)
    }

    fn services<'a>(
        &'a self,
        change: &'a Change,
        concerns: impl Fn(&Service, &Object) -> bool + 'a,
    ) -> impl Iterator<Item = Key> + 'a {
        let namespace = change.object().and_then(|pod| {
            let (namespace, services) = self.0.get_key_value(pod.namespace())?;
            Some(services.iter().map(move |s| (namespace, s)))
        });
        let concerns = move |service: &Service| {
            let mut versions = change.versions();
            versions.any(|pod| concerns(service, pod))
        };
        let all = namespace.into_iter().flatten();
        all.filter(move |(_, (_, service))| concerns(service))
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
            let mut service = Service::new(selector);
            pods.into_iter()
                .filter(|pod| is_backend(pod))
                .for_each(|pod| service.add(pod));
            services.insert(key.name.clone(), service);
        }
    }

    fn change_pod(&mut self, change: &Change) {
        let services = change.object().and_then(|o| self.0.get_mut(o.namespace()));
        for service in services.into_iter().flat_map(BTreeMap::values_mut) {
            service.change(change);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::{Value, json};
    use crate::harness::ControllerHarness;
    use crate::runtime::{Controller, Plan, ReconcileContext, Seed, Watch};

    /// A controller whose cache keeps the tally.
    struct Keeper;

    impl Controller for Keeper {
        fn name(&self) -> &'static str {
            "keeper"
        }

        fn component(&self) -> &'static str {
            "keeper"
        }

        fn watches(&self) -> Vec<Watch> {
            vec![
                Watch::cached(watched::services()),
                Watch::cached(watched::pods()),
            ]
        }

        fn tallies(&self) -> Vec<Box<dyn Tally>> {
            vec![Box::<Backends>::default()]
        }

        fn plan(&mut self, _: &ReconcileContext<'_>) -> Plan {
            Plan::done()
        }
    }

    fn random_pod(name: &str, round: &str) -> Value {
        let bytes = Seed(7).draw(&[name, round]);
        let when = |at: usize| bytes[at].is_multiple_of(4);
        let mut pod = json!({
            "metadata": {"name": name, "labels": {"app": if when(0) { "db" } else { "web" }}},
            "status": {
                "podIP": if when(1) { String::new() } else { format!("10.0.0.{}", bytes[2] % 3) },
                "phase": if when(3) { "Failed" } else { "Running" },
                "conditions": [{"type": "Ready", "status": if when(4) { "False" } else { "True" }}],
            },
        });
        if when(5) {
            pod["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
        }
        pod
    }

    #[test]
    fn counts_and_order_follow_each_change() {
        let mut harness = ControllerHarness::new(Keeper);
        let service = json!({"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}}});
        harness.put("v1", "Service", service);
        let key = Key::new("default", "web");
        let mut changes = 0;
        for round in 0..20 {
            for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
                let mut pod = random_pod(name, &round.to_string());
                // Every second version is another Pod under the same name.
                pod["metadata"]["uid"] = json!(format!("{name}-{}", round / 2));
                let pod = harness.put("v1", "Pod", pod);
                if round % 7 == 6 {
                    harness.remove(&pod);
                }
                let backends = harness.cache.tally::<Backends>();
                let pods: Vec<&Object> = backends.of(&key).collect();
                let mut expected: Vec<&Object> = harness.cache.list(watched::pods(), "").collect();
                expected.retain(|pod| pod.label("app") == "web" && is_backend(pod));
                expected.sort_by_key(|pod| rank(pod));
                assert_eq!(pods, expected);
                let ready = |wanted: bool| {
                    let live = pods.iter().filter(|pod| !pod.is_terminating());
                    live.filter(|pod| is_ready(pod) == wanted).count()
                };
                let live = backends.live(&key);
                assert_eq!((live.ready, live.others), (ready(true), ready(false)));
                changes += live.all();
            }
        }
        assert!(changes > 100);
    }
}
