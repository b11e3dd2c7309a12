//! Endpoints: the addresses of a Service's Pods in the deprecated format.
//!
//! Rules:
//! - `endpoints`: the Endpoints are created or updated to match the Pods.
//! - `endpoints-gone`: the Service no longer exists; its Endpoints are deleted.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::backends::{Backends, Live};
use super::service_pods as of;
use super::workload::{is_ready, numbered};
use super::{port_order, views, watched};
use crate::api::json::{Map, Value, json};
use crate::cluster::Place;
use crate::kinds::tree::{ensure, list, set, set_or_remove, take, text};
use crate::runtime::{Controller, Object, Plan, PlannedWrite, ReconcileContext, Tally, Watch};

const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";
const OVER: &str = "endpoints.kubernetes.io/over-capacity";
/// The most addresses that are listed.
// The controller truncates larger Endpoints and reports it in the annotation `over-capacity`.
const MOST: usize = 1000;

/// Maintains Endpoints.
#[derive(Debug, Default)]
pub(crate) struct Endpoints;

impl Controller for Endpoints {
    fn name(&self) -> &'static str {
        "endpoints"
    }

    fn component(&self) -> &'static str {
        "endpoint-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        let service_of = |endpoints: &Object| endpoints.name().to_owned();
        // An edited object stays until its Service or a Pod changes.
        of::watches(watched::endpoints(), service_of, |_, _| false)
    }

    fn tallies(&self) -> Vec<Box<dyn Tally>> {
        vec![Box::<Backends>::default()]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let old = context.cache.by_key(watched::endpoints(), context.key);
        let Some(service) = context.cache.by_key(watched::services(), context.key) else {
            let ours = old.filter(|o| o.label(MANAGED_BY) == self.component());
            plan.changes.extend(
                ours.map(|o| {
                    PlannedWrite::delete(o, "endpoints-gone: the Service no longer exists")
                }),
            );
            return plan;
        };
        // Without a selector the Endpoints belong to their creator.
        if of::selector(service).is_none() {
            return plan;
        }
        let backends = context.cache.tally::<Backends>();
        let pods = backends.of(context.key);
        let rule = format!("endpoints: {}", numbered(pods.len(), "Pod", "Pods"));
        let (subsets, over) = subsets(service, pods, backends.live(context.key));
        let shown = old.map_or(&[][..], |old| list(old, "subsets"));
        let subsets: Vec<Value> = subsets
            .into_iter()
            .map(|subset| subset.to_value(service, shown))
            .collect();
        let labels = labels(service);
        match old {
            None => {
                // The first addresses of a Service follow from its creation.
                let trigger = views::meta(service).created();
                let object = made(service, &subsets, labels, over, trigger);
                let place = Place::new(watched::endpoints(), service.namespace());
                plan.changes.push(PlannedWrite::create(place, object, rule));
            }
            Some(old) if differs(old, &subsets, &labels, over) => {
                let mut object = old.to_value();
                let trigger = trigger(service, old, backends.of(context.key));
                let some = (!subsets.is_empty()).then(|| json!(subsets));
                set_or_remove(&mut object, "subsets", some);
                object["metadata"]["labels"] = json!(labels);
                annotate(&mut object, over, trigger);
                plan.changes.push(PlannedWrite::update(old, object, rule));
            }
            Some(_) => {}
        }
        plan
    }
}

fn differs(old: &Object, subsets: &[Value], labels: &Map, over: bool) -> bool {
    let same_labels = old["metadata"]["labels"].as_object() == Some(labels);
    list(old, "subsets") != subsets || !same_labels || old.annotation(OVER).is_some() != over
}

fn labels(service: &Object) -> Map {
    let own = views::meta(service).labels().as_object();
    let mut labels = own.cloned().unwrap_or_default();
    labels.insert(MANAGED_BY.to_owned(), json!("endpoint-controller"));
    match of::is_headless(service) {
        true => drop(labels.insert(of::HEADLESS.to_owned(), json!(""))),
        false => drop(labels.remove(of::HEADLESS)),
    }
    labels
}

/// Returns the earliest change of a Pod that the old addresses do not show.
fn trigger<'a>(
    service: &Object,
    old: &Object,
    pods: impl Iterator<Item = &'a Object>,
) -> Option<Timestamp> {
    let mut known: HashMap<&str, bool> = HashMap::new();
    for subset in list(old, "subsets") {
        for (name, ready) in [("addresses", true), ("notReadyAddresses", false)] {
            let uids = list(subset, name).iter();
            let uids = uids.map(|address| text(views::address(address).target(), "uid"));
            known.extend(uids.map(|uid| (uid, ready)));
        }
    }
    let is_shown = |pod: &Object| {
        let ready = is_ready(pod) || of::publishes_all(service);
        known.get(pod.uid()) == Some(&ready)
    };
    let live = pods.filter(|pod| !pod.is_terminating() || of::publishes_all(service));
    let changed = live.filter(|pod| !is_shown(pod));
    changed.filter_map(of::trigger_time).min()
}

/// Sets the annotations of this controller; those of others stay.
fn annotate(object: &mut Value, over: bool, trigger: Option<Timestamp>) {
    let annotations = ensure(ensure(object, "metadata"), "annotations");
    match over {
        true => set(annotations, OVER, "truncated"),
        false => drop(take(annotations, OVER)),
    }
    of::set_trigger_time(object, trigger);
}

fn made(
    service: &Object,
    subsets: &[Value],
    labels: Map,
    over: bool,
    trigger: Option<Timestamp>,
) -> Value {
    let mut object = json!({
        "apiVersion": "v1", "kind": "Endpoints",
        "metadata": {
            "name": service.name(), "namespace": service.namespace(), "labels": labels,
        },
    });
    annotate(&mut object, over, trigger);
    if !subsets.is_empty() {
        object["subsets"] = json!(subsets);
    }
    object
}

/// The Pods with the same ports.
struct Subset<'a> {
    ports: Vec<Value>,
    ready: Vec<&'a Object>,
    others: Vec<&'a Object>,
}

/// Returns the listed Pods by their ports, and true if there were too many. The Pods come in the order of their
/// addresses; `live` counts those that are not being deleted.
// Kubernetes compares the addresses as texts.
fn subsets<'a>(
    service: &Object,
    pods: impl ExactSizeIterator<Item = &'a Object>,
    live: Live,
) -> (Vec<Subset<'a>>, bool) {
    let all_ready = of::publishes_all(service);
    let live = match all_ready {
        true => Live {
            ready: pods.len(),
            others: 0,
        },
        false => live,
    };
    let pods = pods.filter(|pod| all_ready || !pod.is_terminating());
    let pods = pods.map(|pod| (pod, all_ready || is_ready(pod)));
    match of::has_named_ports(service) {
        true => by_ports(service, pods),
        false => with_equal_ports(service, pods, live),
    }
}

/// Chooses among Pods whose ports may differ.
fn by_ports<'a>(
    service: &Object,
    pods: impl Iterator<Item = (&'a Object, bool)>,
) -> (Vec<Subset<'a>>, bool) {
    let mut subsets: BTreeMap<String, Subset<'a>> = BTreeMap::new();
    for (pod, is_ready) in pods {
        let ports = plain(of::ports(service, pod));
        if ports.is_empty() {
            continue;
        }
        let key = Value::from(ports.clone()).to_string();
        let subset = subsets.entry(key).or_insert_with(|| Subset::new(ports));
        subset.pods(is_ready).push(pod);
    }
    let mut subsets: Vec<Subset<'a>> = subsets.into_values().collect();
    let over = truncate(&mut subsets);
    (subsets, over)
}

/// Chooses among Pods whose ports are the same: visits as many as are listed.
// A plan that visits and sorts all of 100,000 Pods takes 31 us for each Pod of a run, this one 2.
fn with_equal_ports<'a>(
    service: &Object,
    pods: impl Iterator<Item = (&'a Object, bool)>,
    live: Live,
) -> (Vec<Subset<'a>>, bool) {
    let mut pods = pods.peekable();
    let ports = pods.peek().map(|(pod, _)| plain(of::ports(service, pod)));
    let headless_without = of::is_headless(service) && views::service(service).ports().is_empty();
    let Some(ports) = ports.filter(|ports| headless_without || !ports.is_empty()) else {
        return (Vec::new(), false);
    };
    let (mut subset, room) = (Subset::new(ports), room(live));
    for (pod, is_ready) in pods {
        let listed = match is_ready {
            true => room.ready,
            false => room.others,
        };
        let own = subset.pods(is_ready);
        if own.len() < listed {
            own.push(pod);
        }
        if subset.ready.len() + subset.others.len() == room.all() {
            break;
        }
    }
    (vec![subset], live.all() > MOST)
}

/// Returns the numbers of Pods that are listed: those that are not ready get the rest.
fn room(live: Live) -> Live {
    let ready = live.ready.min(MOST);
    Live {
        ready,
        others: live.others.min(MOST - ready),
    }
}

/// Drops Pods over the capacity, first those that are not ready, in proportion to the sizes of the subsets. Returns true
/// if there were too many.
fn truncate(subsets: &mut [Subset<'_>]) -> bool {
    let live = Live {
        ready: subsets.iter().map(|subset| subset.ready.len()).sum(),
        others: subsets.iter().map(|subset| subset.others.len()).sum(),
    };
    let room = room(live);
    for (is_ready, all, room) in [
        (true, live.ready, room.ready),
        (false, live.others, room.others),
    ] {
        let mut left = room;
        for subset in &mut *subsets {
            let pods = subset.pods(is_ready);
            // Shares are rounded up, so the last subset may get less.
            pods.truncate((pods.len() * room).div_ceil(all.max(1)).min(left));
            left -= pods.len();
        }
    }
    live.all() > MOST
}

impl<'a> Subset<'a> {
    fn new(ports: Vec<Value>) -> Self {
        Self {
            ports,
            ready: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Returns the Pods that are ready, or the others.
    fn pods(&mut self, ready: bool) -> &mut Vec<&'a Object> {
        match ready {
            true => &mut self.ready,
            false => &mut self.others,
        }
    }

    /// Returns the subset as the API has it. Reuses the entries of the subsets that are shown now.
    fn to_value(&self, service: &Object, shown: &[Value]) -> Value {
        let shown = shown.iter().find(|old| list(old, "ports") == self.ports);
        let mut subset = Map::new();
        if !self.ports.is_empty() {
            subset.insert("ports", Value::Array(self.ports.iter().cloned().collect()));
        }
        for (name, pods) in [
            ("addresses", &self.ready),
            ("notReadyAddresses", &self.others),
        ] {
            if !pods.is_empty() {
                let shown = shown.map_or(&[][..], |old| list(old, name));
                subset.insert(name, addresses(service, pods, shown));
            }
        }
        Value::Object(subset)
    }
}

fn addresses(service: &Object, pods: &[&Object], shown: &[Value]) -> Value {
    // Most of 1,000 entries are the old ones, and building them takes longer than the rest of the plan. Both lists are
    // in the order of the addresses.
    let mut shown = shown.iter().peekable();
    let entries = pods.iter().map(|pod| {
        let is_before = |old: &&Value| views::address(old).ip() < of::address(pod);
        while shown.next_if(is_before).is_some() {}
        match shown.next_if(|old| is_address(old, service, pod)) {
            Some(old) => old.clone(),
            None => address(service, pod),
        }
    });
    Value::Array(entries.collect())
}

/// Returns true if an entry is the address of a Pod in its current form.
fn is_address(old: &Value, service: &Object, pod: &Object) -> bool {
    let (node, hostname) = (views::pod(pod).node_name(), of::hostname(service, pod));
    let hostname = hostname.unwrap_or_default();
    let more = [node, hostname].into_iter().filter(|text| !text.is_empty());
    let view = views::address(old);
    old.as_object()
        .is_some_and(|old| old.len() == 2 + more.count())
        && (view.ip(), view.node_name(), view.hostname()) == (of::address(pod), node, hostname)
        && of::is_target(view.target(), pod)
}

fn address(service: &Object, pod: &Object) -> Value {
    let mut address = json!({"ip": of::address(pod), "targetRef": of::target(pod)});
    let node = views::pod(pod).node_name();
    if !node.is_empty() {
        address["nodeName"] = json!(node);
    }
    if let Some(hostname) = of::hostname(service, pod) {
        address["hostname"] = json!(hostname);
    }
    address
}

/// Returns ports in the form that Endpoints contain: in their order, without empty names.
fn plain(mut ports: Vec<Value>) -> Vec<Value> {
    for port in &mut ports {
        if views::port(port).name().is_empty()
            && let Some(port) = port.as_object_mut()
        {
            port.remove("name");
        }
    }
    port_order::of_subset(&mut ports);
    ports
}

#[cfg(test)]
mod tests;
