//! EndpointSlices: the addresses of a Service's Pods, at most a hundred in each.
//!
//! Rules:
//! - `slice`: a slice is created.
//! - `slice-changed`: a slice is updated to match the Pods, including the hints of a Service that prefers traffic
//!   within a zone or a node, or in the zones with the most CPUs.
//! - `slice-gone`: no endpoint is left for the slice; it is deleted.

mod open;
mod zones;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::backends::Backends;
use super::service_pods as of;
use super::workload::{facts, is_ready, numbered};
use super::{port_order, views, watched};
use crate::api::json::{Map, Value, json};
use crate::cluster::{Place, Verb};
use crate::kinds::tree::{field, list, set_or_remove, text};
use crate::runtime::{
    Cache, Change, Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Tally, Watch,
};
use open::{Open, Part, named};

const SERVICE: &str = "kubernetes.io/service-name";
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const OURS: &str = "endpointslice-controller.k8s.io";
/// The most endpoints of a slice.
// `--max-endpoints-per-slice` of kube-controller-manager.
const MOST: usize = 100;

/// The traffic distribution of a Service whose hints follow the CPUs of the zones.
const AUTOMATIC: &str = "Auto";

/// Maintains the slices of services.
#[derive(Debug, Default)]
pub(crate) struct EndpointSlices {
    open: Open,
}

impl Controller for EndpointSlices {
    fn name(&self) -> &'static str {
        "endpointslice"
    }

    fn component(&self) -> &'static str {
        "endpoint-slice-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        let service_of = |slice: &Object| slice.label(SERVICE).to_owned();
        // Other labels and annotations do not raise the generation, and stay until the next update.
        let mut watches = of::watches(watched::endpoint_slices(), service_of, |before, after| {
            let changed = |label| before.label(label) != after.label(label);
            let generation = |slice| views::meta(slice).generation();
            generation(before) != generation(after) || changed(SERVICE) || changed(MANAGED_BY)
        });
        watches.push(Watch::new(watched::nodes(), zones::services_of_node));
        watches.push(Watch::cached(watched::events()));
        watches
    }

    fn tallies(&self) -> Vec<Box<dyn Tally>> {
        vec![Box::<Backends>::default()]
    }

    fn observe(&mut self, change: &Change, cache: &Cache) {
        let Some(object) = change.object() else {
            return;
        };
        match object.kind() {
            kind if kind.is_pod() => self.open.pod(change, cache),
            kind if kind.is_addressed() => self.open.reopen(object.key()),
            // Slices contain the zone of each Pod.
            kind if kind.hosts_pods() && change.differs("/metadata/labels") => {
                self.open.reopen_all();
            }
            kind if kind == watched::endpoint_slices() => self.open.slice(change),
            _ => {}
        }
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::endpoint_slices();
        let label = crate::api::selector::LabelSelector::from_labels(Some(&json!({
            SERVICE: &*context.key.name, MANAGED_BY: OURS,
        })));
        let Ok(label) = label else { return plan };
        let mut old = context.cache.selected(kind, &context.key.namespace, &label);
        // A slice that is being deleted cannot be reused, and its endpoints need a place elsewhere.
        old.retain(|slice| !slice.is_terminating());
        let service = context.cache.by_key(watched::services(), context.key);
        // The garbage collector deletes the slices of a deleted service. Slices of a service without a selector do not
        // change.
        let Some(service) = service.filter(|s| of::selector(s).is_some()) else {
            return plan;
        };
        let backends = context.cache.tally::<Backends>();
        let look = Look {
            service,
            context,
            open: &self.open,
            backends: &backends,
            is_first: old.is_empty(),
            near: match zones::are_automatic(service) {
                true => AUTOMATIC,
                false => views::service(service).traffic_distribution(),
            },
        };
        let left = look.reconcile(old, &mut plan);
        self.open.leave(context.key, left);
        plan
    }
}

/// Returns the service of a slice that this controller manages.
fn slice_service(slice: &Object) -> Option<Key> {
    let ours = slice.label(MANAGED_BY) == OURS && !slice.label(SERVICE).is_empty();
    ours.then(|| Key::new(slice.namespace(), slice.label(SERVICE)))
}

/// Pods by uid.
type Pods<'a> = HashMap<&'a str, &'a Object>;

/// One reconcile of a Service.
struct Look<'a> {
    service: &'a Object,
    context: &'a ReconcileContext<'a>,
    open: &'a Open,
    backends: &'a Backends,
    /// True if the Service has no slices yet.
    is_first: bool,
    /// The Service's traffic distribution, or [`AUTOMATIC`].
    near: &'a str,
}

impl<'a> Look<'a> {
    /// Updates the slices; returns the parts to recompute.
    fn reconcile(&self, mut slices: Vec<&Object>, plan: &mut Plan) -> Part {
        let mut left = Part::default();
        let old = slices.clone();
        for (ports, pods) in self.wanted(&slices) {
            let ports: Value = serde_json::from_str(&ports).unwrap_or_default();
            let same = |slice: &&Object| {
                let old = field(slice, "ports");
                old == &ports || ports.is_null() && list(slice, "ports").is_empty()
            };
            // Named target ports may differ between Pods, and a slice has one list of ports for all its endpoints.
            let (own, others) = slices.into_iter().partition(|s| same(s));
            slices = others;
            let mut group = Group {
                look: self,
                ports,
                labels: labels(self.service),
                plan: &mut *plan,
                left: &mut left,
                trigger: None,
            };
            group.reconcile(own, pods);
        }
        for slice in slices {
            let gone = PlannedWrite::delete(slice, "slice-gone: no Pod exposes its ports");
            plan.changes.push(gone);
            left.slices.insert(slice.key().clone());
        }
        reuse(self.service, self.context, plan);
        let cache = self.context.cache;
        match self.near {
            AUTOMATIC => zones::set_hints(self.service, &old, cache, plan),
            "" => zones::tell_of_end(self.service, &old, cache, plan),
            _ => {}
        }
        // A new slice would keep the garbage collector from ever finishing a foreground deletion of the service.
        if self.service.is_terminating() {
            plan.changes.retain(|w| !matches!(w.verb, Verb::Create(_)));
        }
        left
    }

    fn is_open(&self, slice: &Object) -> bool {
        self.open.has(self.context.key, slice)
    }

    /// Returns the Pods to compare, by their ports and uid. Every set of ports of a Pod of the service has an entry.
    fn wanted(&self, slices: &[&'a Object]) -> BTreeMap<String, Pods<'a>> {
        // The real server stores an empty list as none.
        let ports = |pod: &Object| {
            let mut ports = of::ports(self.service, pod);
            port_order::of_slice(&mut ports);
            or_null(ports).to_string()
        };
        let pods = self.pods(slices);
        let Some(first) = self.backends.of(self.context.key).next() else {
            return BTreeMap::from([("null".to_owned(), HashMap::new())]);
        };
        // Numeric ports are the same for all Pods, so one lookup is enough for 10,000 of them.
        if !of::has_named_ports(self.service) {
            return BTreeMap::from([(ports(first), pods)]);
        }
        let mut wanted: BTreeMap<String, Pods<'_>> = BTreeMap::new();
        for (uid, pod) in pods {
            wanted.entry(ports(pod)).or_default().insert(uid, pod);
        }
        // A slice that is not open contains existing Pods only.
        let closed = slices.iter().filter(|s| !self.is_open(s));
        for slice in closed.filter(|s| !list(s, "endpoints").is_empty()) {
            wanted.entry(field(slice, "ports").to_string()).or_default();
        }
        wanted
    }

    fn pods(&self, slices: &[&'a Object]) -> Pods<'a> {
        let key = self.context.key;
        // Without a record of what changed, after a restart for example, every Pod is compared.
        let Some(open) = self.open.pods(key) else {
            let all = self.backends.of(key);
            return all.map(|pod| (pod.uid(), pod)).collect();
        };
        let slices = slices.iter().filter(|slice| self.is_open(slice));
        let uids = slices.flat_map(|slice| named(slice));
        let pods = open.chain(uids);
        let pods = pods.filter_map(|uid| self.context.cache.by_uid(uid));
        pods.filter(|pod| self.backends.has(key, pod))
            .map(|pod| (pod.uid(), pod))
            .collect()
    }
}

/// Reuses slices to delete for slices to create, which keeps the names.
fn reuse(service: &Object, context: &ReconcileContext<'_>, plan: &mut Plan) {
    let changes = std::mem::take(&mut plan.changes);
    let (gone, mut changes): (Vec<PlannedWrite>, Vec<PlannedWrite>) =
        changes.into_iter().partition(PlannedWrite::is_delete);
    for delete in gone {
        let place = &delete.place;
        let old = context
            .cache
            .get(place.kind, &place.namespace, &delete.name);
        let old = old.filter(|old| old.is_controlled_by(service));
        // Upstream recycles slices instead of deleting and creating them, which spares the watchers two events.
        let replaced = old.and_then(|old| changes.iter_mut().find_map(|w| replacing(old, w)));
        match replaced {
            Some((create, update)) => *create = update,
            None => changes.push(delete),
        }
    }
    plan.changes = changes;
}

/// Returns a write that creates a slice, and the write that turns an old slice into the same one.
fn replacing<'w>(
    old: &Object,
    write: &'w mut PlannedWrite,
) -> Option<(&'w mut PlannedWrite, PlannedWrite)> {
    let Verb::Create(new) = &write.verb else {
        return None;
    };
    // The address type is immutable.
    if new["addressType"] != old["addressType"] {
        return None;
    }
    let mut value = old.to_value();
    for name in ["endpoints", "ports"] {
        value[name] = new[name].clone();
    }
    let metadata = &mut value["metadata"];
    for name in ["labels", "annotations"] {
        let new = new["metadata"].get(name).cloned();
        set_or_remove(metadata, name, new);
    }
    let rule = write.rule.replacen("slice", "slice-changed", 1);
    let update = PlannedWrite::update(old, value, rule);
    Some((write, update))
}

/// The entry of a Pod in a slice.
struct Endpoint<'a> {
    pod: &'a Object,
    ready: bool,
    serving: bool,
    terminating: bool,
    node: &'a str,
    zone: &'a str,
    hostname: &'a str,
    /// The Service's traffic distribution.
    near: &'a str,
}

impl<'a> Endpoint<'a> {
    fn new(look: &Look<'a>, pod: &'a Object) -> Self {
        let (service, context) = (look.service, look.context);
        let (serving, terminating) = (is_ready(pod), pod.is_terminating());
        let node = views::pod(pod).node_name();
        let there = match node {
            "" => None,
            node => context.cache.get(watched::nodes(), "", node),
        };
        Self {
            pod,
            // `publishNotReadyAddresses` makes every endpoint ready; otherwise a terminating Pod is serving but never
            // ready.
            ready: of::publishes_all(service) || serving && !terminating,
            serving,
            terminating,
            node,
            zone: there.map_or("", |n| n.label("topology.kubernetes.io/zone")),
            hostname: of::hostname(service, pod).unwrap_or_default(),
            near: look.near,
        }
    }

    /// Returns the zones or nodes whose traffic the endpoint is meant for, if it serves traffic.
    fn hints(&self) -> Option<Value> {
        let (zone, node) = match self.near {
            "PreferClose" | "PreferSameZone" => (self.zone, ""),
            "PreferSameNode" => (self.zone, self.node),
            _ => return None,
        };
        let mut hints = Map::new();
        for (name, place) in [("forZones", zone), ("forNodes", node)] {
            // Hints for endpoints that get no traffic would have no effect.
            if !place.is_empty() && self.ready {
                hints.insert(name.to_owned(), json!([{"name": place}]));
            }
        }
        (!hints.is_empty()).then(|| Value::Object(hints))
    }

    /// Returns the fields that are omitted if they are empty.
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
        if let Some(hints) = self.hints() {
            endpoint["hints"] = hints;
        }
        endpoint
    }

    /// Returns true if a slice already contains this endpoint. Compares without building it, because most are
    /// unchanged.
    fn is_said_by(&self, old: &Value) -> bool {
        let conditions = field(old, "conditions");
        let flags = [
            ("ready", self.ready),
            ("serving", self.serving),
            ("terminating", self.terminating),
        ];
        let size = |value: &Value| value.as_object().map_or(0, Map::len);
        let [address] = list(old, "addresses") else {
            return false;
        };
        let hints = match self.near {
            // They are set when all slices are known.
            AUTOMATIC => old.get("hints").cloned(),
            _ => self.hints(),
        };
        size(old) == 3 + self.more().count() + usize::from(hints.is_some())
            && hints.is_none_or(|hints| field(old, "hints") == &hints)
            && size(conditions) == flags.len()
            && address == of::address(self.pod)
            && flags.iter().all(|(name, is)| field(conditions, name) == is)
            && of::is_target(field(old, "targetRef"), self.pod)
            && self.more().all(|(name, is)| text(old, name) == is)
    }
}

/// The slices of a service whose endpoints have the same ports.
struct Group<'g, 'a> {
    look: &'g Look<'a>,
    ports: Value,
    labels: Map,
    plan: &'g mut Plan,
    left: &'g mut Part,
    /// The earliest change of a Pod that the slices do not show yet.
    trigger: Option<Timestamp>,
}

impl Group<'_, '_> {
    /// Notes that a Pod has changed.
    fn note(&mut self, pod: &Object) {
        let earlier = self.trigger.into_iter().chain(of::trigger_time(pod));
        self.trigger = earlier.min();
    }

    /// Returns the endpoints that a slice keeps, in their current form, and true if they differ from the slice.
    fn kept<'o>(&mut self, slice: &'o Object, wanted: &mut Pods<'_>) -> (Cow<'o, [Value]>, bool) {
        let before = list(slice, "endpoints");
        if !self.look.is_open(slice) {
            return (Cow::Borrowed(before), false);
        }
        let mut changed = !self.has_labels(slice);
        let mut pods = Vec::with_capacity(before.len());
        for old in before {
            let uid = text(field(old, "targetRef"), "uid");
            let pod = wanted.remove(uid);
            let now = pod.map(|pod| Endpoint::new(self.look, pod));
            changed |= !now.as_ref().is_some_and(|now| now.is_said_by(old));
            // The end of a Pod is not a change of its readiness.
            let serving = field(field(old, "conditions"), "serving");
            if let Some(now) = now.as_ref().filter(|now| serving != &now.serving) {
                self.note(now.pod);
            }
            pods.extend(now);
        }
        let endpoints = match changed {
            true => pods.iter().map(Endpoint::to_value).collect(),
            false => Cow::Borrowed(before),
        };
        (endpoints, changed)
    }

    fn reconcile(&mut self, slices: Vec<&Object>, mut wanted: Pods<'_>) {
        let empty = self.look.backends.of(self.look.context.key).len() == 0;
        let mut kept: Vec<(&Object, Cow<'_, [Value]>, bool)> = Vec::new();
        for slice in slices {
            let (endpoints, changed) = self.kept(slice, &mut wanted);
            kept.push((slice, endpoints, changed));
        }
        let mut pods: Vec<&Object> = wanted.into_values().collect();
        let uids = pods.iter().filter_map(|pod| pod.uid_text().cloned());
        self.left.pods.extend(uids);
        for pod in &pods {
            self.note(pod);
        }
        // The order of a hash map differs between processes, and the slices must not.
        pods.sort_unstable_by_key(|pod| (facts(pod).address, pod.uid()));
        let new = pods
            .into_iter()
            .map(|pod| Endpoint::new(self.look, pod).to_value());
        let mut new = new.collect::<Vec<_>>().into_iter().peekable();
        // Slices that are written anyway are filled first.
        for (_, endpoints, _) in kept
            .iter_mut()
            .filter(|(_, e, changed)| *changed && !e.is_empty())
        {
            let room = MOST.saturating_sub(endpoints.len());
            endpoints.to_mut().extend(new.by_ref().take(room));
        }
        if new.peek().is_some() {
            // Full slices are created new; only the rest goes into the existing slice that it fills best.
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
                let gone = PlannedWrite::delete(slice, "slice-gone: the slice has no endpoints");
                self.plan.changes.push(gone);
                self.left.slices.insert(slice.key().clone());
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
        views::meta(slice).labels().as_object() == Some(&self.labels)
    }

    fn change(&mut self, slice: &Object, endpoints: Vec<Value>) {
        let mut object = slice.to_value();
        let rule = format!(
            "slice-changed: {}",
            numbered(endpoints.len(), "endpoint", "endpoints")
        );
        object["endpoints"] = or_null(endpoints);
        object["metadata"]["labels"] = json!(self.labels);
        of::set_trigger_time(&mut object, self.trigger);
        self.plan
            .changes
            .push(PlannedWrite::update(slice, object, rule));
        self.left.slices.insert(slice.key().clone());
    }

    fn create(&mut self, endpoints: Vec<Value>) {
        let kind = watched::endpoint_slices();
        let rule = format!(
            "slice: {}",
            numbered(endpoints.len(), "endpoint", "endpoints")
        );
        let mut object = json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": {
                "generateName": format!("{}-", self.look.service.name()),
                "namespace": self.look.service.namespace(),
                "labels": self.labels,
                "ownerReferences": [self.look.service.controller_reference()],
            },
            "addressType": "IPv4",
            "endpoints": or_null(endpoints),
            "ports": self.ports,
        });
        // The first slices of a Service follow from its creation.
        let service = self.look.service;
        let first = self.look.is_first.then(|| views::meta(service).created());
        of::set_trigger_time(&mut object, first.flatten().or(self.trigger));
        let place = Place::new(kind, self.look.service.namespace());
        self.plan
            .changes
            .push(PlannedWrite::create(place, object, rule));
    }
}

fn or_null(list: Vec<Value>) -> Value {
    match list.is_empty() {
        true => Value::Null,
        false => Value::Array(list.into()),
    }
}

/// Returns the labels of a service's slices.
fn labels(service: &Object) -> Map {
    let own = views::meta(service).labels().as_object();
    let mut labels = own.cloned().unwrap_or_default();
    labels.remove(of::HEADLESS);
    labels.insert(SERVICE.to_owned(), json!(service.name()));
    labels.insert(MANAGED_BY.to_owned(), json!(OURS));
    if of::is_headless(service) {
        labels.insert(of::HEADLESS.to_owned(), json!(""));
    }
    labels
}
