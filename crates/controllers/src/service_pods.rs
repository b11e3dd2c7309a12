//! The parts that endpoints and endpoint slices share: the Pods of a Service and their ports.

use jiff::Timestamp;

use super::backends::Backends;
use super::workload::condition;
use super::{views, watched};
use crate::api::json::{Map, Value, json};
use crate::api::selector::LabelSelector;
use crate::kinds::Kind;
use crate::kinds::moment;
use crate::kinds::tree::{ensure, entries, field, list, set, take, text};
use crate::runtime::{Cache, Change, Key, Object, Watch};

/// The label that marks headless services' objects.
pub(crate) const HEADLESS: &str = "service.kubernetes.io/headless";
/// The annotation with the time of the change that led to the last update.
pub(crate) const TRIGGER_TIME: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// Returns the time of the change that made a Pod an endpoint as it is: of its readiness, or its creation.
pub(crate) fn trigger_time(pod: &Object) -> Option<Timestamp> {
    let ready = condition(pod, "Ready").and_then(|ready| views::condition(ready).since());
    ready.or_else(|| views::meta(pod).created())
}

/// Sets the time of the change that led to an update of an object, or removes it if no Pod has changed.
pub(crate) fn set_trigger_time(object: &mut Value, at: Option<Timestamp>) {
    let annotations = ensure(ensure(object, "metadata"), "annotations");
    match at {
        Some(at) => set(annotations, TRIGGER_TIME, moment::text(at)),
        None => drop(take(annotations, TRIGGER_TIME)),
    }
    if annotations.as_object().is_some_and(Map::is_empty) {
        take(ensure(object, "metadata"), "annotations");
    }
}

/// Returns the watches of a controller that manages objects of a service: services, their Pods, and the objects
/// themselves. `service_of` returns the service's name of an object, and `matters` returns true if an update of an object
/// leads to a reconcile.
pub(crate) fn watches(
    own: &'static Kind,
    service_of: fn(&Object) -> String,
    matters: fn(&Object, &Object) -> bool,
) -> Vec<Watch> {
    vec![
        Watch::own(watched::services()),
        Watch::new(watched::pods(), services_of_pod),
        Watch::new(own, move |change, _| {
            if let (Some(before), Some(after)) = (&change.before, &change.after)
                && !matters(before, after)
            {
                return Vec::new();
            }
            let named = change
                .versions()
                .map(|o| Key::new(o.namespace(), &service_of(o)));
            let mut keys: Vec<Key> = named.filter(|k| !k.name.is_empty()).collect();
            keys.dedup();
            keys
        }),
    ]
}

/// Returns the services whose selectors match a Pod before or after a change that matters to them.
fn services_of_pod(change: &Change, cache: &Cache) -> Vec<Key> {
    let parts = [
        "/metadata/labels",
        "/metadata/deletionTimestamp",
        "/status",
        "/spec/nodeName",
    ];
    let both = change.before.is_some() && change.after.is_some();
    if both && !parts.iter().any(|part| change.differs(part)) {
        return Vec::new();
    }
    cache.tally::<Backends>().selecting(change).collect()
}

/// Returns the selector of a Service, or `None` if it has none.
pub(crate) fn selector(service: &Value) -> Option<LabelSelector> {
    let spec = field(service, "spec");
    let selects =
        entries(spec, "selector").next().is_some() && text(spec, "type") != "ExternalName";
    selects.then(|| LabelSelector::from_labels(spec.get("selector")).ok())?
}

/// Returns the address of a Pod.
pub(crate) fn address(pod: &Value) -> &str {
    views::pod(pod).ip()
}

/// Returns true if a service counts Pods that are not ready as ready.
pub(crate) fn publishes_all(service: &Value) -> bool {
    // The annotation `tolerate-unready-endpoints` has had no effect since Kubernetes 1.24.
    views::service(service).publishes_not_ready()
}

/// Returns true if a service has no cluster IP.
pub(crate) fn is_headless(service: &Value) -> bool {
    views::service(service).cluster_ip() == "None"
}

/// Returns true if the ports of a service may differ between Pods, because they are named.
pub(crate) fn has_named_ports(service: &Value) -> bool {
    let ports = views::service(service).ports().iter();
    ports.map(|p| field(p, "targetPort")).any(Value::is_string)
}

/// Returns the ports of a service on a Pod, without the ports that the Pod lacks.
pub(crate) fn ports(service: &Value, pod: &Value) -> Vec<Value> {
    let mut ports = Vec::new();
    for port in views::service(service).ports() {
        let protocol = match text(port, "protocol") {
            "" => "TCP",
            protocol => protocol,
        };
        let target = field(port, "targetPort");
        let number = match target {
            Value::String(name) => named_port(pod, name, protocol),
            Value::Number(number) if number.as_i64() != Some(0) => number.as_i64(),
            _ => field(port, "port").as_i64(),
        };
        let Some(number) = number else { continue };
        let mut found = json!({"name": text(port, "name"), "port": number, "protocol": protocol});
        if let Some(app) = port.get("appProtocol").filter(|p| !p.is_null()) {
            found["appProtocol"] = app.clone();
        }
        ports.push(found);
    }
    ports
}

fn named_port(pod: &Value, name: &str, protocol: &str) -> Option<i64> {
    let view = views::pod(pod);
    let stays = |c: &&Value| text(c, "restartPolicy") == "Always";
    let sidecars = view.init_containers().iter().filter(stays);
    let all = view.containers().iter().chain(sidecars);
    let mut ports = all.flat_map(|c| list(c, "ports"));
    let wanted = |p: &&Value| {
        text(p, "name") == name && matches!(text(p, "protocol"), "" | "TCP") == (protocol == "TCP")
    };
    ports
        .find(wanted)
        .and_then(|p| field(p, "containerPort").as_i64())
}

/// Returns the reference to a Pod.
pub(crate) fn target(pod: &Object) -> Value {
    let (key, uid) = (pod.key(), field(field(pod, "metadata"), "uid"));
    json!({"kind": "Pod", "namespace": key.namespace, "name": key.name, "uid": uid})
}

/// Returns true if this is the reference to a Pod. Compared field by field: building the JSON of 10,000 references for a
/// comparison took most of the time.
pub(crate) fn is_target(target: &Value, pod: &Object) -> bool {
    let names = [
        ("kind", "Pod"),
        ("namespace", pod.namespace()),
        ("name", pod.name()),
        ("uid", pod.uid()),
    ];
    let size = target.as_object().map_or(0, Map::len);
    size == names.len() && names.iter().all(|(name, is)| text(target, name) == *is)
}

/// Returns the host name of a Pod within its service, if it has one.
pub(crate) fn hostname<'a>(service: &Object, pod: &'a Value) -> Option<&'a str> {
    let view = views::pod(pod);
    let name = view.hostname();
    (!name.is_empty() && view.subdomain() == service.name()).then_some(name)
}
