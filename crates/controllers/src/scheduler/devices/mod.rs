//! Devices: the claims of a Pod, the nodes on which they can be met, and the writes that allocate them.
//!
//! Follows the plugin `DynamicResources` of kube-scheduler in its messages and in the order in which devices are tried.

mod allocate;
pub(super) mod assumed;
mod inventory;
mod request;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeMap;

use jiff::Timestamp;

use self::allocate::Search;
use self::assumed::{Assumed, status};
use self::inventory::Inventory;
use self::request::Open;
use super::pod_info::PodInfo;
use super::refusal::Refusal;
use super::state::Node;
use super::world::World;
use crate::api::json::{Text, Value, json};
use crate::api::patch::merge;
use crate::cluster::{Part, PatchType};
use crate::kinds::moment;
use crate::kinds::pod::node_rules::NodeTerm;
use crate::runtime::{Cache, Object, PlannedWrite};
use crate::views;
use crate::watched;

/// The rule by which claims get devices.
const RESERVE: &str = "reserve";

/// Returns true if a Pod may be scheduled: all of its claims exist and none is being deleted. Other Pods wait without
/// a condition, as behind kube-scheduler's `PreEnqueue`.
pub(super) fn are_ready(pod: &Object, cache: &Cache) -> bool {
    views::pod_claims(pod).all(|entry| {
        let claim = entry.claim(pod, cache);
        claim.is_some_and(|claim| !claim.is_terminating())
    })
}

/// The claims of a Pod and the devices that are free for them.
#[derive(Debug, Default)]
pub(super) struct Devices {
    /// True if the Pod has claims.
    pub(super) claimed: bool,
    /// The nodes of the claims that are allocated; `None` is every node.
    places: Vec<Option<Vec<NodeTerm>>>,
    open: Vec<Open>,
    inventory: Inventory,
    /// The error of a selector, which stops the Pod as a whole.
    error: RefCell<Option<String>>,
}

impl Devices {
    /// # Errors
    /// The reason why no node is suitable.
    pub(super) fn new(pod_info: &PodInfo, world: &World<'_>) -> Result<Self, String> {
        let mut devices = Self::default();
        // Most Pods have no claims, and looking up the Pod takes a fifth of its placing.
        if !pod_info.has_devices {
            return Ok(devices);
        }
        let Some(pod) = world.object(watched::pods(), &pod_info.namespace, &pod_info.name) else {
            return Ok(devices);
        };
        for claim in claims(pod, world.cache) {
            devices.claimed = true;
            // A Pod placed earlier in this cycle may share the claim: its choice binds this one.
            let (allocation, _) = status(claim, &world.claims);
            match allocation.is_null() {
                true => devices.open.push(Open::read(claim, world)?),
                false => devices.places.push(place(&allocation)),
            }
        }
        // Reading every slice and claim is only worth it if something is to be allocated.
        if !devices.open.is_empty() {
            devices.inventory = Inventory::from_world(world);
        }
        Ok(devices)
    }

    /// Returns the reason why a node cannot provide the claims, if it cannot.
    pub(super) fn refusal(&self, node: &Node) -> Option<Refusal> {
        let matches =
            |terms: &Vec<NodeTerm>| terms.iter().any(|t| t.matches(&node.name, &node.labels));
        if !self.places.iter().flatten().all(matches) {
            return Some(Refusal::for_good("resourceclaim not available on the node"));
        }
        if self.open.is_empty() {
            return None;
        }
        match Search::on(node, &self.open, &self.inventory) {
            Ok(Some(_)) => None,
            Ok(None) => Some(Refusal::for_good("cannot allocate all claims")),
            Err(why) => {
                // kube-scheduler gives up on the Pod as a whole: the mistake is in the claim, not on the node.
                let why = format!("running \"DynamicResources\" filter plugin: {why}");
                self.error.borrow_mut().get_or_insert(why.clone());
                Some(Refusal::for_good(why))
            }
        }
    }

    /// Returns the error of a selector that could not be evaluated, if any.
    pub(super) fn error(&self) -> Option<String> {
        self.error.borrow().clone()
    }

    /// Returns the allocations on a node, one for each unallocated claim.
    fn allocations(&self, node: &Node, now: Timestamp) -> Vec<(Text, Value)> {
        let found = Search::on(node, &self.open, &self.inventory);
        let Ok(Some(results)) = found else {
            return Vec::new();
        };
        let allocated = self.open.iter().zip(results).map(|(open, results)| {
            let mut allocation = self.inventory.allocation(&results, node);
            let mut more = json!({"allocationTimestamp": moment::text(now)});
            if !open.config.is_empty() {
                merge::apply(&mut more, &json!({"devices": {"config": open.config}}));
            }
            merge::apply(&mut allocation, &more);
            (open.uid.clone(), allocation)
        });
        allocated.collect()
    }
}

/// Plans the writes that allocate a Pod's claims on a node, and assumes them for the rest of the cycle. The binding
/// follows in a later wave: a Pod never runs without its claims.
pub(super) fn reserve(
    pod: &Object,
    pod_info: &PodInfo,
    node: &str,
    now: Timestamp,
    world: &mut World<'_>,
) -> Vec<PlannedWrite> {
    if !pod_info.has_devices {
        return Vec::new();
    }
    let Ok(devices) = Devices::new(pod_info, world) else {
        return Vec::new();
    };
    let Some(node) = world.state.node(node).filter(|_| devices.claimed) else {
        return Vec::new();
    };
    let allocated: BTreeMap<Text, Value> = devices.allocations(node, now).into_iter().collect();
    let mut writes = Vec::new();
    for claim in claims(pod, world.cache) {
        let uid = Text::from(claim.uid());
        let (old, mut reserved_for) = status(claim, &world.claims);
        let allocation = allocated.get(&uid).cloned().unwrap_or(old);
        let fresh = allocated.contains_key(&uid);
        let known = views::is_consumer(&reserved_for, pod.uid());
        // A claim that is already reserved for the Pod needs no write; rewriting it would wake its controller.
        if known && !fresh {
            continue;
        }
        if !known {
            reserved_for.push(views::consumer(pod));
        }
        let rule = format!("{RESERVE}: {} for {}", claim.name(), pod.name());
        // Only the first write of a cycle names the version that it is derived from.
        let first = !world.claims.contains_key(&uid);
        let version = json!({"metadata": {"resourceVersion": claim.revision().to_string()}});
        let mut version = first.then_some(version);
        // The finalizer is written first: otherwise an allocation could be lost with a deleted claim.
        if fresh && !claim.has_finalizer(views::CLAIM_FINALIZER) {
            let mut all = views::meta(claim).finalizers().to_vec();
            all.push(json!(views::CLAIM_FINALIZER));
            let mut patch = json!({"metadata": {"finalizers": all}});
            merge::apply(&mut patch, &version.take().unwrap_or_else(|| json!({})));
            let write = PlannedWrite::merge(claim, patch, rule.clone());
            writes.push(write.in_wave(1));
        }
        let mut patch = json!({"status": {"reservedFor": reserved_for.clone()}});
        if fresh {
            merge::apply(&mut patch, &json!({"status": {"allocation": allocation}}));
        }
        merge::apply(&mut patch, &version.unwrap_or_else(|| json!({})));
        writes.push(
            PlannedWrite::patch(claim, Part::Status, PatchType::Merge, patch, rule).in_wave(2),
        );
        let assumed = Assumed {
            allocation,
            reserved_for,
        };
        world.claims.insert(uid, assumed);
    }
    writes
}

/// Returns the claims of a Pod, each once.
fn claims<'a>(pod: &'a Object, cache: &'a Cache) -> Vec<&'a Object> {
    let mut all: Vec<&Object> = Vec::new();
    for claim in views::pod_claims(pod).filter_map(|entry| entry.claim(pod, cache)) {
        if !all.iter().any(|other| other.uid() == claim.uid()) {
            all.push(claim);
        }
    }
    all
}

/// Returns the nodes of an allocation, if they are limited.
fn place(allocation: &Value) -> Option<Vec<NodeTerm>> {
    let terms = views::selector_terms(allocation)?.iter();
    Some(terms.map(NodeTerm::read).collect())
}
