//! IPAddresses: each cluster address of a Service has one, and each that the allocator made belongs to a Service.
//!
//! Rules:
//! - `allocate`: an address of a Service has no IPAddress; it is created. The API server notices a deletion every three
//!   minutes.
//! - `reallocate`: the IPAddress of an address refers to an object that does not exist or is no Service, or lacks the
//!   labels of the allocator; it is replaced.
//! - `release`: an IPAddress of the allocator refers to another kind, to a Service with other addresses, or for a minute
//!   to none; it is deleted.

use std::collections::BTreeMap;
use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use super::workload::next_look;
use super::{views, watched};
use crate::cluster::{Place, address_record};
use crate::kinds::moment;
use crate::runtime::{
    Cache, Controller, EventNote, Index, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

const FAMILY: &str = "ipaddress.kubernetes.io/ip-family";
const MANAGED_BY: &str = "ipaddress.kubernetes.io/managed-by";
const ALLOCATOR: &str = "ipallocator.k8s.io";

/// The index of Services by their cluster addresses.
const BY_ADDRESS: &str = "cluster-address";

/// The seconds between two looks of the API server at all Services.
const PERIOD: i64 = 180;

/// The time that an API server may need between the allocation of an address and the creation of its Service.
const GRACE: SignedDuration = SignedDuration::from_secs(60);

/// Maintains the IPAddresses of Services. Its keys are those of Services and, without a namespace, of IPAddresses.
#[derive(Debug, Default)]
pub(crate) struct AddressRepair {
    /// The times at which the API server will notice that these IPAddresses are missing.
    due: BTreeMap<Key, Timestamp>,
}

impl Controller for AddressRepair {
    fn name(&self) -> &'static str {
        "ipallocator-repair"
    }

    fn component(&self) -> &'static str {
        "ipallocator-repair-controller"
    }

    fn field_manager(&self) -> &'static str {
        "kube-apiserver"
    }

    fn watches(&self) -> Vec<Watch> {
        // A new range changes nothing at once: in Kubernetes, a Service out of range waits for its next change, too.
        vec![
            Watch::own(watched::services()),
            Watch::own(watched::ip_addresses()),
            Watch::cached(watched::service_ranges()),
        ]
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index {
            kind: watched::services(),
            name: BY_ADDRESS,
            reads: &["/spec/clusterIPs"],
            values: |service| {
                let addresses = views::service(service).cluster_ips();
                addresses.map(str::to_owned).collect()
            },
        }]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let (cache, key) = (context.cache, context.key);
        // The API server does not judge addresses before it has a range of its own.
        if cache
            .get(watched::service_ranges(), "", "kubernetes")
            .is_none()
        {
            return plan;
        }
        if key.namespace.is_empty() {
            match cache.by_key(watched::ip_addresses(), key) {
                Some(record) => {
                    self.due.remove(key);
                    release(record, context, &mut plan);
                }
                None => self.restore(context, &mut plan),
            }
        } else if let Some(service) = cache.by_key(watched::services(), key) {
            for address in views::service(service).cluster_ips() {
                repair(service, address, cache, &mut plan);
            }
        }
        plan
    }
}

impl AddressRepair {
    /// Plans the return of a deleted IPAddress that a Service needs.
    fn restore(&mut self, context: &ReconcileContext<'_>, plan: &mut Plan) {
        let (cache, key) = (context.cache, context.key);
        let mut services = cache.indexed(watched::services(), BY_ADDRESS, &key.name);
        // Usually the Service is deleted with its IPAddresses.
        let Some(service) = services.next() else {
            self.due.remove(key);
            return;
        };
        let next = || next_look(PERIOD, context.now);
        let due = *self.due.entry(key.clone()).or_insert_with(next);
        let wait = due.duration_since(context.now);
        if wait.is_positive() {
            return plan.requeue_in(wait);
        }
        repair(service, &key.name, cache, plan);
    }
}

/// Plans what an address of a Service lacks.
fn repair(service: &Object, address: &str, cache: &Cache, plan: &mut Plan) {
    // Headless Services have the address `None`.
    let Ok(parsed) = address.parse::<IpAddr>() else {
        return;
    };
    let family = if parsed.is_ipv4() { "IPv4" } else { "IPv6" };
    let warning = |reason: &str, message: String| EventNote {
        action: "ClusterIPAllocation".to_owned(),
        ..EventNote::warning(service, reason, message)
    };
    let mut ranges = cache.list(watched::service_ranges(), "");
    if !ranges.any(|range| views::address_ranges(range).any(|r| r.assigns(parsed))) {
        // The API server reports it again with each look, which would be a write of every process that starts here.
        return;
    }
    let create = |rule: &str| {
        let place = Place::new(watched::ip_addresses(), "");
        PlannedWrite::create(place, address_record(service, address), rule)
    };
    let Some(record) = cache.get(watched::ip_addresses(), "", address) else {
        let message = format!("Cluster IP [{family}]: {address} is not allocated; repairing");
        let event = warning("ClusterIPNotAllocated", message);
        let write = create("allocate: the address has no IPAddress");
        plan.changes.push(write.with_event(event));
        return;
    };
    let (namespace, name) = (service.namespace(), service.name());
    let holder = parent_service(record, cache);
    if holder.is_none() {
        let message = format!(
            "the ClusterIP [{family}]: {address} for Service {namespace}/{name} has a wrong reference; repairing"
        );
        let event = warning("ClusterIPNotAllocated", message);
        let rule = "reallocate: the IPAddress refers to no Service";
        plan.changes.push(PlannedWrite::delete(record, rule));
        plan.changes.push(create(rule).with_event(event));
        return;
    }
    // The allocator finds the addresses of a family by these labels.
    if record.label(FAMILY) != family || record.label(MANAGED_BY) != ALLOCATOR {
        let rule = "reallocate: the IPAddress lacks the labels of the allocator";
        plan.changes.push(PlannedWrite::delete(record, rule));
        plan.changes.push(create(rule));
    }
}

/// Plans the deletion of an IPAddress of the allocator that belongs to no Service.
fn release(record: &Object, context: &ReconcileContext<'_>, plan: &mut Plan) {
    // Those of users and of other controllers reserve addresses.
    if record.label(MANAGED_BY) != ALLOCATOR {
        return;
    }
    let (parent, address) = (views::address_parent(record), record.name());
    let (namespace, name) = (parent.namespace(), parent.name());
    let delete = |reason: &str, message: String, rule: &str| {
        let event = EventNote {
            action: "IPAddressAllocation".to_owned(),
            ..EventNote::warning(record, reason, message)
        };
        PlannedWrite::delete(record, rule).with_event(event)
    };
    let write = match parent_service(record, context.cache) {
        Some(service) if has(service, address) => return,
        Some(_) => delete(
            "IPAddressWrongReference",
            format!(
                "IPAddress: {address} for Service {namespace}/{name} has a wrong reference; cleaning up"
            ),
            "release: the Service has other addresses",
        ),
        None if !parent.refers_to(watched::services()) => delete(
            "IPAddressNotAllocated",
            format!(
                "IPAddress {address} appears to have been modified, not referencing a Service \
                 &ParentReference{{Group:{},Resource:{},Namespace:{namespace},Name:{name},}}: cleaning up",
                parent.group(),
                parent.resource()
            ),
            "release: it does not refer to a Service",
        ),
        None => {
            let created = views::meta(record).created();
            let age = created.map_or(GRACE, |created| moment::since(created, context.now));
            if age < GRACE {
                return plan.requeue_in(GRACE.saturating_sub(age));
            }
            delete(
                "IPAddressNotAllocated",
                format!(
                    "IPAddress: {address} for Service {namespace}/{name} appears to have leaked: cleaning up"
                ),
                "release: the Service does not exist",
            )
        }
    };
    plan.changes.push(write);
}

/// Returns the Service that an IPAddress refers to.
fn parent_service<'a>(record: &Object, cache: &'a Cache) -> Option<&'a Object> {
    let parent = views::address_parent(record);
    let service = cache.get(watched::services(), parent.namespace(), parent.name());
    service.filter(|_| parent.refers_to(watched::services()))
}

fn has(service: &Object, address: &str) -> bool {
    let mut addresses = views::service(service).cluster_ips();
    addresses.any(|own| own == address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::DeleteOptions;
    use crate::runtime::Outcome;
    use crate::testing::World;

    fn deleted(world: &World, address: &str) {
        let place = Place::new(watched::ip_addresses(), "");
        let options = DeleteOptions::default();
        let cluster = &world.scratch.cluster;
        cluster.delete(&place, address, &options).unwrap();
    }

    #[test]
    fn deleted_address_comes_back_and_is_reported_once() {
        let world = World::new();
        world.settled();
        let count = world.names(watched::ip_addresses());
        let revision = || world.scratch.cluster.stored().revision().unwrap();
        world.settled();
        let before = revision();
        world.settled();
        assert_eq!(revision(), before, "nothing is left to repair");
        deleted(&world, "10.96.0.1");
        world.settled();
        assert_eq!(world.names(watched::ip_addresses()), count);
        let events = world.list(watched::events());
        let event = events
            .iter()
            .find(|e| e["reason"] == "ClusterIPNotAllocated");
        let event = event.unwrap();
        assert_eq!(
            event["message"],
            "Cluster IP [IPv4]: 10.96.0.1 is not allocated; repairing"
        );
        assert_eq!(event["involvedObject"]["name"], "kubernetes");
        assert_eq!(event["reportingComponent"], "ipallocator-repair-controller");
        let after = revision();
        world.settled();
        assert_eq!(revision(), after);
    }

    #[test]
    fn leaked_address_is_deleted_after_a_minute() {
        let world = World::new();
        let labels = json!({FAMILY: "IPv4", MANAGED_BY: ALLOCATOR});
        let parent = json!({"resource": "services", "namespace": "default", "name": "gone"});
        let record = json!({"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress",
            "metadata": {"name": "10.96.9.9", "labels": labels}, "spec": {"parentRef": parent}});
        world.create(watched::ip_addresses(), &record);
        let start = world.scratch.cluster.now().unwrap();
        assert_eq!(world.settle(), Outcome::Settled);
        let waited = world.scratch.cluster.now().unwrap().duration_since(start);
        assert!((59..=61).contains(&waited.as_secs()), "{waited}");
        assert_eq!(world.names(watched::ip_addresses()), ["10.96.0.1"]);
    }
}
