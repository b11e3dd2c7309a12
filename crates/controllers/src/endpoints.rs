//! Endpoints: the addresses of a Service's Pods in the deprecated format.
//!
//! Rules:
//! - `endpoints`: the Endpoints are created or updated to match the Pods.
//! - `endpoints-gone`: the Service no longer exists; its Endpoints are deleted.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::backends::Backends;
use super::service_pods as of;
use super::workload::{is_ready, numbered};
use super::{port_order, views, watched};
use crate::api::json::{Map, Value, json};
use crate::cluster::Place;
use crate::kinds::tree::{ensure, field, list, set, set_or_remove, take, text};
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
        let (subsets, over) = subsets(service, pods);
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
            let uids = uids.map(|address| text(field(address, "targetRef"), "uid"));
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

/// Ports, and the Pods that are ready and others.
type Set<'a> = (Vec<Value>, Vec<&'a Object>, Vec<&'a Object>);

/// Returns the addresses by the ports of their Pods, and true if there were too many.
fn subsets<'a>(service: &Object, pods: impl Iterator<Item = &'a Object>) -> (Vec<Value>, bool) {
    let mut sets: BTreeMap<String, Set<'a>> = BTreeMap::new();
    let headless_without = of::is_headless(service) && views::service(service).ports().is_empty();
    let (named, all_ready) = (of::has_named_ports(service), of::publishes_all(service));
    let mut last = None;
    for pod in pods.filter(|pod| all_ready || !pod.is_terminating()) {
        // Numeric ports are the same for all Pods, so one lookup is enough for 10,000 of them.
        let key = match last.take().filter(|_| !named) {
            Some(key) => key,
            None => {
                let ports = plain(of::ports(service, pod));
                if ports.is_empty() && !headless_without {
                    continue;
                }
                let key = Value::from(ports.clone()).to_string();
                let new = || (ports, Vec::new(), Vec::new());
                sets.entry(key.clone()).or_insert_with(new);
                key
            }
        };
        if let Some((_, ready, others)) = sets.get_mut(&key) {
            match all_ready || is_ready(pod) {
                true => ready.push(pod),
                false => others.push(pod),
            }
        }
        last = Some(key);
    }
    let mut sets: Vec<Set<'a>> = sets.into_values().collect();
    for (_, ready, others) in &mut sets {
        // Kubernetes compares the addresses as texts.
        for pods in [ready, others] {
            pods.sort_by(|a, b| of::address(a).cmp(of::address(b)));
        }
    }
    let over = truncate(&mut sets);
    let subsets = sets.into_iter().map(|set| subset(service, set));
    (subsets.collect(), over)
}

/// Drops Pods over the capacity, first those that are not ready, in proportion to the sizes of the subsets. Returns true
/// if there were too many.
fn truncate(sets: &mut [Set<'_>]) -> bool {
    let ready: usize = sets.iter().map(|(_, ready, _)| ready.len()).sum();
    let others: usize = sets.iter().map(|(_, _, others)| others.len()).sum();
    if ready + others <= MOST {
        return false;
    }
    let (room, total) = match ready > MOST {
        true => (MOST, ready),
        false => (MOST - ready, others),
    };
    let mut left = room;
    for (_, set_ready, set_others) in sets {
        let pods = if ready > MOST {
            set_others.clear();
            set_ready
        } else {
            set_others
        };
        // Shares are rounded up, so the last subset may get less.
        pods.truncate((pods.len() * room).div_ceil(total).min(left));
        left -= pods.len();
    }
    true
}

fn subset(service: &Object, (ports, ready, others): Set<'_>) -> Value {
    let addresses = |pods: Vec<&Object>| -> Vec<Value> {
        let all = pods.into_iter().map(|pod| address(service, pod));
        all.collect()
    };
    let mut subset = Map::new();
    for (name, items) in [
        ("ports", ports),
        ("addresses", addresses(ready)),
        ("notReadyAddresses", addresses(others)),
    ] {
        if !items.is_empty() {
            subset.insert(name.to_owned(), Value::Array(items.into()));
        }
    }
    Value::Object(subset)
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
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content, lines};
    use crate::kinds::tree::text;
    use crate::runtime::{Change, Key};

    fn pod(name: &str, ip: &str, ready: bool) -> Value {
        json!({
            "metadata": {"name": name, "labels": {"app": "web"}},
            "spec": {"nodeName": "node-0", "containers": [{"ports": [{"name": "http", "containerPort": 80}]}]},
            "status": {"phase": "Running", "podIP": ip, "conditions": [
                {"type": "Ready", "status": if ready { "True" } else { "False" }},
            ]},
        })
    }

    fn service(target: Value) -> Value {
        json!({"metadata": {"name": "web", "labels": {"l": "1"}}, "spec": {
            "selector": {"app": "web"}, "ports": [{"port": 8080, "targetPort": target, "protocol": "TCP"}],
        }})
    }

    #[test]
    fn addresses_follow_the_pods_of_the_service() {
        let mut harness = ControllerHarness::new(Endpoints);
        harness.put("v1", "Service", service(json!("http")));
        harness.put("v1", "Pod", pod("b", "10.0.0.10", true));
        harness.put("v1", "Pod", pod("a", "10.0.0.9", true));
        harness.put("v1", "Pod", pod("c", "10.0.0.3", false));
        harness.put("v1", "Pod", pod("d", "", true));
        let plan = harness.plan("default", "web");
        assert_eq!(lines(&plan), ["create endpoints web: endpoints"]);
        let object = content(&plan.changes[0]);
        let ips = |name: &str| -> Vec<&str> {
            list(&object["subsets"][0], name)
                .iter()
                .map(|a| text(a, "ip"))
                .collect()
        };
        assert_eq!(ips("addresses"), ["10.0.0.10", "10.0.0.9"]);
        assert_eq!(ips("notReadyAddresses"), ["10.0.0.3"]);
        assert_eq!(
            object["subsets"][0]["ports"],
            json!([{"port": 80, "protocol": "TCP"}])
        );
        assert_eq!(
            object["metadata"]["labels"],
            json!({"l": "1", "endpoints.kubernetes.io/managed-by": "endpoint-controller"})
        );
        harness.put("v1", "Endpoints", object.clone());
        assert_eq!(harness.plan("default", "web"), Plan::done());
        let mut going = pod("a", "10.0.0.9", true);
        going["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
        let going = harness.put("v1", "Pod", going);
        assert_eq!(harness.keys(&going).len(), 1);
        let plan = harness.plan("default", "web");
        assert_eq!(lines(&plan), ["update endpoints web: endpoints"]);
    }

    #[test]
    fn ready_addresses_are_cut_last() {
        let mut harness = ControllerHarness::new(Endpoints);
        harness.put("v1", "Service", service(json!(80)));
        for n in 0..1000 {
            let address = format!("10.0.{}.{}", n / 250, n % 250 + 1);
            harness.put("v1", "Pod", pod(&format!("p{n}"), &address, false));
        }
        harness.put("v1", "Pod", pod("ready", "10.9.9.9", true));
        let plan = harness.plan("default", "web");
        let object = content(&plan.changes[0]);
        let subset = &object["subsets"][0];
        assert_eq!(text(&list(subset, "addresses")[0], "ip"), "10.9.9.9");
        assert_eq!(list(subset, "notReadyAddresses").len(), 999);
        assert_eq!(object["metadata"]["annotations"][OVER], "truncated");
    }

    #[test]
    fn annotations_and_labels_of_users_stay_until_the_next_change() {
        let mut harness = ControllerHarness::new(Endpoints);
        harness.put("v1", "Service", service(json!("http")));
        let plan = harness.plan("default", "web");
        let mut own = content(&plan.changes[0]).clone();
        let before = harness.put("v1", "Endpoints", own.clone());
        own["metadata"]["annotations"]["mine"] = json!("kept");
        own["metadata"]["labels"]["mine"] = json!("lost");
        let after = harness.put("v1", "Endpoints", own);
        let change = Change {
            before: Some(before),
            after: Some(after),
        };
        let mut watches = harness.controller.watches().into_iter();
        let own = watches.find(|w| w.kind == Some(watched::endpoints()));
        assert_eq!((own.unwrap().keys)(&change, &harness.cache), []);
        harness.put("v1", "Pod", pod("a", "10.0.0.9", true));
        let plan = harness.plan("default", "web");
        let metadata = &content(&plan.changes[0])["metadata"];
        assert_eq!(metadata["annotations"]["mine"], "kept");
        assert_eq!(metadata["labels"].get("mine"), None);
    }

    #[test]
    fn endpoints_are_empty_without_pods_and_absent_without_selector() {
        let mut harness = ControllerHarness::new(Endpoints);
        harness.put("v1", "Service", service(json!(80)));
        let plan = harness.plan("default", "web");
        assert!(content(&plan.changes[0])["subsets"].is_null());
        harness.put(
            "v1",
            "Service",
            json!({"metadata": {"name": "manual"}, "spec": {"ports": []}}),
        );
        assert_eq!(harness.plan("default", "manual"), Plan::done());
    }

    #[test]
    fn only_managed_endpoints_are_deleted_with_their_service() {
        let mut harness = ControllerHarness::new(Endpoints);
        let ours =
            json!({"metadata": {"name": "a", "labels": {MANAGED_BY: "endpoint-controller"}}});
        harness.put("v1", "Endpoints", ours);
        harness.put("v1", "Endpoints", json!({"metadata": {"name": "b"}}));
        assert_eq!(
            lines(&harness.plan("default", "a")),
            ["delete endpoints a: endpoints-gone"]
        );
        assert_eq!(harness.plan("default", "b"), Plan::done());
    }

    fn backend(name: &str, app: &str, address: &str) -> Value {
        json!({"metadata": {"name": name, "labels": {"app": app}},
            "status": {"podIP": address}})
    }

    fn selecting(name: &str, app: &str) -> Value {
        json!({"metadata": {"name": name}, "spec": {"selector": {"app": app}}})
    }

    fn behind(harness: &ControllerHarness<Endpoints>, name: &str) -> Vec<String> {
        let key = Key::new("default", name);
        let all = harness.cache.tally::<Backends>();
        all.of(&key).map(|pod| pod.name().to_owned()).collect()
    }

    #[test]
    fn endpoints_are_sorted_by_address() {
        let mut harness = ControllerHarness::new(Endpoints);
        harness.put("v1", "Pod", backend("a", "web", "10.0.0.10"));
        harness.put("v1", "Service", selecting("s", "web"));
        let b = harness.put("v1", "Pod", backend("b", "web", "10.0.0.9"));
        harness.put("v1", "Pod", backend("c", "web", ""));
        harness.put("v1", "Pod", backend("d", "db", "10.0.0.1"));
        assert_eq!(behind(&harness, "s"), ["b", "a"]);
        assert_eq!(behind(&harness, "t"), [""; 0]);
        harness.put("v1", "Pod", backend("c", "web", "10.0.0.11"));
        harness.put("v1", "Pod", backend("a", "web", "10.0.0.2"));
        assert_eq!(behind(&harness, "s"), ["a", "b", "c"]);
        let mut over = backend("a", "web", "10.0.0.2");
        over["status"]["phase"] = json!("Failed");
        harness.put("v1", "Pod", over);
        harness.remove(&b);
        assert_eq!(behind(&harness, "s"), ["c"]);
        let s = harness.put("v1", "Service", selecting("s", "db"));
        assert_eq!(behind(&harness, "s"), ["d"]);
        harness.remove(&s);
        assert_eq!(behind(&harness, "s"), [""; 0]);
    }
}
