//! Endpoint slices: the addresses of a service's Pods, at most a hundred in each.
//!
//! Rules:
//! - `slice`: one is made.
//! - `slice-changed`: its addresses follow the Pods.
//! - `slice-gone`: nothing is left for it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::kinds::known;
use super::service_pods as of;
use super::workload::{facts, is_ready};
use crate::api::json::{Map, Value, json};
use crate::cluster::Place;
use crate::kinds::moment;
use crate::kinds::tree::{field, list, text};
use crate::runtime::{Action, Controller, Object, Plan, Sync, Watch, Write};

const SERVICE: &str = "kubernetes.io/service-name";
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const OURS: &str = "endpointslice-controller.k8s.io";
/// How many addresses a slice holds.
const MOST: usize = 100;

/// Keeps the slices of services.
#[derive(Debug, Default)]
pub struct EndpointSlices;

impl Controller for EndpointSlices {
    fn name(&self) -> &'static str {
        "endpointslice"
    }

    fn component(&self) -> &'static str {
        "endpoint-slice-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        of::watches("EndpointSlice", "discovery.k8s.io/v1", |slice| {
            slice.label(SERVICE).to_owned()
        })
    }

    fn plan(&mut self, sync: &Sync<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = known("discovery.k8s.io/v1", "EndpointSlice");
        let label = crate::api::selector::LabelSelector::from_labels(Some(&json!({
            SERVICE: &*sync.key.name, MANAGED_BY: OURS,
        })));
        let Ok(label) = label else { return plan };
        let mut old = sync.cache.selected(kind, &sync.key.namespace, &label);
        old.retain(|slice| !slice.is_terminating());
        let service = sync.cache.by_key(known("v1", "Service"), sync.key);
        // The slices of a service that is gone are the garbage collector's, those of one that selects
        // nothing stay what they are.
        let Some(service) = service.filter(|s| of::selector(s).is_some()) else {
            return plan;
        };
        let mut wanted = wanted(service, sync);
        let placeholder = wanted.is_empty();
        if placeholder {
            wanted.insert("null".to_owned(), HashMap::new());
        }
        let mut rest = old;
        for (ports, pods) in wanted {
            let ports: Value = serde_json::from_str(&ports).unwrap_or_default();
            let same = |slice: &&Object| {
                let old = field(slice, "ports");
                old == &ports || ports.is_null() && list(slice, "ports").is_empty()
            };
            let (own, others) = rest.into_iter().partition(|s| same(s));
            rest = others;
            let mut group = Group {
                service,
                ports,
                labels: labels(service),
                sync,
                plan: &mut plan,
            };
            group.reconcile(own, pods);
        }
        let gone = rest
            .iter()
            .map(|s| Write::delete(s, "slice-gone: no Pod has its ports"));
        plan.changes.extend(gone);
        reuse(service, sync, &mut plan);
        plan
    }
}

/// What would be made takes the place of what would be deleted, and so keeps its name.
fn reuse(service: &Object, sync: &Sync<'_>, plan: &mut Plan) {
    let changes = std::mem::take(&mut plan.changes);
    let (gone, mut changes): (Vec<Write>, Vec<Write>) =
        changes.into_iter().partition(Write::is_delete);
    for delete in gone {
        let place = &delete.place;
        let old = sync.cache.get(place.kind, &place.namespace, &delete.name);
        let old = old.filter(|old| old.is_controlled_by(service));
        let replaced = old.and_then(|old| changes.iter_mut().find_map(|w| replacing(old, w)));
        match replaced {
            Some((create, update)) => *create = update,
            None => changes.push(delete),
        }
    }
    plan.changes = changes;
}

/// A write that makes a slice, and the one that makes an old slice the same.
fn replacing<'w>(old: &Object, write: &'w mut Write) -> Option<(&'w mut Write, Write)> {
    let Action::Create(new) = &write.action else {
        return None;
    };
    if new["addressType"] != old["addressType"] {
        return None;
    }
    let mut value = old.to_value();
    for name in ["endpoints", "ports"] {
        value[name] = new[name].clone();
    }
    for name in ["labels", "annotations"] {
        value["metadata"][name] = new["metadata"][name].clone();
    }
    let rule = write.rule.replacen("slice", "slice-changed", 1);
    let update = Write::update(old, value, rule);
    Some((write, update))
}

/// The Pods of a service by their ports and by uid.
fn wanted<'a>(service: &Object, sync: &Sync<'a>) -> BTreeMap<String, HashMap<&'a str, &'a Object>> {
    let mut wanted: BTreeMap<String, HashMap<&str, &Object>> = BTreeMap::new();
    let ports = |pod: &Object| Value::from(of::ports(service, pod)).to_string();
    let pods = of::pods(service, sync.cache);
    if of::has_named_ports(service) {
        for pod in pods {
            let same = wanted.entry(ports(pod)).or_default();
            same.insert(pod.uid(), pod);
        }
    } else if let Some(first) = pods.first() {
        let all = pods.iter().map(|pod| (pod.uid(), *pod)).collect();
        wanted.insert(ports(first), all);
    }
    wanted
}

/// What a slice says of a Pod.
struct Endpoint<'a> {
    pod: &'a Object,
    ready: bool,
    serving: bool,
    terminating: bool,
    node: &'a str,
    zone: &'a str,
    hostname: &'a str,
}

impl<'a> Endpoint<'a> {
    fn of(service: &Object, pod: &'a Object, sync: &Sync<'a>) -> Self {
        let (serving, terminating) = (is_ready(pod), pod.is_terminating());
        let node = text(field(pod, "spec"), "nodeName");
        let there = match node {
            "" => None,
            node => sync.cache.get(known("v1", "Node"), "", node),
        };
        Self {
            pod,
            ready: of::publishes_all(service) || serving && !terminating,
            serving,
            terminating,
            node,
            zone: there.map_or("", |n| n.label("topology.kubernetes.io/zone")),
            hostname: of::hostname(service, pod).unwrap_or_default(),
        }
    }

    /// The fields that are left out where there is nothing to say.
    fn more(&self) -> impl Iterator<Item = (&'static str, &'a str)> + use<'a> {
        let all = [
            ("nodeName", self.node),
            ("zone", self.zone),
            ("hostname", self.hostname),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty())
    }

    fn to_value(&self) -> Value {
        let mut endpoint = json!({
            "addresses": [of::address(self.pod)],
            "conditions": {
                "ready": self.ready, "serving": self.serving, "terminating": self.terminating,
            },
            "targetRef": of::target(self.pod),
        });
        for (name, value) in self.more() {
            endpoint[name] = json!(value);
        }
        endpoint
    }

    /// Whether a slice says just this already: compared without being built, as most are.
    fn is_said_by(&self, old: &Value) -> bool {
        let conditions = field(old, "conditions");
        let target = field(old, "targetRef");
        let flags = [
            ("ready", self.ready),
            ("serving", self.serving),
            ("terminating", self.terminating),
        ];
        let names = [
            ("kind", "Pod"),
            ("namespace", self.pod.namespace()),
            ("name", self.pod.name()),
            ("uid", self.pod.uid()),
        ];
        let size = |value: &Value| value.as_object().map_or(0, Map::len);
        let [address] = list(old, "addresses") else {
            return false;
        };
        size(old) == 3 + self.more().count()
            && (size(conditions), size(target)) == (flags.len(), names.len())
            && address == of::address(self.pod)
            && flags.iter().all(|(name, is)| field(conditions, name) == is)
            && names.iter().all(|(name, is)| text(target, name) == *is)
            && self.more().all(|(name, is)| text(old, name) == is)
    }
}

/// The slices of a service whose endpoints have the same ports.
struct Group<'a, 's> {
    service: &'a Object,
    ports: Value,
    labels: Map,
    sync: &'a Sync<'s>,
    plan: &'a mut Plan,
}

impl Group<'_, '_> {
    /// The endpoints that a slice keeps, as they are now, and whether it differs from that.
    fn kept<'o>(
        &self,
        slice: &'o Object,
        wanted: &mut HashMap<&str, &Object>,
    ) -> (Cow<'o, [Value]>, bool) {
        let before = list(slice, "endpoints");
        let mut changed = !self.has_labels(slice);
        let mut pods = Vec::with_capacity(before.len());
        for old in before {
            let uid = text(field(old, "targetRef"), "uid");
            let pod = wanted.remove(uid);
            let now = pod.map(|pod| Endpoint::of(self.service, pod, self.sync));
            changed |= !now.as_ref().is_some_and(|now| now.is_said_by(old));
            pods.extend(now);
        }
        let endpoints = match changed {
            true => pods.iter().map(Endpoint::to_value).collect(),
            false => Cow::Borrowed(before),
        };
        (endpoints, changed)
    }

    fn reconcile(&mut self, slices: Vec<&Object>, mut wanted: HashMap<&str, &Object>) {
        let empty = wanted.is_empty();
        let mut kept: Vec<(&Object, Cow<'_, [Value]>, bool)> = Vec::new();
        for slice in slices {
            let (endpoints, changed) = self.kept(slice, &mut wanted);
            kept.push((slice, endpoints, changed));
        }
        let mut pods: Vec<&Object> = wanted.into_values().collect();
        pods.sort_unstable_by_key(|pod| (facts(pod).address, pod.uid()));
        let new = pods
            .into_iter()
            .map(|pod| Endpoint::of(self.service, pod, self.sync).to_value());
        let mut new = new.collect::<Vec<_>>().into_iter().peekable();
        // Slices that are written anyway come first.
        for (_, endpoints, _) in kept
            .iter_mut()
            .filter(|(_, e, changed)| *changed && !e.is_empty())
        {
            let room = MOST.saturating_sub(endpoints.len());
            endpoints.to_mut().extend(new.by_ref().take(room));
        }
        if new.peek().is_some() {
            let left = new.len() % MOST;
            let fits = |e: &[Value]| e.len() + left <= MOST;
            let room = kept
                .iter_mut()
                .filter(|(_, e, changed)| !*changed && left > 0 && fits(e))
                .max_by_key(|(_, e, _)| e.len());
            if let Some((_, endpoints, changed)) = room {
                endpoints.to_mut().extend(new.by_ref().take(left));
                *changed = true;
            }
        }
        let mut first_empty = empty;
        for (slice, endpoints, changed) in kept {
            if endpoints.is_empty() && new.peek().is_some() {
                let filled: Vec<Value> = new.by_ref().take(MOST).collect();
                self.change(slice, filled);
            } else if endpoints.is_empty() && !std::mem::take(&mut first_empty) {
                self.plan
                    .changes
                    .push(Write::delete(slice, "slice-gone: it is empty"));
            } else if changed {
                self.change(slice, endpoints.into_owned());
            }
        }
        while new.peek().is_some() || std::mem::take(&mut first_empty) {
            let endpoints = new.by_ref().take(MOST).collect();
            self.create(endpoints);
        }
    }

    fn has_labels(&self, slice: &Object) -> bool {
        slice["metadata"]["labels"].as_object() == Some(&self.labels)
    }

    fn change(&mut self, slice: &Object, endpoints: Vec<Value>) {
        let mut object = slice.to_value();
        let rule = format!("slice-changed: {} endpoints", endpoints.len());
        object["endpoints"] = or_null(endpoints);
        object["metadata"]["labels"] = json!(self.labels);
        object["metadata"]["annotations"][of::TRIGGER_TIME] = json!(moment::text(self.sync.now));
        self.plan.changes.push(Write::update(slice, object, rule));
    }

    fn create(&mut self, endpoints: Vec<Value>) {
        let kind = known("discovery.k8s.io/v1", "EndpointSlice");
        let rule = format!("slice: {} endpoints", endpoints.len());
        let object = json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": {
                "generateName": format!("{}-", self.service.name()),
                "namespace": self.service.namespace(),
                "labels": self.labels,
                "annotations": {of::TRIGGER_TIME: moment::text(self.sync.now)},
                "ownerReferences": [self.service.controller_reference()],
            },
            "addressType": "IPv4",
            "endpoints": or_null(endpoints),
            "ports": self.ports,
        });
        let place = Place::new(kind, self.service.namespace());
        self.plan.changes.push(Write::create(place, object, rule));
    }
}

fn or_null(list: Vec<Value>) -> Value {
    match list.is_empty() {
        true => Value::Null,
        false => Value::Array(list.into()),
    }
}

/// The labels of a service's slices.
fn labels(service: &Object) -> Map {
    let own = field(field(service, "metadata"), "labels").as_object();
    let mut labels = own.cloned().unwrap_or_default();
    labels.remove(of::HEADLESS);
    labels.insert(SERVICE.to_owned(), json!(service.name()));
    labels.insert(MANAGED_BY.to_owned(), json!(OURS));
    if of::is_headless(service) {
        labels.insert(of::HEADLESS.to_owned(), json!(""));
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::stand::{Stand, content, lines};

    fn pod(number: usize, ready: bool) -> Value {
        json!({
            "metadata": {"name": format!("p{number}"), "labels": {"app": "web"}},
            "spec": {"nodeName": "node-0"},
            "status": {"podIP": format!("10.0.{}.{}", number / 200, 1 + number % 200), "conditions": [
                {"type": "Ready", "status": if ready { "True" } else { "False" }},
            ]},
        })
    }

    fn stand(pods: usize) -> Stand<EndpointSlices> {
        let mut stand = Stand::new(EndpointSlices);
        stand.put("v1", "Service", json!({"metadata": {"name": "web"}, "spec": {
            "selector": {"app": "web"}, "ports": [{"name": "http", "port": 8080, "targetPort": 80}],
        }}));
        (0..pods).for_each(|n| drop(stand.put("v1", "Pod", pod(n, true))));
        stand
    }

    /// Does what a plan says; answers the sizes of the slices that there are then.
    fn apply(stand: &mut Stand<EndpointSlices>) -> (Vec<String>, Vec<usize>) {
        let plan = stand.plan("default", "web");
        let kind = known("discovery.k8s.io/v1", "EndpointSlice");
        for (number, write) in plan.changes.iter().enumerate() {
            let mut object = content(write).clone();
            if object.is_null() {
                let gone = stand
                    .cache
                    .get(kind, "default", &write.name)
                    .unwrap()
                    .clone();
                stand.remove(&gone);
                continue;
            }
            if write.name.is_empty() {
                let count = stand.cache.keys(kind).len();
                object["metadata"]["name"] = json!(format!("web-{number}{count}"));
            }
            stand.put("discovery.k8s.io/v1", "EndpointSlice", object);
        }
        let slices = stand.cache.list(kind, "default");
        let mut sizes: Vec<_> = slices.map(|s| list(s, "endpoints").len()).collect();
        sizes.sort_unstable();
        (
            lines(&plan)
                .iter()
                .map(|l| l.split(' ').next().unwrap().to_owned())
                .collect(),
            sizes,
        )
    }

    #[test]
    fn a_slice_shows_the_pods_as_they_are() {
        let mut stand = stand(1);
        let plan = stand.plan("default", "web");
        let slice = content(&plan.changes[0]);
        assert_eq!(
            slice["ports"],
            json!([{"name": "http", "port": 80, "protocol": "TCP"}])
        );
        assert_eq!(
            slice["endpoints"][0],
            json!({
                "addresses": ["10.0.0.1"], "nodeName": "node-0",
                "conditions": {"ready": true, "serving": true, "terminating": false},
                "targetRef": {"kind": "Pod", "namespace": "default", "name": "p0", "uid": "uid-p0"},
            })
        );
        assert_eq!(
            slice["metadata"]["labels"],
            json!({
                "kubernetes.io/service-name": "web",
                "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
            })
        );
        assert_eq!(slice["metadata"]["ownerReferences"][0]["controller"], true);
    }

    #[test]
    fn whatever_of_an_endpoint_is_not_so_is_set_right() {
        let mut stand = stand(1);
        apply(&mut stand);
        let kind = known("discovery.k8s.io/v1", "EndpointSlice");
        let slice = stand.cache.list(kind, "default").next().unwrap().to_value();
        for wrong in [
            json!({"addresses": ["10.9.9.9"]}),
            json!({"addresses": ["10.0.0.1", "10.9.9.9"]}),
            json!({"conditions": {"ready": false}}),
            json!({"conditions": {"more": true}}),
            json!({"nodeName": "node-1"}),
            json!({"nodeName": null}),
            json!({"zone": "z"}),
            json!({"hints": {}}),
            json!({"targetRef": {"name": "other"}}),
        ] {
            let mut edited = slice.clone();
            crate::api::patch::merge::apply(&mut edited["endpoints"][0], &wrong);
            stand.put("discovery.k8s.io/v1", "EndpointSlice", edited);
            assert_eq!(apply(&mut stand).0, ["update"], "{wrong}");
            let right = stand.cache.list(kind, "default").next().unwrap();
            assert_eq!(right["endpoints"], slice["endpoints"], "{wrong}");
        }
        assert_eq!(apply(&mut stand).0, [""; 0]);
    }

    #[test]
    fn a_service_without_pods_has_one_empty_slice() {
        let mut stand = stand(0);
        assert_eq!(apply(&mut stand), (vec!["create".to_owned()], vec![0]));
        assert_eq!(apply(&mut stand), (Vec::new(), vec![0]));
        stand.put("v1", "Pod", pod(0, true));
        // It keeps its name when it gets endpoints.
        assert_eq!(apply(&mut stand), (vec!["update".to_owned()], vec![1]));
    }

    #[test]
    fn slices_hold_a_hundred_and_fill_up() {
        let mut stand = stand(205);
        let (verbs, sizes) = apply(&mut stand);
        assert_eq!((verbs.len(), sizes), (3, vec![5, 100, 100]));
        stand.put("v1", "Pod", pod(205, false));
        assert_eq!(
            apply(&mut stand),
            (vec!["update".to_owned()], vec![6, 100, 100])
        );
        assert_eq!(apply(&mut stand).0, [""; 0]);
    }

    #[test]
    fn slices_empty_and_go() {
        let mut stand = stand(3);
        apply(&mut stand);
        for number in 0..3 {
            let gone = stand
                .cache
                .get(known("v1", "Pod"), "default", &format!("p{number}"))
                .unwrap()
                .clone();
            stand.remove(&gone);
        }
        let (_, sizes) = apply(&mut stand);
        assert_eq!(sizes, [0]);
        let unselective = json!({"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}});
        let service = stand.put("v1", "Service", unselective);
        assert_eq!(apply(&mut stand), (vec![], vec![0]));
        stand.remove(&service);
        assert_eq!(apply(&mut stand), (vec![], vec![0]));
    }
}
