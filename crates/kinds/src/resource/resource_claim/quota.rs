//! The quota usage of a ResourceClaim.

use std::collections::BTreeMap;

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::ResourceList;
use crate::tree::{at, field, list, opt_int, text};

/// The maximum number of devices that a claim can get (`AllocationResultsMaxSize`).
const MOST: i64 = 32;

/// Adds the number of devices of a claim for each DeviceClass.
pub(super) fn usage(claim: &Value, used: &mut ResourceList) {
    let mut devices: BTreeMap<&str, i64> = BTreeMap::new();
    for request in list(at(claim, &["spec", "devices"]), "requests") {
        let mut most: BTreeMap<&str, i64> = BTreeMap::new();
        let exactly = std::iter::once(field(request, "exactly")).filter(|own| !own.is_null());
        // Only one alternative is allocated, so count the largest number of each class.
        for own in exactly.chain(list(request, "firstAvailable")) {
            let count = match text(own, "allocationMode") {
                "All" => MOST,
                _ => opt_int(own, "count").unwrap_or(1),
            };
            let known = most.entry(text(own, "deviceClassName")).or_default();
            *known = count.max(*known);
        }
        // All requests of a claim are allocated together, so add them up.
        for (class, count) in most {
            *devices.entry(class).or_default() += count;
        }
    }
    for (class, count) in devices {
        let name = format!("{class}.deviceclass.resource.k8s.io/devices");
        used.insert(name, Quantity::from_int(count));
    }
}
