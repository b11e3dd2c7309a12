//! The devices that ResourceSlices publish, and which of them are in use.

use std::collections::{BTreeMap, HashSet};

use super::assumed::status;
use crate::api::json::{Value, json};
use crate::kinds::pod::node_rules::{NodeTerm, Taint};
use crate::runtime::Object;
use crate::scheduler::state::Node;
use crate::scheduler::world::World;
use crate::views::{self, DeviceId, DevicePlace};
use crate::watched;

fn reaches(place: &DevicePlace, node: &Node) -> bool {
    match place {
        DevicePlace::Everywhere => true,
        DevicePlace::Node(name) => *name == node.name,
        DevicePlace::Nodes(terms) => terms.iter().any(|term| meets(node, term)),
    }
}

fn meets(node: &Node, term: &Value) -> bool {
    NodeTerm::read(term).matches(&node.name, &node.labels)
}

/// A device of a pool.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) driver: String,
    pool: String,
    slice: Object,
    /// The place in the slice.
    index: usize,
    place: DevicePlace,
    pub(super) taints: Vec<Taint>,
    /// True if not every slice of the pool has been published.
    pub(super) incomplete: bool,
}

impl Device {
    /// Returns the entry of the slice.
    pub(super) fn value(&self) -> &Value {
        let devices = views::slice(&self.slice).devices();
        devices.get(self.index).unwrap_or(&Value::Null)
    }

    /// Returns the value of an attribute by its full name.
    pub(super) fn attribute(&self, name: &str) -> Option<&Value> {
        views::device(self.value()).attribute(&self.driver, name)
    }

    fn id(&self) -> DeviceId {
        DeviceId {
            driver: self.driver.clone(),
            pool: self.pool.clone(),
            device: views::device(self.value()).name().to_owned(),
        }
    }
}

/// A device that was chosen for a request.
#[derive(Clone, Debug)]
pub(super) struct DeviceChoice {
    pub(super) request: String,
    /// The number of the device.
    pub(super) device: usize,
    pub(super) admin: bool,
}

/// All devices, in the order in which they are tried.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    pub(super) devices: Vec<Device>,
    used: HashSet<usize>,
}

impl Inventory {
    /// Returns the devices of the newest generation of each pool.
    pub(super) fn from_world(world: &World<'_>) -> Self {
        // Ordered by driver, pool and slice, because the first devices that fit are taken: the choice must not depend
        // on the order of the cache.
        let mut pools: BTreeMap<(&str, &str), Vec<&Object>> = BTreeMap::new();
        for object in world.objects(watched::resource_slices(), "") {
            let slice = views::slice(object);
            let pool = (slice.driver(), slice.pool());
            pools.entry(pool).or_default().push(object);
        }
        let generation = |slice: &Object| views::slice(slice).generation();
        let mut devices = Vec::new();
        for (_, mut slices) in pools {
            // A driver publishes a new generation before it removes the old one.
            let newest = slices.iter().map(|s| generation(s)).max();
            slices.retain(|slice| Some(generation(slice)) == newest);
            slices.sort_by_key(|slice| slice.name().to_owned());
            let expected = slices
                .first()
                .map_or(0, |slice| views::slice(slice).count());
            // A request for all devices of a pool must fail while slices of it are missing, so each device records the
            // incompleteness.
            let incomplete = i64::try_from(slices.len()).is_ok_and(|count| count < expected);
            for slice in slices {
                devices.extend(devices_of(slice, incomplete));
            }
        }
        let used = used(world);
        let numbered = devices.iter().enumerate();
        let used = numbered.filter(|(_, device)| used.contains(&device.id()));
        Self {
            used: used.map(|(number, _)| number).collect(),
            devices,
        }
    }

    /// Returns true if a claim has the device already.
    pub(super) fn is_used(&self, number: usize) -> bool {
        self.used.contains(&number)
    }

    /// Returns the numbers of the devices that a node can use.
    pub(super) fn on(&self, node: &Node) -> Vec<usize> {
        let numbered = self.devices.iter().enumerate();
        numbered
            .filter(|(_, device)| reaches(&device.place, node))
            .map(|(number, _)| number)
            .collect()
    }

    /// Returns the allocation of a claim in its status.
    pub(super) fn allocation(&self, chosen: &[DeviceChoice], node: &Node) -> Value {
        let results = chosen.iter().map(|chosen| {
            let id = self.devices[chosen.device].id();
            let mut result = json!({
                "request": chosen.request, "driver": id.driver, "pool": id.pool, "device": id.device,
            });
            if let Some(map) = result.as_object_mut().filter(|_| chosen.admin) {
                map.insert("adminAccess", json!(true));
            }
            result
        });
        let mut allocation = json!({"devices": {"results": results.collect::<Vec<_>>()}});
        let places = chosen.iter().map(|c| &self.devices[c.device].place);
        if let (Some(terms), Some(map)) = (terms(places, node), allocation.as_object_mut()) {
            map.insert("nodeSelector", json!({"nodeSelectorTerms": terms}));
        }
        allocation
    }
}

fn devices_of(slice: &Object, incomplete: bool) -> impl Iterator<Item = Device> + use<'_> {
    let view = views::slice(slice);
    let devices = view.devices().iter().enumerate();
    devices.map(move |(index, entry)| Device {
        driver: view.driver().to_owned(),
        pool: view.pool().to_owned(),
        slice: slice.clone(),
        index,
        place: views::device_place(view.holder(entry)),
        taints: views::device(entry)
            .taints()
            .iter()
            .map(Taint::read)
            .collect(),
        incomplete,
    })
}

/// Returns the allocated devices, including allocations assumed in this cycle.
fn used(world: &World<'_>) -> HashSet<DeviceId> {
    let mut used = HashSet::new();
    for claim in world.objects(watched::resource_claims(), "") {
        let (allocation, _) = status(claim, &world.claims);
        used.extend(views::held_devices(&allocation));
    }
    used
}

/// Returns the nodes of several devices: one node if any of them is local, otherwise the requirements of all.
fn terms<'a>(places: impl Iterator<Item = &'a DevicePlace>, node: &Node) -> Option<Value> {
    let mut met: Vec<Value> = Vec::new();
    for place in places {
        match place {
            DevicePlace::Everywhere => {}
            DevicePlace::Node(name) => {
                let names = [name.as_str()];
                let field = json!({"key": "metadata.name", "operator": "In", "values": names});
                // One node-local device restricts the whole claim, even if the other devices allow more nodes.
                return Some(json!([{"matchFields": [field]}]));
            }
            DevicePlace::Nodes(terms) => {
                // Terms are alternatives. The term that the chosen node meets is recorded, because all devices must be
                // reachable together.
                met.extend(terms.iter().find(|term| meets(node, term)).cloned());
            }
        }
    }
    (!met.is_empty()).then(|| json!([views::merged_terms(&met)]))
}
