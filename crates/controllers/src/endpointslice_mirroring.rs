//! Mirrors the Endpoints of Services without a selector to EndpointSlices.
//!
//! Rules:
//! - `mirror`: a slice is created from the addresses of Endpoints, or updated to match them.
//! - `mirror-gone`: the slice has nothing left to mirror; it is deleted.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::service_pods as of;
use super::workload::numbered;
use super::{port_order, watched};
use crate::api::json::{Map, Value, json};
use crate::api::selector::LabelSelector;
use crate::cluster::Place;
use crate::kinds::tree::{entries, field, list, text};
use crate::runtime::{
    Change, Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

const SERVICE: &str = "kubernetes.io/service-name";
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const OURS: &str = "endpointslicemirroring-controller.k8s.io";
/// The label of Endpoints that must not be mirrored.
const SKIP: &str = "endpointslice.kubernetes.io/skip-mirror";
/// The annotation of Endpoints that serve as a lock of a leader election.
const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The most addresses of a subset that are mirrored.
const MOST: usize = 1000;

/// Mirrors the Endpoints of services without a selector.
#[derive(Debug, Default)]
pub(crate) struct Mirrors;

impl Controller for Mirrors {
    fn name(&self) -> &'static str {
        "endpointslice-mirroring"
    }

    fn component(&self) -> &'static str {
        "endpoint-slice-mirroring-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(watched::endpoints()),
            Watch::new(watched::services(), |change, _| named(change, Object::name)),
            Watch::new(watched::endpoint_slices(), |change, _| {
                named(change, |slice| match slice.label(MANAGED_BY) {
                    OURS => slice.label(SERVICE),
                    _ => "",
                })
            }),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::endpoint_slices();
        let ours = json!({SERVICE: &*context.key.name, MANAGED_BY: OURS});
        let Ok(ours) = LabelSelector::from_labels(Some(&ours)) else {
            return plan;
        };
        let mut old = context.cache.selected(kind, &context.key.namespace, &ours);
        old.retain(|slice| !slice.is_terminating());
        let mut new = Vec::new();
        if let Some(endpoints) = mirrored(context) {
            for ((address_type, ports), addresses) in wanted(endpoints) {
                let ports: Value = serde_json::from_str(&ports).unwrap_or_default();
                let same = |slice: &&Object| {
                    type_of(slice) == address_type
                        && Some(list(slice, "ports")) == ports.as_array().map(|p| &**p)
                };
                let slice = old.iter().position(same).map(|at| old.remove(at));
                let object = said_again(endpoints, address_type, ports, addresses);
                match slice {
                    Some(_) => plan.changes.extend(written(slice, endpoints, object)),
                    None => new.push((address_type, object)),
                }
            }
            for (address_type, object) in new {
                // A slice whose ports are gone is used again, which keeps its name. The address type is immutable.
                let same = |slice: &&Object| type_of(slice) == address_type;
                let slice = old.iter().position(same).map(|at| old.remove(at));
                plan.changes.extend(written(slice, endpoints, object));
            }
        }
        let gone = old
            .iter()
            .map(|slice| PlannedWrite::delete(slice, "mirror-gone: nothing is left to mirror"));
        plan.changes.extend(gone);
        plan
    }
}

/// Returns the type of a slice's addresses.
fn type_of(slice: &Object) -> &str {
    text(slice, "addressType")
}

fn named(change: &Change, name: fn(&Object) -> &str) -> Vec<Key> {
    let keys = change.versions().map(|o| Key::new(o.namespace(), name(o)));
    let mut keys: Vec<Key> = keys.filter(|key| !key.name.is_empty()).collect();
    keys.dedup();
    keys
}

/// Returns the Endpoints of a key, if they are to be mirrored.
fn mirrored<'a>(context: &ReconcileContext<'a>) -> Option<&'a Object> {
    let endpoints = context.cache.by_key(watched::endpoints(), context.key)?;
    let service = context.cache.by_key(watched::services(), context.key)?;
    let selects = entries(field(service, "spec"), "selector").next().is_some();
    // Old leader election wrote its lock into Endpoints, which belong to no Service.
    let left_alone = endpoints.label(SKIP) == "true" || endpoints.annotation(LEADER).is_some();
    (!selects && !left_alone && !endpoints.is_terminating()).then_some(endpoints)
}

/// Returns the addresses of Endpoints as endpoints of slices, by their type and ports.
fn wanted(endpoints: &Object) -> BTreeMap<(&'static str, String), Vec<Value>> {
    let mut wanted: BTreeMap<(&str, String), Vec<Value>> = BTreeMap::new();
    for subset in list(endpoints, "subsets") {
        let mut ports: Vec<Value> = list(subset, "ports").iter().map(port).collect();
        port_order::of_slice(&mut ports);
        let ports = Value::from(ports).to_string();
        let lists = [("addresses", true), ("notReadyAddresses", false)];
        let all = lists.into_iter().flat_map(|(name, ready)| {
            list(subset, name)
                .iter()
                .filter_map(move |address| endpoint(address, ready))
        });
        // `--mirroring-max-endpoints-per-subset`.
        for (address_type, endpoint) in all.take(MOST) {
            wanted
                .entry((address_type, ports.clone()))
                .or_default()
                .push(endpoint);
        }
    }
    wanted
}

fn port(port: &Value) -> Value {
    let mut said = json!({"name": text(port, "name")});
    for name in ["port", "protocol", "appProtocol"] {
        if let Some(value) = port.get(name) {
            said[name] = value.clone();
        }
    }
    said
}

fn endpoint(address: &Value, ready: bool) -> Option<(&'static str, Value)> {
    // An address that does not parse is skipped, as upstream.
    let ip: IpAddr = text(address, "ip").parse().ok()?;
    let mut endpoint = json!({"addresses": [ip.to_string()], "conditions": {"ready": ready}});
    for name in ["hostname", "nodeName", "targetRef"] {
        if let Some(value) = address.get(name) {
            endpoint[name] = value.clone();
        }
    }
    Some((if ip.is_ipv4() { "IPv4" } else { "IPv6" }, endpoint))
}

/// Returns the slice that mirrors Endpoints, with their labels and annotations.
fn said_again(
    endpoints: &Object,
    address_type: &str,
    ports: Value,
    addresses: Vec<Value>,
) -> Value {
    let metadata = field(endpoints, "metadata");
    let own = |name| {
        field(metadata, name)
            .as_object()
            .cloned()
            .unwrap_or_default()
    };
    let mut labels: Map = own("labels");
    labels.insert(SERVICE.to_owned(), json!(endpoints.name()));
    labels.insert(MANAGED_BY.to_owned(), json!(OURS));
    let mut annotations: Map = own("annotations");
    annotations.remove(of::TRIGGER_TIME);
    // The annotation describes the Endpoints, and kubectl would compare the slice with it.
    annotations.remove(LAST_APPLIED);
    let mut object = json!({
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
        "metadata": {
            "generateName": format!("{}-", endpoints.name()),
            "namespace": endpoints.namespace(),
            "labels": labels,
            "ownerReferences": [endpoints.controller_reference()],
        },
        "addressType": address_type, "endpoints": addresses, "ports": ports,
    });
    if !annotations.is_empty() {
        object["metadata"]["annotations"] = json!(annotations);
    }
    object
}

/// Returns the write that creates a slice, or updates an old one that differs.
fn written(old: Option<&Object>, endpoints: &Object, object: Value) -> Option<PlannedWrite> {
    let count = list(&object, "endpoints").len();
    let rule = format!("mirror: {}", numbered(count, "endpoint", "endpoints"));
    let Some(old) = old else {
        let kind = watched::endpoint_slices();
        let place = Place::new(kind, endpoints.namespace());
        return Some(PlannedWrite::create(place, object, rule));
    };
    let mut new = old.to_value();
    for name in ["endpoints", "ports"] {
        // An empty list is stored as none.
        if list(&new, name) != list(&object, name) {
            new[name] = object[name].clone();
        }
    }
    for name in ["labels", "annotations"] {
        let wanted = object["metadata"][name].clone();
        if field(&new["metadata"], name) != &wanted {
            new["metadata"][name] = wanted;
        }
    }
    (new != old.to_value()).then(|| PlannedWrite::update(old, new, rule))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content, lines};

    fn endpoints(more: Value) -> Value {
        let mut object = json!({
            "metadata": {"name": "far", "labels": {"a": "b"}, "annotations": {LAST_APPLIED: "{}"}},
            "subsets": [{
                "addresses": [{"ip": "1.2.3.4"}, {"ip": "::1"}],
                "notReadyAddresses": [{"ip": "1.2.3.5", "nodeName": "n"}],
                "ports": [{"port": 80, "protocol": "TCP"}],
            }],
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            object[&**name] = value.clone();
        }
        object
    }

    #[test]
    fn slices_mirror_endpoints() {
        let mut harness = ControllerHarness::new(Mirrors);
        harness.put(
            "v1",
            "Service",
            json!({"metadata": {"name": "far"}, "spec": {}}),
        );
        harness.put("v1", "Endpoints", endpoints(json!({})));
        let plan = harness.plan("default", "far");
        assert_eq!(plan.changes.len(), 2, "{:?}", lines(&plan));
        let slice = content(&plan.changes[0]).clone();
        assert_eq!(
            slice["metadata"]["labels"],
            json!({"a": "b", SERVICE: "far", MANAGED_BY: OURS})
        );
        assert!(slice["metadata"].get("annotations").is_none());
        assert_eq!(slice["metadata"]["ownerReferences"][0]["kind"], "Endpoints");
        assert_eq!(
            slice["ports"],
            json!([{"name": "", "port": 80, "protocol": "TCP"}])
        );
        assert_eq!(
            slice["endpoints"],
            json!([
                {"addresses": ["1.2.3.4"], "conditions": {"ready": true}},
                {"addresses": ["1.2.3.5"], "conditions": {"ready": false}, "nodeName": "n"},
            ])
        );
        assert_eq!(content(&plan.changes[1])["addressType"], "IPv6");
        for (name, write) in [("far-4", &plan.changes[0]), ("far-6", &plan.changes[1])] {
            let mut made = content(write).clone();
            made["metadata"]["name"] = json!(name);
            harness.put("discovery.k8s.io/v1", "EndpointSlice", made);
        }
        assert_eq!(harness.plan("default", "far"), Plan::done());
        let fewer = json!({"subsets": [{"addresses": [{"ip": "1.2.3.9"}], "ports": [{"port": 80, "protocol": "TCP"}]}]});
        harness.put("v1", "Endpoints", endpoints(fewer));
        assert_eq!(
            lines(&harness.plan("default", "far")),
            [
                "update endpointslices far-4: mirror",
                "delete endpointslices far-6: mirror-gone",
            ]
        );
    }

    #[test]
    fn selected_skipped_and_leader_endpoints_are_not_mirrored() {
        for (service, metadata) in [
            (json!({"selector": {"a": "b"}}), json!({"name": "far"})),
            (json!({}), json!({"name": "far", "labels": {SKIP: "true"}})),
            (
                json!({}),
                json!({"name": "far", "annotations": {LEADER: "{}"}}),
            ),
        ] {
            let mut harness = ControllerHarness::new(Mirrors);
            harness.put(
                "v1",
                "Service",
                json!({"metadata": {"name": "far"}, "spec": service}),
            );
            harness.put("v1", "Endpoints", endpoints(json!({"metadata": metadata})));
            assert_eq!(harness.plan("default", "far"), Plan::done());
        }
    }
}
