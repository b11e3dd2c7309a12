//! The objects that the API server itself keeps: the namespaces of the system, and the Service, Endpoints and
//! EndpointSlice `kubernetes`.
//!
//! Rules:
//! - `kept`: one of them is missing; it is created again.
//! - `published`: the Service has another type or other ports; both are restored.
//! - `available`: an APIService names a Service; its condition says why the API cannot be reached.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::workload::next_look;
use super::{api_availability, views, watched};
use crate::api::json::{Value, json};
use crate::cluster::{Place, kept_objects};
use crate::kinds::Kind;
use crate::kinds::tree::field;
use crate::runtime::{
    Cache, Change, Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

/// Maintains the objects of the API server.
#[derive(Debug)]
pub(crate) struct KeptObjects {
    all: Vec<(Place, Value)>,
    /// The times at which the API server will notice that these objects are missing or changed.
    due: BTreeMap<(&'static str, Key), Timestamp>,
}

impl Default for KeptObjects {
    fn default() -> Self {
        Self {
            all: kept_objects(),
            due: BTreeMap::new(),
        }
    }
}

impl KeptObjects {
    /// Returns true if the change is one of a kept object.
    fn is_about(kept: &[Key], change: &Change) -> bool {
        change
            .object()
            .is_some_and(|object| kept.contains(object.key()))
    }
}

fn name(object: &Value) -> &str {
    field(field(object, "metadata"), "name")
        .as_str()
        .unwrap_or_default()
}

fn the_only_key() -> Key {
    Key::new("", "kubernetes")
}

impl Controller for KeptObjects {
    fn name(&self) -> &'static str {
        "kubernetes-service"
    }

    fn component(&self) -> &'static str {
        "kube-apiserver"
    }

    fn field_manager(&self) -> &'static str {
        "kube-apiserver"
    }

    fn watches(&self) -> Vec<Watch> {
        let keys = self
            .all
            .iter()
            .map(|(place, object)| Key::new(&place.namespace, name(object)));
        let keys: Vec<Key> = keys.collect();
        let watch = |kind| {
            let keys = keys.clone();
            Watch::new(kind, move |change: &Change, _: &Cache| {
                let about = Self::is_about(&keys, change);
                about.then(the_only_key).into_iter().collect()
            })
        };
        let kinds = [
            watched::namespaces(),
            watched::services(),
            watched::endpoints(),
            watched::endpoint_slices(),
        ];
        let mut watches: Vec<Watch> = kinds.into_iter().map(watch).collect();
        watches.extend(api_availability::watches());
        watches
    }

    fn start(&self) -> Vec<Key> {
        // A deletion before the start of the controller is not a change that it sees.
        vec![the_only_key()]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        if *context.key != the_only_key() {
            return api_availability::plan(context, "available: its Service was looked at");
        }
        let mut plan = Plan::done();
        let cache = context.cache;
        // An empty cluster gets all its objects when it is made.
        if cache.get(watched::namespaces(), "", "default").is_none() {
            return plan;
        }
        for (place, object) in &self.all {
            let found = cache.get(place.kind, &place.namespace, name(object));
            let write = match found {
                None => {
                    let rule = "kept: the API server needs it";
                    Some(PlannedWrite::create(place.clone(), object.clone(), rule))
                }
                Some(found) => repair(found, object),
            };
            let key = (place.kind.plural, Key::new(&place.namespace, name(object)));
            let Some(write) = write else {
                self.due.remove(&key);
                continue;
            };
            let next = || next_look(period(place.kind), context.now);
            let due = *self.due.entry(key).or_insert_with(next);
            let wait = due.duration_since(context.now);
            if wait.is_positive() {
                plan.requeue_in(wait);
            } else {
                plan.changes.push(write);
            }
        }
        plan
    }
}

/// Returns the seconds between two looks of the API server at its objects of a kind.
fn period(kind: &Kind) -> i64 {
    if kind == watched::namespaces() {
        60
    } else {
        10
    }
}

/// Returns the write that sets the type and the ports of the Service back.
fn repair(found: &Object, wanted: &Value) -> Option<PlannedWrite> {
    if found.kind() != watched::services() {
        return None;
    }
    let (spec, wanted) = (views::service(found), views::service(wanted));
    // Other fields, such as the session affinity, are the user's.
    if spec.kind() == wanted.kind() && spec.ports() == wanted.ports() {
        return None;
    }
    let patch = json!({"spec": {"type": wanted.kind(), "ports": wanted.ports()}});
    let rule = "published: it has another type or other ports";
    Some(PlannedWrite::merge(found, patch, rule))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Outcome;
    use crate::testing::World;

    #[test]
    fn objects_of_the_api_server_come_back() {
        let world = World::new();
        world.settled();
        let uid = |object: &Value| object["metadata"]["uid"].clone();
        let before = world.get(watched::services(), "kubernetes");
        // Its Endpoints are deleted with it.
        world.delete(watched::services(), "kubernetes");
        world.delete(watched::endpoint_slices(), "kubernetes");
        let start = world.scratch.cluster.now().unwrap();
        assert_eq!(world.settle(), Outcome::Settled);
        let waited = world.scratch.cluster.now().unwrap().duration_since(start);
        assert!(waited.as_secs() <= 10, "{waited}");
        let after = world.get(watched::services(), "kubernetes");
        assert_ne!(uid(&after), uid(&before));
        assert_eq!(after["spec"], before["spec"]);
        assert_eq!(
            after["metadata"]["managedFields"][0]["manager"],
            "kube-apiserver"
        );
        for kind in [watched::endpoints(), watched::endpoint_slices()] {
            assert_eq!(world.names(kind), ["kubernetes"], "{}", kind.kind);
        }
    }

    #[test]
    fn objects_come_back_at_the_next_look() {
        let now: Timestamp = "2026-01-02T12:00:07.5Z".parse().unwrap();
        let wait = |kind| {
            let next = next_look(period(kind), now);
            next.duration_since(now).as_secs()
        };
        assert_eq!(wait(watched::services()), 3);
        assert_eq!(wait(watched::namespaces()), 53);
    }

    #[test]
    fn the_service_keeps_its_ports() {
        let world = World::new();
        let ports = json!([{"name": "other", "port": 444, "protocol": "TCP"}]);
        let patch = json!({"spec": {"ports": ports, "sessionAffinity": "ClientIP"}});
        world.patch(watched::services(), "kubernetes", patch);
        world.settled();
        let spec = &world.get(watched::services(), "kubernetes")["spec"];
        assert_eq!(spec["ports"][0]["port"], 443);
        assert_eq!(spec["sessionAffinity"], "ClientIP");
    }

    #[test]
    fn a_deleted_namespace_of_the_system_comes_back() {
        let world = World::new();
        world.settled();
        let name = "kube-node-lease";
        let cluster = &world.scratch.cluster;
        let place = Place::new(watched::namespaces(), "");
        let options = crate::cluster::DeleteOptions::default();
        cluster.delete(&place, name, &options).unwrap();
        world.settled();
        let namespace = cluster.get(&place, name).unwrap();
        assert_eq!(namespace["status"]["phase"], "Active");
    }
}
